#include "tools/cli/text/run_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "metrics/compare.h"
#include "metrics/formulas.h"
#include "metrics/values.h"
#include "tests/unit/cli/sample_run.h"

namespace lab::cli {
namespace {

constexpr Terminal kPlain{false, false, false, 100};
const std::vector<std::string>& ways() {
  static const std::vector<std::string> metrics = {"shared_load_ways"};
  return metrics;
}

RunTextOptions stored(std::vector<std::string> metrics = ways()) {
  return {std::move(metrics), "lab.db"};
}

// A lab whose one headline metric is that of the sample, at six strides, all agreeing.
Lab sample_lab() {
  Lab lab;
  lab.number = 3;
  lab.title = "Bank conflicts";
  lab.headline = {"shared_load_ways"};
  return lab;
}

RunRecord sample_sweep() {
  RunRecord run = sample_run();
  run.cases.clear();
  for (const int stride : {1, 2, 4, 8}) run.cases.push_back(sample_case(stride, stride, stride));
  return run;
}

TEST(RunText, ADifferenceStandsSideBySideWithItsVerdictAndReason) {
  EXPECT_EQ(run_text(sample_run(), nullptr, stored(), kPlain),
            "Lab 3                                                               model, sm_90\n"
            "\n"
            "stride loads=4\n"
            "             ways, load\n"
            "  stride  theory  model  verdict\n"
            "  ------  ------  -----  ---------\n"
            "       2       2      2  agrees\n"
            "       4       4      3  disagrees\n"
            "  ways, load = gcd(stride, 32)\n"
            "  stride=4: shared_load_ways disagrees: theory and model differ\n"
            "\n"
            "2 cases: 2 correct. Theory and model agree in 1 of 2 values; 1 disagree.\n"
            "Nothing was measured: the run used no GPU.\n"
            "Every metric: lab compare.\n"
            "Stored as run 7 in lab.db.\n");
}

TEST(RunText, ASweepThatAgreesIsOneRowOfNumbers) {
  const Lab lab = sample_lab();
  const std::string text = run_text(sample_sweep(), &lab, stored({}), kPlain);
  EXPECT_NE(text.find("stride loads=4\n"
                      "  stride      1  2  4  8\n"
                      "  ways, load  1  2  4  8\n"
                      "  ways, load = gcd(stride, 32)\n"
                      "\n"
                      "4 cases: 4 correct. Theory and model agree in 4 of 4 values.\n"),
            std::string::npos)
      << text;
}

TEST(RunText, WhatIsAskedForByNameShowsEverySource) {
  const std::string text = run_text(sample_sweep(), nullptr, {ways()}, kPlain);
  EXPECT_NE(text.find("  stride              1  2  4  8\n"
                      "  ways, load, theory  1  2  4  8\n"
                      "  ways, load, model   1  2  4  8\n"),
            std::string::npos)
      << text;
}

TEST(RunText, VariantsWithAFewPointsAreRowsOfOneTable) {
  RunRecord run = sample_run();
  run.cases = {sample_case(1, 1, 1), sample_case(2, 2, 2), sample_case(1, 1, 1)};
  run.cases[2].variant = "padded";
  run.cases[2].params.set("pad", std::int64_t{1});
  const Lab lab = sample_lab();
  const std::string text = run_text(run, &lab, stored({}), kPlain);
  EXPECT_NE(text.find("0 of 2 on target: results are right; 1.5 times the target in ways, load.\n"
                      "  mine.cu:2   sum += tile[i];\n"
                      "\n"
                      "          ways\n"
                      "  stride  load  target\n"
                      "  ------  ----  ------  -----\n"
                      "       2     2       2  1.5 x\n"
                      "       4     3       4  1.5 x\n"),
            std::string::npos)
      << text;
}

TEST(RunText, AStudentsKernelOnTargetSaysSo) {
  RunRecord run = sample_students_run();
  for (CaseRecord& record : run.cases) record.verdicts[0].excess = 1;
  const std::string text = run_text(run, nullptr, stored({}), kPlain);
  EXPECT_NE(text.find("2 of 2 on target: results are right.\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("mine.cu:2"), std::string::npos) << text;
}

// 8 sectors have to be read, and the kernel reads 4 of a target of 16: its result is luck.
TEST(RunText, FewerAccessesThanTheTaskNeedsAreNotOnTarget) {
  RunRecord run = sample_students_run();
  for (CaseRecord& record : run.cases) {
    record.verdicts[0].excess = 1;
    Verdict read = record.verdicts[0];
    read.metric = "global_load_sectors";
    read.target = 16;
    read.excess = 0.25;
    record.verdicts.push_back(read);
    read.metric = "l2_read_sectors";
    read.target = 8;
    read.excess = 0.5;
    record.verdicts.push_back(read);
  }
  std::string text = run_text(run, nullptr, stored({}), kPlain);
  EXPECT_NE(
      text.find("0 of 2 on target: results are right; fewer sectors read than the task needs"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("too little"), std::string::npos) << text;
  // Half of the target is a better kernel, as long as each sector is read once.
  for (CaseRecord& record : run.cases) record.verdicts[1].excess = 0.5;
  text = run_text(run, nullptr, stored({}), kPlain);
  EXPECT_NE(text.find("2 of 2 on target: results are right.\n"), std::string::npos) << text;
}

TEST(RunText, WhatAStudentWroteCannotActOnTheTerminal) {
  RunRecord run = sample_run();
  run.cases[1].status = CaseStatus::kFinding;
  Finding finding;
  finding.kind = FindingKind::kSharedRace;
  finding.message = "two threads";
  finding.file = "evil\x1b[2J.cu";
  finding.line = 12;
  finding.source = "x = \x1b]0;title\a;";
  run.cases[1].findings = {finding};
  const std::string text = run_text(run, nullptr, {ways()}, kPlain);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("evil\\x1b[2J.cu:12: shared_race: two threads"), std::string::npos) << text;
}

}  // namespace
}  // namespace lab::cli
