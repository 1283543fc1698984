#include "harness/reading/difference.h"

#include <gtest/gtest.h>

namespace lab::reading {
namespace {

using Lines = std::vector<int>;

TEST(Difference, LinesThatStayAreMatched) {
  EXPECT_EQ(matched_lines("a\nb\nc", "a\nb\nc"), (Lines{0, 1, 2, 3}));
  EXPECT_EQ(matched_lines("a\nc", "a\nb\nc"), (Lines{0, 1, 3}));
  EXPECT_EQ(matched_lines("a\nb\nc", "a\nc"), (Lines{0, 1, 0, 2}));
  EXPECT_EQ(matched_lines("  a", "a"), (Lines{0, 1}));  // indented otherwise
  EXPECT_EQ(matched_lines("", ""), (Lines{0, 1}));
}

TEST(Difference, ReplacedLinesAreMatchedInOrder) {
  EXPECT_EQ(matched_lines("a\nx1\nx2\nc", "a\ny1\ny2\nc"), (Lines{0, 1, 2, 3, 4}));
  // One line became two: the one that begins like it stands for it.
  EXPECT_EQ(matched_lines("a\nsum += tile[x * 32];\nc", "a\nint k = 3;\nsum += tile[x * 33];\nc"),
            (Lines{0, 1, 3, 4}));
  EXPECT_EQ(matched_lines("a\nqqqq\nc", "a\nint k = 3;\nsum += 1;\nc"), (Lines{0, 1, 0, 4}));
}

CaseRecord case_of(const std::string& variant, const Params& params) {
  CaseRecord record;
  record.variant = variant;
  record.params = params;
  return record;
}

RunRecord run_of(std::vector<CaseRecord> cases) {
  RunRecord run;
  run.cases = std::move(cases);
  return run;
}

// Two variants: compared where their common parameters are equal.
TEST(Difference, VariantsArePairedByTheirCommonParameters) {
  const RunRecord padded = run_of({case_of("column", {{"pad", 1}, {"passes", 4}})});
  const RunRecord other = run_of(
      {case_of("column_swizzled", {{"passes", 1}}), case_of("column_swizzled", {{"passes", 4}})});
  const auto pairs = pairs_of(padded, other);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].second->params, (Params{{"passes", 4}}));
}

Verdict measured(const std::string& metric, double value) {
  Verdict verdict;
  verdict.metric = metric;
  verdict.measured = value;
  return verdict;
}

Observation modelled(const std::string& metric, double value) {
  Observation observation;
  observation.metric = metric;
  observation.value = value;
  return observation;
}

// 32 to 1 is further apart than 4 to 8; a measurement is not held against a model's number.
TEST(Difference, TheLargestComesFirstAndValuesAreOfOneKind) {
  CaseRecord a = case_of("column", {});
  CaseRecord b = a;
  a.observations = {modelled("global_load_sectors", 4), modelled("shared_load_wavefronts", 32),
                    modelled("instructions", 9)};
  b.observations = {modelled("global_load_sectors", 8), modelled("shared_load_wavefronts", 1),
                    modelled("instructions", 9)};
  b.verdicts = {measured("instructions", 10)};
  const PairReading reading = read(CasePair{&a, &b}, {});
  ASSERT_EQ(reading.different.size(), 2U);
  EXPECT_EQ(reading.different[0].metric, "shared_load_wavefronts");
  EXPECT_EQ(reading.different[0].change, metrics::Change::kBetter);
  EXPECT_EQ(reading.different[1].change, metrics::Change::kWorse);
  EXPECT_EQ(reading.counts.at(metrics::Change::kSame), 1U);  // 9 and 9, both the model's
  EXPECT_EQ(read(CasePair{&a, &b}, {"global_load_sectors"}).different.size(), 1U);
}

TEST(Difference, OfALineTheMetricThatMovesMostIsSaid) {
  RunRecord run = run_of({case_of("column", {})});
  run.source_name = "k.cu";
  run.source_text = "one\ntwo";
  RunRecord other = run;
  run.cases[0].lines = {{"k.cu", 2, "global_load_sectors", SourceOf::kModel, 4},
                        {"k.cu", 2, "shared_load_wavefronts", SourceOf::kModel, 32}};
  other.cases[0].lines = {{"k.cu", 2, "global_load_sectors", SourceOf::kModel, 8},
                          {"k.cu", 2, "shared_load_wavefronts", SourceOf::kModel, 1}};
  const auto lines = line_differences(run, other, {&run.cases[0], &other.cases[0]});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].metric, "shared_load_wavefronts");
  EXPECT_EQ(lines[0].change, metrics::Change::kBetter);
}

}  // namespace
}  // namespace lab::reading
