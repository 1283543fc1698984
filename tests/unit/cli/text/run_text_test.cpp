#include "tools/cli/text/run_text.h"

#include <gtest/gtest.h>

#include "harness/core/text.h"
#include "labs/registry.h"
#include "metrics/formulas.h"
#include "metrics/values.h"
#include "tests/unit/cli/sample_run.h"
#include "tools/cli/text/case_view.h"

namespace lab::cli {
namespace {

constexpr Terminal kPlain{false, false, false, 100};
const std::vector<std::string>& ways() {
  static const std::vector<std::string> metrics = {"shared_load_ways"};
  return metrics;
}

TEST(RunText, TheoryAndModelStandSideBySide) {
  EXPECT_EQ(run_text(sample_run(), nullptr, {ways(), "lab.db"}, kPlain),
            "Lab 3  (model, sm_90)\n"
            "\n"
            "stride\n"
            "  loads=4\n"
            "  shared_load_ways  gcd(stride, 32)\n"
            "\n"
            "           shared_load_\n"
            "                   ways\n"
            "  stride  theory  model  verdict\n"
            "  ------  ------  -----  ---------\n"
            "       2       2      2  agrees\n"
            "       4       4      3  disagrees\n"
            "\n"
            "  stride=4: shared_load_ways disagrees: theory and model differ\n"
            "\n"
            "2 cases: 2 correct. 2 comparisons: 1 agree, 1 disagree.\n"
            "Nothing was measured: the run used no GPU.\n"
            "Stored as run 7 in lab.db.\n");
}

TEST(RunText, MeasuredHasAColumnOnlyWhereThereIsSomethingMeasured) {
  RunRecord run = sample_run();
  run.cases[0].observations.push_back(observed("shared_load_ways", SourceOf::kSass, 2));
  metrics::note_measured(run.cases[0]);
  const std::string text = run_text(run, nullptr, {ways()}, kPlain);
  EXPECT_NE(text.find("stride  theory  model  measured  verdict"), std::string::npos) << text;
  EXPECT_NE(text.find("     4       4      3         -  disagrees"), std::string::npos) << text;
}

TEST(RunText, AnIntervalShowsBothEnds) {
  RunRecord run = sample_run();
  for (Observation& one : run.cases[1].observations) one.min = one.number();
  run.cases[1].observations[0].max = 6;  // theory: 4 to 6
  run.cases[1].observations[1].max = 5;  // the model: 3 to 5
  const std::string text = run_text(run, nullptr, {ways()}, kPlain);
  EXPECT_NE(text.find("4..6   3..5  disagrees"), std::string::npos) << text;
}

TEST(RunText, ANarrowTerminalGetsARowAMetric) {
  RunRecord run = sample_run();
  for (CaseRecord& record : run.cases) {
    record.observations.push_back(observed("shared_bank_conflicts", SourceOf::kModel, 7));
  }
  const std::string text = run_text(run, nullptr, {{"shared_load_ways", "shared_bank_conflicts"}},
                                    {false, false, false, 44});
  EXPECT_NE(text.find("  stride  metric                 theory"), std::string::npos) << text;
  EXPECT_NE(text.find("       4  shared_load_ways            4      3  disagrees\n"
                      "          shared_bank_conflicts       -      7  -\n"),
            std::string::npos)
      << text;
}

TEST(RunText, AMetricOfWhichNothingIsKnownHasNoColumn) {
  const std::string text =
      run_text(sample_run(), nullptr, {{"shared_load_ways", "effective_bandwidth"}}, kPlain);
  EXPECT_EQ(text.find("effective"), std::string::npos) << text;
}

// The lab's own formula has a branch for stride 0, which none of these cases takes.
TEST(RunText, AFormulaIsSpecialisedToTheCases) {
  RunRecord run = sample_run();
  const Lab& lab = find_lab("3");
  const auto* row = metrics::theory_row(find_variant(lab, "stride"), "shared_load_ways");
  for (CaseRecord& record : run.cases) record.params.set("blocks", std::int64_t{2});
  for (CaseRecord& record : run.cases) record.verdicts[0].formula = row->formula.general_text();
  const std::string text = run_text(run, &lab, {ways()}, kPlain);
  EXPECT_NE(text.find("  shared_load_ways  gcd(stride, 32)\n"
                      "                    stride=4: gcd(4, 32) = 4\n"),
            std::string::npos)
      << text;
}

TEST(RunText, ALongFormulaOfAnotherVersionIsCut) {
  RunRecord run = sample_run();
  for (CaseRecord& record : run.cases) {
    std::string& formula = record.verdicts[0].formula;
    for (int i = 0; i < 40; ++i) formula += " + 0 * stride";
  }
  const std::string text = run_text(run, nullptr, {ways()}, kPlain);
  EXPECT_NE(text.find(" ...\n"), std::string::npos) << text;
  for (const std::string_view line : split(text, '\n')) EXPECT_LE(line.size(), 100U);
}

TEST(RunText, AnExpectedFindingIsSaidToBeOne) {
  RunRecord run = sample_run();
  CaseRecord& record = run.cases[0];
  record.verdicts.clear();
  record.findings = {{}};
  record.findings[0].message = "two threads";
  EXPECT_NE(run_text(run, nullptr, {ways()}, kPlain).find("expected finding\n"), std::string::npos);
}

TEST(RunText, AFailedCaseShowsItsStatusAndReason) {
  RunRecord run = sample_run();
  run.cases[1].status = CaseStatus::kWrong;
  run.cases[1].correct = false;
  run.cases[1].reason = "out[5]: got 3, expected 4 (17 differ)";
  const std::string text = run_text(run, nullptr, {ways()}, kPlain);
  EXPECT_NE(text.find("     3  wrong\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  stride=4: wrong: out[5]: got 3, expected 4 (17 differ)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("2 cases: 1 correct, 1 wrong. "), std::string::npos) << text;
}

TEST(RunText, AStudentsKernelHasTargets) {
  RunRecord run = sample_run();
  for (CaseRecord& record : run.cases) {
    Verdict& verdict = record.verdicts[0];
    verdict.kind = VerdictKind::kAgrees;
    verdict.target = verdict.theory;
    verdict.theory = {};
    verdict.excess = 1.5;
    record.observations.erase(record.observations.begin());  // theory predicts nothing here
  }
  const std::string text = run_text(run, nullptr, {ways()}, kPlain);
  EXPECT_NE(text.find("stride  target  model  verdict"), std::string::npos) << text;
  EXPECT_NE(text.find("     2       2      2  1.5 x target"), std::string::npos) << text;
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

TEST(CaseView, MeasuredFallsBackToTheOtherSource) {
  CaseRecord record = sample_case(2, 2, 2);
  record.observations.push_back(observed("shared_load_wavefronts", SourceOf::kNcu, 5));
  record.observations.push_back(observed("shared_load_requests", SourceOf::kCupti, 6));
  metrics::note_measured(record);
  for (const MetricView& view : metric_views(record)) {
    if (view.key == "shared_load_wavefronts") {
      ASSERT_TRUE(view.measured());
      EXPECT_EQ(view.measured()->source, SourceOf::kNcu);
    } else if (view.key == "shared_load_requests") {
      EXPECT_EQ(view.measured()->value, 6);
    } else {
      EXPECT_FALSE(view.measured());
    }
  }
}

}  // namespace
}  // namespace lab::cli
