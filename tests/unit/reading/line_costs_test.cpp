#include "harness/reading/line_costs.h"

#include <gtest/gtest.h>

#include <utility>

namespace lab::reading {
namespace {

LineObservation counted(int line, const std::string& metric, double value) {
  return {"k.cu", line, metric, SourceOf::kModel, value};
}

RunRecord run_of(const std::vector<std::vector<LineObservation>>& cases) {
  RunRecord run;
  run.source_name = "k.cu";
  for (const auto& lines : cases) {
    run.cases.emplace_back();
    run.cases.back().variant = std::to_string(run.cases.size());
    run.cases.back().lines = lines;
  }
  return run;
}

std::map<int, LineCost> costs_in(const RunRecord& run) {
  return modelled_costs(run, sections_of(run));
}

// 64 bytes fill 2 sectors, and 8 were moved; reductions and atomics are as they must be: 8 + 4 + 6
// sectors, of which 2 + 4 + 6 would do.
TEST(LineCosts, SectorsAreThoseOfAllGlobalAccesses) {
  const auto costs =
      costs_in(run_of({{counted(3, "global_load_sectors", 8), counted(3, "global_load_requests", 1),
                        counted(3, "global_load_bytes", 64), counted(3, "global_atomic_sectors", 4),
                        counted(3, "global_reduction_sectors", 6)}}));
  EXPECT_EQ(costs.at(3).sectors, 18);
  EXPECT_EQ(costs.at(3).ideal_sectors, 12);
  EXPECT_FALSE(costs.at(3).wavefronts);
}

// The hardware's 7, of which 3 are conflicts; the instructions' 5 count where those are not known.
TEST(LineCosts, WavefrontsAreTheHardwaresWhereTheyAreKnown) {
  std::vector<LineObservation> lines = {counted(3, "shared_load_wavefronts_sass", 5)};
  EXPECT_EQ(costs_in(run_of({lines})).at(3).wavefronts, 5);
  lines.push_back(counted(3, "shared_load_wavefronts", 7));
  lines.push_back(counted(3, "shared_load_bank_conflicts", 3));
  const auto costs = costs_in(run_of({lines}));
  EXPECT_EQ(costs.at(3).wavefronts, 7);
  EXPECT_EQ(costs.at(3).ideal_wavefronts, 4);
}

TEST(LineCosts, VariantsAddUpAndLinesWithoutAccessesHaveNoCost) {
  const auto costs =
      costs_in(run_of({{counted(3, "global_store_sectors", 8), counted(4, "instructions", 9)},
                       {counted(3, "global_store_sectors", 2)}}));
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_EQ(costs.at(3).sectors, 10);
}

// 8 + 2 sectors, as its lines would have them.
TEST(LineCosts, AWholeCaseIsSummedUpAsItsLinesAre) {
  CaseRecord record;
  for (const auto& [metric, value] :
       {std::pair{"global_load_sectors", 8.0}, std::pair{"global_atomic_sectors", 2.0}}) {
    record.observations.emplace_back();
    record.observations.back().metric = metric;
    record.observations.back().value = value;
  }
  EXPECT_EQ(modelled_cost(record).sectors, 10);
  EXPECT_FALSE(modelled_cost(record).wavefronts);
}

TEST(LineCosts, TheCostliestLineIsOfTheRunsOwnFile) {
  CaseRecord record;
  record.lines = {counted(3, "instructions", 8),
                  counted(5, "instructions", 9),
                  {"other.h", 7, "instructions", SourceOf::kModel, 99}};
  EXPECT_EQ(costliest_line(record, "k.cu", "instructions"), 5);
  EXPECT_FALSE(costliest_line(record, "k.cu", "global_load_sectors"));
}

}  // namespace
}  // namespace lab::reading
