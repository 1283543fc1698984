// CUPTI without a GPU: tells its subscriber of the calls of fake_cuda.cpp, and delivers what ran as
// activities. FAKE_CUPTI=busy: somebody else is the subscriber; refuses: activities are refused;
// drops: of each buffer that is delivered, one record was lost.
#include <cupti.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>

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
  if (!kinds.contains(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) return;
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
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  return *dropped = is("drops") ? 1 : 0, CUPTI_SUCCESS;
}

}  // extern "C"
