#include "harness/record/inject/activities.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "harness/record/inject/recorder.h"

namespace lab::record {

namespace {

// Small, so that a buffer is full, and its records are taken over, after some 300 kernels.
constexpr std::size_t kBuffer = 65536;
constexpr std::size_t kAligned = 8;  // ACTIVITY_RECORD_ALIGNMENT

// CUPTI's callbacks have no argument for its caller.
const CuptiCalls* the_calls = nullptr;

// Each is its predecessor with further members at its end.
#if CUDA_VERSION >= 13000
using KernelActivity = CUpti_ActivityKernel10;
using CopyActivity = CUpti_ActivityMemcpy6;
#else
using KernelActivity = CUpti_ActivityKernel9;
using CopyActivity = CUpti_ActivityMemcpy5;
#endif
using PeerActivity = CUpti_ActivityMemcpyPtoP4;
using SetActivity = CUpti_ActivityMemset4;
using DeviceActivity = CUpti_ActivityDevice5;

std::uint32_t whole(std::int64_t value) { return static_cast<std::uint32_t>(value); }

void take_kernel(const KernelActivity& from, Recorder& into) {
  Kernel kernel;
  kernel.correlation = from.correlationId;
  kernel.shape.grid = {whole(from.gridX), whole(from.gridY), whole(from.gridZ)};
  kernel.shape.block = {whole(from.blockX), whole(from.blockY), whole(from.blockZ)};
  kernel.cluster = {from.clusterX, from.clusterY, from.clusterZ};
  kernel.registers = from.registersPerThread;
  kernel.static_shared = whole(from.staticSharedMemory);
  kernel.dynamic_shared = whole(from.dynamicSharedMemory);
  kernel.local = from.localMemoryPerThread;
  kernel.device = from.deviceId;
  kernel.context = from.contextId;
  kernel.stream = from.streamId;
  kernel.graph_node = from.graphNodeId;
  kernel.start = from.start;
  kernel.end = from.end;
  into.kernel(kernel, from.name);
}

Copied direction(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return Copied::kToDevice;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return Copied::kFromDevice;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
      return Copied::kWithin;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return Copied::kBetween;
    default:
      return Copied::kOther;
  }
}

template <typename Activity>
void take_copy(const Activity& from, Copied what, Recorder& into) {
  into.copy(
      {from.correlationId, what, from.deviceId, from.streamId, from.bytes, from.start, from.end});
}

void take_device(const DeviceActivity& from, Recorder& into) {
  Device device;
  device.device = from.id;
  device.major = from.computeCapabilityMajor;
  device.minor = from.computeCapabilityMinor;
  device.multiprocessors = from.numMultiprocessors;
  device.memory_bytes = from.globalMemorySize;
  std::copy(std::begin(from.uuid.bytes), std::end(from.uuid.bytes), device.uuid.begin());
  into.device(device, from.name);
}

void take(const CUpti_Activity& record, Recorder& into) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return take_kernel(reinterpret_cast<const KernelActivity&>(record), into);
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = reinterpret_cast<const CopyActivity&>(record);
      return take_copy(copy, direction(copy.copyKind), into);
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return take_copy(reinterpret_cast<const PeerActivity&>(record), Copied::kBetween, into);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return take_copy(reinterpret_cast<const SetActivity&>(record), Copied::kSet, into);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return take_device(reinterpret_cast<const DeviceActivity&>(record), into);
    default:
      return;
  }
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAligned, kBuffer));
  *size = *buffer == nullptr ? 0 : kBuffer;
  *records = 0;  // as many as fit
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t /*size*/, std::size_t filled) {
  Recorder* const recorder = Recorder::current();
  CUpti_Activity* record = nullptr;
  while (recorder != nullptr &&
         the_calls->ActivityGetNextRecord(buffer, filled, &record) == CUPTI_SUCCESS) {
    take(*record, *recorder);
  }
  std::free(buffer);
  std::size_t dropped = 0;
  if (recorder != nullptr &&
      the_calls->ActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS &&
      dropped > 0) {
    recorder->trouble({Problem::kDropped, 0, dropped}, {});
  }
}

}  // namespace

CUptiResult start_activities(const CuptiCalls& calls, bool kernels) {
  the_calls = &calls;
  CUptiResult code = calls.ActivityRegisterCallbacks(give_buffer, take_buffer);
  const auto enable = [&](CUpti_ActivityKind kind) {
    if (code == CUPTI_SUCCESS) code = calls.ActivityEnable(kind);
  };
  for (const CUpti_ActivityKind kind : {CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_MEMCPY,
                                        CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET}) {
    enable(kind);
  }
  if (kernels) enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  return code;
}

void flush_activities(const CuptiCalls& calls, bool forced) {
  calls.ActivityFlushAll(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
}

}  // namespace lab::record
