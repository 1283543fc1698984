// The JSON of runs: `lab run`, `lab compare` and `lab probe` print it.
#include <cmath>

#include "harness/core/interrupted.h"
#include "metrics/catalogue.h"
#include "tools/cli/json/json.h"
#include "tools/cli/json/json_values.h"
#include "tools/cli/text/case_view.h"

namespace lab::cli {

namespace {

constexpr std::array<SourceOf, 5> kSources = {SourceOf::kTheory, SourceOf::kModel, SourceOf::kCupti,
                                              SourceOf::kSass, SourceOf::kNcu};

Json finding_json(const Finding& finding) {
  return {{"kind", name_of(finding.kind)},
          {"message", finding.message},
          {"kernel", finding.kernel},
          {"file", text_json(finding.file)},
          {"line", finding.line > 0 ? Json(finding.line) : Json(nullptr)},
          {"source", text_json(finding.source)},
          {"block", dim_json(finding.block)},
          {"thread", dim_json(finding.thread)},
          {"address", finding.address},
          {"count", finding.count}};
}

Json missing_json(const MetricView& view) {
  Json json = Json::object();
  for (const SourceOf source : kSources) {
    const Observation* observation = view.from(source);
    if (observation == nullptr || observation->has_value()) continue;
    const auto& missing = std::get<Missing>(observation->value);
    json[std::string(name_of(source))] =
        missing.detail.empty() ? missing.reason : missing.reason + ": " + missing.detail;
  }
  return json;
}

Json metric_json(const MetricView& view) {
  const metrics::Metric* row = metrics::find(view.key);
  const Verdict* verdict = view.verdict;
  const auto measured = view.measured();
  Json json = {{"unit", row == nullptr ? Json(nullptr) : Json(row->unit)},
               {"class", name_of(row == nullptr ? metrics::Class::kContext : row->metric_class)},
               {"theory", optional_json(view.value(SourceOf::kTheory))}};
  if (json["theory"].is_null() && verdict != nullptr)
    json["theory"] = optional_json(verdict->theory);
  json["theory_high"] = verdict == nullptr ? Json(nullptr) : optional_json(verdict->theory_high);
  json["formula"] = verdict == nullptr ? Json(nullptr) : text_json(verdict->formula);
  json["level"] = verdict == nullptr ? Json(nullptr) : text_json(verdict->level);
  json["target"] = verdict == nullptr ? Json(nullptr) : optional_json(verdict->target);
  json["excess"] = verdict == nullptr ? Json(nullptr) : optional_json(verdict->excess);
  for (const SourceOf source : kSources) {
    if (source == SourceOf::kTheory) continue;
    json[std::string(name_of(source))] = optional_json(view.value(source));
  }
  json["measured"] = measured ? number_json(measured->value) : Json(nullptr);
  json["measured_source"] = measured ? Json(name_of(measured->source)) : Json(nullptr);
  json["verdict"] = verdict == nullptr ? Json(nullptr) : Json(name_of(verdict->kind));
  json["reason"] = verdict == nullptr ? Json(nullptr) : text_json(verdict->reason);
  json["missing"] = missing_json(view);
  return json;
}

Json timing_json(const std::optional<Timing>& timing) {
  if (!timing) return nullptr;
  return {{"median_ns", number_json(timing->median_ns)},
          {"min_ns", number_json(timing->min_ns)},
          {"max_ns", number_json(timing->max_ns)},
          {"samples", timing->samples_ns.size()},
          {"method", timing->method}};
}

Json access_json(const Access& access) {
  Json addresses = Json::array();
  for (const std::int64_t address : access.address) {
    addresses.push_back(address < 0 ? Json(nullptr) : Json(address));
  }
  return {{"sequence", access.sequence},
          {"line", access.line},
          {"text", access.text},
          {"space", access.space},
          {"op", access.op},
          {"bytes_per_lane", access.bytes_per_lane},
          {"buffer", text_json(access.buffer)},
          {"addresses", std::move(addresses)},
          {"sectors", access.sectors},
          {"wavefronts", access.wavefronts},
          {"conflicts", access.conflicts}};
}

Json case_json(const CaseRecord& record) {
  const bool launched = !record.kernel.empty();  // a library variant's kernels are not ours
  Json json = {
      {"variant", record.variant},
      {"params", params_json(record.params)},
      {"kernel", text_json(record.kernel)},
      {"grid", launched ? dim_json(record.launch.grid) : Json(nullptr)},
      {"block", launched ? dim_json(record.launch.block) : Json(nullptr)},
      {"shared_bytes", launched ? Json(record.launch.dynamic_shared_bytes) : Json(nullptr)},
      {"status", name_of(record.status)},
      {"correct", record.correct ? Json(*record.correct) : Json(nullptr)},
      {"reason", text_json(record.reason)},
      {"arch", text_json(record.arch)},
      {"facts", record.facts},
      {"findings", Json::array()},
      {"metrics", Json::object()},
      {"time", timing_json(record.timing)}};
  for (const Finding& finding : record.findings) json["findings"].push_back(finding_json(finding));
  for (const MetricView& view : metric_views(record)) json["metrics"][view.key] = metric_json(view);
  if (record.accesses.empty()) return json;
  for (const Access& access : record.accesses) json["accesses"].push_back(access_json(access));
  return json;
}

Json run_head_json(const RunRecord& run) {
  const VerdictCounts counts = count_verdicts(run);
  return {{"id", run.id > 0 ? Json(run.id) : Json(nullptr)},
          {"uuid", run.uuid},
          {"lab", run.lab},
          {"lab_id", text_json(run.lab_id)},
          {"folder", text_json(run.folder)},
          {"backend", run.backend},
          {"gpu", text_json(run.gpu)},
          {"arch", run.arch},
          {"started_at", run.started_at},
          {"student", text_json(run.student)},
          {"status", run.status},
          {"missing", missing_cases(run)},
          {"program_version", run.program_version},
          {"source", text_json(run.source_name)},
          {"source_is_labs_own", run.source_is_labs_own},
          {"environment", run.environment},
          {"verdicts",
           {{"agrees", counts.agrees},
            {"explained", counts.explained},
            {"disagrees", counts.disagrees}}}};
}

Json run_json(const RunRecord& run) {
  Json cases = Json::array();
  for (const CaseRecord& record : run.cases) cases.push_back(case_json(record));
  return {{"run", run_head_json(run)}, {"cases", std::move(cases)}};
}

}  // namespace

std::string runs_json(const std::vector<RunRecord>& runs) {
  Json list = Json::array();
  for (const RunRecord& run : runs) list.push_back(run_json(run));
  return printed({{"runs", std::move(list)}});
}

std::string lines_json(const RunRecord& run) {
  Json lines = Json::array();
  for (const CaseRecord& record : run.cases) {
    for (const LineObservation& one : record.lines) {
      lines.push_back({{"file", one.file},
                       {"line", one.line},
                       {"metric", one.metric},
                       {"source", name_of(one.source)},
                       {"value", number_json(one.value)}});
    }
  }
  return printed({{"runs", Json::array({run_json(run)})}, {"lines", std::move(lines)}});
}

}  // namespace lab::cli
