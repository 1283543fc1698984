// The JSON of runs: `lab run`, `lab compare` and `lab probe` print it.

#include "harness/page/numbers.h"
#include "harness/reading/advice_page.h"
#include "harness/reading/fidelity.h"
#include "harness/reading/finding_text.h"
#include "harness/reading/line_costs.h"
#include "harness/reading/looked_for.h"
#include "harness/reading/metric_view.h"
#include "harness/reading/remarks.h"
#include "harness/reading/run_reading.h"
#include "harness/reading/times.h"
#include "metrics/catalogue.h"
#include "tools/cli/json/json.h"
#include "tools/cli/json/json_values.h"

namespace lab::cli {

namespace {

constexpr std::array<SourceOf, 5> kSources = {SourceOf::kTheory, SourceOf::kModel, SourceOf::kCupti,
                                              SourceOf::kSass, SourceOf::kNcu};

Json missing_json(const reading::MetricView& view) {
  Json json = Json::object();
  for (const SourceOf source : kSources) {
    const Observation* observation = view.from(source);
    if (observation == nullptr || observation->has_value()) continue;
    const auto& missing = std::get<Missing>(observation->value);
    json[std::string(name_of(source))] = std::string(word_of(missing.reason)) +
                                         (missing.detail.empty() ? "" : ": " + missing.detail);
  }
  return json;
}

Json metric_json(const reading::MetricView& view) {
  const metrics::Metric* metric = metrics::find(view.key);
  const auto theory = view.theory();
  const auto model = view.model();
  const auto ends = [](const auto& interval) {
    return interval && interval->low != interval->high;
  };
  Verdict none;
  none.kind = VerdictKind::kNone;
  const Verdict& row = view.row == nullptr ? none : *view.row;
  Json json = {
      {"unit", metric == nullptr ? Json(nullptr) : Json(metric->unit)},
      {"class", name_of(metric == nullptr ? metrics::Class::kContext : metric->metric_class)}};
  visit_fields(row, [&](const auto& field, const auto& member) {
    if (field.name == "metric") return;
    if (field.name == "measured") {
      json["model"] = optional_json(view.value(SourceOf::kModel));
      json["model_low"] = ends(model) ? number_json(model->low) : Json(nullptr);
      json["model_high"] = ends(model) ? number_json(model->high) : Json(nullptr);
      for (const SourceOf source : {SourceOf::kCupti, SourceOf::kSass, SourceOf::kNcu}) {
        json[std::string(name_of(source))] = optional_json(view.value(source));
      }
    }
    json[std::string(field.json)] = member_json(member, field.trait);
  });
  if (const auto value = view.value(SourceOf::kTheory)) json["theory"] = number_json(*value);
  if (ends(theory)) json["theory_high"] = number_json(theory->high);
  const auto value = view.best();
  json["value"] = value ? number_json(value->value) : Json(nullptr);
  json["value_by"] = value ? Json(name_of(value->source)) : Json(nullptr);
  json["missing"] = missing_json(view);
  return json;
}

Json timing_json(const std::optional<Timing>& timing) {
  if (!timing) return nullptr;
  Json json = record_json(*timing);
  json["method"] = method_text(*timing);
  return json;
}

Json expected_json(const CaseRecord& record) {
  if (!record.expected) return nullptr;
  Json json = record_json(*record.expected);
  json["text"] = reading::expected_text(record);
  return json;
}

Json findings_json(const std::vector<Finding>& findings) {
  Json list = list_json(findings);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (reading::is_of_host(findings[i])) list[i]["block"] = list[i]["thread"] = nullptr;
    list[i]["text"] = reading::sentence_of(findings[i]);
    list[i]["seen"] = text_json(page::seen_text(reading::remark_of(findings[i])));
    list[i]["cure"] = text_json(std::string(reading::cure_of(findings[i])));
    if (!findings[i].array.empty()) continue;
    for (const char* key : {"element", "last_element", "elements"}) list[i][key] = nullptr;
  }
  return list;
}

void add_looked_for(const CaseRecord& record, Json& json) {
  const reading::LookedFor looked = reading::looked_for(record);
  json["checked"] = Json::array();
  json["not_checked"] = Json::array();
  for (const reading::Sought what : looked.checked) json["checked"].push_back(word_of(what));
  for (const auto& [what, why] : looked.not_checked) {
    json["not_checked"].push_back({{"what", word_of(what)}, {"why", word_of(why)}});
  }
}

// `unmodelled`: the model has no semantics for an instruction, which `reason` names.
Json fidelity_json(const reading::Fidelity& one) {
  Json json = {{"kind", one.executed ? word_of(one.executed->kind) : "unmodelled"},
               {"instructions", one.executed ? Json(one.executed->instructions) : Json(nullptr)},
               {"known", word_of(one.known)},
               {"cards", Json::array()},
               {"tests", Json::array()},
               {"rule", nullptr}};
  if (!one.executed) return json;
  const reading::FidelityRow& row = reading::fidelity_of(one.executed->kind);
  json["rule"] = row.rule;
  if (!row.test.empty()) json["tests"].push_back(row.test);
  for (const reading::Proof& proof : row.proofs) {
    if (proof.test.empty()) continue;
    json["tests"].push_back(proof.test);
    const Json card = word_of(proof.card);
    if (json["cards"].empty() || json["cards"].back() != card) json["cards"].push_back(card);
  }
  return json;
}

Json case_json(const CaseRecord& record) {
  Json json = record_json(record);
  if (record.kernel.empty()) {  // a library variant's kernels are not ours
    for (const char* key : {"grid", "block", "shared_bytes"}) json[key] = nullptr;
  }
  const reading::CaseReading read = reading::read(record);
  json["outcome"] = name_of(read.outcome);
  json["standing"] =
      read.standing == reading::Standing::kNone ? Json(nullptr) : Json(name_of(read.standing));
  json["facts"] = facts_text(record);
  json["findings"] = findings_json(record.findings);
  json["remarks"] = findings_json(record.remarks);
  add_looked_for(record, json);
  json["fidelity"] = Json::array();
  for (const reading::Fidelity& one : reading::fidelity_of(record)) {
    json["fidelity"].push_back(fidelity_json(one));
  }
  json["metrics"] = Json::object();
  for (const reading::MetricView& view : reading::metric_views(record))
    json["metrics"][view.key] = metric_json(view);
  json["time"] = timing_json(record.timing);
  json["expected_time"] = expected_json(record);
  if (!record.accesses.empty()) json["accesses"] = list_json(record.accesses);
  return json;
}

Json advice_json(const metrics::Advice& advice) {
  const bool whole = advice.line == 0;
  const bool counted = advice.unit != metrics::Saving::kNone;
  const bool known = advice.known != metrics::Known::kUnknown;
  return {{"rule", name_of(advice.rule)},
          {"file", whole ? Json(nullptr) : text_json(advice.file)},
          {"line", whole ? Json(nullptr) : Json(advice.line)},
          {"also", advice.also},
          {"finding", text_json(advice.finding)},
          {"cure", advice.cure},
          {"text", reading::text_of(advice)},
          {"saved", counted ? number_json(advice.saved) : Json(nullptr)},
          {"total", counted ? number_json(advice.total) : Json(nullptr)},
          {"unit", counted ? Json(name_of(advice.unit)) : Json(nullptr)},
          {"proof", counted ? Json(metrics::name_of(advice.proof)) : Json(nullptr)},
          {"gain", known ? number_json(advice.gain) : Json(nullptr)},
          {"known", metrics::name_of(advice.known)},
          {"of_many", advice.of_many},
          {"hidden", advice.hidden},
          {"bound", advice.bound ? Json(name_of(*advice.bound)) : Json(nullptr)}};
}

void add_diagnosis(Json& record, const std::optional<metrics::Diagnosis>& found) {
  record["advice"] = nullptr;
  record["expected"] = nullptr;
  record["filled_ns"] = nullptr;
  if (!found) return;
  record["advice"] = Json::array();
  for (const metrics::Advice& one : found->advice) record["advice"].push_back(advice_json(one));
  record["expected"] = Json::array();
  record["filled_ns"] = found->expected ? number_json(found->expected->ns) : Json(nullptr);
  if (!found->expected) return;
  for (const metrics::TermTime& one : found->expected->terms) {
    if (one.ns <= 0) continue;
    record["expected"].push_back({{"resource", name_of(one.term)}, {"ns", number_json(one.ns)}});
  }
}

// A row of the screen at the size that a GPU runs.
Json larger_json(const CaseRecord& record) {
  return {{"variant", text_json(record.variant)},
          {"params", member_json(record.params, Trait::kNone)},
          {"expected_time", expected_json(record)}};
}

Json run_head_json(const RunRecord& run) {
  const reading::VerdictCounts counts = reading::read(run).verdicts;
  Json json = record_json(run);
  json["missing"] = run.missing_cases.value_or(0);
  json["verdicts"] = {
      {"agrees", counts.agrees}, {"explained", counts.explained}, {"disagrees", counts.disagrees}};
  return json;
}

Json run_json(const RunRecord& run, const Diagnoses& found = {}) {
  Json cases = Json::array();
  for (const CaseRecord& record : run.cases) {
    cases.push_back(case_json(record));
    const auto known = found.find(record.index);
    if (known != found.end()) add_diagnosis(cases.back(), known->second);
  }
  Json larger = Json::array();
  for (const CaseRecord& record : run.at_gpu_size) larger.push_back(larger_json(record));
  return {
      {"run", run_head_json(run)}, {"cases", std::move(cases)}, {"at_gpu_size", std::move(larger)}};
}

}  // namespace

