#include "harness/gpu/batch/batch_run.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/range_name.h"
#include "harness/gpu/cupti/passes.h"
#include "harness/gpu/driver/nvtx.h"
#include "harness/gpu/driver/phase.h"
#include "harness/gpu/machine/fallback.h"
#include "harness/gpu/machine/occupancy.h"
#include "harness/gpu/measure/observe.h"
#include "harness/gpu/measure/timing.h"

namespace lab::gpu {

namespace {

void end(CaseState& state, CaseStatus status, const std::string& reason) {
  state.outcome.record.status = status;
  state.outcome.record.reason = reason;
  state.alive = false;
}

void keep_dumps(const Job& job, Buffers& before, Buffers& after, CaseOutcome& outcome) {
  for (const std::string& name : job.dump) {
    auto bytes = after.raw(name);
    if (bytes.empty()) bytes = before.raw(name);  // an input that was left alone
    outcome.dumped[name].assign(bytes.begin(), bytes.end());
  }
}

}  // namespace

BatchRun::BatchRun(const BatchRequest& batch, const BatchSink& sink, const Machine& machine,
                   std::vector<CaseState> cases, BatchKernels kernels)
    : batch_(batch),
      sink_(sink),
      machine_(machine),
      options_(batch.gpu),
      cases_(std::move(cases)),
      compiled_(std::move(kernels.cases)),
      references_(std::move(kernels.references)),
      end_(cases_.size()),
      add_conditions_(condition_reader(machine.facts.uuid)) {}

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
  references_.unload();
  if (!sink_.cancelled()) count();
  for (std::size_t i = 0; i < end_; ++i) {
    CaseState& state = cases_[i];
    if (sink_.cancelled() && state.alive && !state.outcome.record.timing) {
      end(state, CaseStatus::kInterrupted, "interrupted");
    }
    report(state);
  }
  if (end_ < cases_.size()) throw ProcessSpent("a process patches the kernel of one case");
}

void BatchRun::load() {
  // All that lives in a context is released before the context.
  loaded_.prepared.clear();
  loaded_.library.reset();
  loaded_.kernels.reset();
  references_.unload();
  loaded_.rig.reset();
  {
    const Phase phase("context");
    loaded_.rig =
        std::make_unique<Rig>(machine_.driver, machine_.device, machine_.facts, machine_.tools);
  }
  {
    const Phase phase("modules");
    loaded_.kernels = std::make_unique<LoadedBatch>(machine_.driver, compiled_);
    references_.load(machine_.driver);
  }
  if (!options_.counters || options_.stalls) return;
  const Phase phase("counter access");
  access_ = probe_counters(loaded_.rig->context(), machine_, cupti_cache());
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
          [](std::span<void* const>) { return 1; },
          [kernels = loaded_.kernels.get(), place = state.place](const std::string& name,
                                                                 std::span<const std::byte> bytes) {
            kernels->set_symbol(place, name, bytes);
          }};
}

Launcher BatchRun::library_launcher(const CaseState& state) {
  if (!loaded_.library) loaded_.library = std::make_unique<Library>(loaded_.rig->context());
  const Library& library = *loaded_.library;
  const std::string name = state.job.library;
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

// Where the kernel cannot be launched, this says why, and the case ends.
void BatchRun::record_facts(CaseState& state) {
  const Function function = loaded_.kernels->function(state.place);
  const KernelResources resources = read_resources(function);
  const Launch& launch = state.job.launch;
  if (const auto refused = refusal(machine_.facts.sm, resources, launch)) {
    end(state, CaseStatus::kError, *refused);
    return;
  }
  if (launch.dynamic_shared_bytes > 0) (void)kernel_launcher(state);  // sets how much it may use
  const int blocks =
      function.blocks_per_sm(static_cast<int>(launch.block.count()), launch.dynamic_shared_bytes);
  record_launch_facts(machine_.facts.sm, resources, blocks, options_.carveout,
                      state.outcome.record);
}

// Comes before the kernel, which may spoil its inputs.
void BatchRun::expect(CaseState& state) {
  const auto& reference = state.job.expected.reference;
  if (!reference) return;
  try {
    checker_.expect(state.job, [this](const Job& call, Buffers& buffers) {
      references_.run(*loaded_.rig, call, buffers);
      return std::uint64_t{0};
    });
  } catch (const DriverError& error) {
    throw DriverError(error.code(), ReferenceError(*reference, error).what(), {});
  } catch (const Error& error) {
    throw ReferenceError(*reference, error);
  }
}

// The launch that is checked. Nothing else runs meanwhile.
void BatchRun::first_launch(std::size_t i) {
  CaseState& state = cases_[i];
  CaseRecord& record = state.outcome.record;
  if (!is_library(state.job)) record_facts(state);
  if (!state.alive) return;
  // Buffers that do not fit on the GPU are refused there, before the host makes them.
  PreparedCase& prepared = prepare(i);
  Buffers& before = checker_.before(state.job);
  prepared.upload(before);
  expect(state);
  prepared.restore();
  {
    // Nsight Compute is told to profile what is launched in this range: not the reference.
    const NvtxRange phase("check");
    prepared.launch();
    loaded_.rig->context().synchronize(state.job.kernel);
  }
  state.changed_inputs = prepared.find_changed_inputs(before);
  Buffers& after = checker_.after(state.job, state.changed_inputs);
  prepared.download(after);
  keep_dumps(state.job, before, after, state.outcome);
  if (!state.job.expected.reference) return;
  const CheckResult checked = checker_.check(state.job);
  record.correct = checked.correct;
  if (!checked.races.empty()) record.notes.races = "on the GPU, " + checked.races;
  if (checked.correct == false) {
    record.status = CaseStatus::kWrong;
    record.reason = checked.reason;
    record.notes.wrong_results = checked.wrong;
    record.notes.compared_results = checked.compared;
  }
}

void BatchRun::check_and_time(std::size_t i) {
  CaseState& state = cases_[i];
  sink_.progress(state.outcome.record.index, 0);
  const NvtxRange range(
      range_name(batch_.lab, state.outcome.record.variant, state.outcome.record.params));
  try {
    first_launch(i);
    if (!state.alive || !options_.timing) return;
    sink_.progress(state.outcome.record.index, 0.2);
    const NvtxRange phase("time");
    TimingPlan plan;
    plan.cache = options_.timing_cache;
    plan.launches = options_.launches;
    plan.host_timer = options_.host_timer;
    state.outcome.record.timing = time_case(*loaded_.rig, prepare(i), plan);
    add_conditions_(*state.outcome.record.timing);
  } catch (const DriverError& error) {
    fail(state, error);
  } catch (const ReferenceError& error) {
    end(state, CaseStatus::kError, error.what());
  } catch (const Error& error) {
    end(state, CaseStatus::kSkipped, error.what());  // a library that is not there
  }
}

void BatchRun::fail(CaseState& state, const DriverError& error) {
  const std::string& hint = error.hint();
  end(state, CaseStatus::kError,
      hint.empty() ? error.what() : fmt::format("{}; {}", error.what(), hint));
  if (!loses_context(error.code())) return;
  // "The process must be terminated and relaunched" (CUDA driver API on such errors): a context
  // made again in this process would give the same error.
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

void BatchRun::report(CaseState& state) {
  if (state.reported) return;
  state.reported = true;
  state.alive = false;
  sink_.finished(std::move(state.outcome));
}

}  // namespace lab::gpu
