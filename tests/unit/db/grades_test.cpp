// A grade comes back with every field that was stored, from each of the places that read one.
#include "db/grades.h"

#include <gtest/gtest.h>

#include "db/row_values.h"
#include "harness/core/text.h"
#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

RubricRow some_rubric() { return {sha256_hex("lab = 3"), 3, "lab = 3", 7, 60, 100}; }

// No two fields are alike, so that none can stand in another's column.
GradeRow full_grade() {
  GradeRow grade;
  grade.id = 1;  // the first of its file
  grade.student = "ada";
  grade.lab = 3;
  grade.rubric_sha256 = some_rubric().sha256;
  grade.source_sha256 = "of the source";
  grade.file = "ada.cu";
  grade.status = GradeStatus::kWrong;
  grade.reason = "element 5 is 1, not 2";
  grade.points = 40.5;
  grade.of = 100;
  grade.seconds = 1.25;
  grade.memory_bytes = std::uint64_t{1} << 40U;
  grade.submitted_at = "2026-11-20T10:00:00Z";
  grade.graded_at = "2026-11-21T10:00:00Z";
  grade.feedback = "# Lab 3";
  CriterionRow right{"right", "stride", 40.5, 60, "shared_load_ways", 2, 1.5, "at most 1"};
  right.params = DecidingCase::hidden();
  right.reason = "2 ways";
  CriterionRow open{"fast", "plain", {}, 40};
  open.params = DecidingCase("n=32");
  grade.criteria = {right, open};
  return grade;
}

void expect_same(const GradeRow& found, const GradeRow& stored) {
  EXPECT_EQ(values_of(found), values_of(stored));
  ASSERT_EQ(found.criteria.size(), stored.criteria.size());
  for (std::size_t i = 0; i < stored.criteria.size(); ++i) {
    EXPECT_EQ(values_of(found.criteria[i]), values_of(stored.criteria[i])) << i;
  }
}

TEST(Grades, ComeBackAsTheyWere) {
  const TempFolder folder;
  Store open = Store::open(folder.file("x.db"), Mode::kCreate);
  (void)keep_rubric(open, some_rubric());
  put_students(open, {{"ada", "Ada L.", ""}});
  const GradeRow grade = full_grade();
  keep_grade(open, grade);
  const std::vector<GradebookRow> book = gradebook(open, 3);
  ASSERT_EQ(book.size(), 1u);
  expect_same(book[0].grade, grade);
  EXPECT_TRUE(book[0].grade.criteria[0].params.is_hidden());
  EXPECT_EQ(book[0].name, "Ada L.");
  EXPECT_EQ(book[0].total, 40.5);
  EXPECT_EQ(book[0].passed, false);  // 40.5 of the 60 that the rubric asks for
}

TEST(Grades, AreMergedAsTheyWere) {
  const TempFolder folder;
  Store from = Store::open(folder.file("from.db"), Mode::kCreate);
  Store into = Store::open(folder.file("into.db"), Mode::kCreate);
  (void)keep_rubric(from, some_rubric());
  keep_grade(from, full_grade());
  EXPECT_EQ(merge_grades(into, from, Trust::kAll).added, 1u);
  EXPECT_EQ(merge_grades(into, from, Trust::kAll).added, 0u);
  const std::vector<GradebookRow> book = gradebook(into, 3);
  ASSERT_EQ(book.size(), 1u);
  expect_same(book[0].grade, full_grade());
}

// Tuesday's grade counts, whichever database is merged first; of one moment the one stored last.
TEST(Grades, TheOneThatWasGradedLastCounts) {
  const auto graded = [](Store& store, const char* when, double points) {
    GradeRow grade = full_grade();
    grade.id = 0;
    grade.graded_at = when;
    grade.points = points;
    keep_grade(store, grade);
  };
  const TempFolder folder;
  Store monday = Store::open(folder.file("mon.db"), Mode::kCreate);
  Store tuesday = Store::open(folder.file("tue.db"), Mode::kCreate);
  for (Store* one : {&monday, &tuesday}) (void)keep_rubric(*one, some_rubric());
  graded(monday, "2026-11-23T10:00:00Z", 20);
  graded(tuesday, "2026-11-24T10:00:00Z", 90);
  for (const bool tuesday_first : {false, true}) {
    Store into = Store::open(folder.file(tuesday_first ? "a.db" : "b.db"), Mode::kCreate);
    const MergedGrades first = merge_grades(into, tuesday_first ? tuesday : monday, Trust::kAll);
    const MergedGrades second = merge_grades(into, tuesday_first ? monday : tuesday, Trust::kAll);
    EXPECT_EQ(gradebook(into, 3).at(0).grade.points, 90);
    EXPECT_EQ(first.behind.size(), 0u);
    ASSERT_EQ(second.behind.size(), tuesday_first ? 1u : 0u);
    if (tuesday_first) {
      EXPECT_EQ(
          second.behind[0],
          "grade of 'ada', lab 3, of 2026-11-23T10:00:00Z: that of 2026-11-24T10:00:00Z counts");
    }
  }
  graded(tuesday, "2026-11-24T10:00:00Z", 70);
  EXPECT_EQ(gradebook(tuesday, 3).at(0).grade.points, 70);
}

TEST(Grades, TheSeedOfTheFirstTimeStays) {
  const TempFolder folder;
  Store open = Store::open(folder.file("x.db"), Mode::kCreate);
  RubricRow rubric = some_rubric();
  EXPECT_EQ(keep_rubric(open, rubric).seed, 7u);
  rubric.seed = 8;
  EXPECT_EQ(keep_rubric(open, rubric).seed, 7u);
}

TEST(Grades, WhatIsKnownOfAStudentIsReplaced) {
  const TempFolder folder;
  Store open = Store::open(folder.file("x.db"), Mode::kCreate);
  put_students(open, {{"ada", "Ada", "a@b"}, {"bob", "Bob", ""}});
  put_students(open, {{"ada", "Ada L.", ""}});
  const std::vector<Student> all = students(open);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "Ada L.");
  EXPECT_EQ(all[0].email, "");
  EXPECT_EQ(all[1].name, "Bob");
}

TEST(Grades, AStatusThatNoTypeHasIsAnEditedFile) {
  const TempFolder folder;
  const std::string path = folder.file("x.db");
  {
    Store open = Store::open(path, Mode::kCreate);
    (void)keep_rubric(open, some_rubric());
    keep_grade(open, full_grade());
  }
  raw_sql(path, "PRAGMA ignore_check_constraints = 1; UPDATE grades SET status = 'great'");
  Store open = Store::open(path, Mode::kReadOnly);
  EXPECT_THROW((void)gradebook(open, 3), Error);
}

}  // namespace
}  // namespace lab::db
