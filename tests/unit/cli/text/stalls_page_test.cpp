#include "harness/reading/appendix.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/sample_run.h"
#include "tools/cli/text/page_text.h"

namespace lab::cli {
namespace {

constexpr Terminal kNoColours{false, false, false, 100};

std::string stalls_of(const RunRecord& run) {
  return page_text({reading::stalls_blocks(run)}, kNoColours);
}

LineObservation waited(int line, const std::string& reason, double samples) {
  return {line == 0 ? "" : "kernels.cu", line, "stall_" + reason, SourceOf::kCupti, samples};
}

// 60 + 20 + 20 = 100 samples wait: 80 % at line 2, of which 60/80 = 75 % and 20/80 = 25 %.
TEST(Stalls, LinesAndReasonsByTheirShare) {
  RunRecord run = sample_run();
  run.source_name = "kernels.cu";
  run.source_text = "void k() {\n  x = s[32 * t];\n}\n";
  CaseRecord& record = run.cases.front();
  record.notes.stall_samples = "130 of 7 launches";
  record.lines = {waited(2, "short_scoreboard", 60), waited(2, "mio_throttle", 20),
                  waited(2, "selected", 30), waited(0, "barrier", 20)};
  EXPECT_EQ(stalls_of(run),
            "Where warps waited, in shares of each case's waiting samples (lab metrics NAME "
            "explains a reason):\n"
            "stride  loads=4 stride=2\n"
            "  samples: 130 of 7 launches\n"
            "  line  waited  for                                       source\n"
            "  ----  ------  ----------------------------------------  ---------------\n"
            "     2    80 %  short scoreboard 75 %, MIO throttle 25 %  x = s[32 * t];\n"
            "     -    20 %  barrier 100 %                             (no line known)\n");
}

TEST(Stalls, WhyNothingWasSampledIsSaidOnce) {
  RunRecord run = sample_run();
  EXPECT_EQ(stalls_of(run), "");
  for (CaseRecord& record : run.cases) record.notes.stalls = "not sampled: no permission";
  EXPECT_EQ(stalls_of(run),
            "Where warps waited, in shares of each case's waiting samples (lab metrics NAME "
            "explains a reason):\n"
            "stride  loads=4 stride=2\n"
            "  not sampled: no permission\n");
}

}  // namespace
}  // namespace lab::cli
