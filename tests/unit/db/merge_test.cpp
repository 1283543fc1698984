#include "db/merge.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

struct Merge : testing::Test {
  Store make(const std::string& name) { return Store::open(folder.file(name), Mode::kCreate); }
  RunRecord run(const char* uuid, const char* started, std::vector<CaseRecord> cases) {
    RunRecord made = full_run();
    made.uuid = uuid;
    made.started_at = started;
    made.cases = std::move(cases);
    return made;
  }
  std::string dump(Store& store) {
    std::string text;
    for (const RunSummary& summary : store.list_runs()) {
      text += summary.run.uuid.substr(0, 1) + ":" + std::string(name_of(summary.run.status)) + ":" +
              std::to_string(summary.cases) + ":" + summary.finished_at.substr(0, 4) + " ";
    }
    return text;
  }
  TempFolder folder;
  Store ours = make("ours.db");
  Store theirs = make("theirs.db");
};

TEST_F(Merge, BringsRunsWithAllOfThem) {
  RunRecord late = run("bbbb", "2026-02-01T00:00:00Z", {full_case(0), stride_case(1, 2, 2)});
  RunRecord early = run("aaaa", "2026-01-01T00:00:00Z", {full_case(0)});
  store(theirs, late);
  store(theirs, early);
  const MergeResult result = merge(ours, theirs);
  EXPECT_EQ(result.added, 2);
  EXPECT_EQ(result.cases, 3);
  EXPECT_EQ(result.completed + result.present, 0);
  EXPECT_TRUE(result.differ.empty());
  // Ids are given anew, oldest first.
  early.id = 1;
  late.id = 2;
  EXPECT_EQ(ours.load_run("1"), early);
  EXPECT_EQ(ours.load_run("2"), late);
  EXPECT_EQ(raw_value(folder.file("ours.db"), "SELECT count(*) FROM sources"), "1");
  EXPECT_EQ(raw_value(folder.file("ours.db"), "SELECT sum(stride) FROM lab4"), "2");
}

TEST_F(Merge, DoneAgainItChangesNothing) {
  RunRecord one = run("aaaa", "2026-01-01T00:00:00Z", {full_case(0)});
  store(theirs, one);
  merge(ours, theirs);
  const std::string before = dump(ours);
  const MergeResult again = merge(ours, theirs);
  EXPECT_EQ(again.present, 1);
  EXPECT_EQ(again.added + again.completed + again.cases, 0);
  EXPECT_EQ(dump(ours), before);
  const MergeResult itself = merge(ours, ours);
  EXPECT_EQ(itself.present, 1);
  EXPECT_EQ(dump(ours), before);
}

TEST_F(Merge, ARunThatWentOnIsCompleted) {
  RunRecord running = run("aaaa", "2026-01-01T00:00:00Z", {});
  running.gpu.clear();
  theirs.begin_run(running);
  theirs.add_case(running.id, stride_case(0, 1, 1));
  merge(ours, theirs);
  EXPECT_EQ(dump(ours), "a:running:1: ");
  theirs.add_case(running.id, stride_case(1, 2, 2));
  running.gpu = "NVIDIA H200";
  theirs.update_run(running);
  theirs.finish_run(running.id, RunStatus::kOk, "2026-03-01T00:00:00Z");
  const MergeResult result = merge(ours, theirs);
  EXPECT_EQ(result.completed, 1);
  EXPECT_EQ(result.cases, 1);
  EXPECT_EQ(dump(ours), "a:ok:2:2026 ");
  EXPECT_EQ(ours.load_run("aaaa"), theirs.load_run("aaaa"));
  EXPECT_EQ(merge(ours, theirs).present, 1);
}

TEST_F(Merge, AnOlderCopyDoesNotUndoOurs) {
  RunRecord whole = run("aaaa", "2026-01-01T00:00:00Z", {stride_case(0, 1, 1), full_case(1)});
  store(ours, whole);
  RunRecord half = run("aaaa", "2026-01-01T00:00:00Z", {});
  theirs.begin_run(half);
  theirs.add_case(half.id, stride_case(0, 1, 1));
  EXPECT_EQ(merge(ours, theirs).present, 1);
  EXPECT_EQ(ours.load_run("aaaa"), whole);
}

