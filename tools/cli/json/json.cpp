#include "tools/cli/json/json.h"

#include <array>
#include <cmath>

#include "db/row_fields.h"
#include "harness/core/unicode.h"
#include "metrics/counter_names.h"
#include "metrics/metric_page.h"
#include "tools/cli/json/json_values.h"

namespace lab::cli {

std::string printed(const Json& json) {
  Json document = {{"format", kJsonFormat}};
  document.update(json);
  return safe_json(document.dump(2, ' ', false, Json::error_handler_t::replace));
}

Json value_json(const ParamValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  return std::get<std::string>(value);
}

Json params_json(const Params& params) {
  Json json = Json::object();
  for (const auto& [name, value] : params.all()) json[name] = value_json(value);
  return json;
}

Json dim_json(const Dim3& dim) { return Json::array({dim.x, dim.y, dim.z}); }

Json number_json(double value) {
  if (!std::isfinite(value)) return nullptr;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (std::floor(value) == value && std::abs(value) <= kExact) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

Json optional_json(const std::optional<double>& value) {
  return value ? number_json(*value) : Json(nullptr);
}

Json text_json(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

namespace {

Json head_json(const Lab& lab) {
  return {{"number", lab.number},
          {"id", lab.id},
          {"title", lab.title},
          {"summary", lab.summary},
          {"folder", lab.folder}};
}

Json param_json(const ParamSpec& spec) {
  Json json = {{"name", spec.name}, {"help", spec.help}, {"default", value_json(spec.fallback)}};
  if (spec.accepts) return json;  // a text: neither a range nor a list
  if (spec.choices.empty()) {
    json["min"] = spec.min;
    json["max"] = spec.max;
  } else {
    json["choices"] = spec.choices;
  }
  if (!spec.only.empty()) json["only"] = spec.only;
  return json;
}

Json theory_json(const TheoryRow& row) {
  return {{"metric", row.metric},
          {"formula", row.formula.general_text()},
          {"high", row.high ? Json(row.high->general_text()) : Json(nullptr)},
          {"as_written", row.as_written ? Json(row.as_written->general_text()) : Json(nullptr)},
          {"level", name_of(row.level)},
          {"why", row.why}};
}

Json variant_json(const Variant& variant) {
  Json points = Json::array();
  for (const Params& point : variant.points) points.push_back(params_json(point));
  Json theory = Json::array();
  for (const TheoryRow& row : variant.theory) theory.push_back(theory_json(row));
  return {{"name", variant.name},        {"summary", variant.summary},
          {"params", variant.reads},     {"needs_gpu", variant.needs_gpu},
          {"points", std::move(points)}, {"theory", std::move(theory)}};
}

}  // namespace

std::string exercises_json(const std::vector<Exercise>& exercises) {
  Json list = list_of(exercises, [](const Exercise& one) -> Json {
    return {{"lab", one.lab},
            {"exercise", one.exercise},
            {"run", one.run},
            {"claim", one.claim},
            {"found", one.found}};
  });
  return printed({{"exercises", std::move(list)}});
}

std::string labs_json(const LabList& labs) {
  Json list = Json::array();
  for (const labs::Outline& one : labs.labs) {
    Json json = head_json(one.head);
    json["variants"] = one.variants;
    json["cases"] = one.cases;
    json["path"] = one.head.path;
    list.push_back(std::move(json));
  }
  Json unread = list_of(labs.broken, [](const BrokenLab& one) -> Json {
    return {{"folder", one.folder}, {"path", one.path}, {"error", render(one.error)}};
  });
  return printed({{"labs", std::move(list)}, {"broken", std::move(unread)}});
}

std::string lab_json(const Lab& lab, const std::string& handout_path) {
  Json json = head_json(lab);
  json["handout"] = handout_path;
  json["headline"] = lab.headline;
  json["params"] = Json::array();
  for (const ParamSpec& spec : lab.params) json["params"].push_back(param_json(spec));
  json["variants"] = Json::array();
  for (const Variant& variant : lab.variants) json["variants"].push_back(variant_json(variant));
  return printed({{"lab", std::move(json)}});
}

std::string run_list_json(const std::vector<db::RunSummary>& runs) {
  Json list = Json::array();
  for (const db::RunSummary& summary : runs) {
    const RunRecord& run = summary.run;
    list.push_back({{"id", run.id},
                    {"uuid", run.uuid},
                    {"lab", run.lab},
                    {"started_at", run.started_at},
                    {"finished_at", text_json(summary.finished_at)},
                    {"student", text_json(run.student)},
                    {"backend", run.backend},
                    {"gpu", text_json(run.gpu)},
                    {"arch", run.arch},
                    {"status", name_of(run.status)},
                    {"cases", summary.cases},
                    {"not_ok", summary.not_ok},
                    {"disagrees", summary.disagrees},
                    {"missing", summary.run.missing_cases.value_or(0)}});
  }
  return printed({{"runs", std::move(list)}});
}

std::string metrics_json(const std::vector<MetricOnChip>& rows,
                         const std::vector<metrics::StallReason>& stalls, const std::string& chip,
                         int passes) {
  Json list = Json::array();
  for (const MetricOnChip& row : rows) {
    const metrics::Metric& metric = *row.metric;
    list.push_back({{"key", metric.key},
                    {"unit", metric.unit},
                    {"class", name_of(metric.metric_class)},
                    {"cupti", text_json(row.cupti)},
                    {"sass", text_json(row.sass)},
                    {"measured", name_of(metric.measured)},
                    {"model", metric.model != metrics::InModel::kNone},
                    {"lacking", row.lacking},
                    {"formula", text_json(metrics::derivation_text(metric))},
                    {"ready_made", text_json(std::string(metric.ready_made))},
                    {"in_ncu", text_json(metrics::ncu_place_text(metric.ncu))},
                    {"traps", metric.traps},
                    {"text", metric.text}});
  }
  Json reasons = list_of(stalls, [](const metrics::StallReason& stall) -> Json {
    return {{"key", std::string(metrics::kStallPrefix) + std::string(stall.name)},
            {"text", stall.text},
            {"meaning", stall.meaning}};
  });
  return printed({{"chip", text_json(chip)},
                  {"stalls", std::move(reasons)},
                  {"default_set_passes", chip.empty() ? Json(nullptr) : Json(passes)},
                  {"metrics", std::move(list)}});
}

std::string checks_json(const std::vector<Check>& checks, const std::string& summary) {
  static constexpr std::array<std::string_view, 3> kNames = {"yes", "limited", "no"};
  Json list = list_of(checks, [](const Check& check) -> Json {
    return {{"name", check.name},
            {"works", kNames[static_cast<std::size_t>(check.ability)]},
            {"found", check.found},
            {"advice", text_json(check.advice)}};
  });
  return printed({{"summary", summary}, {"checks", std::move(list)}});
}

std::string report_json(std::int64_t run, const std::string& file) {
  return printed({{"run", run}, {"file", file}});
}

std::string text_file_json(const std::string& name, const std::string& text) {
  return printed({{"name", name}, {"text", text}});
}

std::string calibration_json(const db::Calibration& calibration) {
  Json json = record_json(calibration);
  json["ceilings"] = list_json(calibration.ceilings);
  return printed(json);
}

std::string merged_json(const std::vector<Merged>& merged) {
  Json list = list_of(merged, [](const Merged& one) -> Json {
    return {{"from", one.path},
            {"added", one.result.added},
            {"completed", one.result.completed},
            {"present", one.result.present},
            {"cases", one.result.cases},
            {"study", one.result.study},
            {"differ", one.result.differ},
            {"refused", one.result.refused},
            {"grades", one.grades.added},
            {"grades_left", one.grades.left},
            {"grades_refused", one.grades.refused},
            {"grades_behind", one.grades.behind},
            {"failure", one.failure.empty() ? Json() : Json(one.failure)}};
  });
  return printed({{"merged", std::move(list)}});
}

std::string verified_json(const FileReport& file, const std::vector<run::VerifiedRun>& runs) {
  Json list = Json::array();
  for (const run::VerifiedRun& run : runs) {
    Json left_out = list_of(run.left_out, [](const db::LeftOut& one) -> Json {
      return {{"case", one.index}, {"reason", one.reason}};
    });
    Json differences = Json::array();
    for (const db::Difference& one : run.differences) {
      differences.push_back(
          {{"case", one.index}, {"what", one.what}, {"stored", one.stored}, {"found", one.found}});
    }
    list.push_back({{"id", run.id},
                    {"uuid", run.uuid},
                    {"cases", run.cases},
                    {"left_out", std::move(left_out)},
                    {"differences", std::move(differences)},
                    {"problems", run.problems},
                    {"seal", run.seal_note.empty() ? Json() : Json(run.seal_note)},
                    {"error", run.error.empty() ? Json() : Json(run.error)}});
  }
  return printed({{"file", file.problems},
                  {"notes", file.notes},
                  {"promise", file.promise},
                  {"runs", std::move(list)}});
}

}  // namespace lab::cli