std::string probe_json(const RunRecord& run, const std::optional<metrics::Diagnosis>& found) {
  Json json = run_json(run);
  if (!json["cases"].empty()) add_diagnosis(json["cases"][0], found);
  return printed({{"runs", Json::array({std::move(json)})}});
}

std::string runs_json(const std::vector<RunRecord>& runs, const std::vector<Diagnoses>& found) {
  Json list = Json::array();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    list.push_back(run_json(runs[i], i < found.size() ? found[i] : Diagnoses{}));
  }
  return printed({{"runs", std::move(list)}});
}

std::string exec_json(const RunRecord& run, const ProgramReport& report,
                      const std::string& compiler, const Diagnoses& found) {
  Json json = run_json(run, found);
  json["program"] = {{"status", report.end.status},
                     {"signal", report.end.signal},
                     {"timed_out", report.end.late},
                     {"refused", text_json(report.refused)},
                     {"broken", text_json(report.broken)},
                     {"compiler", text_json(compiler)},
                     {"launches", report.launches},
                     {"library_calls", report.library_calls},
                     {"findings", findings_json(report.findings)}};
  return printed({{"runs", Json::array({std::move(json)})}});
}

std::string lines_json(const RunRecord& run, const metrics::Machine& machine) {
  Json lines = Json::array();
  Json shares = Json::array();
  for (const CaseRecord& record : run.cases) {
    for (const LineObservation& one : record.lines) lines.push_back(record_json(one));
    for (const auto& [line, share] : reading::time_shares(record, run.source_name, machine)) {
      shares.push_back({{"line", line}, {"share", number_json(share)}});
    }
  }
  return printed({{"runs", Json::array({run_json(run)})},
                  {"lines", std::move(lines)},
                  {"shares", std::move(shares)}});
}

}  // namespace lab::cli
