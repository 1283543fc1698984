// What a criterion says of cases: met, partly, not, or not to be told.
#include "harness/classes/grade/criteria.h"

#include <gtest/gtest.h>

namespace lab::grade {
namespace {

Criterion criterion_of(const std::string& demand) {
  const std::string text =
      "[[criterion]]\nname = \"n\"\npoints = 10\nvariant = \"v\"\n" + demand + "\n";
  return read_criterion(read_toml("r.toml", text).tables("criterion").front(), About::kVariant);
}

// A case whose metric is `value` where theory, and with it the target, is 100.
CaseRecord case_with(double value, CaseStatus status = CaseStatus::kOk) {
  CaseRecord record;
  record.variant = "v";
  record.status = status;
  record.observations.push_back({"global_load_sectors", SourceOf::kModel, value});
  record.observations.push_back({"global_load_sectors", SourceOf::kTheory, 100.0});
  return record;
}

Judgement judged(const std::string& demand, const std::vector<CaseRecord>& records) {
  std::vector<const CaseRecord*> cases;
  for (const CaseRecord& record : records) cases.push_back(&record);
  return judge(criterion_of(demand), cases, records);
}

struct Row {
  const char* demand;
  double value;
  Met met;
  double points;
};

TEST(Criteria, BoundsOfAMetric) {
  const std::string metric = "metric = \"global_load_sectors\"\n";
  const Row rows[] = {
      {"at_most = 100", 100, Met::kYes, 10},
      {"at_most = 100", 101, Met::kNo, 0},
      {"at_least = 100", 99, Met::kNo, 0},
      {"between = [90, 110]", 110, Met::kYes, 10},
      {"between = [90, 110]", 89, Met::kNo, 0},
      {"equals = 100", 100, Met::kYes, 10},
      {"equals = 100", 100.5, Met::kNo, 0},
      {"equals = \"theory\"", 100, Met::kYes, 10},
      {"equals = \"theory\"", 101, Met::kNo, 0},
      {"max_excess = 1.05", 105, Met::kYes, 10},
      {"max_excess = 1.05", 106, Met::kNo, 0},
      // A kernel that does without: nothing is no conflict, and no solution.
      {"min_excess = 1\nmax_excess = 1", 0, Met::kNo, 0},
      {"max_excess = 1\npartial = [{ max_excess = 2, points = 4 }]", 200, Met::kPartly, 4},
      {"max_excess = 1\npartial = [{ max_excess = 2, points = 4 }]", 201, Met::kNo, 0},
  };
  for (const Row& row : rows) {
    const Judgement judgement = judged(metric + row.demand, {case_with(row.value)});
    EXPECT_EQ(judgement.met, row.met) << row.demand << " at " << row.value;
    EXPECT_EQ(judgement.points, row.points) << row.demand << " at " << row.value;
    EXPECT_EQ(judgement.reason.empty(), row.met == Met::kYes);
  }
}

// Beside 100 loaded sectors: what comes by another way than the one that is counted.
CaseRecord case_by_ways(double loads, double atomics) {
  CaseRecord record = case_with(loads);
  record.observations.push_back({"global_store_sectors", SourceOf::kModel, 50.0});
  record.observations.push_back({"global_store_sectors", SourceOf::kTheory, 50.0});
  record.observations.push_back({"global_atomic_sectors", SourceOf::kModel, atomics});
  return record;
}

TEST(Criteria, AllTrafficCounts) {
  const std::string all = "metric = \"global_traffic\"\nmin_excess = 1\nmax_excess = 1";
  EXPECT_EQ(judged(all, {case_by_ways(100, 0)}).met, Met::kYes);
  // Theory asks for 150 sectors. Loads and stores alone keep to it, and 300 more are atomics'.
  const Judgement judgement = judged(all, {case_by_ways(100, 300)});
  EXPECT_EQ(judgement.met, Met::kNo);
  EXPECT_EQ(judgement.value, 450);
  EXPECT_EQ(judgement.excess, 3);
  EXPECT_EQ(judged("metric = \"other_traffic\"\nequals = 0", {case_by_ways(100, 300)}).value, 300);
  // A kernel that gets by without loads does not do the task.
  EXPECT_EQ(judged(all, {case_by_ways(0, 0)}).met, Met::kNo);
  CaseRecord unknown = case_by_ways(100, 0);
  unknown.observations.back().value = Missing{NoValue::kNotCounted};
  EXPECT_EQ(judged(all, {unknown}).met, Met::kOpen);
}

TEST(Criteria, ARubricsOwnFormula) {
  CaseRecord record = case_with(100);
  record.params.set("n", std::int64_t{1000});
  record.launch = {{4, 1, 1}, {256, 1, 1}};
  record.observations.push_back({"working_threads", SourceOf::kModel, 256.0});
  const std::string threads = "metric = \"working_threads\"\nmin_excess = 1\ntheory = ";
  // One block of four: 256 of 1000 threads, and of all 1024.
  EXPECT_EQ(judged(threads + "\"n\"", {record}).excess, 0.256);
  EXPECT_EQ(judged(threads + "\"all_threads\"", {record}).excess, 0.25);
  EXPECT_EQ(judged(threads + "\"n / blocks\"", {record}).met, Met::kYes);
  EXPECT_THROW(static_cast<void>(judged(threads + "\"n +\"", {record})), Error);
}

TEST(Criteria, EveryCaseCounts) {
  const std::string metric = "metric = \"global_load_sectors\"\nmax_excess = 1";
  const std::vector<CaseRecord> two = {case_with(100), case_with(300)};
  EXPECT_EQ(judged(metric, two).points, 0);
  EXPECT_EQ(judged(metric, two).value, 300);  // the worst is told
  // Half of the cases, half of the points.
  EXPECT_EQ(judged(metric + "\nby_case = true", two).points, 5);
  EXPECT_EQ(judged(metric, {}).met, Met::kNo);
}

TEST(Criteria, AWrongKernelMeetsNothing) {
  for (const CaseStatus status : {CaseStatus::kWrong, CaseStatus::kError, CaseStatus::kTimeout,
                                  CaseStatus::kNotCompiled, CaseStatus::kSkipped}) {
    for (const char* demand :
         {"status = \"ok\"", "findings = []", "metric = \"global_load_sectors\"\nmax_excess = 1"}) {
      EXPECT_EQ(judged(demand, {case_with(100, status)}).met, Met::kNo) << demand;
    }
  }
}

TEST(Criteria, FindingsByKind) {
  CaseRecord record = case_with(100, CaseStatus::kFinding);
  record.findings.push_back({FindingKind::kSharedRace, "race", "k", "k.cu", 3});
  const std::string race(name_of(FindingKind::kSharedRace));
  EXPECT_EQ(judged("findings = []", {record}).met, Met::kNo);
  EXPECT_EQ(judged("findings = [\"" + race + "\"]", {record}).met, Met::kYes);
  EXPECT_EQ(judged("findings = []", {case_with(100)}).met, Met::kYes);
}

TEST(Criteria, WhatCannotBeToldIsNeverNoPoints) {
  EXPECT_EQ(judged("status = \"ok\"", {case_with(100, CaseStatus::kRefused)}).met, Met::kOpen);
  // One case that cannot be told keeps all of them open, whatever the others came to.
  EXPECT_EQ(judged("status = \"ok\"",
                   {case_with(100, CaseStatus::kRefused), case_with(100, CaseStatus::kWrong)})
                .met,
            Met::kOpen);
  EXPECT_EQ(judged("ratio_to = \"copy\"\nat_most = 1.2", {case_with(100)}).met, Met::kOpen);
  EXPECT_EQ(judged("metric = \"dram_read_bytes\"\nat_most = 1", {case_with(100)}).met, Met::kOpen);
}

TEST(Criteria, ARatioOfTimes) {
  CaseRecord mine = case_with(100);
  mine.timing.emplace().median_ns = 130;
  CaseRecord other = case_with(100);
  other.variant = "copy";
  other.timing.emplace().median_ns = 100;
  const std::vector<CaseRecord> all = {mine, other};
  const Criterion criterion = criterion_of("ratio_to = \"copy\"\nat_most = 1.2");
  const Judgement judgement = judge(criterion, {&all[0]}, all);
  EXPECT_EQ(judgement.met, Met::kNo);
  EXPECT_DOUBLE_EQ(judgement.value.value_or(0), 1.3);
}

TEST(Criteria, AskForOneThing) {
  for (const char* demand :
       {"", "status = \"ok\"\nfindings = []", "metric = \"instructions\"", "status = \"oks\"",
        "metric = \"instructionss\"\nat_most = 1", "status = \"ok\"\nat_most = 3",
        "ratio_to = \"v\"", "metric = \"instructions\"\nbetween = [2, 1]"}) {
    EXPECT_THROW((void)criterion_of(demand), Error) << demand;
  }
}

}  // namespace
}  // namespace lab::grade
