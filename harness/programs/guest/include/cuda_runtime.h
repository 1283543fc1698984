// In place of CUDA's header of this name where a program's host code is compiled without a toolkit.
// Kernels' bodies are read here and compiled elsewhere: what they call needs declarations alone.
#pragma once
#define __CUDA_RUNTIME_H__

// As nvcc includes them.
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __cplusplus
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>
#endif

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#ifdef __cplusplus

// The same as CUDA 13 calls them.
inline cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                                 cudaMemLocation location) {
  return cudaMemAdvise(pointer, bytes, advice, location.id);
}
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location,
                                        unsigned int /*flags*/, cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(pointer, bytes, location.id, stream);
}

// Functions of the library under the types that programs give them.
#define LAB_IS_CALLED(name) __asm__(#name)
#define LAB_IS(name) LAB_IS_CALLED(name)
template <class T>
cudaError_t cudaMalloc(T** pointer, size_t bytes) LAB_IS(cudaMalloc);
template <class T>
cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned int flags) LAB_IS(cudaHostAlloc);
template <class T>
cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned int flags = 0) LAB_IS(cudaHostAlloc);
template <class T>
cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
    LAB_IS(cudaMallocManaged);
template <class T>
cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height)
    LAB_IS(cudaMallocPitch);
template <class T>
cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream) LAB_IS(cudaMallocAsync);
template <class T>
cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) LAB_IS(cudaMallocFromPoolAsync);
template <class T>
cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
    LAB_IS(cudaMallocFromPoolAsync);
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned int flags)
    LAB_IS(cudaHostGetDevicePointer);
template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice)
    LAB_IS(cudaMemcpyToSymbol);
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
    LAB_IS(cudaMemcpyFromSymbol);
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream = 0)
    LAB_IS(cudaMemcpyToSymbolAsync);
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream = 0)
    LAB_IS(cudaMemcpyFromSymbolAsync);
template <class T>
cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) LAB_IS(cudaGetSymbolAddress);
template <class T>
cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) LAB_IS(cudaGetSymbolSize);
template <class T>
cudaError_t cudaLaunchKernel(T* kernel, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes = 0, cudaStream_t stream = 0)
    LAB_IS(cudaLaunchKernel);
template <class T>
cudaError_t cudaLaunchCooperativeKernel(T* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes = 0, cudaStream_t stream = 0)
    LAB_IS(cudaLaunchCooperativeKernel);
template <class T>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel)
    LAB_IS(cudaFuncGetAttributes);
template <class T>
cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value)
    LAB_IS(cudaFuncSetAttribute);
template <class T>
cudaError_t cudaFuncSetCacheConfig(T* kernel, cudaFuncCache config) LAB_IS(cudaFuncSetCacheConfig);
template <class T>
cudaError_t cudaFuncSetSharedMemConfig(T* kernel, cudaSharedMemConfig config)
    LAB_IS(cudaFuncSetSharedMemConfig);
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T* kernel, int threads,
                                                          size_t shared_bytes)
    LAB_IS(cudaOccupancyMaxActiveBlocksPerMultiprocessor);
template <class T>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, T* kernel, int blocks,
                                                      int threads)
    LAB_IS(cudaOccupancyAvailableDynamicSMemPerBlock);
extern "C" cudaError_t lab_occupancy_block_size(int* least_grid, int* block, const void* kernel,
                                                size_t (*shared_of)(void*, int), void* data,
                                                int most);
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* least_grid, int* block, T* kernel,
                                               size_t shared_bytes = 0, int most = 0) {
  return lab_occupancy_block_size(
      least_grid, block, reinterpret_cast<const void*>(kernel),
      [](void* data, int) { return *static_cast<size_t*>(data); }, &shared_bytes, most);
}
template <class F, class T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* least_grid, int* block, T* kernel,
                                                           F shared_of, int most = 0) {
  return lab_occupancy_block_size(
      least_grid, block, reinterpret_cast<const void*>(kernel),
      [](void* data, int threads) -> size_t { return (*static_cast<F*>(data))(threads); },
      &shared_of, most);
}
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
// A macro like a function: clang looks for the other by its name.
extern "C" cudaError_t cudaLaunchKernel_ptsz(const void* kernel, dim3 grid, dim3 block,
                                             void** arguments, size_t shared_bytes,
                                             cudaStream_t stream);
template <class T>
cudaError_t cudaLaunchKernel_ptsz(T* kernel, dim3 grid, dim3 block, void** arguments,
                                  size_t shared_bytes = 0, cudaStream_t stream = 0)
    LAB_IS(cudaLaunchKernel_ptsz);
#define cudaLaunchKernel(...) cudaLaunchKernel_ptsz(__VA_ARGS__)
#endif
#undef LAB_IS
#undef LAB_IS_CALLED
// Without lines of its own, so that a launch is in the program's line.
#define LAB_NO_LINES __attribute__((always_inline, nodebug)) inline
template <class... T>
LAB_NO_LINES cudaError_t lab_launch_ex(const cudaLaunchConfig_t* config, void (*kernel)(T...),
                                       T... arguments) {
  void* pointers[] = {&arguments..., nullptr};
  return cudaLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), pointers);
}
template <class... T, class... Given>
LAB_NO_LINES cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(T...),
                                            Given&&... arguments) {
  return lab_launch_ex<T...>(config, kernel, std::forward<Given>(arguments)...);
}
#undef LAB_NO_LINES
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags = cudaEventDefault) {
  return cudaEventCreateWithFlags(event, flags);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                        unsigned long long flags = 0) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, void*, char*,
                                        size_t) {
  return cudaGraphInstantiateWithFlags(exec, graph, 0);
}
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width,
                                          size_t height) {
  return {pointer, pitch, width, height};
}
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  return {width, height, depth};
}
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }

// The format of an array's texels: of a vector type, that of its members.
template <class T>
struct lab_channels {
  using one = T;
};
#define LAB_CHANNELS(type, of)   \
  template <>                    \
  struct lab_channels<type##1> { \
    using one = of;              \
  };                             \
  template <>                    \
  struct lab_channels<type##2> { \
    using one = of;              \
  };                             \
  template <>                    \
  struct lab_channels<type##4> { \
    using one = of;              \
  };
LAB_CHANNELS(char, signed char)
LAB_CHANNELS(uchar, unsigned char)
LAB_CHANNELS(short, short)
LAB_CHANNELS(ushort, unsigned short)
LAB_CHANNELS(int, int)
LAB_CHANNELS(uint, unsigned int)
LAB_CHANNELS(float, float)
#undef LAB_CHANNELS
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  using one = typename lab_channels<T>::one;
  constexpr int bits = 8 * sizeof(one);
  constexpr int count = sizeof(T) / sizeof(one);
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
          one(0.5f) != one(0) ? cudaChannelFormatKindFloat
          : one(-1) < one(0)  ? cudaChannelFormatKindSigned
                              : cudaChannelFormatKindUnsigned};
}

// Where the host's copies of managed variables lie in this file of the program.
extern "C" {
extern char __start_lab_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_lab_managed[] __attribute__((weak, visibility("hidden")));
void lab_managed_variables(char* begin, char* end);
}
namespace {
[[maybe_unused]] const bool lab_managed_told =
    (lab_managed_variables(__start_lab_managed, __stop_lab_managed), true);
}

// Launches, as clang makes them.
extern "C" unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                    cudaStream_t stream = 0)
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
    __asm__("__cudaPushCallConfiguration_ptsz")
#endif
        ;
extern "C" cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                                  void* stream);

#if defined(__CUDA__)
#include "lab_device.h"
#endif

#endif
