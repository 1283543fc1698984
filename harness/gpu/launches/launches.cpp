#include "harness/gpu/launches/launches.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "harness/core/error.h"
#include "harness/gpu/driver/phase.h"
#include "harness/gpu/machine/fallback.h"
#include "harness/gpu/machine/occupancy.h"
#include "harness/gpu/measure/kernels.h"
#include "harness/gpu/measure/observe.h"
#include "harness/gpu/measure/timing.h"
#include "harness/programs/wire/wire.h"

namespace lab::gpu {
namespace {

// The driver writes what kernels print to this process's standard output.
class PrintsTo {
 public:
  /// -1: nowhere.
  explicit PrintsTo(int stream) : before_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
    const int nothing = stream < 0 ? ::open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    turn(stream < 0 ? nothing : stream);
    if (nothing >= 0) ::close(nothing);
  }
  ~PrintsTo() {
    turn(before_);
    if (before_ >= 0) ::close(before_);
  }
  PrintsTo(const PrintsTo&) = delete;
  PrintsTo& operator=(const PrintsTo&) = delete;

 private:
  static void turn(int stream) {
    std::fflush(stdout);
    if (stream >= 0) ::dup2(stream, STDOUT_FILENO);
  }

  int before_;
};

// A pointer to a variable, which lies elsewhere on the GPU than in the model.
void translate(const GpuLaunch& launch, const Module& module, std::span<std::byte> argument) {
  std::uint64_t pointer = 0;
  if (argument.size() != sizeof pointer) return;
  std::memcpy(&pointer, argument.data(), sizeof pointer);
  for (const VariableBytes& one : launch.variables) {
    if (pointer < one.address || pointer - one.address >= one.bytes.size()) continue;
    if (!module.has(one.name)) continue;
    pointer = module.address_of(one.name) + (pointer - one.address);
    std::memcpy(argument.data(), &pointer, sizeof pointer);
    return;
  }
}

}  // namespace

/// A launch with its memory, before and after.
class ProgramLaunches::Launched : public Replay {
 public:
  Launched(const GpuLaunch& launch, const Module& module, Rig& rig, AddressedMemory& memory,
           std::byte* arena)
      : launch_(launch),
        module_(module),
        function_(module.function(launch.compiled)),
        rig_(rig),
        memory_(memory),
        arena_(arena),
        arguments_(launch.arguments) {
    for (std::size_t i = 0; i < launch.offsets.size(); ++i) {
      const std::uint64_t from = launch.offsets[i];
      const std::uint64_t end =
          i + 1 < launch.offsets.size() ? launch.offsets[i + 1] : arguments_.size();
      const auto argument = std::span(arguments_).subspan(from, end - from);
      translate(launch, module, argument);
      pointers_.push_back(argument.data());
    }
    function_.set_cooperative(launch.cooperative);
  }

  [[nodiscard]] const Function& function() const { return function_; }
  [[nodiscard]] const std::string& name() const override { return launch_.name; }
  [[nodiscard]] int kernels() override { return 1; }

  /// All of the program's memory, as it is now.
  void upload() {
    memory_.cover(launch_.memory);
    for (const MemoryRange& range : launch_.memory) memory_.upload(range.address, host(range));
    for (const VariableBytes& one : launch_.variables) put(one);
    if (launch_.launch.dynamic_shared_bytes > 0) {
      function_.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                              static_cast<int>(launch_.launch.dynamic_shared_bytes));
    }
  }
  /// What the first launch has changed. Replays put back that, and nothing else.
  void download() {
    for (const MemoryRange& range : launch_.memory) {
      std::vector<std::byte> now(range.bytes);
      memory_.download(range.address, now);
      if (std::memcmp(now.data(), host(range).data(), now.size()) == 0) continue;
      changed_.push_back(range);
      after_.push_back(std::move(now));
    }
    for (const VariableBytes& one : launch_.variables) {
      if (one.constant || !module_.has(one.name)) continue;
      VariableBytes now = one;
      module_.get(one.name, now.bytes);
      if (now.bytes != one.bytes) changed_variables_.push_back(&one);
      variables_.push_back(std::move(now));
    }
  }
  void restore() override {
    rig_.context().synchronize(launch_.name);
    for (const MemoryRange& range : changed_) memory_.upload(range.address, host(range));
    for (const VariableBytes* one : changed_variables_) put(*one);
  }
  void launch() override { function_.launch(launch_.launch, pointers_, rig_.context().stream()); }

  /// The program goes on with what the first launch left.
  [[nodiscard]] std::vector<VariableBytes> keep() {
    for (std::size_t i = 0; i < changed_.size(); ++i) {
      std::memcpy(host(changed_[i]).data(), after_[i].data(), after_[i].size());
    }
    return std::move(variables_);
  }
  /// How many of the allocations it has changed, for the log.
  [[nodiscard]] std::size_t changed() const { return changed_.size(); }

 private:
  [[nodiscard]] std::span<std::byte> host(const MemoryRange& range) const {
    return {arena_ + (range.address - program::kArenaBase), static_cast<std::size_t>(range.bytes)};
  }
  void put(const VariableBytes& one) const {
    if (module_.has(one.name)) module_.set(one.name, one.bytes);
  }

  const GpuLaunch& launch_;
  const Module& module_;
  Function function_;
  Rig& rig_;
  AddressedMemory& memory_;
  std::byte* arena_;
  std::vector<std::byte> arguments_;
  std::vector<void*> pointers_;
  std::vector<MemoryRange> changed_;
  std::vector<std::vector<std::byte>> after_;  // of these
  std::vector<const VariableBytes*> changed_variables_;
  std::vector<VariableBytes> variables_;  // after it
};

