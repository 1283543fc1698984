// Samples become reasons, lines and shares. Sampling itself needs a GPU.
#include "harness/gpu/cupti/stalls.h"

#include <gtest/gtest.h>

namespace lab::gpu {
namespace {

TEST(Stalls, ReasonsOfCuptisNames) {
  EXPECT_EQ(stall_reason("smsp__pcsamp_warps_issue_stalled_long_scoreboard"), "long_scoreboard");
  // A part of the same samples: those in which no warp could issue.
  EXPECT_EQ(stall_reason("smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued"), "");
  EXPECT_EQ(stall_reason("smsp__pcsamp_sample_count"), "");
}

TEST(Stalls, OtherFunctionsAreLeftOutAndUnknownLinesKept) {
  StallSamples samples;
  samples.instructions = {{"k", 0x10, {{"barrier", 3}, {"wait", 0}}},
                          {"k", 0x20, {{"barrier", 4}}},
                          {"flush", 0x10, {{"barrier", 100}}}};
  const auto lines = line_samples(samples, "k", SourceLines({}));  // no CUBIN: no line is known
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], (LineObservation{"", 0, "stall_barrier", SourceOf::kCupti, 7}));
}

}  // namespace
}  // namespace lab::gpu
