#include "harness/reading/run_reading.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "harness/core/metric_keys.h"
#include "harness/core/sections.h"
#include "harness/reading/metric_view.h"

namespace lab::reading {

namespace {

void count(VerdictKind kind, VerdictCounts& counts) {
  counts.agrees += kind == VerdictKind::kAgrees ? 1 : 0;
  counts.explained += kind == VerdictKind::kExplained ? 1 : 0;
  counts.disagrees += kind == VerdictKind::kDisagrees ? 1 : 0;
}

void add(VerdictCounts& counts, const VerdictCounts& more) {
  counts.agrees += more.agrees;
  counts.explained += more.explained;
  counts.disagrees += more.disagrees;
}

VerdictCounts count_verdicts(const CaseRecord& record) {
  VerdictCounts counts;
  if (has_mistake(record)) return counts;
  for (const Verdict& verdict : record.verdicts) count(verdict.kind, counts);
  return counts;
}

// Whether the kernels are a student's: of a lab, so that there is something to stand to.
bool is_students(const RunRecord& run, const RunReading& reading) {
  const auto targets = [](const CaseReading& one) { return one.has_target; };
  return (run.lab > 0 && !run.source_is_labs_own) ||
         std::any_of(reading.cases.begin(), reading.cases.end(), targets);
}

StandingCounts standing_of(const RunReading& reading) {
  StandingCounts counts;
  for (const CaseReading& one : reading.cases) {
    counts.cases += one.standing == Standing::kNone ? 0 : 1;
    counts.on_target += one.standing == Standing::kOnTarget ? 1 : 0;
  }
  return counts;
}

std::optional<std::size_t> furthest_in(const RunReading& reading) {
  std::optional<std::size_t> furthest;
  double most = 1;
  for (std::size_t i = 0; i < reading.cases.size(); ++i) {
    const auto& one = reading.cases[i].furthest;
    if (reading.cases[i].outcome == Outcome::kFinding || !one || one->excess <= most) continue;
    most = one->excess;
    furthest = i;
  }
  return furthest;
}

void add(Summary& summary, const CaseRecord& record) {
  ++summary.statuses[record.status];
  summary.unchecked += record.status == CaseStatus::kOk && !record.correct ? 1 : 0;
  if (has_mistake(record)) return;
  for (const MetricView& view : metric_views(record)) {
    const bool measured = view.measured().has_value();
    summary.anything_measured = summary.anything_measured || measured;
    if (view.verdict == nullptr) continue;
    summary.theory = summary.theory || (view.theory() && !view.verdict->target);
    summary.model = summary.model || view.model();
    summary.measured = summary.measured || measured;
  }
}

}  // namespace

std::string uncounted(const RunRecord& run) {
  constexpr std::string_view kCosts[] = {metric::kGlobalLoadSectors, metric::kGlobalStoreSectors,
                                         metric::kSharedLoadWavefronts,
                                         metric::kSharedStoreWavefronts};
  for (const CaseRecord& record : run.cases) {
    for (const std::string_view cost : kCosts) {
      const Observation* found = view_of(record, cost).from(SourceOf::kModel);
      if (found != nullptr && !found->has_value()) return std::get<Missing>(found->value).detail;
    }
  }
  return {};
}

std::vector<MetricSummary> summaries_of(const RunRecord& run) {
  std::vector<MetricSummary> all;
  for (const CaseRecord& record : run.cases) {
    if (has_mistake(record)) continue;
    for (const MetricView& view : metric_views(record)) {
      if (view.verdict == nullptr) continue;
      auto found = std::find_if(all.begin(), all.end(),
                                [&](const MetricSummary& one) { return one.key == view.key; });
      if (found == all.end()) found = all.insert(all.end(), {view.key});
      const VerdictKind kind = view.verdict->kind;
      count(kind, found->counts);
      const bool differs = kind == VerdictKind::kExplained || kind == VerdictKind::kDisagrees;
      const bool worse = found->verdict == nullptr ||
                         (kind == VerdictKind::kDisagrees && found->verdict->kind != kind);
      if (!differs || !worse) continue;
      found->first = &record;
      found->verdict = view.verdict;
    }
  }
  std::erase_if(all, [](const MetricSummary& one) { return one.counts.compared() == 0; });
  std::stable_partition(all.begin(), all.end(),
                        [](const MetricSummary& one) { return one.counts.disagrees > 0; });
  return all;
}

RunReading read(const RunRecord& run) {
  RunReading reading;
  for (const CaseRecord& record : run.cases) {
    reading.cases.push_back(read(record));
    ++reading.outcomes[reading.cases.back().outcome];
    add(reading.verdicts, count_verdicts(record));
    add(reading.summary, record);
    const bool fine = record.status == CaseStatus::kOk || record.status == CaseStatus::kSkipped;
    reading.failed += fine ? 0 : 1;
  }
  if (is_students(run, reading)) reading.standing = standing_of(reading);
  reading.furthest = furthest_in(reading);
  reading.summary.missing = run.missing_cases.value_or(0);
  const StandingCounts& standing = reading.standing;
  reading.stuck = run.lab > 0 && standing.cases > 0 && !standing.all_on_target();
  return reading;
}

std::vector<std::vector<const CaseRecord*>> to_advise(const RunRecord& run) {
  std::vector<std::vector<const CaseRecord*>> variants;
  for (const Section& section : sections_of(run)) {
    std::vector<const CaseRecord*> cases = section.cases;
    // A case that reaches its target needs no advice, and none can contradict it then.
    std::erase_if(cases, [](const CaseRecord* record) {
      const CaseReading reading = read(*record);
      return has_mistake(*record) || !reading.has_target || reading.standing == Standing::kOnTarget;
    });
    std::stable_sort(cases.begin(), cases.end(), [](const CaseRecord* a, const CaseRecord* b) {
      return excess_of(*a) > excess_of(*b);
    });
    if (!cases.empty()) variants.push_back(std::move(cases));
  }
  return variants;
}

}  // namespace lab::reading
