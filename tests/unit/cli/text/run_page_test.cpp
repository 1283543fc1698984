// A run as the terminal shows it.
#include "harness/reading/run_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "metrics/compare.h"
#include "metrics/formulas.h"
#include "metrics/values.h"
#include "tests/unit/cli/sample_run.h"
#include "tools/cli/text/page_text.h"

namespace lab::cli {
namespace {

constexpr Terminal kPlain{false, false, false, 100};
const std::vector<std::string>& ways() {
  static const std::vector<std::string> metrics = {"shared_load_ways"};
  return metrics;
}

reading::RunView stored(std::vector<std::string> metrics = ways()) {
  reading::RunView view{std::move(metrics)};
  view.stored = "lab.db";
  return view;
}

std::string shown(const RunRecord& run, const Lab* lab, const reading::RunView& view,
                  const Terminal& terminal, int lines = 0) {
  return page_text(reading::run_page(run, lab, view), terminal, lines);
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

TEST(RunPage, ADifferenceStandsSideBySideWithItsVerdictAndReason) {
  EXPECT_EQ(shown(sample_run(), nullptr, stored(), kPlain),
            "Lab 3                                                               model, sm_90\n"
            "\n"
            "stride  loads=4\n"
            "             n-way bank\n"
            "              conflict,\n"
            "                   load\n"
            "  stride  theory  model  verdict\n"
            "  ------  ------  -----  ---------\n"
            "       2       2      2  agrees\n"
            "       4       4      3  disagrees\n"
            "  n-way bank conflict, load = gcd(stride, 32)\n"
            "  stride=4: n-way bank conflict, load disagrees: theory and model differ\n"
            "\n"
            "2 cases: 2 correct. Theory and model agree in 1 of 2 values; 1 disagree.\n"
            "Checked: results. Not checked: anything but results (an older version's record does "
            "not say).\n"
            "Nothing was measured: the run used no GPU.\n"
            "Every metric: lab compare   Stored as run 7 in lab.db.\n");
}

TEST(RunPage, ASweepThatAgreesIsOneRowOfNumbers) {
  const Lab lab = sample_lab();
  const std::string text = shown(sample_sweep(), &lab, stored({}), kPlain);
  EXPECT_NE(text.find("stride  loads=4\n"
                      "  stride                     1  2  4  8\n"
                      "  n-way bank conflict, load  1  2  4  8\n"
                      "  n-way bank conflict, load = gcd(stride, 32)\n"
                      "\n"
                      "4 cases: 4 correct. Theory and model agree in 4 of 4 values.\n"),
            std::string::npos)
      << text;
}

TEST(RunPage, WhatIsAskedForByNameShowsEverySource) {
  const std::string text = shown(sample_sweep(), nullptr, {ways()}, kPlain);
  EXPECT_NE(text.find("  stride                                  1       2       4       8\n"
                      "  n-way bank conflict, load, theory       1       2       4       8\n"
                      "  n-way bank conflict, load, model        1       2       4       8\n"
                      "  verdict                            agrees  agrees  agrees  agrees\n"),
            std::string::npos)
      << text;
}

TEST(RunPage, VariantsWithAFewPointsAreRowsOfOneTable) {
  RunRecord run = sample_run();
  run.cases = {sample_case(1, 1, 1), sample_case(2, 2, 2), sample_case(1, 1, 1)};
  run.cases[2].variant = "padded";
  run.cases[2].params.set("pad", std::int64_t{1});
  const Lab lab = sample_lab();
  const std::string text = shown(run, &lab, stored({}), kPlain);
  EXPECT_NE(text.find("Variants at loads=4 stride=1\n"
                      "                     n-way bank conflict\n"
                      "  variant  with                     load\n"
                      "  -------  --------  -------------------\n"
                      "  stride                               1\n"
                      "           stride=2                    2\n"
                      "  padded                               1\n"),
            std::string::npos)
      << text;
}

TEST(RunPage, MeasuredHasAColumnOnlyWhereThereIsSomethingMeasured) {
  RunRecord run = sample_run();
  run.cases[0].observations.push_back(observed("shared_load_ways", SourceOf::kSass, 2));
  metrics::note_measured(run.cases[0]);
  const std::string text = shown(run, nullptr, {ways()}, kPlain);
  EXPECT_NE(text.find("stride  theory  model  measured  verdict"), std::string::npos) << text;
  EXPECT_NE(text.find("     4       4      3         -  disagrees"), std::string::npos) << text;
  EXPECT_EQ(text.find("Nothing was measured"), std::string::npos) << text;
}

TEST(RunPage, AModelsValueIsNeverShownAsMeasured) {
  const Lab lab = sample_lab();
  const std::string text = shown(sample_sweep(), &lab, stored({}), kPlain);
  EXPECT_EQ(text.find("measured  "), std::string::npos) << text;
  EXPECT_NE(text.find("Nothing was measured: the run used no GPU.\n"), std::string::npos);
}

TEST(RunPage, AnIntervalShowsBothEnds) {
  RunRecord run = sample_run();
  for (Observation& one : run.cases[1].observations) one.min = one.number();
  run.cases[1].observations[0].max = 6;  // theory: 4 to 6
  run.cases[1].observations[1].max = 5;  // the model: 3 to 5
  const std::string text = shown(run, nullptr, {ways()}, kPlain);
  EXPECT_NE(text.find("4..6   3..5  disagrees"), std::string::npos) << text;
}

TEST(RunPage, ANarrowTerminalGetsARowAMetric) {
  RunRecord run = sample_run();
  for (CaseRecord& record : run.cases) {
    record.observations.push_back(observed("shared_bank_conflicts", SourceOf::kModel, 7));
  }
  const std::string text = shown(run, nullptr, {{"shared_load_ways", "shared_bank_conflicts"}},
                                 {false, false, false, 44});
  EXPECT_NE(text.find("  stride  of                                 value  verdict\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("       4  n-way bank conflict, load, theory      4  disagrees\n"
                      "          n-way bank conflict, load, model       3\n"
                      "          bank conflicts, model                  7\n"),
            std::string::npos)
      << text;
}

TEST(RunPage, AHeadlineOfWhichNothingIsKnownHasNoColumn) {
  Lab lab = sample_lab();
  lab.headline.emplace_back("effective_bandwidth");
  const std::string text = shown(sample_run(), &lab, stored({}), kPlain);
  EXPECT_EQ(text.find("GB/s"), std::string::npos) << text;
}

// As on a GPU: what was measured equals theory and model, and there are times. `shared_load` comes
// first in the run.
RunRecord sample_ladder(double slower_ns) {
  RunRecord run = sample_run();
  run.backend = "model+gpu";
  run.gpu = "NVIDIA H200";
  run.cases = {sample_case(1, 32, 32), sample_case(1, 1, 1)};
  run.cases[0].variant = "shared_load";
  for (CaseRecord& record : run.cases) {
    const bool slow = &record == &run.cases.front();
    record.observations.push_back(
        observed("shared_load_ways", SourceOf::kSass, record.observations[0].number()));
    record.observations.push_back(observed("duration_ns", SourceOf::kTheory, 32000));
    // 134,217,728 bytes over the time.
    record.timing = Timing{};
    record.timing->median_ns = slow ? slower_ns : 38600.4;
    record.observations.push_back(
        observed("effective_bandwidth", SourceOf::kCupti, 134217728 / record.timing->median_ns));
    metrics::note_measured(record);
  }
  return run;
}

TEST(RunPage, AMeasuredLadderIsClimbedByTime) {
  const Lab lab = sample_lab();
  const std::string text = shown(sample_ladder(77200.8), &lab, stored({}), kPlain);
  // 134217728 / 38600.4 = 3477; half of it at twice the time.
  EXPECT_NE(text.find("Variants at loads=4 stride=1\n"
                      "               n-way bank conflict         time, us\n"
                      "  variant                     load  bound  measured   GB/s\n"
                      "  -----------  -------------------  -----  --------  -----\n"
                      "  stride                         1     32      38.6  3,477\n"
                      "  shared_load                   32     32      77.2  1,739\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nSlowest for what it moves: shared_load, 1,739 of 3,477 GB/s.\n"
                      "  lab explain 3 --variant shared_load\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Theory, model and H200 agree in 2 of 2 values.\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("Nothing was measured"), std::string::npos) << text;
}

TEST(RunPage, ABandwidthIsHeldAgainstThePeakOfTheMemorysPins) {
  const Lab lab = sample_lab();
  RunRecord run = sample_ladder(77200.8);
  // 2 transfers x 3.2 GHz x 6000 pins / 8 bits are 4800 GB/s; 3477 and 1738.5 of them.
  run.environment["gpu_memory_clock_mhz"] = "3200";
  run.environment["gpu_memory_bus_bits"] = "6000";
  const std::string text = shown(run, &lab, stored({}), kPlain);
  EXPECT_NE(text.find("  variant                     load  bound  measured   GB/s  of peak\n"
                      "  -----------  -------------------  -----  --------  -----  -------\n"
                      "  stride                         1     32      38.6  3,477   72.4 %\n"
                      "  shared_load                   32     32      77.2  1,739   36.2 %\n"),
            std::string::npos)
      << text;
}

TEST(RunPage, ATimeOfManyLaunchesIsSaidToBeOnesShare) {
  const Lab lab = sample_lab();
  RunRecord run = sample_ladder(77200.8);
  const std::string plain = shown(run, &lab, stored({}), kPlain);
  EXPECT_EQ(plain.find("share is shown"), std::string::npos) << plain;
  for (CaseRecord& record : run.cases) {
    record.timing->method = "CUDA events around 10000 launches in a row";
  }
  const std::string text = shown(run, &lab, stored({}), kPlain);
  EXPECT_NE(text.find(" and 1 more: timed by CUDA events around 10000 launches in a row, warm L2,"),
            std::string::npos)
      << text;
}

TEST(RunPage, WhatEveryRaceLostIsShown) {
  const Lab lab = sample_lab();
  RunRecord run = sample_ladder(77200.8);
  const CaseRecord one = run.cases.front();
  run.cases.clear();
  for (int i = 0; i < 9; ++i) {
    run.cases.push_back(one);
    run.cases.back().params.set("stride", std::int64_t{i});
    run.cases.back().notes.races = "in the model, a: " + std::to_string(i) + " are left";
    run.cases.back().notes.gpu_races = "on the GPU, a: 1 are left";
  }
  const std::string text = shown(run, &lab, stored({}), kPlain);
  for (int i = 0; i < 9; ++i) {
    EXPECT_NE(text.find(": in the model, a: " + std::to_string(i) +
                        " are left; on the GPU, a: 1 are left\n"),
              std::string::npos)
        << text;
  }
}

TEST(RunPage, NobodyIsSlowestWhereTheTimesAreClose) {
  const Lab lab = sample_lab();
  const std::string text = shown(sample_ladder(40000), &lab, stored({}), kPlain);
  EXPECT_EQ(text.find("Slowest"), std::string::npos) << text;
}

TEST(RunPage, ALadderLeavesOutTheRateAndTheBoundBeforeItsForm) {
  const Lab lab = sample_lab();
  Terminal narrow = kPlain;
  narrow.width = 40;
  const std::string text = shown(sample_ladder(77200.8), &lab, stored({}), narrow);
  EXPECT_NE(text.find("  stride              1     32      38.6\n"), std::string::npos) << text;
  narrow.width = 34;
  const std::string least = shown(sample_ladder(77200.8), &lab, stored({}), narrow);
  EXPECT_NE(least.find("  stride              1      38.6\n"), std::string::npos) << least;
}

// The lab's own formula has a branch for stride 0, which none of these cases takes.
// Predicted 8 wavefronts, and `measured` of them were counted for a known reason.
CaseRecord explained_case(std::int64_t stride, double measured) {
  CaseRecord record = sample_case(stride, 8, 8);
  record.observations.push_back(observed("shared_load_ways", SourceOf::kCupti, measured));
  Verdict& verdict = record.verdicts.front();
  verdict.kind = VerdictKind::kExplained;
  verdict.reason = fmt::format("{} of {} are arbitration", measured - 8, measured);
  return record;
}

TEST(RunPage, AMechanismIsToldOnceForAllItsCases) {
  const Lab lab = sample_lab();
  RunRecord run = sample_run();
  run.cases = {explained_case(1, 9), explained_case(2, 10), explained_case(4, 11)};
  const std::string text = shown(run, &lab, stored({}), kPlain);
  EXPECT_NE(text.find("  stride stride=1 and 2 more, with other numbers: n-way bank conflict, load "
                      "explained: 1 of 9 are\n    arbitration\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("of 10 are arbitration"), std::string::npos) << text;
}

// Six sweeps of four points: five lines each (head, stride, ways, formula, blank).
RunRecord six_sweeps() {
  RunRecord run = sample_run();
  run.cases.clear();
  for (const char* variant : {"a", "b", "c", "d", "e", "f"}) {
    for (const int stride : {1, 2, 4, 8}) {
      run.cases.push_back(sample_case(stride, stride, stride));
      run.cases.back().variant = variant;
    }
  }
  return run;
}

TEST(RunPage, WhatIsAsPredictedIsFoldedFromTheEndUntilAllFits) {
  const Lab lab = sample_lab();
  const reading::RunView view = stored({});
  // A title, four closing lines with their blank, two for the sentence: 23 of 30 lines are left,
  // for four of the sweeps.
  const std::string text = shown(six_sweeps(), &lab, view, kPlain, 30);
  EXPECT_NE(text.find("As predicted, too: e, f. --variant NAME shows one.\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\nd  loads=4\n"), std::string::npos) << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 30) << text;
}

TEST(RunPage, WhatDisagreesIsNeverFolded) {
  const Lab lab = sample_lab();
  RunRecord run = six_sweeps();
  CaseRecord wrong = sample_case(8, 8, 9);
  wrong.variant = "f";
  run.cases.back() = wrong;
  const reading::RunView view = stored({});
  const std::string text = shown(run, &lab, view, kPlain, 30);
  EXPECT_NE(text.find("n-way bank conflict, load disagrees"), std::string::npos) << text;
  EXPECT_NE(text.find("As predicted, too: "), std::string::npos) << text;
}

TEST(RunPage, AFormulaIsSpecialisedToTheCases) {
  RunRecord run = sample_run();
  const Lab& lab = find_lab("3");
  const auto* row = metrics::theory_row(find_variant(lab, "stride"), "shared_load_ways");
  for (CaseRecord& record : run.cases) record.params.set("blocks", std::int64_t{2});
  for (CaseRecord& record : run.cases) record.verdicts[0].formula = row->formula.general_text();
  const std::string text = shown(run, &lab, {ways()}, kPlain);
  EXPECT_NE(text.find("  n-way bank conflict, load = gcd(stride, 32)\n"
                      "    stride=4: gcd(4, 32) = 4\n"),
            std::string::npos)
      << text;
}

// The default points of a GPU are others than those over which formulas read as they do in general.
TEST(RunPage, ALaddersFormulasHoldAtItsOwnPoints) {
  const Lab& lab = find_lab("6");
  RunRecord run = sample_run();
  run.lab = 6;
  run.cases.clear();
  for (const char* name : {"thread_major", "power_major"}) {
    const Variant& variant = find_variant(lab, name);
    CaseRecord record;
    record.variant = name;
    record.params = variant.gpu_points.front();
    record.params.set("blocks", std::int64_t{4096});
    record.launch = variant.launch(record.params);
    metrics::judge({&variant, true, {}}, record);
    run.cases.push_back(std::move(record));
  }
  const std::string text = shown(run, &lab, stored({}), kPlain);
  // 4096 blocks of one warp, which stores 32 words of one bank 32 times: 31 conflicts each.
  EXPECT_NE(text.find(" = 4,063,232\n"), std::string::npos) << text;
}

TEST(RunPage, TheFirstSweepHasItsPicture) {
  RunRecord run = sample_sweep();
  const Lab& lab = find_lab("3");
  for (CaseRecord& record : run.cases) {
    record.params.set("blocks", std::int64_t{16});
    record.params.set("loads", std::int64_t{32});
  }
  const std::string text = shown(run, &lab, stored({}), kPlain);
  EXPECT_NE(text.find("    32 |                                #\n"
                      "    16 |                #               #\n"
                      "     8 |        #       #       #       #\n"
                      "     1 +################################## stride 0..33\n"),
            std::string::npos)
      << text;
}

TEST(RunPage, ALongFormulaOfAnotherVersionIsCut) {
  RunRecord run = sample_run();
  for (CaseRecord& record : run.cases) {
    std::string& formula = record.verdicts[0].formula;
    for (int i = 0; i < 40; ++i) formula += " + 0 * stride";
  }
  const std::string text = shown(run, nullptr, {ways()}, kPlain);
  EXPECT_NE(text.find(" ...\n"), std::string::npos) << text;
  for (const std::string_view line : split(text, '\n')) EXPECT_LE(line.size(), 100U);
}

TEST(RunPage, AnExpectedFindingIsSaidToBeOne) {
  RunRecord run = sample_run();
  CaseRecord& record = run.cases[0];
  record.verdicts.clear();
  record.findings = {{}};
  record.findings[0].message = "two threads";
  EXPECT_NE(shown(run, nullptr, {ways()}, kPlain).find("expected finding\n"), std::string::npos);
}

TEST(RunPage, AFailedCaseShowsItsStatusAndReason) {
  RunRecord run = sample_run();
  run.cases[1].status = CaseStatus::kWrong;
  run.cases[1].correct = false;
  run.cases[1].reason = "out[5]: got 3, expected 4 (17 differ)";
  const std::string text = shown(run, nullptr, {ways()}, kPlain);
  EXPECT_NE(text.find("     3  wrong\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  stride=4: wrong: out[5]: got 3, expected 4 (17 differ)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("2 cases: 1 correct, 1 wrong. "), std::string::npos) << text;
}

// A kernel of a student's that takes 1.5 times what theory says.
RunRecord sample_students_run() {
  RunRecord run = sample_run();
  run.source_is_labs_own = false;
  run.source_name = "mine.cu";
  run.source_text = "// mine\nsum += tile[i];\n";
  for (CaseRecord& record : run.cases) {
    Verdict& verdict = record.verdicts[0];
    verdict.kind = VerdictKind::kAgrees;
    verdict.target = verdict.theory;
    verdict.theory = {};
    verdict.excess = 1.5;
    record.observations.erase(record.observations.begin());  // theory predicts nothing here
    record.lines = {{"mine.cu", 2, "shared_load_ways", SourceOf::kModel, 3}};
  }
  return run;
}

TEST(RunPage, AStudentsKernelStandsBesideItsTarget) {
  const Lab lab = sample_lab();
  const std::string text = shown(sample_students_run(), &lab, stored({}), kPlain);
  EXPECT_NE(text.find("Lab 3: Bank conflicts, mine.cu"), std::string::npos) << text;
  EXPECT_NE(text.find("0 of 2 on target: results are right; 1.5 times the target in n-way bank "
                      "conflict, load.\n"
                      "    mine.cu:2: sum += tile[i];\n"
                      "\n"
                      "          n-way bank conflict\n"
                      "  stride                 load  target\n"
                      "  ------  -------------------  ------  -----\n"
                      "       2                    2       2  1.5 x\n"
                      "       4                    3       4  1.5 x\n"),
            std::string::npos)
      << text;
}

TEST(RunPage, AStudentsKernelOnTargetSaysSo) {
  RunRecord run = sample_students_run();
  for (CaseRecord& record : run.cases) record.verdicts[0].excess = 1;
  const std::string text = shown(run, nullptr, stored({}), kPlain);
  EXPECT_NE(text.find("2 of 2 on target: results are right.\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("mine.cu:2"), std::string::npos) << text;
}

// 8 sectors have to be read, and the kernel reads 4 of a target of 16: its result is luck.
TEST(RunPage, FewerAccessesThanTheTaskNeedsAreNotOnTarget) {
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
  std::string text = shown(run, nullptr, stored({}), kPlain);
  EXPECT_NE(
      text.find("0 of 2 on target: results are right; fewer sectors read than the task needs"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("too little"), std::string::npos) << text;
  // Half of the target is a better kernel, as long as each sector is read once.
  for (CaseRecord& record : run.cases) record.verdicts[1].excess = 0.5;
  text = shown(run, nullptr, stored({}), kPlain);
  EXPECT_NE(text.find("2 of 2 on target: results are right.\n"), std::string::npos) << text;
}

TEST(RunPage, WhatAStudentWroteCannotActOnTheTerminal) {
  RunRecord run = sample_run();
  run.cases[1].status = CaseStatus::kFinding;
  Finding finding;
  finding.kind = FindingKind::kSharedRace;
  finding.message = "two threads";
  finding.file = "evil\x1b[2J.cu";
  finding.line = 12;
  finding.source = "x = \x1b]0;title\a;";
  run.cases[1].findings = {finding};
  const std::string text = shown(run, nullptr, {ways()}, kPlain);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("evil\\x1b[2J.cu:12   x = \\x1b]0;title\\x07;\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Block 0, thread 0: two threads.\n"), std::string::npos) << text;
}

// 99 us of 8 loads say nothing beside 38.6 of 4; a rate does: 134217728 bytes in 99000 ns.
TEST(RunPage, TimesOfTwoSizesStandInNoColumn) {
  Lab lab = sample_lab();
  lab.screen = Screen{"{loads} loads", {}, {}};
  RunRecord run = sample_ladder(77200.8);
  CaseRecord larger = run.cases.front();
  larger.params.set("loads", std::int64_t{8});
  larger.timing->median_ns = 99000;
  larger.observations.back().value = 134217728.0 / 99000;
  metrics::note_measured(larger);
  run.cases.insert(run.cases.begin() + 1, larger);
  const std::string text = shown(run, &lab, stored({}), kPlain);
  EXPECT_NE(text.find("  shared_load                            32     32      77.2  1,739\n"
                      "               loads=8                   32      -         -  1,356\n"),
            std::string::npos)
      << text;
}

// What a kernel with a mistake costs is no matter, and whether it is as predicted none either.
TEST(RunPage, ACaseWithAMistakeHasItsWordAndNoNumber) {
  const Lab lab = sample_lab();
  RunRecord run = sample_run();
  run.cases[1].status = CaseStatus::kFinding;
  run.cases[1].findings = {{}};
  run.cases[1].findings[0].message = "two threads";
  run.cases[1].expected = ExpectedTime{};
  run.cases[1].expected->gpu = "a GPU";
  run.cases[1].expected->ns = 4000;
  const std::string text = shown(run, &lab, stored({}), kPlain);
  EXPECT_NE(text.find("       2  "), std::string::npos) << text;
  EXPECT_NE(text.find("       4                    -  finding\n"), std::string::npos) << text;
  for (const char* never : {"disagree", "expected on"}) {
    EXPECT_EQ(text.find(never), std::string::npos) << never << text;
  }
  EXPECT_NE(text.find("2 cases: 1 correct, 1 finding. Theory and model agree in 1 of 1 values.\n"),
            std::string::npos)
      << text;
}

// What a compiler says may begin with a blank line, and has several.
TEST(RunPage, AReasonIsToldWithAllItsLines) {
  RunRecord run = sample_run();
  run.cases.resize(1);
  run.cases[0].status = CaseStatus::kNotCompiled;
  run.cases[0].reason = "\nmine.cu(3): error\n  int x = y;\n";
  const std::string text = shown(run, nullptr, {}, kPlain);
  EXPECT_NE(text.find("not_compiled: mine.cu(3): error\n      int x = y;\n"), std::string::npos)
      << text;
}

// The values of a student's kernel are held against targets: nobody else judged them.
TEST(RunPage, OneWhoAgreesAgrees) {
  RunRecord run = sample_sweep();
  EXPECT_NE(shown(run, nullptr, {}, kPlain).find("Theory and model agree in"), std::string::npos);
  for (CaseRecord& record : run.cases) {
    for (Verdict& verdict : record.verdicts) verdict.target = 1;
  }
  EXPECT_NE(shown(run, nullptr, {}, kPlain).find("Model agrees in"), std::string::npos);
}

TEST(RunPage, AWatchedFileShowsWhatChangedAndFillsTheScreenAtMost) {
  const RunRecord before = sample_sweep();
  RunRecord now = before;
  now.cases[1].status = CaseStatus::kWrong;
  now.cases[1].reason = "out[0]: got 1, expected 2";
  reading::RunView view;
  view.saved = "10:42:07";
  view.before = &before;
  const std::string text = shown(now, nullptr, view, kPlain);
  EXPECT_NE(text.find(", saved 10:42:07\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  stride loads=4 stride=2  wrong: out[0]: got 1, expected 2  agrees\n"
                      "  3 others as before.\n"),
            std::string::npos)
      << text;
  // Details go before blank lines do.
  const auto lines = [&](int most) {
    const std::string cut = shown(now, nullptr, view, kPlain, most);
    return std::count(cut.begin(), cut.end(), '\n');
  };
  const auto all = std::count(text.begin(), text.end(), '\n');
  EXPECT_NE(text.find("Nothing was measured"), std::string::npos);
  EXPECT_EQ(lines(static_cast<int>(all) - 1), all - 1);
  EXPECT_EQ(
      shown(now, nullptr, view, kPlain, static_cast<int>(all) - 1).find("Nothing was measured"),
      std::string::npos);
}

}  // namespace
}  // namespace lab::cli
