#include "harness/gpu/batch_run.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/range_name.h"
#include "harness/gpu/fallback.h"
#include "harness/gpu/launch_facts.h"
#include "harness/gpu/lines.h"
#include "harness/gpu/nvtx.h"
#include "harness/gpu/observe.h"
#include "harness/gpu/phase.h"
#include "harness/gpu/stalls.h"

namespace lab::gpu {

namespace {

// Inputs larger than this are not compared with what they were: reading them back takes longer
// than the kernel.
constexpr std::size_t kMostComparedBytes = std::size_t{64} << 20;

void end(CaseState& state, CaseStatus status, const std::string& reason) {
  state.outcome.record.status = status;
  state.outcome.record.reason = reason;
  state.alive = false;
}

std::size_t input_bytes(const Job& job) {
  std::size_t bytes = 0;
  for (const ArgSpec& arg : job.args) {
    const auto* buffer = std::get_if<BufferSpec>(&arg);
    if (buffer != nullptr && buffer->direction == Direction::kIn) {
      bytes += buffer->count * size_of(buffer->type);
    }
  }
  return bytes;
}

void keep_dumps(const CaseRequest& request, const Job& job, Buffers& after, CaseOutcome& outcome) {
  if (!request.probe) return;
  for (const int index : request.probe->dump) {
    const auto* buffer = std::get_if<BufferSpec>(&job.args.at(static_cast<std::size_t>(index)));
    if (buffer == nullptr) continue;
    const auto bytes = after.raw(buffer->name);
    outcome.dumped[index].assign(bytes.begin(), bytes.end());
  }
}

}  // namespace

BatchRun::BatchRun(const BatchRequest& batch, const BatchSink& sink, const Machine& machine,
                   const Options& options, std::vector<CaseState> cases, CompiledBatch compiled)
    : batch_(batch),
      sink_(sink),
      machine_(machine),
      options_(options),
      cases_(std::move(cases)),
      compiled_(std::move(compiled)),
      end_(cases_.size()) {}

void BatchRun::run() {
  load();
  for (const auto& [key, value] : environment(machine_.facts)) sink_.environment(key, value);
  {
    const Phase phase("check and time");
    const bool one_by_one = patches_kernels();
    for (std::size_t i = 0; i < end_; ++i) {
      if (sink_.cancelled()) break;
      if (cases_[i].alive) check_and_time(i);
      if (!cases_[i].alive) report(cases_[i]);
      if (cases_[i].alive && one_by_one) end_ = i + 1;
    }
  }
  if (!sink_.cancelled()) count();
  for (std::size_t i = 0; i < end_; ++i) {
    CaseState& state = cases_[i];
    if (sink_.cancelled() && state.alive && !state.outcome.record.timing) {
      end(state, CaseStatus::kSkipped, "interrupted");
    }
    report(state);
  }
  if (end_ < cases_.size()) throw ProcessSpent("a process patches the kernel of one case");
}

// CUPTI patches one kernel a process: for counts per line, or for want of hardware counters.
bool BatchRun::patches_kernels() const {
  if (!options_.counters || (!options_.lines && !access_.refused)) return false;
  return !probe_patching(machine_);
}

void BatchRun::load() {
  // What lives in a context goes before it.
  loaded_.prepared.clear();
  loaded_.library.reset();
  loaded_.kernels.reset();
  loaded_.rig.reset();
  {
    const Phase phase("context");
    loaded_.rig =
        std::make_unique<Rig>(machine_.driver, machine_.device, machine_.facts, machine_.tools);
  }
  {
    const Phase phase("modules");
    loaded_.kernels = std::make_unique<LoadedBatch>(machine_.driver, compiled_);
  }
  if (!options_.counters) return;
  const Phase phase("counter access");
  access_ =
      probe_counters(loaded_.rig->context(), machine_, ImageCache(ImageCache::default_folder()));
}

Launcher BatchRun::kernel_launcher(const CaseState& state) {
  Function function = loaded_.kernels->function(state.place);
  const Launch launch = state.job.launch;
  if (launch.dynamic_shared_bytes > 0) {
    function.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                           static_cast<int>(launch.dynamic_shared_bytes));
  }
  if (options_.carveout) {
    function.set_attribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, *options_.carveout);
  }
  CUstream stream = loaded_.rig->context().stream();
  return {[function, launch, stream](std::span<void* const> arguments) {
            function.launch(launch, arguments, stream);
          },
          [](std::span<void* const>) { return 1; }};
}

Launcher BatchRun::library_launcher(const CaseState& state) {
  if (!loaded_.library) loaded_.library = std::make_unique<Library>(loaded_.rig->context());
  const Library& library = *loaded_.library;
  const std::string name = state.job.variant->library;
  return {[&library, name](std::span<void* const> arguments) { library.call(name, arguments); },
          [&library, name](std::span<void* const> arguments) {
            return library.launches(name, arguments);
          }};
}

PreparedCase& BatchRun::prepare(std::size_t i) {
  auto& slot = loaded_.prepared[i];
  if (slot) return *slot;
  const CaseState& state = cases_[i];
  Launcher launcher = is_library(state.job) ? library_launcher(state) : kernel_launcher(state);
  slot = std::make_unique<PreparedCase>(*loaded_.rig, state.job, std::move(launcher),
                                        state.changed_inputs);
  return *slot;
}

