// A driver without a GPU that loads an injection library as the real one does, and tells
// fake_cupti.cpp of what is called and of what would have run. A kernel is its name, and takes 10
// ns per block; a copy takes 1 ns per byte; between two works the device is idle for 100 ns.
#include <cupti.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "tests/unit/record/fake/fake.h"

namespace {

constexpr std::uint64_t kIdle = 100;

const FakeHooks* hooks = nullptr;
std::recursive_mutex mutex;
std::uint64_t device_clock = 1000000;
std::uint32_t correlation = 0;
bool capturing = false;

struct Graph {
  std::vector<FakeWork> nodes;
};
Graph captured;

void run(FakeWork work, std::uint64_t takes, std::uint32_t of_call) {
  work.start = device_clock + kIdle;
  work.end = work.start + takes;
  work.correlation = of_call;
  device_clock = work.end;
  if (hooks != nullptr) hooks->work(work);
}

void run_kernel(const FakeWork& work, std::uint32_t of_call) {
  run(work, 10U * work.grid[0] * work.grid[1] * work.grid[2], of_call);
}

template <typename Act>
CUresult called(std::uint32_t id, const char* function, const void* params, const char* symbol,
                const Act& act) {
  const std::lock_guard<std::recursive_mutex> guard(mutex);
  CUresult result = CUDA_SUCCESS;
  std::uint64_t data = 0;
  FakeCall call{id, false, function, params, &result, symbol, &data, ++correlation};
  if (hooks != nullptr) hooks->call(call);
  result = act(call.correlation);
  call.ends = true;
  if (hooks != nullptr) hooks->call(call);
  return result;
}

CUresult launch(const FakeWork& work, std::uint32_t of_call) {
  if (work.block[0] > 1024) return CUDA_ERROR_INVALID_VALUE;
  if (capturing) {
    captured.nodes.push_back(work);
    captured.nodes.back().node = captured.nodes.size();
  } else {
    run_kernel(work, of_call);
  }
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

void fake_attach(const FakeHooks* to) { hooks = to; }

CUresult cuInit(unsigned) {
  static const int kOnce = [] {
    const char* const path = std::getenv("CUDA_INJECTION64_PATH");
    void* const library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return 0;
    auto* const initialize = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
    return initialize == nullptr ? 0 : initialize();
  }();
  static_cast<void>(kOnce);
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  static std::uint32_t number = 0;
  *module = reinterpret_cast<CUmodule>(std::uintptr_t{1});
  if (hooks != nullptr)
    hooks->module(++number, image, std::strlen(static_cast<const char*>(image)));
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream stream,
                        void** arguments, void** extra) {
  const cuLaunchKernel_params params{f, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra};
  const auto* name = reinterpret_cast<const char*>(f);
  return called(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel", &params, name,
                [&](std::uint32_t of_call) {
                  return launch({name, {gx, gy, gz}, {bx, by, bz}, shared}, of_call);
                });
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                   unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                   void** arguments) {
  const cuLaunchCooperativeKernel_params params{f,  gx, gy,     gz,     bx,
                                                by, bz, shared, stream, arguments};
  const auto* name = reinterpret_cast<const char*>(f);
  return called(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel",
                &params, name, [&](std::uint32_t of_call) {
                  return launch({name, {gx, gy, gz}, {bx, by, bz}, shared}, of_call);
                });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** arguments,
                          void** extra) {
  const cuLaunchKernelEx_ptsz_params params{config, f, arguments, extra};
  const auto* name = reinterpret_cast<const char*>(f);
  return called(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, "cuLaunchKernelEx", &params, name,
                [&](std::uint32_t of_call) {
                  return launch({name,
                                 {config->gridDimX, config->gridDimY, config->gridDimZ},
                                 {config->blockDimX, config->blockDimY, config->blockDimZ},
                                 config->sharedMemBytes},
                                of_call);
                });
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  const cuStreamBeginCapture_v2_params params{stream, mode};
  return called(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, "cuStreamBeginCapture_v2", &params,
                nullptr, [&](std::uint32_t) { return capturing = true, CUDA_SUCCESS; });
}
CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status) {
  *status = capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  const cuStreamEndCapture_params params{stream, graph};
  return called(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, "cuStreamEndCapture", &params, nullptr,
                [&](std::uint32_t) {
                  capturing = false;
                  *graph = reinterpret_cast<CUgraph>(&captured);
                  return CUDA_SUCCESS;
                });
}
CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  const cuGraphLaunch_params params{graph, stream};
  return called(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, "cuGraphLaunch", &params, nullptr,
                [&](std::uint32_t of_call) {
                  for (const FakeWork& node : captured.nodes) run_kernel(node, of_call);
                  return CUDA_SUCCESS;
                });
}
CUresult cuCtxSynchronize() {
  return called(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, "cuCtxSynchronize", nullptr, nullptr,
                [](std::uint32_t) { return CUDA_SUCCESS; });
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  const cuMemcpyDtoH_v2_params params{to, from, bytes};
  return called(CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2, "cuMemcpyDtoH_v2", &params, nullptr,
                [&](std::uint32_t of_call) {
                  FakeWork copy;
                  copy.bytes = bytes;
                  run(copy, bytes, of_call);
                  return CUDA_SUCCESS;
                });
}

}  // extern "C"
