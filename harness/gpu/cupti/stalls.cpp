#include "harness/gpu/cupti/stalls.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "harness/gpu/cupti/cupti_api.h"
#include "harness/gpu/cupti/cupti_call.h"
#include "metrics/stalls.h"

namespace lab::gpu {

namespace {

// How many instructions one call of CUPTI returns.
constexpr std::size_t kMostPcs = 4096;
// The buffer for the hardware's samples. CUPTI's default is 512 MB.
constexpr std::size_t kHardwareBytes = std::size_t{128} << 20;
// How long samples may take to arrive.
constexpr std::chrono::milliseconds kPatience{300};
constexpr std::chrono::milliseconds kFetchEvery{20};
constexpr std::size_t kScratchBytes = std::size_t{8} << 20;
constexpr const char* kPrefix = "smsp__pcsamp_warps_issue_stalled_";

// These parameter blocks call their size `size`.
template <typename Params>
Params block(std::size_t size, CUcontext context) {
  Params params{};
  params.size = size;
  params.ctx = context;
  return params;
}

std::map<std::uint32_t, std::string> read_reasons(CUcontext context, std::size_t& count) {
  auto number = block<CUpti_PCSamplingGetNumStallReasonsParams>(
      CUpti_PCSamplingGetNumStallReasonsParamsSize, context);
  number.numStallReasons = &count;
  call("cuptiPCSamplingGetNumStallReasons", cupti().PCSamplingGetNumStallReasons, &number);
  std::vector<std::uint32_t> indices(count);
  std::vector<std::array<char, CUPTI_STALL_REASON_STRING_SIZE>> texts(count);
  std::vector<char*> names;
  for (auto& text : texts) names.push_back(text.data());
  auto get = block<CUpti_PCSamplingGetStallReasonsParams>(CUpti_PCSamplingGetStallReasonsParamsSize,
                                                          context);
  get.numStallReasons = count;
  get.stallReasonIndex = indices.data();
  get.stallReasons = names.data();
  call("cuptiPCSamplingGetStallReasons", cupti().PCSamplingGetStallReasons, &get);
  std::map<std::uint32_t, std::string> reasons;
  for (std::size_t i = 0; i < count; ++i) {
    texts[i].back() = '\0';
    const std::string reason = stall_reason(texts[i].data());
    if (!reason.empty()) reasons[indices[i]] = reason;
  }
  return reasons;
}

Handle<CUcontext> enable_sampling(CUcontext context) {
  auto params = block<CUpti_PCSamplingEnableParams>(CUpti_PCSamplingEnableParamsSize, context);
  call("cuptiPCSamplingEnable", cupti().PCSamplingEnable, &params);
  return {context, [](CUcontext enabled) {
            auto disable =
                block<CUpti_PCSamplingDisableParams>(CUpti_PCSamplingDisableParamsSize, enabled);
            log_cupti_call("cuptiPCSamplingDisable", {});
            cupti().PCSamplingDisable(&disable);
          }};
}

CUpti_PCSamplingConfigurationInfo sampling_attribute(
    CUpti_PCSamplingConfigurationAttributeType type) {
  CUpti_PCSamplingConfigurationInfo info{};
  info.attributeType = type;
  return info;
}

}  // namespace

// Room for instructions with all of their stall reasons.
struct StallSampler::Buffer {
  explicit Buffer(std::size_t reason_count) : reasons(kMostPcs * reason_count), pcs(kMostPcs) {
    for (std::size_t i = 0; i < kMostPcs; ++i) {
      pcs[i].size = sizeof(CUpti_PCSamplingPCData);
      pcs[i].stallReason = reasons.data() + i * reason_count;
    }
    data.size = sizeof(CUpti_PCSamplingData);
    data.collectNumPcs = kMostPcs;
    data.pPcData = pcs.data();
  }
  std::vector<CUpti_PCSamplingStallReason> reasons;
  std::vector<CUpti_PCSamplingPCData> pcs;
  CUpti_PCSamplingData data{};
  [[nodiscard]] std::size_t reason_count() const { return reasons.size() / kMostPcs; }
};

StallSampler::StallSampler(const Context& context, std::uint32_t period)
    : context_(context.get()), enabled_(enable_sampling(context_)) {
  std::size_t count = 0;
  reasons_ = read_reasons(context_, count);
  left_over_ = std::make_unique<Buffer>(count);
  auto mode = sampling_attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE);
  mode.attributeData.collectionModeData.collectionMode =
      CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
  auto control =
      sampling_attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL);
  control.attributeData.enableStartStopControlData.enableStartStopControl = 1;
  auto every = sampling_attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD);
  every.attributeData.samplingPeriodData.samplingPeriod = period;
  auto hardware =
      sampling_attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE);
  hardware.attributeData.hardwareBufferSizeData.hardwareBufferSize = kHardwareBytes;
  auto scratch = sampling_attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE);
  scratch.attributeData.scratchBufferSizeData.scratchBufferSize = kScratchBytes;
  auto format = sampling_attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT);
  format.attributeData.outputDataFormatData.outputDataFormat =
      CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED;
  auto buffer = sampling_attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER);
  buffer.attributeData.samplingDataBufferData.samplingDataBuffer = &left_over_->data;
  std::array all = {mode, control, every, hardware, scratch, format, buffer};
  auto params = block<CUpti_PCSamplingConfigurationInfoParams>(
      CUpti_PCSamplingConfigurationInfoParamsSize, context_);
  params.numAttributes = all.size();
  params.pPCSamplingConfigurationInfo = all.data();
  call("cuptiPCSamplingSetConfigurationAttribute", cupti().PCSamplingSetConfigurationAttribute,
       &params);
}

