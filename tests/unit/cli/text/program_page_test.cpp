#include "harness/reading/program_page.h"

#include <gtest/gtest.h>

#include "harness/core/metric_keys.h"
#include "tests/unit/cli/sample_run.h"
#include "tools/cli/text/page_text.h"

namespace lab::cli {
namespace {

constexpr Terminal kEighty{false, false, false, 80};

// A kernel that stores alone, in 32 sectors for each request: it has no sectors of loads, and no
// ways of shared memory. 68,900 ns are 68.9 us.
CaseRecord naive_kernel() {
  CaseRecord record;
  record.kernel = "naive";
  record.launch = {{64, 64, 1}, {32, 32, 1}, 0};
  record.observations = {
      observed(std::string(metric::kGlobalStoreRequests), SourceOf::kModel, 131072),
      observed(std::string(metric::kGlobalStoreSectorsPerRequest), SourceOf::kModel, 32)};
  record.expected = ExpectedTime{};
  record.expected->ns = 68900;
  return record;
}

std::string program_text(const RunRecord& run, const ProgramReport& report) {
  return page_text(reading::program_page(reading::read_program(run, report, {}), run, report,
                                         {"clang 14", "NVIDIA H200", "std::chrono"}),
                   kEighty);
}

TEST(Program, ItsKernelsStandInATableAndLeaksLast) {
  RunRecord run;
  run.cases = {naive_kernel()};
  ProgramReport report;
  report.launches = {2};
  report.refused = "cudaIpcOpenMemHandle";
  Finding leak;
  leak.kind = FindingKind::kLeak;
  leak.file = "a.cu";
  leak.line = 8;
  leak.source = "cudaMalloc(&x, 256);";
  leak.message = "256 bytes of 'x' were never freed";
  Finding twice = leak;
  twice.kind = FindingKind::kUseAfterFree;
  twice.line = 9;
  report.findings = {leak, twice};
  const std::string text = program_text(run, report);
  EXPECT_TRUE(text.starts_with(
      "1 kernel, 2 launches, exit 0, checked: 2 findings (host code by clang 14)\n\n"))
      << text;
  EXPECT_NE(text.find("  naive   64x64 x 32x32         2     -   32.0      -  68.9\n\n"
                      "  us: expected on an H200, one launch\n"
                      "  times that the program takes by std::chrono: of this CPU"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n\ncudaIpcOpenMemHandle is not modelled: the call failed\n"),
            std::string::npos);
  EXPECT_LT(text.find("a.cu:9 "), text.find("a.cu:8 ")) << text;
}

// 3 launches of 10 us and 2 of 68.9: 30 of 167.8 us are 18 %, the others 82 %.
TEST(Program, TheDearestKernelIsFirstWithItsShare) {
  RunRecord run;
  run.cases = {naive_kernel(), naive_kernel()};
  run.cases[0].kernel = "cheap";
  run.cases[0].expected->ns = 10000;
  run.cases[1].index = 1;
  ProgramReport report;
  report.launches = {3, 2};
  const std::string text = program_text(run, report);
  EXPECT_NE(text.find("  naive   64x64 x 32x32         2     -   32.0      -  68.9  82 % <--\n"
                      "  cheap   64x64 x 32x32         3     -   32.0      -  10.0  18 %\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("share: of the GPU's time for all launches\n"), std::string::npos);
}

// Whose time is not known makes every share a guess, and a mistake makes a kernel's cost no matter.
TEST(Program, AKernelWithAMistakeHasNoCost) {
  RunRecord run;
  run.cases = {naive_kernel(), naive_kernel()};
  run.cases[1].index = 1;
  run.cases[1].kernel = "wrong";
  run.cases[1].status = CaseStatus::kFinding;
  run.cases[1].findings = {{}};
  ProgramReport report;
  report.launches = {3, 2};
  const std::string text = program_text(run, report);
  EXPECT_NE(text.find("  wrong   64x64 x 32x32         2     -      -      -     -\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("share"), std::string::npos) << text;
}

// The sentence says whose times the column has.
TEST(Program, WithoutATimeNoSentenceSaysWhoseItIs) {
  RunRecord run;
  run.cases = {naive_kernel()};
  run.cases[0].expected.reset();
  ProgramReport report;
  report.launches = {1};
  EXPECT_EQ(program_text(run, report).find("us: expected on"), std::string::npos);
  run.cases[0] = naive_kernel();
  run.cases[0].status = CaseStatus::kFinding;  // what it costs is no matter
  EXPECT_EQ(program_text(run, report).find("us: expected on"), std::string::npos);
}

}  // namespace
}  // namespace lab::cli
