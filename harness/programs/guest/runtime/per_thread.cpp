// Calls of files that are compiled with --default-stream per-thread: there 0 is the default stream
// of the thread, and calls that block wait in it (CUDA C++ Programming Guide, "Default Stream").
// Their names end in _ptsz where they take a stream, else in _ptds.
#include <utility>

#include "harness/programs/guest/runtime/calls.h"

namespace lab::program {
namespace {

thread_local bool default_is_per_thread = false;
thread_local Site called_at = 0;

/// While it lives, the thread's own stream stands for 0, and calls are made where this one was.
class OfThread {
 public:
  explicit OfThread(Site site)
      : per_thread_(std::exchange(default_is_per_thread, true)),
        called_at_(std::exchange(called_at, site)) {}
  ~OfThread() {
    default_is_per_thread = per_thread_;
    called_at = called_at_;
  }
  OfThread(const OfThread&) = delete;
  OfThread& operator=(const OfThread&) = delete;

 private:
  bool per_thread_;
  Site called_at_;
};

}  // namespace

bool is_default_per_thread() { return default_is_per_thread; }
Site site_of(Site returns_to) { return called_at == 0 ? returns_to : called_at; }

}  // namespace lab::program

#define LAB_OF_THREAD(call, suffix, parameters, arguments) \
  cudaError_t call##suffix parameters {                    \
    const lab::program::OfThread here(LAB_SITE);           \
    return call arguments;                                 \
  }

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     cudaStream_t stream);
cudaError_t __cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared_bytes, cudaStream_t stream);

LAB_OF_THREAD(cudaMemcpy, _ptds,
              (void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind),
              (to, from, bytes, kind))
LAB_OF_THREAD(cudaMemcpy2D, _ptds,
              (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
               size_t height, enum cudaMemcpyKind kind),
              (to, to_pitch, from, from_pitch, width, height, kind))
LAB_OF_THREAD(cudaMemcpy2DArrayToArray, _ptds,
              (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t x, size_t y,
               size_t width, size_t height, enum cudaMemcpyKind kind),
              (to, to_x, to_y, from, x, y, width, height, kind))
LAB_OF_THREAD(cudaMemcpy2DFromArray, _ptds,
              (void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
               size_t height, enum cudaMemcpyKind kind),
              (to, pitch, from, x, y, width, height, kind))
LAB_OF_THREAD(cudaMemcpy2DToArray, _ptds,
              (cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
               size_t height, enum cudaMemcpyKind kind),
              (to, x, y, from, pitch, width, height, kind))
LAB_OF_THREAD(cudaMemcpy3D, _ptds, (const struct cudaMemcpy3DParms* copy), (copy))
LAB_OF_THREAD(cudaMemcpyFromArray, _ptds,
              (void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
               enum cudaMemcpyKind kind),
              (to, from, x, y, bytes, kind))
LAB_OF_THREAD(cudaMemcpyFromSymbol, _ptds,
              (void* to, const void* symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
              (to, symbol, bytes, offset, kind))
LAB_OF_THREAD(cudaMemcpyToArray, _ptds,
              (cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
               enum cudaMemcpyKind kind),
              (to, x, y, from, bytes, kind))
LAB_OF_THREAD(cudaMemcpyToSymbol, _ptds,
              (const void* symbol, const void* from, size_t bytes, size_t offset,
               enum cudaMemcpyKind kind),
              (symbol, from, bytes, offset, kind))
LAB_OF_THREAD(cudaMemset, _ptds, (void* pointer, int value, size_t bytes), (pointer, value, bytes))
LAB_OF_THREAD(cudaMemset2D, _ptds,
              (void* pointer, size_t pitch, int value, size_t width, size_t height),
              (pointer, pitch, value, width, height))
LAB_OF_THREAD(cudaMemset3D, _ptds,
              (struct cudaPitchedPtr pointer, int value, struct cudaExtent extent),
              (pointer, value, extent))
LAB_OF_THREAD(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream), (event, stream))
LAB_OF_THREAD(cudaEventRecordWithFlags, _ptsz,
              (cudaEvent_t event, cudaStream_t stream, unsigned int flags), (event, stream, flags))
LAB_OF_THREAD(cudaFreeAsync, _ptsz, (void* pointer, cudaStream_t stream), (pointer, stream))
LAB_OF_THREAD(cudaGraphLaunch, _ptsz, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream))
LAB_OF_THREAD(cudaGraphUpload, _ptsz, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream))
LAB_OF_THREAD(cudaLaunchCooperativeKernel, _ptsz,
              (const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
               cudaStream_t stream),
              (kernel, grid, block, arguments, shared_bytes, stream))
LAB_OF_THREAD(cudaLaunchHostFunc, _ptsz, (cudaStream_t stream, cudaHostFn_t function, void* data),
              (stream, function, data))
LAB_OF_THREAD(cudaLaunchKernel, _ptsz,
              (const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
               cudaStream_t stream),
              (kernel, grid, block, arguments, shared_bytes, stream))
LAB_OF_THREAD(cudaLaunchKernelExC, _ptsz,
              (const cudaLaunchConfig_t* config, const void* kernel, void** arguments),
              (config, kernel, arguments))
LAB_OF_THREAD(cudaMallocAsync, _ptsz, (void** pointer, size_t bytes, cudaStream_t stream),
              (pointer, bytes, stream))
