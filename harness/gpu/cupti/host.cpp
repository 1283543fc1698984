#include "harness/gpu/cupti/host.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>

#include "harness/core/text.h"
#include "harness/gpu/cupti/cause.h"
#include "harness/gpu/cupti/cupti_api.h"
#include "harness/gpu/cupti/cupti_call.h"

namespace lab::gpu {

namespace {

std::vector<const char*> pointers(std::span<const std::string> names) {
  std::vector<const char*> out;
  out.reserve(names.size());
  for (const std::string& name : names) out.push_back(name.c_str());
  return out;
}

std::string or_empty(const char* text) { return text == nullptr ? std::string{} : text; }

void release_host(CUpti_Profiler_Host_Object* object) {
  auto params = sized<CUpti_Profiler_Host_Deinitialize_Params>(
      CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  params.pHostObject = object;
  log_cupti_call("cuptiProfilerHostDeinitialize", {});
  cupti().ProfilerHostDeinitialize(&params);
}

constexpr std::string_view kAddMetrics = "cuptiProfilerHostConfigAddMetrics";

std::string told(std::span<const std::string> metrics) {
  return metrics.size() == 1 ? metrics.front() : fmt::format("{} metrics", metrics.size());
}

CUptiResult add_metrics(CUpti_Profiler_Host_Object* object, std::span<const std::string> metrics) {
  std::vector<const char*> names = pointers(metrics);
  auto params = sized<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  params.pHostObject = object;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  log_cupti_call(kAddMetrics, told(metrics));
  return cupti().ProfilerHostConfigAddMetrics(&params);
}

Bytes config_bytes(CUpti_Profiler_Host_Object* object) {
  auto size = sized<CUpti_Profiler_Host_GetConfigImageSize_Params>(
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  size.pHostObject = object;
  call("cuptiProfilerHostGetConfigImageSize", cupti().ProfilerHostGetConfigImageSize, &size);

  Bytes bytes(size.configImageSize);
  auto image = sized<CUpti_Profiler_Host_GetConfigImage_Params>(
      CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  image.pHostObject = object;
  image.configImageSize = bytes.size();
  image.pConfigImage = bytes.data();
  call("cuptiProfilerHostGetConfigImage", cupti().ProfilerHostGetConfigImage, &image);
  return bytes;
}

std::size_t passes_of(Bytes& image) {
  auto params = sized<CUpti_Profiler_Host_GetNumOfPasses_Params>(
      CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  params.configImageSize = image.size();
  params.pConfigImage = image.data();
  call("cuptiProfilerHostGetNumOfPasses", cupti().ProfilerHostGetNumOfPasses, &params);
  return params.numOfPasses;
}

constexpr std::array kCounterKinds = {std::pair{CUPTI_METRIC_TYPE_COUNTER, "counter"},
                                      std::pair{CUPTI_METRIC_TYPE_RATIO, "ratio"},
                                      std::pair{CUPTI_METRIC_TYPE_THROUGHPUT, "throughput"}};

std::vector<std::string> base_names(CUpti_Profiler_Host_Object* object, CUpti_MetricType kind) {
  auto params = sized<CUpti_Profiler_Host_GetBaseMetrics_Params>(
      CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE);
  params.pHostObject = object;
  params.metricType = kind;
  call("cuptiProfilerHostGetBaseMetrics", cupti().ProfilerHostGetBaseMetrics, &params);
  return {params.ppMetricNames, params.ppMetricNames + params.numMetrics};
}

MetricInfo describe(CUpti_Profiler_Host_Object* object, const std::string& name, const char* kind) {
  auto params = sized<CUpti_Profiler_Host_GetMetricProperties_Params>(
      CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE);
  params.pHostObject = object;
  params.pMetricName = name.c_str();
  if (cupti().ProfilerHostGetMetricProperties(&params) != CUPTI_SUCCESS)
    return {name, "", "", kind};
  return {name, or_empty(params.pDescription), or_empty(params.pDimUnit), kind};
}

struct ChipOfCapability {
  int compute_capability;
  const char* chip;
};

// CUDA C++ Programming Guide, "Compute Capabilities", with the chip names CUPTI uses. Where a
// capability has several chips, they have the same metrics.
constexpr std::array kUsualChips = {
    ChipOfCapability{75, "TU102"},  ChipOfCapability{80, "GA100"},  ChipOfCapability{86, "GA102"},
    ChipOfCapability{87, "GA10B"},  ChipOfCapability{89, "AD102"},  ChipOfCapability{90, "GH100"},
    ChipOfCapability{100, "GB100"}, ChipOfCapability{103, "GB110"}, ChipOfCapability{110, "GB10B"},
    ChipOfCapability{120, "GB202"}, ChipOfCapability{121, "GB20B"}};

}  // namespace

std::uint32_t cupti_version() {
  std::uint32_t version = 0;
  check(cupti().GetVersion(&version), "cuptiGetVersion", {});
  return version;
}

std::optional<std::uint32_t> find_cupti_version() {
  try {
    return cupti_version();
  } catch (const CuptiError& error) {
    spdlog::debug("{}", error.what());
    return {};
  }
}

std::vector<std::string> supported_chips() {
  auto params = sized<CUpti_Profiler_Host_GetSupportedChips_Params>(
      CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE);
  call("cuptiProfilerHostGetSupportedChips", cupti().ProfilerHostGetSupportedChips, &params);
  std::vector<std::string> chips(params.ppChipNames, params.ppChipNames + params.numChips);
  std::sort(chips.begin(), chips.end());
  return chips;
}

std::string find_chip(const std::string& name) {
  const std::vector<std::string> chips = supported_chips();
  if (std::find(chips.begin(), chips.end(), name) != chips.end()) return name;
  throw input_error(fmt::format("no chip is called '{}'", name), suggestion(name, chips));
}

std::string usual_chip(int compute_capability) {
  for (const ChipOfCapability& row : kUsualChips) {
    if (row.compute_capability == compute_capability) return row.chip;
  }
  return {};
}

Host::Host(std::string chip, const Bytes* availability)
    : chip_(std::move(chip)), availability_(availability), object_(open()) {}

Host::Object Host::open() const {
  auto params = sized<CUpti_Profiler_Host_Initialize_Params>(
      CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip_.c_str();
  if (is_of_one_gpu()) {
    params.pCounterAvailabilityImage = availability_->data();
  }
  call("cuptiProfilerHostInitialize", cupti().ProfilerHostInitialize, &params, chip_);
  return {params.pHostObject, release_host};
}

std::vector<MetricInfo> Host::metrics() const {
  std::vector<MetricInfo> out;
  for (const auto& [kind, word] : kCounterKinds) {
    for (const std::string& name : base_names(object_.get(), kind)) {
      out.push_back(describe(object_.get(), name, word));
    }
  }
  std::sort(out.begin(), out.end(),
            [](const MetricInfo& a, const MetricInfo& b) { return a.name < b.name; });
  return out;
}

CUptiResult Host::try_metric(const std::string& metric) const {
  const Object scratch = open();
  return add_metrics(scratch.get(), {&metric, 1});
}

bool Host::has(const std::string& metric) const {
  const CUptiResult code = try_metric(metric);
  const Answer answer = answer_of(code, metric);
  if (answer == Answer::kNone) check(code, kAddMetrics, metric);
  return answer == Answer::kHas;
}

std::vector<std::string> Host::lacking(std::span<const std::string> metrics) const {
  std::vector<std::string> out;
  std::copy_if(metrics.begin(), metrics.end(), std::back_inserter(out),
               [this](const std::string& metric) { return !has(metric); });
  return out;
}

ConfigImage Host::configure(std::span<const std::string> metrics) const {
  ConfigImage image{{metrics.begin(), metrics.end()}, {}, 0};
  if (metrics.empty()) return image;
  const Object scratch = open();
  check(add_metrics(scratch.get(), metrics), kAddMetrics, told(metrics));
  image.bytes = config_bytes(scratch.get());
  image.passes = passes_of(image.bytes);
  return image;
}

std::vector<double> Host::evaluate(const Bytes& counter_data, std::size_t range,
                                   std::span<const std::string> metrics) const {
  std::vector<const char*> names = pointers(metrics);
  std::vector<double> values(metrics.size());
  auto params = sized<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  params.pHostObject = object_.get();
  params.pCounterDataImage = counter_data.data();
  params.counterDataImageSize = counter_data.size();
  params.rangeIndex = range;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  call("cuptiProfilerHostEvaluateToGpuValues", cupti().ProfilerHostEvaluateToGpuValues, &params,
       fmt::format("range {}", range));
  return values;
}

std::vector<SassMetric> sass_metrics(const std::string& chip) {
  auto count = sized<CUpti_SassMetrics_GetNumOfMetrics_Params>(
      CUpti_SassMetrics_GetNumOfMetrics_Params_STRUCT_SIZE);
  count.pChipName = chip.c_str();
  call("cuptiSassMetricsGetNumOfMetrics", cupti().SassMetricsGetNumOfMetrics, &count, chip);

  std::vector<CUpti_SassMetrics_MetricDetails> details(count.numOfMetrics);
  auto params =
      sized<CUpti_SassMetrics_GetMetrics_Params>(CUpti_SassMetrics_GetMetrics_Params_STRUCT_SIZE);
  params.pChipName = chip.c_str();
  params.numOfMetrics = details.size();
  params.pMetricsList = details.data();
  call("cuptiSassMetricsGetMetrics", cupti().SassMetricsGetMetrics, &params, chip);

  std::vector<SassMetric> out;
  for (const CUpti_SassMetrics_MetricDetails& row : details) {
    out.push_back({or_empty(row.pMetricName), or_empty(row.pMetricDescription), row.metricId});
  }
  return out;
}

}  // namespace lab::gpu
