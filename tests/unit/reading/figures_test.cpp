#include "harness/reading/figures.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/sample_run.h"

namespace lab::reading {
namespace {

const std::string kWays = "shared_load_ways";

CaseRecord measured_case(double theory, double model, double measured, VerdictKind kind) {
  CaseRecord record = cli::sample_case(2, theory, model);
  record.observations.push_back(cli::observed(kWays, SourceOf::kSass, measured));
  record.verdicts[0].kind = kind;
  metrics::note_measured(record);
  return record;
}

std::vector<std::string> names_of(const MetricFigures& figures) {
  std::vector<std::string> names;
  for (const FigureLine& line : figures.lines) names.emplace_back(line.of.front());
  return names;
}

using Names = std::vector<std::string>;

TEST(Figures, EqualSourcesAreOneLine) {
  const CaseRecord equal = measured_case(2, 2, 2, VerdictKind::kAgrees);
  for (const Detail detail : {Detail::kBrief, Detail::kFolded}) {
    const MetricFigures figures = figures_of(kWays, {&equal}, detail);
    EXPECT_TRUE(figures.folded);
    ASSERT_EQ(figures.lines.size(), 1U);
    EXPECT_EQ(figures.lines[0].of.size(), 3U);
    EXPECT_EQ(figures.lines[0].values[0]->low, 2);
  }
  EXPECT_EQ(names_of(figures_of(kWays, {&equal}, Detail::kEverySource)),
            (Names{"theory", "model", "measured"}));
}

// 0.1 + 0.2 is 0.30000000000000004: the same number, of another order of sums.
TEST(Figures, LastBitsAreNoDifference) {
  const CaseRecord record = cli::sample_case(1, 0.3, 0.1 + 0.2);
  EXPECT_TRUE(figures_of(kWays, {&record}, Detail::kFolded).folded);
}

// 2 and 2.0001 agree and are two numbers: one in brief alone.
TEST(Figures, WhatFitsIsOneNumberInBriefAlone) {
  const CaseRecord near = measured_case(20000, 20000, 20001, VerdictKind::kAgrees);
  EXPECT_TRUE(figures_of(kWays, {&near}, Detail::kBrief).folded);
  EXPECT_FALSE(figures_of(kWays, {&near}, Detail::kFolded).folded);
}

TEST(Figures, InBriefTheorySpeaksForAModelThatSaysTheSame) {
  const CaseRecord other = measured_case(2, 2, 3, VerdictKind::kDisagrees);
  EXPECT_EQ(names_of(figures_of(kWays, {&other}, Detail::kBrief)), (Names{"theory", "measured"}));
  const CaseRecord all = measured_case(2, 4, 3, VerdictKind::kDisagrees);
  EXPECT_EQ(names_of(figures_of(kWays, {&all}, Detail::kBrief)),
            (Names{"theory", "model", "measured"}));
}

TEST(Figures, ATargetStandsBesideWhatWasReached) {
  CaseRecord record = cli::sample_case(2, 2, 2);
  record.verdicts[0].target = 2;
  EXPECT_EQ(names_of(figures_of(kWays, {&record}, Detail::kFolded)), (Names{"target", "model"}));
}

TEST(Figures, WhatIsAskedForHasItsLinesThoughNothingIsKnown) {
  const CaseRecord record = cli::sample_case(2, 2, 2);
  const std::vector<std::string> metrics = {"instructions"};
  EXPECT_TRUE(all_figures({&record}, {metrics, Detail::kEverySource}).empty());
  EXPECT_EQ(names_of(all_figures({&record}, {metrics, Detail::kAsked}).at(0)),
            (Names{"theory", "model"}));
}

// Ways grow with the stride, requests do not; ways of stores are of the ways' kind.
TEST(Figures, WorthShowingIsWhatChangesAndItsKind) {
  CaseRecord a = cli::sample_case(1, 1, 1);
  CaseRecord b = cli::sample_case(2, 2, 2);
  for (CaseRecord* record : {&a, &b}) {
    const double ways = record == &a ? 1 : 2;
    record->observations.push_back(cli::observed("instructions", SourceOf::kModel, 9));
    record->observations.push_back(cli::observed("shared_store_ways", SourceOf::kModel, ways));
  }
  const Shown shown{{"instructions", kWays, "shared_store_ways"}};
  const auto worth = worth_showing(all_figures({&a, &b}, shown), shown);
  ASSERT_EQ(worth.size(), 2U);
  EXPECT_EQ(worth[0].metric, kWays);
  EXPECT_EQ(worth[1].metric, "shared_store_ways");
}

TEST(Figures, TimedRunsShowTheirBandwidthBesideTheTimes) {
  Lab lab;
  lab.headline = {kWays, "moved_bandwidth"};
  RunRecord run = cli::sample_run();
  EXPECT_EQ(headline_of(run, lab, Detail::kBrief).metrics.size(), 2U);
  run.cases[0].timing.emplace();
  const Shown shown = headline_of(run, lab, Detail::kBrief);
  EXPECT_EQ(shown.metrics, Names{kWays});
  EXPECT_EQ(shown.rate, "moved_bandwidth");
  EXPECT_EQ(headline_of(run, lab, Detail::kEverySource).metrics.size(), 2U);
}

}  // namespace
}  // namespace lab::reading
