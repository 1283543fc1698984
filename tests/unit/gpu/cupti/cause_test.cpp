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
const std::map<CUptiResult, Cause> kObstacles = {
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, Cause::kNoPermission},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, Cause::kNoPermission},
    {CUPTI_ERROR_HARDWARE_BUSY, Cause::kCountersHeld},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, Cause::kProfilerAttached},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, Cause::kVirtualGpu},
    {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, Cause::kMig},
    {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, Cause::kWsl},
    {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, Cause::kConfidential},
    {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, Cause::kCmp},
    {CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, Cause::kSli},
    {CUPTI_ERROR_INVALID_CHIP_NAME, Cause::kUnknownChip},
    {CUPTI_ERROR_NOT_INITIALIZED, Cause::kNoNvperf},
    {CUPTI_ERROR_NOT_SUPPORTED, Cause::kUnsupportedGpu},
    {CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED, Cause::kUnsupportedGpu}};

TEST(Cause, OfEachCode) {
  for (const CUptiResult code : all_codes()) {
    const auto known = kObstacles.find(code);
    const Cause want = known == kObstacles.end() ? Cause::kCounterError : known->second;
    EXPECT_EQ(cause_of(code), want) << code;
  }
}

TEST(Cause, HasAWordOfItsOwn) {
  std::set<std::string_view> words;
  for (int cause = 0; cause <= static_cast<int>(Cause::kCounterError); ++cause) {
    const std::string_view word = word_of(static_cast<Cause>(cause));
    EXPECT_FALSE(word.empty());
    EXPECT_TRUE(words.insert(word).second) << word;
  }
  EXPECT_EQ(word_of(Cause::kChipLacks), "unsupported");
  EXPECT_EQ(word_of(Cause::kMig), "mig");
  EXPECT_EQ(word_of(Cause::kCounterError), "counter_error");
}

TEST(Cause, AnObstacleOfTheMachineHasAdvice) {
  for (const auto& [code, cause] : kObstacles) {
    // That a GPU is too old, nobody can change.
    EXPECT_EQ(advice(code).empty(), cause == Cause::kUnsupportedGpu) << code;
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
        EXPECT_EQ(cause, Cause::kChipLacks);
      } else if (second == Answer::kHas) {
        EXPECT_EQ(cause, Cause::kWithheld);
      } else {
        EXPECT_EQ(cause, cause_of(in_general));
      }
      // Nobody says of a chip that it lacks what the chip was not found to lack.
      if (cause == Cause::kChipLacks) {
        EXPECT_EQ(second, Answer::kLacks);
      }
    }
  }
}

TEST(Cause, WhoWithholdsIsWhatNvmlSays) {
  EXPECT_EQ(withheld_by({}), Cause::kWithheld);
  EXPECT_EQ(withheld_by({false, false}), Cause::kWithheld);
  EXPECT_EQ(withheld_by({true, false}), Cause::kMig);
  EXPECT_EQ(withheld_by({true, true}), Cause::kMig);  // an instance of a vGPU
  EXPECT_EQ(withheld_by({std::nullopt, true}), Cause::kVirtualGpu);
}

}  // namespace
}  // namespace lab::gpu