TEST_F(Merge, AnEditedCopyIsToldAndNotTaken) {
  RunRecord honest = run("aaaa", "2026-01-01T00:00:00Z", {stride_case(0, 1, 1)});
  RunRecord edited = run("aaaa", "2026-01-01T00:00:00Z", {stride_case(0, 1, 32)});
  store(ours, honest);
  store(theirs, edited);
  const MergeResult result = merge(ours, theirs);
  EXPECT_EQ(result.differ, std::vector<std::string>{"aaaa"});
  EXPECT_EQ(result.present + result.completed + result.added, 0);
  EXPECT_EQ(ours.load_run("aaaa"), honest);
}

TEST_F(Merge, FromAnOlderSchemaWithoutTouchingIt) {
  Store old =
      Store::open(std::string(LAB_SOURCE_DIR) + "/tests/fixtures/db/v8.db", Mode::kReadOnly);
  EXPECT_EQ(merge(ours, old).cases, 2);
  EXPECT_EQ(ours.load_run("last").cases.at(1), stride_case(1, 2, 2));
}

TEST_F(Merge, ARunIsOneStudents) {
  RunRecord one = run("aaaa", "2026-01-01T00:00:00Z", {stride_case(0, 2, 2)});
  one.student = "ada";
  store(theirs, one);
  merge(ours, theirs);
  MergeOptions as_bob;
  as_bob.student = "bob";
  const MergeResult result = merge(ours, theirs, as_bob);
  EXPECT_EQ(result.refused, std::vector<std::string>{"run aaaa is 'ada's here, 'bob's there"});
  EXPECT_EQ(ours.load_run("aaaa").student, "ada");
}

TEST_F(Merge, TheFilesNameSaysWhoseRunsTheyAre) {
  RunRecord one = run("aaaa", "2026-01-01T00:00:00Z", {stride_case(0, 2, 2)});
  one.student = "nobody knows";
  store(theirs, one);
  MergeOptions as_bob;
  as_bob.student = "bob";
  EXPECT_EQ(merge(ours, theirs, as_bob).added, 1);
  EXPECT_EQ(ours.load_run("aaaa").student, "bob");
}

TEST_F(Merge, ParametersThatALabDoesNotHaveAreRefused) {
  RunRecord one = run("aaaa", "2026-01-01T00:00:00Z", {stride_case(0, 2, 2)});
  RunRecord other = run("bbbb", "2026-01-02T00:00:00Z", {stride_case(0, 2, 2)});
  other.cases[0].params.set("forged", std::int64_t{1});
  store(theirs, one);
  store(theirs, other);
  MergeOptions options;
  options.params[one.lab];
  for (const auto& [name, value] : one.cases[0].params.all()) options.params[one.lab].insert(name);
  const MergeResult result = merge(ours, theirs, options);
  EXPECT_EQ(result.added, 1);
  ASSERT_EQ(result.refused.size(), 1U);
  EXPECT_NE(result.refused[0].find("has no parameter 'forged'"), std::string::npos);
  EXPECT_EQ(
      raw_value(folder.file("ours.db"), "SELECT count(*) FROM lab_params WHERE name = 'forged'"),
      "0");
}

TEST_F(Merge, WhatFailsLeavesNothing) {
  RunRecord one = run("aaaa", "2026-01-01T00:00:00Z", {stride_case(0, 2, 2)});
  store(theirs, one);
  EXPECT_THROW(ours.together([&] {
    merge(ours, theirs);
    throw input_error("stop");
  }),
               Error);
  EXPECT_EQ(dump(ours), "");
  merge(ours, theirs);
  EXPECT_EQ(dump(ours).substr(0, 1), "a");
}

}  // namespace
}  // namespace lab::db
