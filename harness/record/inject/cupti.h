// CUPTI in the process of another program: callbacks and activities, no counters.
#pragma once

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <string>

namespace lab::record {

// Name without its `cupti`; the type is the header's.
#define LAB_RECORD_CUPTI_FUNCTIONS(X) \
  X(GetVersion)                       \
  X(GetResultString)                  \
  X(GetDeviceId)                      \
  X(Subscribe)                        \
  X(EnableCallback)                   \
  X(ActivityRegisterCallbacks)        \
  X(ActivityEnable)                   \
  X(ActivityFlushAll)                 \
  X(ActivityGetNextRecord)            \
  X(ActivityGetNumDroppedRecords)

// The same, of counters: there since CUDA 12.6.
#define LAB_RECORD_COUNTER_FUNCTIONS(X)      \
  X(DeviceGetChipName)                       \
  X(ProfilerInitialize)                      \
  X(ProfilerGetCounterAvailability)          \
  X(ProfilerHostInitialize)                  \
  X(ProfilerHostDeinitialize)                \
  X(ProfilerHostConfigAddMetrics)            \
  X(ProfilerHostGetConfigImageSize)          \
  X(ProfilerHostGetConfigImage)              \
  X(ProfilerHostGetNumOfPasses)              \
  X(ProfilerHostEvaluateToGpuValues)         \
  X(RangeProfilerEnable)                     \
  X(RangeProfilerDisable)                    \
  X(RangeProfilerSetConfig)                  \
  X(RangeProfilerGetCounterDataSize)         \
  X(RangeProfilerCounterDataImageInitialize) \
  X(RangeProfilerGetCounterDataInfo)         \
  X(RangeProfilerStart)                      \
  X(RangeProfilerStop)                       \
  X(RangeProfilerPushRange)                  \
  X(RangeProfilerPopRange)                   \
  X(RangeProfilerDecodeData)

/// CUPTI's functions by name: api.Subscribe is cuptiSubscribe.
struct CuptiCalls {
#define LAB_RECORD_CUPTI_MEMBER(name) decltype(&::cupti##name) name = nullptr;
  LAB_RECORD_CUPTI_FUNCTIONS(LAB_RECORD_CUPTI_MEMBER)
  LAB_RECORD_COUNTER_FUNCTIONS(LAB_RECORD_CUPTI_MEMBER)
#undef LAB_RECORD_CUPTI_MEMBER
};

/// Loads CUPTI of the major version whose headers these are, since its records change with it: the
/// one that the program has loaded itself, else that of `folders` (with : between them), else the
/// loader's. Returns why it can't; an empty text: `calls` are there.
/// Counters are asked for with `counters`.
[[nodiscard]] std::string load_cupti(const char* folders, bool counters, CuptiCalls& calls);

/// CUPTI_ERROR_..., as CUPTI itself names it.
[[nodiscard]] std::string result_name(const CuptiCalls& calls, CUptiResult code);

}  // namespace lab::record
