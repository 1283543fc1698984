// Stall reasons, and samples summed by line.
#include "metrics/stalls.h"

#include <gtest/gtest.h>

#include <set>

namespace lab::metrics {
namespace {

LineObservation samples(const std::string& file, int line, const std::string& reason, double n) {
  return {file, line, "stall_" + reason, SourceOf::kCupti, n};
}

TEST(Stalls, EveryReasonHasANameATextAndAMeaning) {
  std::set<std::string_view> names;
  for (const StallReason& reason : stall_reasons()) {
    EXPECT_TRUE(names.insert(reason.name).second) << reason.name;
    EXPECT_FALSE(reason.text.empty()) << reason.name;
    EXPECT_FALSE(reason.meaning.empty()) << reason.name;
  }
  // CUPTI 13.0 has these on GH100: smsp__pcsamp_warps_issue_stalled_ and one of them.
  for (const char* name :
       {"barrier", "branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss", "lg_throttle",
        "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction",
        "not_selected", "selected", "short_scoreboard", "sleeping", "tex_throttle", "wait"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
}

TEST(Stalls, TextsAsNsightComputePrintsThem) {
  EXPECT_EQ(stall_text("short_scoreboard"), "short scoreboard");
  EXPECT_EQ(stall_text("mio_throttle"), "MIO throttle");
  EXPECT_EQ(stall_text("lg_throttle"), "LG throttle");
  EXPECT_EQ(stall_text("barrier"), "barrier");
  EXPECT_EQ(stall_text("mio_throttle_pipe_mio"), "mio throttle pipe mio");  // of a newer chip
}

TEST(Stalls, LinesByWaitingSamples) {
  // Line 8 waits 3 + 5 = 8 times, line 9 waits 20 times and issues 7 times; line 10 only issues.
  const auto lines = stalls_by_line({samples("k.cu", 8, "barrier", 3),
                                     samples("k.cu", 8, "wait", 5),
                                     samples("k.cu", 9, "short_scoreboard", 20),
                                     samples("k.cu", 9, "selected", 7),
                                     samples("k.cu", 10, "not_selected", 4),
                                     {"k.cu", 9, "instructions", SourceOf::kModel, 99}});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].line, 9);
  EXPECT_EQ(lines[0].samples, 27);
  EXPECT_EQ(lines[0].waiting, 20);
  EXPECT_EQ(lines[1].line, 8);
  EXPECT_EQ(lines[1].waiting, 8);
  ASSERT_EQ(lines[1].reasons.size(), 2u);
  EXPECT_EQ(lines[1].reasons[0], std::pair(std::string("wait"), 5.0));
  EXPECT_TRUE(stalls_by_line({{"k.cu", 9, "instructions", SourceOf::kModel, 99}}).empty());
}

TEST(Stalls, SharesAreOfTheWaitingSamples) {
  // 40 of 50 samples wait: 30 / 40 = 75 %, 8 / 40 = 20 %, 2 / 40 = 5 %.
  const LineStalls all =
      all_stalls({samples("k.cu", 1, "mio_throttle", 10), samples("k.cu", 2, "mio_throttle", 20),
                  samples("k.cu", 2, "barrier", 8), samples("k.cu", 2, "lg_throttle", 2),
                  samples("k.cu", 2, "selected", 10)});
  EXPECT_EQ(all.samples, 50);
  EXPECT_EQ(stall_shares(all, 2), "MIO throttle 75 %, barrier 20 %");
  EXPECT_EQ(stall_shares(all, 9), "MIO throttle 75 %, barrier 20 %, LG throttle 5 %");
  EXPECT_EQ(stall_shares(all_stalls({samples("k.cu", 1, "selected", 3)}), 2), "no stalls");
}

}  // namespace
}  // namespace lab::metrics
