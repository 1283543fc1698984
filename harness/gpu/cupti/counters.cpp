#include "harness/gpu/cupti/counters.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/gpu/cupti/cupti_api.h"
#include "harness/gpu/cupti/cupti_call.h"
#include "harness/gpu/driver/phase.h"

namespace lab::gpu {

namespace {

// One launch sequence is one user range; AutoRange names the launches itself. Longer names, and
// names with '/', have made the decoder fail.
constexpr const char* kRangeName = "r";

Bytes counter_image(CUpti_RangeProfiler_Object* profiler, const ConfigImage& config,
                    std::size_t max_ranges) {
  std::vector<const char*> names;
  for (const std::string& metric : config.metrics) names.push_back(metric.c_str());
  auto size = sized<CUpti_RangeProfiler_GetCounterDataSize_Params>(
      CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
  size.pRangeProfilerObject = profiler;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = max_ranges;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(max_ranges);
  call("cuptiRangeProfilerGetCounterDataSize", cupti().RangeProfilerGetCounterDataSize, &size);

  Bytes image(size.counterDataSize);
  auto start = sized<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  start.pRangeProfilerObject = profiler;
  start.counterDataSize = image.size();
  start.pCounterData = image.data();
  call("cuptiRangeProfilerCounterDataImageInitialize",
       cupti().RangeProfilerCounterDataImageInitialize, &start,
       fmt::format("{} bytes", image.size()));
  return image;
}

// Each of these calls takes only the profiler object.
template <typename Params, typename Function>
Params plain_call(std::string_view name, Function function, std::size_t struct_size,
                  CUpti_RangeProfiler_Object* profiler) {
  auto params = sized<Params>(struct_size);
  params.pRangeProfilerObject = profiler;
  call(name, function, &params);
  return params;
}

void start(CUpti_RangeProfiler_Object* profiler) {
  plain_call<CUpti_RangeProfiler_Start_Params>(
      "cuptiRangeProfilerStart", cupti().RangeProfilerStart,
      CUpti_RangeProfiler_Start_Params_STRUCT_SIZE, profiler);
  auto push =
      sized<CUpti_RangeProfiler_PushRange_Params>(CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
  push.pRangeProfilerObject = profiler;
  push.pRangeName = kRangeName;
  call("cuptiRangeProfilerPushRange", cupti().RangeProfilerPushRange, &push);
}

// Whether this was the last pass.
bool stop(CUpti_RangeProfiler_Object* profiler) {
  plain_call<CUpti_RangeProfiler_PopRange_Params>(
      "cuptiRangeProfilerPopRange", cupti().RangeProfilerPopRange,
      CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE, profiler);
  const auto stopped = plain_call<CUpti_RangeProfiler_Stop_Params>(
      "cuptiRangeProfilerStop", cupti().RangeProfilerStop,
      CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE, profiler);
  spdlog::trace("pass {} nesting {} all submitted {}", stopped.passIndex,
                stopped.targetNestingLevel, stopped.isAllPassSubmitted);
  return stopped.isAllPassSubmitted != 0;
}

std::size_t count_ranges(const Bytes& image) {
  auto params = sized<CUpti_RangeProfiler_GetCounterDataInfo_Params>(
      CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
  params.pCounterDataImage = image.data();
  params.counterDataImageSize = image.size();
  call("cuptiRangeProfilerGetCounterDataInfo", cupti().RangeProfilerGetCounterDataInfo, &params);
  return params.numTotalRanges;
}

}  // namespace

void initialise_profiler() {
  auto params =
      sized<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  call("cuptiProfilerInitialize", cupti().ProfilerInitialize, &params);
}

std::string chip_name(int device) {
  auto params = sized<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  params.deviceIndex = static_cast<std::size_t>(device);
  log_cupti_call("cuptiDeviceGetChipName", {});
  if (cupti().DeviceGetChipName(&params) != CUPTI_SUCCESS || params.pChipName == nullptr) return {};
  return params.pChipName;
}

Bytes read_availability(const Context& context) {
  initialise_profiler();
  auto params = sized<CUpti_Profiler_GetCounterAvailability_Params>(
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
  params.ctx = context.get();
  call("cuptiProfilerGetCounterAvailability", cupti().ProfilerGetCounterAvailability, &params,
       "size");
  Bytes image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  call("cuptiProfilerGetCounterAvailability", cupti().ProfilerGetCounterAvailability, &params);
  image.resize(params.counterAvailabilityImageSize);
  return image;
}

RangeProfiler::RangeProfiler(const Context& context) {
  initialise_profiler();
  auto params =
      sized<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
  params.ctx = context.get();
  call("cuptiRangeProfilerEnable", cupti().RangeProfilerEnable, &params);
  handle_ = {params.pRangeProfilerObject, [](CUpti_RangeProfiler_Object* enabled) {
               auto disable = sized<CUpti_RangeProfiler_Disable_Params>(
                   CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
               disable.pRangeProfilerObject = enabled;
               log_cupti_call("cuptiRangeProfilerDisable", {});
               cupti().RangeProfilerDisable(&disable);
             }};
}

Configured RangeProfiler::configure(const ConfigImage& config, std::size_t max_ranges) const {
  return {handle_.get(), config, max_ranges};
}

Configured::Configured(CUpti_RangeProfiler_Object* profiler, const ConfigImage& config,
                       std::size_t max_ranges)
    : profiler_(profiler),
      passes_(config.passes),
      image_(counter_image(profiler, config, max_ranges)) {
  auto params =
      sized<CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
  params.pRangeProfilerObject = profiler_;
  params.configSize = config.bytes.size();
  params.pConfig = config.bytes.data();
  params.counterDataImageSize = image_.size();
  params.pCounterDataImage = image_.data();
  params.range = CUPTI_AutoRange;
  params.replayMode = CUPTI_UserReplay;
  params.maxRangesPerPass = max_ranges;
  params.numNestingLevels = 1;
  params.minNestingLevel = 1;
  params.passIndex = 0;
  params.targetNestingLevel = 1;
  call("cuptiRangeProfilerSetConfig", cupti().RangeProfilerSetConfig, &params,
       fmt::format("{} metrics, {} passes, {} ranges", config.metrics.size(), config.passes,
                   max_ranges));
}

Decoded Configured::collect(const std::function<void()>& launches, const AfterPass& after_pass) && {
  // CUPTI says which pass was the last. The count guards against a CUPTI that never says so.
  bool last = false;
  std::size_t dropped = 0;
  for (std::size_t pass = 0; !last; ++pass) {
    if (pass > passes_) {
      throw internal_error(fmt::format("{} passes did not end the collection", pass));
    }
    const Phase phase(fmt::format("pass {}", pass + 1));
    start(profiler_);
    launches();
    last = stop(profiler_);
    const auto decoded = plain_call<CUpti_RangeProfiler_DecodeData_Params>(
        "cuptiRangeProfilerDecodeData", cupti().RangeProfilerDecodeData,
        CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE, profiler_);
    dropped = std::max(dropped, decoded.numOfRangeDropped);
    after_pass(pass, image_);
  }
  const std::size_t ranges = count_ranges(image_);
  spdlog::debug("{} ranges decoded, {} dropped", ranges, dropped);
  return {std::move(image_), ranges, dropped};
}

}  // namespace lab::gpu
