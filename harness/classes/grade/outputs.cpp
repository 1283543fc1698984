#include "harness/classes/grade/outputs.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "db/row_values.h"
#include "db/table_format.h"
#include "harness/classes/grade/feedback.h"
#include "harness/classes/grade/junit.h"
#include "harness/classes/grade/points.h"
#include "harness/core/markup.h"
#include "harness/core/text.h"
#include "harness/core/unicode.h"

namespace lab::grade {

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// What the criteria have brought that are decided.
double known_of(const db::GradebookRow& row) {
  double points = row.adjusted;
  for (const db::CriterionRow& one : row.grade.criteria) points += one.points.value_or(0);
  return points;
}

std::string cell(std::string_view text) { return fmt::format("<td>{}</td>", escaped(text)); }

}  // namespace

std::string gradebook_csv(const Rubric& rubric, const Gradebook& book) {
  const std::vector<std::string> fields = {"student", "name", "status", "total", "of", "adjusted"};
  db::Table table{fields, {}};
  for (const Criterion& criterion : rubric.criteria) table.columns.push_back(criterion.name);
  table.columns.emplace_back("reason");
  for (const db::GradebookRow& one : book) {
    const auto values = db::values_of(one);
    std::vector<db::Value> row;
    for (const std::string& field : fields) row.push_back(values.at(field));
    for (std::size_t i = 0; i < rubric.criteria.size(); ++i) {
      const auto& criteria = one.grade.criteria;
      row.push_back(i < criteria.size() ? db::value_of(criteria[i].points, Trait::kNone)
                                        : db::Value());
    }
    row.push_back(db::value_of(first_line(one.grade.reason), Trait::kNullable));
    table.rows.push_back(std::move(row));
  }
  return db::as_csv(table);
}

std::string gradebook_html(const Rubric& rubric, const Gradebook& book) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<title>Lab {0}: {1}</title>\n<style>body {{ font: 15px sans-serif; margin: 2em }}\n"
      "td, th {{ padding: 2px 10px; border-bottom: 1px solid #ccc; text-align: left }}</style>\n"
      "</head><body>\n<h1>Lab {0}: {1}</h1>\n<table>\n<tr><th>student</th><th>name</th>"
      "<th>status</th><th>total</th>",
      rubric.lab->called(), escaped(rubric.lab->title));
  for (const Criterion& criterion : rubric.criteria) {
    out += fmt::format("<th>{} ({})</th>", escaped(criterion.name), number_text(criterion.points));
  }
  out += "<th>reason</th></tr>\n";
  for (const db::GradebookRow& one : book) {
    out += "<tr>" + cell(one.grade.student) + cell(one.name) + cell(name_of(one.grade.status)) +
           cell(one.total ? number_text(*one.total) : std::string("open"));
    for (const db::CriterionRow& criterion : one.grade.criteria) {
      out += cell(criterion.points ? number_text(*criterion.points) : std::string("open"));
    }
    out += cell(first_line(one.grade.reason)) + "</tr>\n";
  }
  return out + "</table>\n</body></html>\n";
}

std::string gradebook_junit(const Rubric& rubric, const Gradebook& book) {
  std::vector<JunitTest> tests;
  for (const db::GradebookRow& one : book) {
    for (const db::CriterionRow& criterion : one.grade.criteria) {
      JunitTest test{one.grade.student, criterion.name};
      if (!criterion.points) {
        test.skipped = criterion.reason;
      } else if (!is_met(criterion)) {
        test.failure =
            fmt::format("{}: {}", points_text(criterion.points, criterion.of), criterion.reason);
      }
      tests.push_back(std::move(test));
    }
  }
  return junit_xml(fmt::format("lab {}", rubric.lab->called()), tests);
}

std::string gradescope_json(const db::GradebookRow& row) {
  using Json = nlohmann::ordered_json;
  Json tests = Json::array();
  for (const db::CriterionRow& criterion : row.grade.criteria) {
    Json test = {{"name", criterion.name}, {"max_score", criterion.of}};
    if (criterion.points) test["score"] = *criterion.points;
    const bool hidden = criterion.params.is_hidden() && !criterion.reason.empty();
    test["output"] =
        hidden ? std::string("not met at a size that is not told") : safe_text(criterion.reason);
    tests.push_back(std::move(test));
  }
  Json document;
  // Without a score the platform says that the autograder has failed. What is not known yet is seen
  // by the graders alone, until they publish it.
  document["score"] = row.total.value_or(known_of(row));
  document["output"] = feedback_of(row);
  document["output_format"] = "md";
  document["visibility"] = row.total ? "visible" : "after_published";
  document["stdout_visibility"] = "hidden";
  document["tests"] = std::move(tests);
  return safe_json(document.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

std::string feedback_of(const db::GradebookRow& row) {
  std::string text = safe_text(row.grade.feedback);  // it may be another program's
  for (const std::string& one : row.adjustments)
    text += fmt::format("\nAdjusted by {}.\n", safe_line(one));
  if (!row.adjustments.empty()) {
    text += fmt::format("In all: {}.\n", points_text(row.total, row.grade.of));
  }
  return text;
}

}  // namespace lab::grade
