#include "harness/gpu/cupti/sass.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "harness/gpu/cupti/cupti_api.h"
#include "harness/gpu/cupti/cupti_call.h"

namespace lab::gpu {

namespace {

Handle<CUdevice> configure(CUdevice device, std::vector<CUpti_SassMetrics_Config>& configs) {
  auto params =
      sized<CUpti_SassMetricsSetConfig_Params>(CUpti_SassMetricsSetConfig_Params_STRUCT_SIZE);
  params.numOfMetricConfig = configs.size();
  params.pConfigs = configs.data();
  params.deviceIndex = static_cast<std::uint32_t>(device);
  call("cuptiSassMetricsSetConfig", cupti().SassMetricsSetConfig, &params);
  return {device, [](CUdevice made) {
            auto unset = sized<CUpti_SassMetricsUnsetConfig_Params>(
                CUpti_SassMetricsUnsetConfig_Params_STRUCT_SIZE);
            unset.deviceIndex = static_cast<std::uint32_t>(made);
            log_cupti_call("cuptiSassMetricsUnsetConfig", {});
            cupti().SassMetricsUnsetConfig(&unset);
          }};
}

// Patches the first kernel that starts while it lives. After the first flush, CUPTI 13.0 patches no
// further kernel: not in this span, not in a later one, and not in a new copy of the module.
Handle<CUcontext> enable(CUcontext context) {
  auto params = sized<CUpti_SassMetricsEnable_Params>(CUpti_SassMetricsEnable_Params_STRUCT_SIZE);
  params.ctx = context;
  params.enableLazyPatching = 1;
  call("cuptiSassMetricsEnable", cupti().SassMetricsEnable, &params);
  return {context, [](CUcontext enabled) {
            auto disable =
                sized<CUpti_SassMetricsDisable_Params>(CUpti_SassMetricsDisable_Params_STRUCT_SIZE);
            disable.ctx = enabled;
            log_cupti_call("cuptiSassMetricsDisable", {});
            cupti().SassMetricsDisable(&disable);
            if (disable.numOfDroppedRecords != 0) {
              spdlog::debug("{} SASS records dropped", disable.numOfDroppedRecords);
            }
          }};
}

CUpti_SassMetricsGetDataProperties_Params properties(CUcontext context) {
  auto params = sized<CUpti_SassMetricsGetDataProperties_Params>(
      CUpti_SassMetricsGetDataProperties_Params_STRUCT_SIZE);
  params.ctx = context;
  call("cuptiSassMetricsGetDataProperties", cupti().SassMetricsGetDataProperties, &params);
  spdlog::trace("{} instructions, {} instances", params.numOfPatchedInstructionRecords,
                params.numOfInstances);
  return params;
}

}  // namespace

// CUPTI keeps the pointer it is configured with: the list lives as long as the configuration.
struct SassProfiler::Configs {
  std::vector<CUpti_SassMetrics_Config> list;
};

SassProfiler::SassProfiler(const Context& context, const std::string& chip,
                           const std::vector<std::string>& metrics)
    : context_(context.get()), configs_(std::make_unique<Configs>()) {
  for (const SassMetric& known : sass_metrics(chip)) {
    if (std::find(metrics.begin(), metrics.end(), known.name) == metrics.end()) continue;
    metrics_.push_back(known.name);
    ids_.push_back(known.id);
    CUpti_SassMetrics_Config config{};
    config.metricId = known.id;
    config.outputGranularity = CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU;
    configs_->list.push_back(config);
  }
  configured_ = configure(context.device(), configs_->list);
}

SassProfiler::~SassProfiler() = default;

std::vector<InstructionCounts> SassProfiler::collect(const std::function<void()>& launch) const {
  const Handle<CUcontext> enabled = enable(context_);
  launch();
  const auto found = properties(context_);
  const std::size_t records = found.numOfPatchedInstructionRecords;
  if (records == 0 || found.numOfInstances == 0) return {};
  // Room for an instance of each metric, whether or not CUPTI's count of instances has them.
  const std::size_t room = std::max(found.numOfInstances, ids_.size());
  std::vector<CUpti_SassMetrics_InstanceValue> values(records * room);
  std::vector<CUpti_SassMetrics_Data> data(records);
  for (std::size_t i = 0; i < records; ++i) {
    data[i].structSize = sizeof(CUpti_SassMetrics_Data);
    data[i].pInstanceValues = &values[i * room];
  }
  auto flush =
      sized<CUpti_SassMetricsFlushData_Params>(CUpti_SassMetricsFlushData_Params_STRUCT_SIZE);
  flush.ctx = context_;
  flush.numOfPatchedInstructionRecords = records;
  flush.numOfInstances = found.numOfInstances;
  flush.pMetricsData = data.data();
  call("cuptiSassMetricsFlushData", cupti().SassMetricsFlushData, &flush);

  std::vector<InstructionCounts> out;
  for (const CUpti_SassMetrics_Data& record : data) {
    InstructionCounts counts{record.functionName == nullptr ? "" : record.functionName,
                             record.pcOffset, std::vector<double>(ids_.size())};
    for (std::size_t i = 0; i < room; ++i) {
      const auto& instance = record.pInstanceValues[i];
      const auto id = std::find(ids_.begin(), ids_.end(), instance.metricId);
      if (id == ids_.end()) continue;
      const auto metric = static_cast<std::size_t>(id - ids_.begin());
      counts.values[metric] += static_cast<double>(instance.value);
      spdlog::trace("{} + {:#x}: {} {}", counts.function, counts.offset, instance.value,
                    metrics_[metric]);
    }
    out.push_back(std::move(counts));
  }
  return out;
}

}  // namespace lab::gpu
