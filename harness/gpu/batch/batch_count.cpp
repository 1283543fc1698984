// Counts and samples a batch's cases, after they were checked and timed.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

#include "harness/gpu/batch/batch_run.h"
#include "harness/gpu/cupti/stalls.h"
#include "harness/gpu/driver/phase.h"
#include "harness/gpu/machine/fallback.h"
#include "harness/gpu/measure/counter_set.h"
#include "harness/gpu/measure/observe.h"
#include "metrics/stalls.h"

namespace lab::gpu {

namespace {

// Cycles between samples, as a power of two: about 2 us. A short kernel runs again and again.
constexpr std::uint32_t kSamplingPeriod = 12;
constexpr std::chrono::milliseconds kSampledFor{20};
constexpr int kMostSampledLaunches = 2000;
constexpr std::size_t kStallsTold = 4;  // in a case's facts

}  // namespace

// CUPTI patches one kernel per process: for counts per line, or where hardware counters are
// missing.
bool BatchRun::patches_kernels() const {
  if (!options_.counters || options_.stalls) return false;
  if (!options_.lines && !access_.refused) return false;
  return !probe_patching(machine_);
}

// The batch's metrics, and those that the cases' theory predicts: for a variant with atomics,
// theirs are read too.
std::vector<std::string> BatchRun::asked_metrics(const std::vector<std::size_t>& counted) const {
  std::vector<std::string> names = batch_.metrics;
  for (const std::size_t i : counted) {
    for (const std::string& key : cases_[i].job.expected.metrics) {
      const metrics::Metric* metric = metrics::find(key);
      const bool counter = metric != nullptr && !metric->cupti.empty();
      if (counter && std::find(names.begin(), names.end(), key) == names.end()) {
        names.push_back(key);
      }
    }
  }
  return names;
}

void BatchRun::count() {
  std::vector<std::size_t> counted = alive();
  if (counted.empty()) return;
  const metrics::MetricPlan plan =
      metrics::join(metrics::plan_set("default", machine_.facts.chip),
                    metrics::plan_metrics(asked_metrics(counted), machine_.facts.chip));
  if (!options_.counters) {
    add_without_counters(plan, {NoValue::kTurnedOff, "counters are turned off: --no-counters"},
                         counted, {});
    return;
  }
  if (options_.stalls) {
    sample_stalls(counted);
    add_without_counters(plan, {NoValue::kTurnedOff, "a run that samples stalls reads no counters"},
                         alive(), {});
    return;
  }
  const Phase phase("count");
  // Patching comes first: its profiler and the range profiler exclude each other.
  std::map<std::size_t, std::map<std::string, double>> patched;
  if (options_.lines || access_.refused) patched = count_lines(counted.front());
  while (!access_.refused) {
    try {
      counted = alive();
      count_ranges(access_, plan, counted);
      sink_.environment("counters", "read");
      sink_.environment("gpu_chip", access_.chip);
      return;
    } catch (const CuptiError& error) {
      access_.refused = missing_counters(error);
    } catch (const CountingFault& fault) {
      // The kernel ran alone but fails under the profiler: its case ends here, and the others are
      // counted
      // again.
      for (CaseState& state : cases_) {
        if (state.outcome.record.index == fault.case_index()) fail(state, fault);
      }
    }
  }
  sink_.environment("counters", access_.refused->detail);
  add_without_counters(plan, *access_.refused, alive(), patched);
}

void BatchRun::count_ranges(const CounterAccess& access, const metrics::MetricPlan& plan,
                            const std::vector<std::size_t>& counted) {
  const CounterSet counters(access, plan, machine_);
  std::vector<CountedCase> cases;
  std::map<int, CaseRecord*> records;
  for (const std::size_t i : counted) {
    CaseRecord& record = cases_[i].outcome.record;
    cases.push_back({record.index, &prepare(i)});
    records[record.index] = &record;
  }
  counters.collect(
      *loaded_.rig, cases, {options_.cache, options_.repeat},
      [this](int index, double fraction) { sink_.progress(index, fraction); },
      [&](int index) -> CaseRecord& { return *records.at(index); });
}

std::map<std::size_t, std::map<std::string, double>> BatchRun::count_lines(std::size_t i) {
  CaseState& state = cases_[i];
  if (is_library(state.job)) return {};  // no source lines
  const Phase phase("counts per line");
  std::map<std::size_t, std::map<std::string, double>> totals;
  std::optional<Missing> refused = probe_patching(machine_);
  try {
    if (!refused) {
      sink_.progress(state.outcome.record.index, 0.5);
      PreparedCase& prepared = prepare(i);
      prepared.restore();
      loaded_.rig->context().synchronize(state.job.kernel);
      const SassProfiler profiler(loaded_.rig->context(), machine_.facts.chip, line_metrics());
      const auto counts = profiler.collect([&] {
        prepared.launch();
        loaded_.rig->context().synchronize(state.job.kernel);
      });
      totals[i] = counter_totals(counts, profiler.metrics());
      const SourceLines source(compiled_.units[state.place.unit].cubin);
      state.outcome.record.lines =
          line_observations(counts, profiler.metrics(), state.place.lowered, source);
      if (state.outcome.record.lines.empty()) {
        state.outcome.record.notes.lines =
            fmt::format("CUPTI gave {} counts, none of them of a source line", counts.size());
      }
    }
  } catch (const CuptiError& error) {
    refused = missing_counters(error);
  }
  if (refused) {
    spdlog::info("no counts per line: {}", refused->detail);
    state.outcome.record.notes.lines = refused->detail;
  }
  return totals;
}

// Modules are loaded again: CUPTI only knows those that were loaded after sampling began.
void BatchRun::sample_stalls(const std::vector<std::size_t>& sampled) {
  const Phase phase("sample stalls");
  std::optional<Missing> refused = attached_profiler();
  try {
    if (!refused) {
      loaded_.prepared.clear();
      loaded_.kernels.reset();
      StallSampler sampler(loaded_.rig->context(), kSamplingPeriod);
      loaded_.kernels = std::make_unique<LoadedBatch>(machine_.driver, compiled_);
      for (const std::size_t i : sampled) sample_case(sampler, i);
      loaded_.prepared.clear();
    }
  } catch (const CuptiError& error) {
    refused = missing_counters(error);
  }
  if (!refused) return;
  for (const std::size_t i : sampled) {
    cases_[i].outcome.record.notes.stalls = "not sampled: " + refused->detail;
  }
}

void BatchRun::sample_case(StallSampler& sampler, std::size_t i) {
  CaseState& state = cases_[i];
  if (is_library(state.job) || sink_.cancelled()) return;  // a library has no source lines
  sink_.progress(state.outcome.record.index, 0.5);
  PreparedCase& prepared = prepare(i);
  int launches = 0;
  const StallSamples samples = sampler.collect([&] {
    const auto end = std::chrono::steady_clock::now() + kSampledFor;
    do {
      prepared.restore();
      prepared.launch();
      loaded_.rig->context().synchronize(state.job.kernel);
      ++launches;
    } while (launches < kMostSampledLaunches && std::chrono::steady_clock::now() < end);
  });
  CaseRecord& record = state.outcome.record;
  const SourceLines source(compiled_.units[state.place.unit].cubin);
  record.lines = line_samples(samples, state.place.lowered, source);
  const auto all = metrics::all_stalls(record.lines);
  record.notes.stalls = all.samples == 0 ? "no sample fell on the kernel: it is too short"
                                         : metrics::stall_shares(all, kStallsTold);
  record.notes.stall_samples =
      fmt::format("{:.0f} of {} launches, one a multiprocessor every {} cycles; {:.0f} dropped",
                  all.samples, launches, 1U << kSamplingPeriod, samples.dropped);
}

void BatchRun::add_without_counters(
    const metrics::MetricPlan& plan, const Missing& why, const std::vector<std::size_t>& counted,
    const std::map<std::size_t, std::map<std::string, double>>& patched) {
  for (const std::size_t i : counted) {
    CaseRecord& record = cases_[i].outcome.record;
    const auto totals = patched.find(i);
    const auto found = observe_without_counters(
        plan, why, totals == patched.end() ? std::map<std::string, double>{} : totals->second);
    record.observations.insert(record.observations.end(), found.begin(), found.end());
  }
}

}  // namespace lab::gpu