// Also says why the kernel cannot be launched, where it cannot: the case then ends.
void BatchRun::record_facts(CaseState& state) {
  const Function function = loaded_.kernels->function(state.place);
  const KernelResources resources = read_resources(function);
  const Launch& launch = state.job.launch;
  if (const auto refused = refusal(machine_.facts.sm, resources, launch)) {
    end(state, CaseStatus::kError, *refused);
    return;
  }
  if (launch.dynamic_shared_bytes > 0) (void)kernel_launcher(state);  // sets what it may use
  const int blocks =
      function.blocks_per_sm(static_cast<int>(launch.block.count()), launch.dynamic_shared_bytes);
  record_launch_facts(machine_.facts.sm, resources, blocks, options_.carveout,
                      state.outcome.record);
}

// The launch that is checked, with nothing else going on.
void BatchRun::first_launch(std::size_t i) {
  CaseState& state = cases_[i];
  CaseRecord& record = state.outcome.record;
  if (!is_library(state.job)) record_facts(state);
  if (!state.alive) return;
  PreparedCase& prepared = prepare(i);
  prepared.restore();
  prepared.launch();
  loaded_.rig->context().synchronize(state.job.kernel);

  Buffers after = initial_buffers(state.job);
  if (input_bytes(state.job) <= kMostComparedBytes) {
    state.changed_inputs = prepared.find_changed_inputs(after);
  }
  prepared.download(after);
  const CheckResult checked = check(state.job, after);
  record.correct = checked.correct;
  if (checked.correct == false) {
    record.status = CaseStatus::kWrong;
    record.reason = checked.reason;
  }
  keep_dumps(batch_.cases[i], state.job, after, state.outcome);
}

void BatchRun::check_and_time(std::size_t i) {
  CaseState& state = cases_[i];
  sink_.progress(state.outcome.record.index, 0);
  const NvtxRange range(range_name(batch_.lab, state.outcome.record.variant, state.job.params));
  try {
    {
      const NvtxRange phase("check");
      first_launch(i);
    }
    if (!state.alive || !options_.timing) return;
    sink_.progress(state.outcome.record.index, 0.2);
    const NvtxRange phase("time");
    TimingPlan plan;
    plan.cache = options_.timing_cache;
    state.outcome.record.timing = time_case(*loaded_.rig, prepare(i), plan);
  } catch (const DriverError& error) {
    fail(state, error);
  } catch (const Error& error) {
    end(state, CaseStatus::kSkipped, error.what());  // a library that is not there
  }
}

void BatchRun::fail(CaseState& state, const DriverError& error) {
  const std::string hint = error.hint();
  end(state, CaseStatus::kError,
      hint.empty() ? error.what() : fmt::format("{}; {}", error.what(), hint));
  if (!loses_context(error.code())) return;
  // "The process must be terminated and relaunched" (CUDA driver API on such errors): a context
  // made anew in this one would give the same error.
  report(state);
  throw ProcessSpent(error.what());
}

std::vector<std::size_t> BatchRun::alive() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < end_; ++i) {
    if (cases_[i].alive) out.push_back(i);
  }
  return out;
}

// Those of the batch, and what the cases' theory speaks of: a variant with atomics has theirs read.
std::vector<std::string> BatchRun::asked_metrics(const std::vector<std::size_t>& counted) const {
  std::vector<std::string> names = batch_.metrics;
  for (const std::size_t i : counted) {
    const Variant* variant = cases_[i].job.variant;
    if (variant == nullptr) continue;
    for (const TheoryRow& row : variant->theory) {
      const metrics::Metric* metric = metrics::find(row.metric);
      const bool counter = metric != nullptr && !metric->cupti.empty();
      if (counter && std::find(names.begin(), names.end(), row.metric) == names.end()) {
        names.push_back(row.metric);
      }
    }
  }
  return names;
}

void BatchRun::count() {
  std::vector<std::size_t> counted = alive();
  if (counted.empty()) return;
  const metrics::Plan plan =
      metrics::join(metrics::plan_set("default", machine_.facts.chip),
                    metrics::plan_metrics(asked_metrics(counted), machine_.facts.chip));
  if (!options_.counters) {
    add_without_counters(plan, {"turned_off", "counters are turned off: --no-counters"}, counted,
                         {});
    return;
  }
  if (options_.stalls) {
    sample_stalls(counted);
    add_without_counters(plan, {"turned_off", "a run that samples stalls reads no counters"},
                         alive(), {});
    return;
  }
  const Phase phase("count");
  // Patching first: its profiler and the range profiler exclude each other.
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
      // Ran alone and fails under the profiler: that case ends here, the others are counted anew.
      for (CaseState& state : cases_) {
        if (state.outcome.record.index == fault.case_index()) fail(state, fault);
      }
    }
  }
  sink_.environment("counters", access_.refused->detail);
  add_without_counters(plan, *access_.refused, alive(), patched);
}

