// Each code that CUPTI has, and what is concluded from it.
#include "harness/gpu/cupti/cause.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "harness/gpu/cupti/cupti_call.h"

namespace lab::gpu {
namespace {

// cupti_result.h numbers them from 0 to 46; the last two are apart.
std::vector<CUptiResult> all_codes() {
  std::vector<CUptiResult> codes;
  for (int code = 0; code <= CUPTI_ERROR_INVALID_CHIP_NAME; ++code) {
    codes.push_back(static_cast<CUptiResult>(code));
  }
  codes.push_back(CUPTI_ERROR_UNKNOWN);
  codes.push_back(CUPTI_ERROR_FORCE_INT);
  return codes;
}

// As the comments of cupti_result.h have them; the others name no obstacle of a machine.
const std::map<CUptiResult, NoValue> kObstacles = {
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, NoValue::kNoPermission},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, NoValue::kNoPermission},
    {CUPTI_ERROR_HARDWARE_BUSY, NoValue::kCountersHeld},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, NoValue::kProfilerAttached},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, NoValue::kVirtualGpu},
    {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, NoValue::kMig},
    {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, NoValue::kWsl},
    {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, NoValue::kConfidential},
    {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, NoValue::kCmp},
    {CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, NoValue::kSli},
    {CUPTI_ERROR_INVALID_CHIP_NAME, NoValue::kUnknownChip},
    {CUPTI_ERROR_NOT_INITIALIZED, NoValue::kNoNvperf},
    {CUPTI_ERROR_NOT_SUPPORTED, NoValue::kUnsupportedGpu},
    {CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED, NoValue::kUnsupportedGpu}};

TEST(Cause, OfEachCode) {
  for (const CUptiResult code : all_codes()) {
    const auto known = kObstacles.find(code);
    const NoValue want = known == kObstacles.end() ? NoValue::kCounterError : known->second;
    EXPECT_EQ(cause_of(code), want) << code;
  }
}

TEST(Cause, HasAWordOfItsOwn) {
  std::set<std::string_view> words;
  for (int cause = 0; cause <= static_cast<int>(NoValue::kSeveralLaunches); ++cause) {
    const std::string_view word = word_of(static_cast<NoValue>(cause));
    EXPECT_FALSE(word.empty());
    EXPECT_TRUE(words.insert(word).second) << word;
  }
  EXPECT_EQ(word_of(NoValue::kUnsupported), "unsupported");
  EXPECT_EQ(word_of(NoValue::kMig), "mig");
  EXPECT_EQ(word_of(NoValue::kCounterError), "counter_error");
}

TEST(Cause, AnObstacleOfTheMachineHasAdvice) {
  for (const auto& [code, cause] : kObstacles) {
    // That a GPU is too old, nobody can change.
    EXPECT_EQ(advice(code).empty(), cause == NoValue::kUnsupportedGpu) << code;
  }
}

// Only that a name is wrong says that a chip lacks it.
TEST(Answer, OfEachCode) {
  constexpr const char* kMetric = "dram__bytes_read.sum";
  for (const CUptiResult code : all_codes()) {
    const bool wrong =
        code == CUPTI_ERROR_INVALID_PARAMETER || code == CUPTI_ERROR_INVALID_METRIC_NAME;
    const Answer want = code == CUPTI_SUCCESS ? Answer::kHas
                        : wrong               ? Answer::kLacks
                                              : Answer::kNone;
    EXPECT_EQ(answer_of(code, kMetric), want) << code;
  }
  // A counter without its roll-up is a name that no chip has.
  EXPECT_EQ(answer_of(CUPTI_ERROR_UNKNOWN, "dram__bytes_read"), Answer::kLacks);
  EXPECT_EQ(answer_of(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "dram__bytes_read"), Answer::kNone);
}

// The GPU's answer and its chip's, each code with each.
TEST(Cause, OfACounterFollowsFromBothAnswers) {
  constexpr const char* kMetric = "dram__bytes_read.sum";
  for (const CUptiResult here : all_codes()) {
    for (const CUptiResult in_general : all_codes()) {
      const auto cause = cause_of(kMetric, {here, in_general});
      const Answer first = answer_of(here, kMetric);
      const Answer second = answer_of(in_general, kMetric);
      if (first == Answer::kHas) {
        EXPECT_FALSE(cause);
      } else if (first == Answer::kNone) {
        EXPECT_EQ(cause, cause_of(here));
      } else if (second == Answer::kLacks) {
        EXPECT_EQ(cause, NoValue::kUnsupported);
      } else if (second == Answer::kHas) {
        EXPECT_EQ(cause, NoValue::kWithheld);
      } else {
        EXPECT_EQ(cause, cause_of(in_general));
      }
      // Nobody says of a chip that it lacks what the chip was not found to lack.
      if (cause == NoValue::kUnsupported) {
        EXPECT_EQ(second, Answer::kLacks);
      }
    }
  }
}

TEST(Cause, WhoWithholdsIsWhatNvmlSays) {
  EXPECT_EQ(withheld_by({}), NoValue::kWithheld);
  EXPECT_EQ(withheld_by({false, false}), NoValue::kWithheld);
  EXPECT_EQ(withheld_by({true, false}), NoValue::kMig);
  EXPECT_EQ(withheld_by({true, true}), NoValue::kMig);  // an instance of a vGPU
  EXPECT_EQ(withheld_by({std::nullopt, true}), NoValue::kVirtualGpu);
}

}  // namespace
}  // namespace lab::gpu