LAB_OF_THREAD(cudaMallocFromPoolAsync, _ptsz,
              (void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
              (pointer, bytes, pool, stream))
LAB_OF_THREAD(cudaMemPrefetchAsync, _ptsz,
              (const void* pointer, size_t bytes, int device, cudaStream_t stream),
              (pointer, bytes, device, stream))
LAB_OF_THREAD(cudaMemcpy2DAsync, _ptsz,
              (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
               size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
              (to, to_pitch, from, from_pitch, width, height, kind, stream))
LAB_OF_THREAD(cudaMemcpy2DFromArrayAsync, _ptsz,
              (void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
               size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
              (to, pitch, from, x, y, width, height, kind, stream))
LAB_OF_THREAD(cudaMemcpy2DToArrayAsync, _ptsz,
              (cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
               size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
              (to, x, y, from, pitch, width, height, kind, stream))
LAB_OF_THREAD(cudaMemcpy3DAsync, _ptsz, (const struct cudaMemcpy3DParms* copy, cudaStream_t stream),
              (copy, stream))
LAB_OF_THREAD(cudaMemcpyAsync, _ptsz,
              (void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind,
               cudaStream_t stream),
              (to, from, bytes, kind, stream))
LAB_OF_THREAD(cudaMemcpyFromSymbolAsync, _ptsz,
              (void* to, const void* symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
               cudaStream_t stream),
              (to, symbol, bytes, offset, kind, stream))
LAB_OF_THREAD(cudaMemcpyToSymbolAsync, _ptsz,
              (const void* symbol, const void* from, size_t bytes, size_t offset,
               enum cudaMemcpyKind kind, cudaStream_t stream),
              (symbol, from, bytes, offset, kind, stream))
LAB_OF_THREAD(cudaMemset2DAsync, _ptsz,
              (void* pointer, size_t pitch, int value, size_t width, size_t height,
               cudaStream_t stream),
              (pointer, pitch, value, width, height, stream))
LAB_OF_THREAD(cudaMemset3DAsync, _ptsz,
              (struct cudaPitchedPtr pointer, int value, struct cudaExtent extent,
               cudaStream_t stream),
              (pointer, value, extent, stream))
LAB_OF_THREAD(cudaMemsetAsync, _ptsz, (void* pointer, int value, size_t bytes, cudaStream_t stream),
              (pointer, value, bytes, stream))
LAB_OF_THREAD(cudaStreamAddCallback, _ptsz,
              (cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned int flags),
              (stream, callback, data, flags))
LAB_OF_THREAD(cudaStreamAttachMemAsync, _ptsz,
              (cudaStream_t stream, void* pointer, size_t bytes, unsigned int flags),
              (stream, pointer, bytes, flags))
LAB_OF_THREAD(cudaStreamBeginCapture, _ptsz, (cudaStream_t stream, enum cudaStreamCaptureMode mode),
              (stream, mode))
LAB_OF_THREAD(cudaStreamCopyAttributes, _ptsz, (cudaStream_t to, cudaStream_t from), (to, from))
LAB_OF_THREAD(cudaStreamEndCapture, _ptsz, (cudaStream_t stream, cudaGraph_t* graph),
              (stream, graph))
LAB_OF_THREAD(cudaStreamGetAttribute, _ptsz,
              (cudaStream_t stream, cudaLaunchAttributeID attribute,
               cudaLaunchAttributeValue* value),
              (stream, attribute, value))
LAB_OF_THREAD(cudaStreamGetDevice, _ptsz, (cudaStream_t stream, int* device), (stream, device))
LAB_OF_THREAD(cudaStreamGetFlags, _ptsz, (cudaStream_t stream, unsigned int* flags),
              (stream, flags))
LAB_OF_THREAD(cudaStreamGetId, _ptsz, (cudaStream_t stream, unsigned long long* id), (stream, id))
LAB_OF_THREAD(cudaStreamGetPriority, _ptsz, (cudaStream_t stream, int* priority),
              (stream, priority))
LAB_OF_THREAD(cudaStreamIsCapturing, _ptsz,
              (cudaStream_t stream, enum cudaStreamCaptureStatus* status), (stream, status))
LAB_OF_THREAD(cudaStreamQuery, _ptsz, (cudaStream_t stream), (stream))
LAB_OF_THREAD(cudaStreamSetAttribute, _ptsz,
              (cudaStream_t stream, cudaLaunchAttributeID attribute,
               const cudaLaunchAttributeValue* value),
              (stream, attribute, value))
LAB_OF_THREAD(cudaStreamSynchronize, _ptsz, (cudaStream_t stream), (stream))
LAB_OF_THREAD(cudaStreamWaitEvent, _ptsz,
              (cudaStream_t stream, cudaEvent_t event, unsigned int flags), (stream, event, flags))

// As the compilers' own code launches.
LAB_OF_THREAD(__cudaLaunchKernel, _ptsz,
              (const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
               cudaStream_t stream),
              (kernel, grid, block, arguments, shared_bytes, stream))
unsigned __cudaPushCallConfiguration_ptsz(dim3 grid, dim3 block, size_t shared_bytes,
                                          cudaStream_t stream) {
  const lab::program::OfThread here(LAB_SITE);
  return __cudaPushCallConfiguration(grid, block, shared_bytes,
                                     stream == nullptr ? cudaStreamPerThread : stream);
}

}  // extern "C"
