#include "harness/programs/build/refused.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

namespace lab::program {
namespace {

// The first row whose beginning a name has.
struct Row {
  std::string_view begins;
  std::string_view why;
};
constexpr std::string_view kProcesses = "there is no other process";
constexpr std::string_view kOtherApis = "there is no graphics or other API to share memory with";
constexpr std::string_view kDriver = "programs that load kernels themselves are not modelled";
constexpr std::string_view kMipmaps = "there are no mipmaps: make an array of the level you read";
constexpr std::string_view kGraphs =
    "graphs have kernel, copy, fill, host, event, child and empty nodes";
constexpr std::string_view kBatches = "call the copy or prefetch of one range for each";
constexpr std::string_view kClusters = "give the kernel __cluster_dims__ and launch it with <<<>>>";
constexpr std::string_view kFacts = "nothing of the model answers it";
constexpr Row kRows[] = {
    {"cudaIpc", kProcesses},
    {"cudaMemPoolExport", kProcesses},
    {"cudaMemPoolImport", kProcesses},
    {"cudaMemPoolGetAccess", "there is one device"},
    {"cudaMemPoolSetAccess", "there is one device"},
    {"cudaMemGetMemPool", "use cudaDeviceGetMemPool"},
    {"cudaMemSetMemPool", "use cudaDeviceSetMemPool"},
    {"cudaMemGetDefaultMemPool", "use cudaDeviceGetDefaultMemPool"},
    {"cudaMemcpy3DPeer", "there is one device: use cudaMemcpy3D"},
    {"cudaGraphics", kOtherApis},
    {"cudaGL", kOtherApis},
    {"cudaEGL", kOtherApis},
    {"cudaVDPAU", kOtherApis},
    {"cudaExternal", kOtherApis},
    {"cudaImportExternal", kOtherApis},
    {"cudaDestroyExternal", kOtherApis},
    {"cudaSignalExternal", kOtherApis},
    {"cudaWaitExternal", kOtherApis},
    {"cudaDeviceGetNvSciSync", kOtherApis},
    {"cudaDeviceFlushGPUDirect", kOtherApis},
    {"cudaLibrary", kDriver},
    {"cudaKernel", kDriver},
    {"cudaGetKernel", kDriver},
    {"cudaGetFuncBySymbol", kDriver},
    {"cudaGetDriverEntryPoint", kDriver},
    {"cudaGetExportTable", kDriver},
    {"cudaMallocMipmapped", kMipmaps},
    {"cudaFreeMipmapped", kMipmaps},
    {"cudaGetMipmapped", kMipmaps},
    {"cudaMipmapped", kMipmaps},
    {"cudaGetTextureObjectResourceViewDesc", kMipmaps},
    {"cudaBindTexture", "CUDA 12 has no texture references: use texture objects"},
    {"cudaUnbindTexture", "CUDA 12 has no texture references: use texture objects"},
    {"cudaBindSurface", "CUDA 12 has no surface references: use surface objects"},
    {"cudaArrayGet", "an array's place in memory is not told"},
    {"cudaMemcpyToArrayAsync", "use cudaMemcpy2DToArrayAsync"},
    {"cudaMemcpyFromArrayAsync", "use cudaMemcpy2DFromArrayAsync"},
    {"cudaMemcpyArrayToArray", "use cudaMemcpy2DArrayToArray"},
    {"cudaMemcpyBatch", kBatches},
    {"cudaMemcpy3DBatch", kBatches},
    {"cudaMemPrefetchBatch", kBatches},
    {"cudaMemDiscard", kBatches},
    {"cudaMemRangeGetAttribute", "where managed memory is at a time is not modelled"},
    {"cudaGraph", kGraphs},
    {"cudaDeviceGetGraphMem", kGraphs},
    {"cudaDeviceSetGraphMem", kGraphs},
    {"cudaDeviceGraphMem", kGraphs},
    {"cudaUserObject", kGraphs},
    {"cudaStreamBeginCaptureToGraph", kGraphs},
    {"cudaStreamGetCaptureInfo", kGraphs},
    {"cudaStreamUpdateCapture", kGraphs},
    {"cudaOccupancyMaxActiveClusters", kClusters},
    {"cudaOccupancyMaxPotentialClusterSize", kClusters},
    {"cudaFuncGetName", kFacts},
    {"cudaFuncGetParamInfo", kFacts},
    {"cudaDeviceGetHostAtomic", kFacts},
    {"cudaDeviceGetP2PAtomic", kFacts},
    {"cudaDeviceGetTexture1DLinearMaxWidth", kFacts},
    {"cudaDeviceRegisterAsync", kFacts},
    {"cudaDeviceUnregisterAsync", kFacts},
    {"cudaLogs", kFacts},
    {"cublas",
     "of cuBLAS there are axpy, copy, swap, scal, dot, nrm2, asum, amax, amin, gemv, ger, "
     "gemm, gemmStridedBatched and geam of float and double, and gemmEx of these and of half"},
    {"curand", "of cuRAND there are XORWOW and Philox, uniform, normal and log-normal numbers"},
    {"nvrtc", kDriver},
    {"cu", kDriver},
};

bool is_capital(std::string_view text, std::size_t at) {
  return at < text.size() && std::isupper(static_cast<unsigned char>(text[at])) != 0;
}

}  // namespace

bool is_call_of_cuda(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"cuda",  "cublas",   "curand",   "cufft",
                                            "cudnn", "cusparse", "cusolver", "nvrtc",
                                            "nvtx",  "nvml",     "npp"};
  if (name.starts_with("cu") && is_capital(name, 2)) return true;
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes), [&](std::string_view library) {
    return name.starts_with(library) && is_capital(name, library.size());
  });
}

std::string_view why_refused(std::string_view name) {
  for (const Row& row : kRows) {
    // `cu` is that of the driver's calls alone.
    if (name.starts_with(row.begins) && (row.begins.size() > 2 || is_capital(name, 2))) {
      return row.why;
    }
  }
  return {};
}

std::string refused_text(std::string_view name) {
  const std::string_view why = why_refused(name);
  return why.empty() ? std::string(name) : fmt::format("{} ({})", name, why);
}

}  // namespace lab::program
