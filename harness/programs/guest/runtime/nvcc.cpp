// What programs call that nvcc has compiled with the headers of CUDA 12 and 13, beside the calls
// that are the same with ours.
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "harness/programs/guest/runtime/calls.h"

#undef cudaGetDeviceProperties  // by its name in these headers, ours has another

using lab::program::Entry;

namespace {

struct Run {
  std::size_t from;
  std::size_t until;
  std::size_t alignment;
};
#define LAB_RUN(first, last)                                           \
  {                                                                    \
    offsetof(cudaDeviceProp, first),                                   \
        offsetof(cudaDeviceProp, last) + sizeof(cudaDeviceProp::last), \
        alignof(decltype(cudaDeviceProp::first))                       \
  }
constexpr Run kRuns[] = {
    LAB_RUN(name, maxGridSize),
    LAB_RUN(totalConstMem, texturePitchAlignment),
    LAB_RUN(multiProcessorCount, multiProcessorCount),
    LAB_RUN(integrated, canMapHostMemory),
    LAB_RUN(maxTexture1D, maxTexture1DMipmap),
    LAB_RUN(maxTexture2D, maxSurfaceCubemapLayered),
    LAB_RUN(surfaceAlignment, unifiedAddressing),
    LAB_RUN(memoryBusWidth, localL1CacheSupported),
    LAB_RUN(sharedMemPerMultiprocessor, hostNativeAtomicSupported),
    LAB_RUN(pageableMemoryAccess, cooperativeLaunch),
    LAB_RUN(sharedMemPerBlockOptin, accessPolicyMaxWindowSize),
    LAB_RUN(reservedSharedMemPerBlock, unifiedFunctionPointers),
};
#undef LAB_RUN

}  // namespace

extern "C" {

// A kernel's handle is the host's address of it.
cudaError_t __cudaGetKernel(const void** kernel, const void* host) {
  *kernel = host;
  return cudaSuccess;
}

// CUDA 13 has it in place of cudaLaunchKernel().
cudaError_t __cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared_bytes, cudaStream_t stream) {
  Entry entry(lab::program::configured_site(LAB_SITE));
  return lab::program::launch_from(entry, kernel, {grid, block, shared_bytes, stream, entry.site()},
                                   arguments);
}

// The layout of CUDA 12, which is ours.
cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp* p, int device) {
  return lab_cudaGetDeviceProperties(p, device);
}

// That of CUDA 13 lacks a few members: what both have comes in runs.
cudaError_t cudaGetDeviceProperties(void* properties, int device) {
  cudaDeviceProp ours;
  const cudaError_t error = lab_cudaGetDeviceProperties(&ours, device);
  if (error != cudaSuccess) return error;
  constexpr std::size_t kBytes = 1008;
  std::memset(properties, 0, kBytes);
  std::size_t at = 0;
  for (const Run& run : kRuns) {
    at = (at + run.alignment - 1) / run.alignment * run.alignment;
    std::memcpy(static_cast<std::byte*>(properties) + at,
                reinterpret_cast<const std::byte*>(&ours) + run.from, run.until - run.from);
    at += run.until - run.from;
  }
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

}  // extern "C"
