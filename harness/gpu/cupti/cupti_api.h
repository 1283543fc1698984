// CUPTI, loaded at run time: the worker starts, and runs the model, where none is.
#pragma once

#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <cupti_version.h>

namespace lab::gpu {

// Name without its `cupti`; the type is the header's. A row here is all that a further function
// needs. All of them are there since CUDA 12.6.
#define LAB_CUPTI_FUNCTIONS(X)               \
  X(GetResultString)                         \
  X(GetVersion)                              \
  X(DeviceGetChipName)                       \
  X(ProfilerInitialize)                      \
  X(ProfilerDeviceSupported)                 \
  X(ProfilerGetCounterAvailability)          \
  X(ProfilerHostInitialize)                  \
  X(ProfilerHostDeinitialize)                \
  X(ProfilerHostGetSupportedChips)           \
  X(ProfilerHostGetBaseMetrics)              \
  X(ProfilerHostGetMetricProperties)         \
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
  X(RangeProfilerDecodeData)                 \
  X(SassMetricsGetNumOfMetrics)              \
  X(SassMetricsGetMetrics)                   \
  X(SassMetricsSetConfig)                    \
  X(SassMetricsUnsetConfig)                  \
  X(SassMetricsEnable)                       \
  X(SassMetricsDisable)                      \
  X(SassMetricsGetDataProperties)            \
  X(SassMetricsFlushData)                    \
  X(PCSamplingGetNumStallReasons)            \
  X(PCSamplingGetStallReasons)               \
  X(PCSamplingEnable)                        \
  X(PCSamplingDisable)                       \
  X(PCSamplingSetConfigurationAttribute)     \
  X(PCSamplingStart)                         \
  X(PCSamplingStop)                          \
  X(PCSamplingGetData)

/// CUPTI's functions by name: api.RangeProfilerStart is cuptiRangeProfilerStart.
struct CuptiApi {
#define LAB_CUPTI_MEMBER(name) decltype(&::cupti##name) name = nullptr;
  LAB_CUPTI_FUNCTIONS(LAB_CUPTI_MEMBER)
#undef LAB_CUPTI_MEMBER
};

/// The CUPTI of this process, loaded by the first call from the loader's search path: of the major
/// version whose headers these are, since its parameter blocks change with it. Throws CuptiError
/// (CUPTI_ERROR_NOT_INITIALIZED) that says what to do where there is none.
[[nodiscard]] const CuptiApi& cupti();

}  // namespace lab::gpu
