// What a student wrote stays text in everything that comes of grading.
#include "harness/classes/grade/outputs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/classes/grade/feedback.h"
#include "harness/labs/registry.h"

namespace lab::grade {
namespace {

// ESC [2J clears a screen, U+009B does so in one character, U+202E turns a line around.
constexpr const char* kHostile = "x\x1b[2J\u009b2J\u202ey\rz";

bool has_harm(const std::string& text) {
  for (const char* one : {"\x1b", "\u009b", "\u202e", "\r"}) {
    if (text.find(one) != std::string::npos) return true;
  }
  return false;
}

// A criterion that allows races loses its points by the read outside, whose message its reason has:
// below, the race has its message, and of the read stands the line alone.
TEST(Outputs, WhatAReasonHasSaidIsNotSaidAgain) {
  Rubric rubric;
  rubric.lab = &find_lab("3");
  rubric.criteria.resize(1);
  rubric.criteria[0].name = "clean";
  rubric.criteria[0].demand = Demand::kFindings;
  rubric.criteria[0].allowed = {std::string(name_of(FindingKind::kSharedRace))};
  RunRecord run;
  run.cases.resize(1);
  run.cases[0].variant = "stride";
  run.cases[0].status = CaseStatus::kFinding;
  Finding race;
  race.kind = FindingKind::kSharedRace;
  race.line = 5;
  race.message = "two warps store here";
  Finding outside;
  outside.kind = FindingKind::kOutOfBounds;
  outside.line = 7;
  outside.kernel = "stride";
  outside.message = "reads in[9] of 8";
  run.cases[0].findings = {race, outside};
  db::GradeRow grade;
  grade.status = db::GradeStatus::kFinding;
  db::CriterionRow row;
  row.name = "clean";
  row.variant = "stride";
  row.of = 10;
  row.points = 0;
  row.reason = "a grader may have written anything here";
  grade.criteria = {row};
  const std::string found = feedback_text(rubric, grade, &run);
  const std::string below = found.substr(found.find("## What was found"));
  EXPECT_NE(below.find("* line 5: Block 0, thread 0: two warps store here.\n"), std::string::npos)
      << found;
  EXPECT_NE(below.find("* line 7\n"), std::string::npos) << found;
  EXPECT_EQ(below.find("reads in"), std::string::npos) << found;
  // A criterion of another case has not told it.
  grade.criteria[0].variant = "padded";
  EXPECT_NE(feedback_text(rubric, grade, &run)
                .find("* line 7: Block 0, thread 0: reads in\\[9\\] of 8.\n"),
            std::string::npos)
      << feedback_text(rubric, grade, &run);
}

TEST(Outputs, ShowWhatActsOnATerminal) {
  Rubric rubric;
  rubric.lab = &find_lab("3");
  rubric.criteria.resize(1);
  rubric.criteria[0].name = "right";
  db::GradebookRow row;
  row.grade.student = kHostile;
  row.grade.reason = kHostile;
  row.grade.status = db::GradeStatus::kNotCompiled;
  row.name = kHostile;
  row.adjustments = {kHostile};
  db::CriterionRow criterion;
  criterion.name = "right";
  criterion.reason = kHostile;
  row.grade.criteria = {criterion};
  RunRecord run;
  row.grade.feedback = feedback_text(rubric, row.grade, &run);
  row.grade.status = db::GradeStatus::kOk;
  row.grade.feedback += feedback_text(rubric, row.grade, &run);
  ASSERT_FALSE(has_harm(row.grade.feedback));
  EXPECT_NE(row.grade.feedback.find("    x\\x1b[2J"), std::string::npos);  // as code
  for (const std::string& text :
       {gradebook_csv(rubric, {row}), gradebook_html(rubric, {row}), gradebook_junit(rubric, {row}),
        gradescope_json(row), feedback_of(row)}) {
    EXPECT_FALSE(has_harm(text)) << text;
    EXPECT_NE(text.find("2J"), std::string::npos);
  }
  // Nor does the page that shows what the JSON says.
  const auto document = nlohmann::json::parse(gradescope_json(row));
  EXPECT_FALSE(has_harm(document["tests"][0]["output"].get<std::string>()));
  EXPECT_FALSE(has_harm(document["output"].get<std::string>()));
}

}  // namespace
}  // namespace lab::grade
