#include "tools/cli/json/json_grade.h"

#include "db/row_fields.h"
#include "tools/cli/json/json_values.h"

namespace lab::cli {

namespace {

Json grade_json(const db::GradebookRow& row) {
  Json json = record_json(row);
  json["criteria"] = list_json(row.grade.criteria);
  return json;
}

}  // namespace

std::string checked_json(const std::vector<grade::Checked>& all) {
  Json list = Json::array();
  for (const grade::Checked& one : all) {
    Json criteria = list_of(one.criteria, [](const grade::CheckedCriterion& criterion) -> Json {
      return {{"name", criterion.name},
              {"met", criterion.met == grade::Met::kYes},
              {"reason", text_json(criterion.reason)}};
    });
    Json problems = list_of(one.problems, [](const grade::Problem& problem) -> Json {
      return {{"file", problem.file}, {"line", problem.line}, {"text", problem.text}};
    });
    list.push_back({{"case", one.name},
                    {"arch", one.arch},
                    {"fine", one.fine()},
                    {"error", text_json(one.error)},
                    {"criteria", std::move(criteria)},
                    {"changes", one.changes},
                    {"looked_for", text_json(one.looked_for)},
                    {"no_baseline", text_json(one.no_baseline)},
                    {"problems", std::move(problems)}});
  }
  return printed({{"checks", std::move(list)}});
}

std::string gradebook_json(const std::vector<db::GradebookRow>& book,
                           const grade::ClassResult& result) {
  Json list = Json::array();
  for (const db::GradebookRow& row : book) list.push_back(grade_json(row));
  return printed({{"graded", result.graded},
                  {"kept", result.kept},
                  {"failures", result.failures},
                  {"grades", std::move(list)}});
}

std::string regraded_json(bool dry_run, std::size_t grades, const std::vector<Regraded>& changed) {
  Json list = list_of(changed, [](const Regraded& one) -> Json {
    return {{"student", one.student},
            {"before", optional_json(one.before)},
            {"now", optional_json(one.now)},
            {"of", number_json(one.of)}};
  });
  return printed({{"dry_run", dry_run}, {"grades", grades}, {"changed", std::move(list)}});
}

std::string copies_json(std::size_t submissions, const std::vector<grade::Cluster>& clusters) {
  Json list = list_of(clusters, [](const grade::Cluster& one) -> Json {
    return {{"students", one.students},      {"with_solution", one.with_solution},
            {"alike", name_of(one.alike)},   {"share", number_json(one.share)},
            {"shown", text_json(one.shown)}, {"own_tokens", one.own_tokens}};
  });
  return printed({{"submissions", submissions}, {"clusters", std::move(list)}});
}

std::string submitted_json(const Submitted& submitted) {
  return printed({{"lab", submitted.lab},
                  {"student", submitted.student},
                  {"file", submitted.file},
                  {"sha256", submitted.sha256},
                  {"program_version", submitted.program_version},
                  {"made_at", submitted.made_at},
                  {"status", name_of(submitted.grade.status)},
                  {"points", optional_json(submitted.grade.points)},
                  {"of", number_json(submitted.grade.of)}});
}

}  // namespace lab::cli
