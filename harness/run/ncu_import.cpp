#include "harness/run/ncu_import.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "harness/ncu/match.h"
#include "harness/ncu/observe.h"
#include "harness/run/machine.h"
#include "metrics/compare.h"
#include "metrics/values.h"

namespace lab::run {

namespace {

const Variant* variant_of(const RunRecord& run, const CaseRecord& record) {
  for (const Lab& lab : all_labs()) {
    if (lab.number != run.lab) continue;
    const auto found = std::find_if(lab.variants.begin(), lab.variants.end(),
                                    [&](const Variant& v) { return v.name == record.variant; });
    if (found != lab.variants.end()) return &*found;
  }
  return nullptr;
}

// A student's file may replace some of a lab's kernels: theory is a target for those alone.
bool own_kernel(const RunRecord& run, const CaseRecord& record) {
  if (run.source_is_labs_own) return true;
  return std::none_of(record.verdicts.begin(), record.verdicts.end(),
                      [](const Verdict& verdict) { return verdict.target.has_value(); });
}

void judge_again(const RunRecord& run, const metrics::Machine& machine, CaseRecord& record) {
  const Variant* variant = variant_of(run, record);
  if (variant == nullptr && run.lab != 0) {  // of a newer version: its verdicts stay
    metrics::note_measured(record);
    return;
  }
  metrics::Question question{variant, own_kernel(run, record), {}, &machine};
  for (const Verdict& verdict : record.verdicts) {
    if (verdict.kind != VerdictKind::kNone) question.asked.push_back(verdict.metric);
  }
  metrics::judge(question, record);
}

std::string launch_label(const ncu::KernelLaunch& launch) {
  return fmt::format("launch {} ({})", launch.id.empty() ? "?" : launch.id, launch.kernel);
}

void list_unmatched(const ncu::Report& report, const ncu::Matching& matching,
                    ncu::Imported& imported) {
  for (const ncu::Unmatched& one : matching.unmatched) {
    imported.unmatched.push_back(
        fmt::format("{}: {}", launch_label(report.launches[one.launch]), one.why));
  }
}

void note_conditions(const ncu::Conditions& theirs, RunRecord& run) {
  auto& environment = run.environment;
  for (auto at = environment.begin(); at != environment.end();) {
    at = at->first.rfind(ncu::kConditionPrefix, 0) == 0 ? environment.erase(at) : std::next(at);
  }
  for (const auto& [name, value] : theirs) {
    environment[std::string(ncu::kConditionPrefix) + name] = value;
  }
}

// sm_90 is compute capability 9.0: its last digit is the minor number.
std::string capability_of(const std::string& arch) {
  const std::string digits =
      arch.substr(std::min<std::size_t>(arch.find_first_of("0123456789"), arch.size()));
  const std::size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
  if (end < 2) return {};
  return digits.substr(0, end - 1) + "." + digits.substr(end - 1, 1);
}

void note_capability(const ncu::Report& report, const RunRecord& run, ncu::Imported& imported) {
  const std::string ours = capability_of(run.arch);
  if (report.capability.empty() || ours.empty() || report.capability == ours) return;
  imported.notes.push_back(fmt::format(
      "the report is of compute capability {}, run {} of {}: other machine code, and other counts",
      report.capability, run.id, run.arch));
}

}  // namespace

ncu::Imported import_report(db::Store& store, RunRecord run, const ncu::Report& report,
                            ncu::Conditions theirs) {
  if (!report.device.empty()) theirs.emplace("gpu", report.device);
  const ncu::Matching matching = ncu::match(run, report);
  ncu::Imported imported;
  imported.launches = report.launches.size();
  imported.notes = report.notes;
  list_unmatched(report, matching, imported);
  if (matching.matches.empty()) {
    throw input_error(
        fmt::format("none of the {} launches belongs to a case of run {}{}", report.launches.size(),
                    run.id, imported.unmatched.empty() ? "" : "; " + imported.unmatched.front()),
        "name the run with --run; lab runs lists them");
  }
  const std::string chip = ncu::chip_of(run);
  const metrics::Machine machine = machine_of(run, &store);
  std::size_t nameless = 0;
  for (const ncu::Match& match : matching.matches) {
    CaseRecord& record = run.cases[match.case_at];
    ncu::Observed observed = ncu::observe(report, match, record.kernel.empty(), chip);
    nameless += observed.nameless;
    imported.values += static_cast<std::size_t>(
        std::count_if(observed.observations.begin(), observed.observations.end(),
                      [](const Observation& o) { return o.has_value(); }));
    imported.by_range += match.by_range ? 1 : 0;
    ++imported.cases;
    ncu::replace_ncu(record, std::move(observed.observations));
    judge_again(run, machine, record);
  }
  if (imported.values == 0) {
    throw input_error(fmt::format("no value of the report can be used{}",
                                  report.notes.empty() ? "" : ": " + report.notes.front()),
                      "make it with: ncu --csv --page raw --print-units base ...");
  }
  note_capability(report, run, imported);
  if (nameless > 0) {
    imported.notes.push_back(
        fmt::format("{} values stand under a section's label and not a counter's name: --page raw "
                    "has the names",
                    nameless));
  }
  note_conditions(theirs, run);
  for (const ncu::Match& match : matching.matches) {
    store.replace_case(run.id, run.cases[match.case_at]);
  }
  store.update_run(run);
  imported.run = std::move(run);
  return imported;
}

}  // namespace lab::run