ProgramLaunches::ProgramLaunches(Machine machine, const ProgramRequest& request,
                                 const ProgramPlace& place)
    : request_(request), place_(place), machine_(std::move(machine)) {
  if (request.gpu.counters) watch_modules();
  {
    const Phase phase("context");
    rig_ = std::make_unique<Rig>(machine_.driver, machine_.device, machine_.facts, machine_.tools);
    memory_ = std::make_unique<AddressedMemory>(rig_->context(), program::kArenaBase);
  }
  if (request.gpu.counters) {
    const Phase phase("counter access");
    access_ = probe_counters(rig_->context(), machine_, cupti_cache());
  }
  add_conditions_ = condition_reader(machine_.facts.uuid);
}

ProgramLaunches::~ProgramLaunches() = default;

const Module& ProgramLaunches::module_of(std::uint64_t unit) {
  const auto known = modules_.find(unit);
  if (known != modules_.end()) return known->second;
  return modules_.emplace(unit, Module(machine_.driver, image_of(request_.units.at(unit).compiled)))
      .first->second;
}

GpuLaunched ProgramLaunches::run(const GpuLaunch& launch) {
  GpuLaunched done;
  CaseRecord& record = done.record;
  record.kernel = launch.name;
  record.launch = launch.launch;
  record.arch = machine_.facts.arch();
  note_compiled({}, request_.units.at(launch.unit).compiled, record);
  const auto failed = [&](std::int32_t code, const std::string& why) {
    record.status = CaseStatus::kError;
    record.reason = why;
    done.error = code;
  };
  if (lost_ != 0) {
    failed(lost_, "an earlier launch ended with a fault, and took all of the GPU's memory along");
    if (!launch.kept) record.status = CaseStatus::kSkipped;
    return done;
  }
  try {
    run(launch, done);
  } catch (const DriverError& error) {
    failed(static_cast<std::int32_t>(error.code()), one_line(error));
    if (loses_context(error.code())) lost_ = done.error;
  }
  return done;
}

void ProgramLaunches::run(const GpuLaunch& launch, GpuLaunched& done) {
  CaseRecord& record = done.record;
  Launched launched(launch, module_of(launch.unit), *rig_, *memory_, place_.arena);
  const KernelResources resources = read_resources(launched.function());
  if (const auto refused = refusal(machine_.facts.sm, resources, launch.launch)) {
    record.status = CaseStatus::kError;
    record.reason = *refused;
    done.error = program::kInvalidConfiguration;
    return;
  }
  launched.upload();
  {
    const PrintsTo output(launch.kept ? place_.output : -1);
    const Event start(rig_->context());
    const Event end(rig_->context());
    start.record();
    launched.launch();
    end.record();
    rig_->context().synchronize(launch.name);
    done.nanoseconds = end.ns_since(start);
  }
  launched.download();
  if (launch.measured) {
    const PrintsTo nowhere(-1);
    const int blocks = launched.function().blocks_per_sm(
        static_cast<int>(launch.launch.block.count()), launch.launch.dynamic_shared_bytes);
    record_launch_facts(machine_.facts.sm, resources, blocks, {}, record);
    measure(launched, done);
  }
  if (launch.kept) done.variables = launched.keep();
}

void ProgramLaunches::measure(Launched& launched, GpuLaunched& done) {
  if (request_.gpu.timing) {
    TimingPlan plan;
    plan.cache = request_.gpu.timing_cache;
    done.record.timing = time_case(*rig_, launched, plan);
    add_conditions_(*done.record.timing);
    done.nanoseconds = done.record.timing->median_ns;
  }
  count(launched, done.record);
  spdlog::info("{}: {} allocations put back before each replay", launched.name(),
               launched.changed());
}

void ProgramLaunches::count(Launched& launched, CaseRecord& record) {
  const metrics::MetricPlan plan = metrics::plan_set("default", machine_.facts.chip);
  const auto without = [&](const Missing& why) {
    const auto missing = observe_without_counters(plan, why, {});
    record.observations.insert(record.observations.end(), missing.begin(), missing.end());
  };
  if (!request_.gpu.counters) {
    return without({NoValue::kTurnedOff, "counters are turned off: --no-counters"});
  }
  if (!access_.refused) {
    try {
      const Phase phase("count");
      if (!counters_) counters_ = std::make_unique<CounterSet>(access_, plan, machine_);
      const CountedCase counted{0, &launched};
      counters_->collect(
          *rig_, {&counted, 1}, {request_.gpu.cache, request_.gpu.repeat}, [](int, double) {},
          [&](int) -> CaseRecord& { return record; });
      return;
    } catch (const CuptiError& error) {
      access_.refused = missing_counters(error);
    }
  }
  without(*access_.refused);
}

}  // namespace lab::gpu