// Sampling ends while there is still a buffer to write to.
StallSampler::~StallSampler() { enabled_.reset(); }

StallSamples StallSampler::collect(const std::function<void()>& launches) {
  auto start = block<CUpti_PCSamplingStartParams>(CUpti_PCSamplingStartParamsSize, context_);
  call("cuptiPCSamplingStart", cupti().PCSamplingStart, &start);
  launches();
  auto stop = block<CUpti_PCSamplingStopParams>(CUpti_PCSamplingStopParamsSize, context_);
  call("cuptiPCSamplingStop", cupti().PCSamplingStop, &stop);
  StallSamples out;
  // CUPTI's own threads fetch and decode the samples, so they do not arrive all at once.
  const auto patience = std::chrono::steady_clock::now() + kPatience;
  Buffer buffer(left_over_->reason_count());
  for (bool more = true; more;) {
    fetch(buffer, out);
    more = buffer.data.remainingNumPcs > 0;
    if (more || !out.instructions.empty()) continue;
    more = std::chrono::steady_clock::now() < patience;
    std::this_thread::sleep_for(kFetchEvery);
  }
  spdlog::debug("{} instructions sampled, {} samples dropped", out.instructions.size(),
                out.dropped);
  return out;
}

void StallSampler::fetch(Buffer& buffer, StallSamples& into) {
  auto get = block<CUpti_PCSamplingGetDataParams>(CUpti_PCSamplingGetDataParamsSize, context_);
  get.pcSamplingData = &buffer.data;
  call("cuptiPCSamplingGetData", cupti().PCSamplingGetData, &get);
  // The caller is to free the names, but records share them, so they are kept.
  for (std::size_t i = 0; i < std::min(buffer.data.totalNumPcs, kMostPcs); ++i) {
    const CUpti_PCSamplingPCData& pc = buffer.pcs[i];
    InstructionStalls one{pc.functionName == nullptr ? "" : pc.functionName, pc.pcOffset, {}};
    for (std::size_t j = 0; j < std::min(pc.stallReasonCount, buffer.reason_count()); ++j) {
      const auto reason = reasons_.find(pc.stallReason[j].pcSamplingStallReasonIndex);
      if (reason != reasons_.end()) one.samples[reason->second] += pc.stallReason[j].samples;
    }
    into.instructions.push_back(std::move(one));
  }
  into.dropped += static_cast<double>(buffer.data.droppedSamples);
}

std::string stall_reason(const std::string& cupti_name) {
  constexpr std::string_view kAgain = "_not_issued";
  const std::string_view prefix = kPrefix;
  if (cupti_name.rfind(prefix, 0) != 0) return {};
  std::string reason = cupti_name.substr(prefix.size());
  if (reason.size() > kAgain.size() &&
      reason.compare(reason.size() - kAgain.size(), kAgain.size(), kAgain) == 0) {
    return {};
  }
  return reason;
}

std::vector<LineObservation> line_samples(const StallSamples& samples, const std::string& function,
                                          const SourceLines& lines) {
  std::map<SourceLine, std::map<std::string, double>> by_line;
  for (const InstructionStalls& instruction : samples.instructions) {
    if (instruction.function != function)
      continue;  // one of our own kernels, which restore buffers
    auto& sums = by_line[lines.find(function, instruction.offset).value_or(SourceLine{})];
    for (const auto& [reason, count] : instruction.samples) sums[reason] += count;
  }
  std::vector<LineObservation> out;
  for (const auto& [line, sums] : by_line) {
    for (const auto& [reason, count] : sums) {
      if (count == 0) continue;
      out.push_back({line.file, line.line, std::string(metrics::kStallPrefix) + reason,
                     SourceOf::kCupti, count});
    }
  }
  return out;
}

}  // namespace lab::gpu
