#include "harness/run/ncu_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/labs/registry.h"
#include "harness/ncu/observe.h"
#include "harness/ncu/tool.h"
#include "harness/run/places.h"
#include "harness/run/temporary_folder.h"
#include "metrics/counter_names.h"
#include "metrics/sets.h"
#include "metrics/values.h"

namespace lab::run {

namespace {

namespace fs = std::filesystem;

// The counters that the run has values of, and those that were asked for.
std::vector<std::string> counters_of(const RunRecord& run, const std::vector<std::string>& asked) {
  const std::string chip = ncu::chip_of(run);
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  const auto any_has = [&](std::string_view key, SourceOf source) {
    return std::any_of(run.cases.begin(), run.cases.end(), [&](const CaseRecord& record) {
      return metrics::value_of(record, key, source).has_value();
    });
  };
  for (const metrics::Metric& metric : metrics::catalogue()) {
    for (const auto source : {SourceOf::kCupti, SourceOf::kSass}) {
      const auto name = counter_name(metric, source, chip);
      if (!name.name.empty() && any_has(metric.key, source)) add(name.name);
    }
  }
  metrics::MetricPlan plan = metrics::plan_metrics(asked, chip);
  if (names.empty()) plan = metrics::join(metrics::plan_set("default", chip), plan);
  for (const metrics::Counter& counter : plan.counters) add(counter.name);
  return names;
}

std::string text_or(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Facts that the program under ncu told of its machine and its kernels.
RunRecord told_by(const std::string& json_text) {
  RunRecord run;
  const auto json = nlohmann::json::parse(json_text, nullptr, false);
  if (json.is_discarded() || !json.contains("runs") || json["runs"].empty()) return run;
  const auto& first = json["runs"].front();
  for (const auto& [key, value] : first["run"]["environment"].items()) {
    if (value.is_string()) run.environment[key] = value.get<std::string>();
  }
  for (const auto& one : first["cases"]) {
    CaseRecord record;
    record.variant = text_or(one, "variant");
    record.facts.cubin_sha256 = text_or(one["facts"], "cubin_sha256");
    std::map<std::string, std::string> notes;
    for (const auto& [key, value] : one["facts"].items()) {
      if (value.is_string()) notes[key] = value.get<std::string>();
    }
    record.notes = notes_from(std::move(notes));
    run.cases.push_back(std::move(record));
  }
  return run;
}

ncu::Conditions conditions_of(const RunRecord& inside, const NcuRequest& request,
                              const std::string& version) {
  ncu::Conditions theirs = ncu::our_conditions(inside);
  theirs["version"] = version;
  theirs["cache"] = request.cache_control == "all" ? "flushed before each pass" : "left warm";
  theirs["clocks"] = request.clock_control == "base" ? "locked to base" : "left alone";
  return theirs;
}

void keep_report(const fs::path& report, const std::string& where) {
  OutputFile kept(where, "the report");
  std::error_code failed;
  fs::copy_file(report, kept.temporary(), fs::copy_options::overwrite_existing, failed);
  if (failed) throw machine_error(fmt::format("{}: {}", where, failed.message()));
  kept.commit();
}

}  // namespace

bool ran(const CaseRecord& record) {
  return record.status == CaseStatus::kOk || record.status == CaseStatus::kWrong ||
         record.status == CaseStatus::kFinding;
}

Profiled profile(const RunRecord& run, const NcuRequest& request) {
  const TemporaryFolder folder("lab-ncu");
  const auto version = ncu::run_program({request.ncu.string(), "--version"}, folder.path());
  ncu::ProfileRequest profile;
  profile.ncu = request.ncu;
  profile.metrics = counters_of(run, request.metrics);
  profile.sets = request.sets;
  profile.cache_control = request.cache_control;
  profile.clock_control = request.clock_control;
  profile.report = folder.path() / "report.ncu-rep";
  profile.log = folder.path() / "ncu.log";
  profile.program = request.program;
  const ncu::Ended inside = ncu::run_program(ncu::profile_command(profile), folder.path());
  std::error_code ignored;
  if (!fs::exists(profile.report, ignored)) {
    const std::string log =
        fs::exists(profile.log, ignored) ? read_text(profile.log.string(), "ncu's log") : "";
    throw ncu::explain_failure(inside, log);
  }
  const ncu::Ended csv = ncu::run_program(ncu::export_command(request.ncu, profile.report),
                                          folder.path(), {"LC_ALL=C"});
  if (csv.status != 0) throw ncu::explain_failure(csv, "");
  if (request.keep) keep_report(profile.report, *request.keep);
  return {ncu::read_report(csv.out, "ncu's CSV"),
          conditions_of(told_by(inside.out), request, ncu::version_in(version.out))};
}

Plan plan_again(const RunRecord& stored) {
  const Lab& lab = find_lab(std::to_string(stored.lab));
  BatchRequest batch;
  batch.gpu.counters = false;
  batch.gpu.timing = false;
  if (stored.seed) batch.seed = *stored.seed;
  for (const CaseRecord& record : stored.cases) {
    if (ran(record)) batch.cases.push_back({record.index, record.variant, record.params, {}});
    const int carveout = record.facts.carveout.value_or(CaseFacts::kDriversChoice);
    if (carveout != CaseFacts::kDriversChoice) batch.gpu.carveout = carveout;
  }
  std::optional<KernelText> theirs;
  if (own_kernels(lab).text != stored.source_text) {
    theirs = source_of(stored);
  }
  return plan_run(lab, std::move(batch), theirs);
}

}  // namespace lab::run
