// CUPTI without a GPU: tells its subscriber of the calls of fake_cuda.cpp, and delivers what ran as
// activities. FAKE_CUPTI=busy: somebody else is the subscriber; refuses: activities are refused;
// drops: of each buffer that is delivered, one record was lost; denied: counters may not be read.
//
// It knows the counters one.sum, two.sum and three.sum, whose values are 1, 2 and 3 times a
// launch's blocks, and apart.sum, which fits no pass with others. As on an H200 (CUPTI 13.0): while
// it counts, a kernel of its own runs after each, and a graph within a session is an error when
// that ends.
#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/record/fake/fake.h"

namespace {

CUpti_CallbackFunc subscriber = nullptr;
void* user = nullptr;
std::set<std::pair<int, std::uint32_t>> enabled;
std::set<CUpti_ActivityKind> kinds;
CUpti_BuffersCallbackRequestFunc request = nullptr;
CUpti_BuffersCallbackCompleteFunc complete = nullptr;
std::uint8_t* buffer = nullptr;
std::size_t buffer_size = 0;
std::size_t filled = 0;

// The counters of a session: blocks of each launch. An image of counters has its number of ranges,
// then these.
struct Session {
  bool running = false;
  bool broken = false;
  std::size_t most = 0;
  std::vector<std::uint64_t> blocks;
  std::uint64_t* image = nullptr;
};
Session session;

struct Host {
  std::vector<std::string> metrics;
};

bool is(const char* what) {
  const char* const set = std::getenv("FAKE_CUPTI");
  return set != nullptr && std::strcmp(set, what) == 0;
}

void deliver() {
  if (buffer == nullptr) return;
  std::uint8_t* const full = std::exchange(buffer, nullptr);
  complete(nullptr, 0, full, buffer_size, std::exchange(filled, 0));
}

template <typename Activity>
void put(const Activity& activity) {
  if (buffer != nullptr && filled + sizeof activity > buffer_size) deliver();
  if (buffer == nullptr) {
    std::size_t most = 0;
    request(&buffer, &buffer_size, &most);
  }
  if (buffer == nullptr) return;
  std::memcpy(buffer + filled, &activity, sizeof activity);
  filled += sizeof activity;
}

std::size_t size_of(const CUpti_Activity& activity) {
  switch (activity.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return sizeof(CUpti_ActivityDevice5);
    default:
      return sizeof(CUpti_ActivityMemcpy6);
  }
}

void on_call(const FakeCall& call) {
  if (subscriber == nullptr || !enabled.contains({CUPTI_CB_DOMAIN_DRIVER_API, call.id})) return;
  CUpti_CallbackData data{};
  data.callbackSite = call.ends ? CUPTI_API_EXIT : CUPTI_API_ENTER;
  data.functionName = call.function;
  data.functionParams = call.params;
  data.functionReturnValue = call.result;
  data.symbolName = call.symbol;
  data.correlationData = call.data;
  data.correlationId = call.correlation;
  subscriber(user, CUPTI_CB_DOMAIN_DRIVER_API, call.id, &data);
}

void on_work(const FakeWork& work) {
  if (work.kernel == nullptr) {
    if (!kinds.contains(CUPTI_ACTIVITY_KIND_MEMCPY)) return;
    CUpti_ActivityMemcpy6 copy{};
    copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
    copy.bytes = work.bytes;
    copy.start = work.start;
    copy.end = work.end;
    copy.correlationId = work.correlation;
    return put(copy);
  }
  const bool traced = kinds.contains(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (session.running) {
    session.broken = session.broken || work.node != 0;
    const std::uint64_t blocks = std::uint64_t{work.grid[0]} * work.grid[1] * work.grid[2];
    session.blocks.push_back(blocks + (traced ? 1 : 0));
  }
  if (!traced) return;
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.registersPerThread = 32;
  kernel.start = work.start;
  kernel.end = work.end;
  kernel.gridX = static_cast<int>(work.grid[0]);
  kernel.gridY = static_cast<int>(work.grid[1]);
  kernel.gridZ = static_cast<int>(work.grid[2]);
  kernel.blockX = static_cast<int>(work.block[0]);
  kernel.blockY = static_cast<int>(work.block[1]);
  kernel.blockZ = static_cast<int>(work.block[2]);
  kernel.staticSharedMemory = 128;
  kernel.dynamicSharedMemory = static_cast<int>(work.shared);
  kernel.correlationId = work.correlation;
  kernel.name = work.kernel;
  kernel.graphNodeId = work.node;
  put(kernel);
}

void on_module(std::uint32_t number, const void* bytes, std::size_t size) {
  if (!enabled.contains({CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED})) return;
  CUpti_ModuleResourceData module{number, size, static_cast<const char*>(bytes)};
  CUpti_ResourceData data{};
  data.resourceDescriptor = &module;
  subscriber(user, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &data);
}

constexpr FakeHooks kHooks{on_call, on_work, on_module};

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  return *version = CUPTI_API_VERSION, CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
              ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
          : result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                                                          : "CUPTI_ERROR_OTHER";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback,
                           void* data) {
  if (is("busy")) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  subscriber = callback;
  user = data;
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(std::uintptr_t{1});
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return CUPTI_ERROR_UNKNOWN;
  reinterpret_cast<decltype(&fake_attach)>(dlsym(driver, "fake_attach"))(&kHooks);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (enable != 0) enabled.insert({static_cast<int>(domain), id});
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc ask,
                                           CUpti_BuffersCallbackCompleteFunc take) {
  request = ask;
  complete = take;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (is("refuses")) return CUPTI_ERROR_NOT_COMPATIBLE;
  kinds.insert(kind);
  if (kind == CUPTI_ACTIVITY_KIND_DEVICE) {
    CUpti_ActivityDevice5 device{};
    device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
    device.computeCapabilityMajor = 9;
    device.numMultiprocessors = 132;
    device.name = "No GPU";
    put(device);
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(std::uint32_t) { return deliver(), CUPTI_SUCCESS; }
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* from, std::size_t size,
                                       CUpti_Activity** record) {
  auto* at = reinterpret_cast<std::uint8_t*>(*record);
  at = at == nullptr ? from : at + size_of(**record);
  if (at >= from + size) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(at);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetDeviceId(CUcontext, std::uint32_t* device) {
  return *device = 0, CUPTI_SUCCESS;
}
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  return params->pChipName = "FAKE", CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiProfilerGetCounterAvailability(
    CUpti_Profiler_GetCounterAvailability_Params* params) {
  if (is("denied")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  return params->counterAvailabilityImageSize = 8, CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params) {
  params->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(new Host);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* params) {
  delete reinterpret_cast<Host*>(params->pHostObject);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* params) {
  static const std::set<std::string> kKnown = {"one.sum", "two.sum", "three.sum", "apart.sum",
                                               "gpu__time_duration.sum"};
  auto* const host = reinterpret_cast<Host*>(params->pHostObject);
  for (std::size_t i = 0; i < params->numMetrics; ++i) {
    if (!kKnown.contains(params->ppMetricNames[i])) return CUPTI_ERROR_INVALID_PARAMETER;
    host->metrics.emplace_back(params->ppMetricNames[i]);
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImageSize(
    CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  return params->configImageSize = 1, CUPTI_SUCCESS;
}
// Its only byte is the number of passes.
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* params) {
  const auto& metrics = reinterpret_cast<const Host*>(params->pHostObject)->metrics;
  const bool apart = std::count(metrics.begin(), metrics.end(), "apart.sum") > 0;
  params->pConfigImage[0] = apart && metrics.size() > 1 ? 2 : 1;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* params) {
  return params->numOfPasses = params->pConfigImage[0], CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* params) {
  params->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(&session);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiRangeProfilerGetCounterDataSize(
    CUpti_RangeProfiler_GetCounterDataSize_Params* params) {
  return params->counterDataSize = 8 * (1 + params->maxNumOfRanges), CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* params) {
  return std::memset(params->pCounterData, 0, params->counterDataSize), CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* params) {
  session.image = reinterpret_cast<std::uint64_t*>(params->pCounterDataImage);
  session.most = params->maxRangesPerPass;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) {
  session.running = true;
  session.blocks.clear();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params*) {
  session.running = false;
  return session.broken ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params*) {
  session.image[0] = std::min(session.blocks.size(), session.most);
  std::copy_n(session.blocks.begin(), session.image[0], session.image + 1);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerGetCounterDataInfo(
    CUpti_RangeProfiler_GetCounterDataInfo_Params* params) {
  std::memcpy(&params->numTotalRanges, params->pCounterDataImage, sizeof params->numTotalRanges);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  const auto* const image = reinterpret_cast<const std::uint64_t*>(params->pCounterDataImage);
  for (std::size_t i = 0; i < params->numMetrics; ++i) {
    const std::string metric = params->ppMetricNames[i];
    // A kernel takes 10 ns per block, as fake_cuda.cpp says.
    const int factor = metric == "one.sum"     ? 1
                       : metric == "two.sum"   ? 2
                       : metric == "three.sum" ? 3
                                               : 10;
    params->pMetricValues[i] = static_cast<double>(factor * image[1 + params->rangeIndex]);
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  return *dropped = is("drops") ? 1 : 0, CUPTI_SUCCESS;
}

}  // extern "C"