void BatchRun::count_ranges(const CounterAccess& access, const metrics::Plan& plan,
                            const std::vector<std::size_t>& counted) {
  std::vector<std::string> names;
  for (const metrics::Counter& counter : plan.counters) names.push_back(counter.name);
  std::optional<Phase> planning("counter configuration");
  const Host host(access.chip, &access.availability);
  const PassPlan passes = cached_passes(host, names, access.availability_hash,
                                        ImageCache(ImageCache::default_folder()));
  planning.reset();
  std::vector<CountedCase> cases;
  for (const std::size_t i : counted) {
    cases.push_back({cases_[i].outcome.record.index, &prepare(i)});
  }
  const Collected collected =
      collect_counters(*loaded_.rig, host, passes, cases, {options_.cache, options_.repeat},
                       [this](int index, double fraction) { sink_.progress(index, fraction); });
  for (const std::size_t i : counted) {
    CaseRecord& record = cases_[i].outcome.record;
    const auto found = observe(plan, passes, collected, record.index, machine_.facts.chip);
    record.observations.insert(record.observations.end(), found.begin(), found.end());
    record.facts["counter_cache"] = options_.cache == Cache::kCold ? "cold" : "warm";
    record.facts["counter_passes"] = fmt::format("{}", passes.passes);
  }
}

std::map<std::size_t, std::map<std::string, double>> BatchRun::count_lines(std::size_t i) {
  CaseState& state = cases_[i];
  if (is_library(state.job)) return {};  // no source lines
  const Phase phase("counts per line");
  std::map<std::size_t, std::map<std::string, double>> totals;
  std::optional<Missing> refused = probe_patching(machine_);
  try {
    if (!refused) {
      const SassProfiler profiler(loaded_.rig->context(), machine_.facts.chip, line_metrics());
      sink_.progress(state.outcome.record.index, 0.5);
      PreparedCase& prepared = prepare(i);
      prepared.restore();
      loaded_.rig->context().synchronize(state.job.kernel);
      const auto counts = profiler.collect([&] {
        prepared.launch();
        loaded_.rig->context().synchronize(state.job.kernel);
      });
      totals[i] = counter_totals(counts, profiler.metrics());
      state.outcome.record.lines =
          line_observations(counts, profiler.metrics(), compiled_.units[state.place.unit].cubin);
    }
  } catch (const CuptiError& error) {
    refused = missing_counters(error);
  }
  if (refused) {
    spdlog::info("no counts per line: {}", refused->detail);
    state.outcome.record.facts["lines"] = refused->detail;
  }
  return totals;
}

void BatchRun::sample_stalls(const std::vector<std::size_t>& sampled) {
  const Phase phase("sample stalls");
  // Cycles between samples, as a power of two: 2 us. Short kernels run again and again.
  constexpr std::uint32_t kPeriod = 12;
  constexpr std::chrono::milliseconds kLongEnough{20};
  constexpr int kMostLaunches = 2000;
  std::optional<Missing> refused = attached_profiler();
  try {
    if (!refused) {
      loaded_.prepared.clear();
      loaded_.kernels.reset();
      StallSampler sampler(loaded_.rig->context(), kPeriod);
      loaded_.kernels = std::make_unique<LoadedBatch>(machine_.driver, compiled_);
      for (const std::size_t i : sampled) {
        CaseState& state = cases_[i];
        if (is_library(state.job)) continue;  // no source lines
        PreparedCase& prepared = prepare(i);
        const StallSamples samples = sampler.collect([&] {
          const auto end = std::chrono::steady_clock::now() + kLongEnough;
          for (int n = 0; n < kMostLaunches && std::chrono::steady_clock::now() < end; ++n) {
            prepared.restore();
            prepared.launch();
            loaded_.rig->context().synchronize(state.job.kernel);
          }
        });
        CaseRecord& record = state.outcome.record;
        record.lines = stall_lines(samples, state.place.lowered,
                                   SourceLines(compiled_.units[state.place.unit].cubin));
        record.facts["stalls"] = stall_summary(record.lines);
        record.facts["stall_samples_dropped"] = fmt::format("{:.0f}", samples.dropped);
      }
    }
  } catch (const CuptiError& error) {
    refused = missing_counters(error);
  }
  if (!refused) return;
  for (const std::size_t i : sampled) {
    cases_[i].outcome.record.facts["stalls"] = "not sampled: " + refused->detail;
  }
}

void BatchRun::add_without_counters(
    const metrics::Plan& plan, const Missing& why, const std::vector<std::size_t>& counted,
    const std::map<std::size_t, std::map<std::string, double>>& patched) {
  for (const std::size_t i : counted) {
    CaseRecord& record = cases_[i].outcome.record;
    const auto totals = patched.find(i);
    const auto found = observe_without_counters(
        plan, why, totals == patched.end() ? std::map<std::string, double>{} : totals->second);
    record.observations.insert(record.observations.end(), found.begin(), found.end());
  }
}

void BatchRun::report(CaseState& state) {
  if (state.reported) return;
  state.reported = true;
  state.alive = false;
  sink_.finished(std::move(state.outcome));
}

}  // namespace lab::gpu
