#include "harness/model/case/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <span>

#include "harness/core/chip.h"
#include "harness/core/error.h"
#include "harness/model/case/access_log.h"
#include "harness/model/case/access_trace.h"
#include "harness/model/case/machine_code_diff.h"
#include "harness/model/case/records.h"
#include "harness/model/check/session.h"
#include "harness/model/decode/decode.h"
#include "harness/model/memory/variables.h"

namespace lab::model {
namespace {

using Clock = std::chrono::steady_clock;

// Larger grids than this are sampled.
constexpr std::uint64_t kSampleAbove = 1'000'000'000;
constexpr double kDefaultTimeout = 120;
constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint64_t kMostShared = 227 * 1024;
constexpr std::size_t kMostPrinted = 16 * 1024;

// The driver refuses such launches, too.
void check_clusters(const ptx::Function& entry, const Launch& launch) {
  constexpr std::uint64_t kMostBlocks = 8;  // more only where the program asks for it at run time
  const auto [x, y, z] = entry.cluster;
  if (std::uint64_t{x} * y * z == 0) return;
  const std::string cluster = fmt::format("{} x {} x {}", x, y, z);
  if (std::uint64_t{x} * y * z > kMostBlocks) {
    throw input_error(fmt::format("a cluster of {} blocks is too large", cluster),
                      fmt::format("a cluster has at most {} blocks", kMostBlocks));
  }
  const Dim3& grid = launch.grid;
  if (grid.x % x == 0 && grid.y % y == 0 && grid.z % z == 0) return;
  throw input_error(fmt::format("a grid of {} x {} x {} blocks is not made of whole clusters of {}",
                                grid.x, grid.y, grid.z, cluster),
                    "make each of its sizes a multiple of the cluster's");
}

void check_launch(const ptx::Function& entry, const Launch& launch) {
  const auto fail = [](const std::string& what, const std::string& hint) {
    throw input_error(what, hint);
  };
  const Dim3& block = launch.block;
  if (block.count() == 0 || launch.grid.count() == 0) {
    fail("the launch has no threads", "grid and block sizes are at least 1");
  }
  if (block.count() > kMostThreads || block.z > 64) {
    fail(fmt::format("a block of {} x {} x {} threads is too large", block.x, block.y, block.z),
         "a block has at most 1024 threads, and at most 64 in z");
  }
  if (launch.grid.y > 65535 || launch.grid.z > 65535) {
    fail("the grid is too large", "at most 65535 blocks in y and in z");
  }
  if (launch.dynamic_shared_bytes > kMostShared) {
    fail(fmt::format("{} bytes of dynamic shared memory are too many", launch.dynamic_shared_bytes),
         "a block has at most 227 KiB");
  }
  check_clusters(entry, launch);
  if (entry.max_threads != 0 && block.count() > entry.max_threads) {
    fail(fmt::format("a block of {} threads is more than the kernel's __launch_bounds__({})",
                     block.count(), entry.max_threads),
         "use smaller blocks");
  }
}

// ptxas refuses as much static memory, but a kernel may also come as PTX.
void check_shared(const Program& program, const Launch& launch) {
  constexpr std::uint64_t kMostStatic = 48 * 1024;
  if (program.shared_bytes > kMostStatic) {
    throw input_error(
        fmt::format("the kernel has {} bytes of static shared memory: the GPU that is modelled has "
                    "room for {} per block",
                    program.shared_bytes, kMostStatic),
        fmt::format("declare it extern __shared__ and give its size at the launch: up to {} bytes",
                    kMostShared));
  }
  const std::uint64_t all = program.shared_bytes + launch.dynamic_shared_bytes;
  if (all <= kMostShared) return;
  throw input_error(fmt::format("{} bytes of static and {} of dynamic shared memory are too many: "
                                "the GPU that is modelled has {} per block",
                                program.shared_bytes, launch.dynamic_shared_bytes, kMostShared),
                    "use smaller tiles");
}

// Blocks of a cooperative launch wait for each other, so that all have to be on the GPU at once.
void check_residents(const Program& program, const Launch& launch) {
  const std::uint64_t most = blocks_at_once(program, launch);
  if (launch.grid.count() <= most) return;
  throw input_error(
      fmt::format("a grid of {} blocks can't wait for each other: {} multiprocessors hold {} each",
                  launch.grid.count(), kMultiprocessors, most / kMultiprocessors),
      fmt::format("launch at most {} blocks, each of which does more", most));
}

std::size_t scalar_bytes(const ArgSpec& arg) {
  if (std::holds_alternative<BufferSpec>(arg)) return 8;
  if (const auto* bytes = std::get_if<BytesSpec>(&arg)) return bytes->bytes.size();
  return size_of(std::get<ScalarSpec>(arg).type);
}

/// A launch's memory: the job's buffers, the module's variables, the parameters.
class LaunchMemory {
 public:
  /// `buffers` are the job's, as the kernel is to find them.
  LaunchMemory(const Job& job, const ptx::Module& module, const ptx::Function& entry,
               Buffers& buffers)
      : buffers_(buffers) {
    for (std::size_t i = 0; i < job.args.size(); ++i) {
      const auto* buffer = std::get_if<BufferSpec>(&job.args[i]);
      if (buffer != nullptr) place_buffer(*buffer, static_cast<int>(i));
    }
    for (const BufferSpec& buffer : job.buffers) place_buffer(buffer, -1);
    variables_.emplace(module, memory_);
    place_pointers(job);
    set_symbols(job, module);
    place_parameters(job, entry);
    parameter_address_ = memory_.add(parameters_, "kernel parameters", -1, false);
  }

  [[nodiscard]] const GlobalMemory& memory() const { return memory_; }
  /// Adds the workspace that the driver gives a cooperative launch: its size, then the barrier's
  /// word.
  std::uint64_t add_workspace() {
    const auto bytes = static_cast<std::uint32_t>(workspace_.size());
    std::memcpy(workspace_.data(), &bytes, sizeof bytes);
    return memory_.add(workspace_, "the grid's barrier");
  }
  [[nodiscard]] Buffers& buffers() { return buffers_; }
  [[nodiscard]] const std::vector<std::byte>& parameters() const { return parameters_; }
  [[nodiscard]] std::uint64_t parameter_address() const { return parameter_address_; }
  [[nodiscard]] const std::vector<std::uint64_t>& variables() const {
    return variables_->addresses();
  }

 private:
  void place_buffer(const BufferSpec& buffer, int argument) {
    if (buffer.image) {
      addresses_[buffer.name] =
          memory_.add_image({*buffer.image, buffer.type, buffers_.raw(buffer.name), buffer.name});
      return;
    }
    const std::uint64_t address = memory_.add(buffers_.raw(buffer.name), buffer.name, argument);
    addresses_[buffer.name] = address;
    if (buffer.fill.kind == Fill::Kind::kPoison) memory_.leave_uninitialised(address);
  }

  void put_pointers(const std::vector<PointerSpec>& pointers, std::span<std::byte> into) const {
    for (const PointerSpec& pointer : pointers) {
      const std::uint64_t address = addresses_.at(pointer.buffer) + pointer.offset;
      if (pointer.at > into.size() || into.size() - pointer.at < sizeof address) {
        throw internal_error("a pointer past the end of what holds it");
      }
      std::memcpy(into.data() + pointer.at, &address, sizeof address);
    }
  }

  void place_pointers(const Job& job) {
    for (const ArgSpec& arg : job.args) {
      const auto* buffer = std::get_if<BufferSpec>(&arg);
      if (buffer != nullptr) put_pointers(buffer->pointers, buffers_.raw(buffer->name));
    }
    for (const BufferSpec& buffer : job.buffers) {
      put_pointers(buffer.pointers, buffers_.raw(buffer.name));
    }
  }

  void set_symbols(const Job& job, const ptx::Module& module) {
    for (const SymbolSpec& symbol : job.symbols) {
      std::vector<std::byte> bytes = symbol.value.bytes;
      put_pointers(symbol.value.pointers, bytes);
      variables_->set(module, symbol.name, bytes);
    }
  }

  void place_parameters(const Job& job, const ptx::Function& entry) {
    if (entry.params.size() != job.args.size()) {
      throw input_error(fmt::format("the kernel takes {} parameters, {} arguments are given",
                                    entry.params.size(), job.args.size()),
                        "give one argument for each parameter, in their order");
    }
    const ptx::ParamLayout layout = ptx::layout(entry.params);
    parameters_.resize(layout.bytes);
    for (std::size_t i = 0; i < job.args.size(); ++i) {
      const std::size_t bytes = scalar_bytes(job.args[i]);
      if (entry.params[i].bytes != bytes) {
        throw input_error(fmt::format("parameter {} of the kernel has {} bytes, its argument {}", i,
                                      entry.params[i].bytes, bytes),
                          "parameters count from 0; a pointer has 8 bytes");
      }
      place_argument(job.args[i], std::span(parameters_).subspan(layout.offsets[i], bytes));
    }
  }

  void place_argument(const ArgSpec& arg, std::span<std::byte> into) const {
    if (const auto* bytes = std::get_if<BytesSpec>(&arg)) {
      std::copy(bytes->bytes.begin(), bytes->bytes.end(), into.begin());
      put_pointers(bytes->pointers, into);
      return;
    }
    const auto* buffer = std::get_if<BufferSpec>(&arg);
    const std::uint64_t bits =
        buffer == nullptr ? std::get<ScalarSpec>(arg).bits : addresses_.at(buffer->name);
    std::memcpy(into.data(), &bits, into.size());
  }

  Buffers& buffers_;
  GlobalMemory memory_;
  std::map<std::string, std::uint64_t> addresses_;  // of the buffers, by name
  std::optional<ModuleVariables> variables_;
  std::vector<std::byte> parameters_;
  std::uint64_t parameter_address_ = 0;
  std::array<std::byte, 64> workspace_{};
};

/// Time limit and cancellation of a case; every core asks.
class Patience {
 public:
  Patience(double seconds, const CaseHooks& hooks)
      : end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))),
        hooks_(hooks) {}
  [[nodiscard]] bool stopped() {
    if (Clock::now() > end_) late_ = true;
    if (hooks_.cancelled && hooks_.cancelled()) cancelled_ = true;
    return late_ || cancelled_;
  }
  [[nodiscard]] bool late() const { return late_; }
  [[nodiscard]] bool cancelled() const { return cancelled_; }

 private:
  Clock::time_point end_;
  const CaseHooks& hooks_;
  std::atomic<bool> late_ = false;
  std::atomic<bool> cancelled_ = false;
};

bool is_expected(const Finding& finding, const Expected& expected) {
  return std::any_of(expected.findings.begin(), expected.findings.end(),
                     [&](const ExpectedFinding& e) {
                       return e.kind == name_of(finding.kind) &&
                              finding.source.find(e.line_has) != std::string::npos;
                     });
}

/// A variant that shows what a race costs says which elements it makes uncertain: a race there is
/// nothing found.
bool is_shown_race(const Finding& finding, const Job& job, const GlobalMemory& memory) {
  const std::vector<Unchecked>& ranges = job.expected.unchecked;
  const bool may = finding.kind == FindingKind::kGlobalRace && !ranges.empty();
  const Allocation* at = may ? memory.find(finding.address) : nullptr;
  if (at == nullptr || at->argument < 0) return false;
  const auto* spec = std::get_if<BufferSpec>(&job.args.at(static_cast<std::size_t>(at->argument)));
  if (spec == nullptr) return false;
  const std::uint64_t element = (finding.address - at->base) / size_of(spec->type);
  return std::any_of(ranges.begin(), ranges.end(), [&](const Unchecked& range) {
    return range.buffer == spec->name && element - range.first < range.count;
  });
}

void judge_status(const Job& job, const GridResult& result, const Patience& patience,
                  double seconds, CaseRecord& record) {
  const auto unexpected =
      std::find_if(record.findings.begin(), record.findings.end(),
                   [&](const Finding& f) { return !is_expected(f, job.expected); });
  if (patience.cancelled()) {
    record.status = CaseStatus::kInterrupted;
    record.reason = "interrupted";
  } else if (patience.late()) {
    record.status = CaseStatus::kTimeout;
    record.reason = fmt::format("did not end within {} s", seconds);
  } else if (unexpected != record.findings.end()) {
    record.status = CaseStatus::kFinding;
    record.reason = unexpected->message;
  } else if (result.stop == Stop::kBudget) {
    record.status = CaseStatus::kTimeout;
    record.reason = "used up its budget of instructions";
  } else if (record.correct == std::optional<bool>(false)) {
    record.status = CaseStatus::kWrong;
  }
}

// Blocks run on the host's threads: what they lose to each other changes from run to run.
constexpr const char* kNoCountOfRaces =
    "in the model, not counted: blocks race for one sum, and only a GPU shows what is left";

void check_results(const Job& job, const GridResult& result, const HostReference& reference,
                   Checker& host, CaseRecord& record) {
  if (result.blocks_run < result.blocks) {
    record.reason = result.sample_step > 1 ? "only a sample of the blocks ran: not checked" : "";
    return;
  }
  if (!reference) return;
  reference(host.before(job));
  const CheckResult checked = host.check(job);
  record.correct = checked.correct;
  if (checked.blocks_raced) {
    record.notes["races"] = kNoCountOfRaces;
  } else if (!checked.races.empty()) {
    record.notes["races"] = "in the model, " + checked.races;
  }
  if (checked.correct == std::optional<bool>(false)) record.reason = checked.reason;
}

void dump(const Job& job, LaunchMemory& memory, CaseOutcome& outcome) {
  for (const int index : job.dump) {
    const auto* buffer = std::get_if<BufferSpec>(&job.args.at(static_cast<std::size_t>(index)));
    if (buffer == nullptr) continue;
    const auto bytes = memory.buffers().raw(buffer->name);
    outcome.dumped[index] = {bytes.begin(), bytes.end()};
  }
}

/// The kernel's accesses as the machine code makes them. Absent where the batch asks for those of
/// the PTX.
cubin::SassMap machine_view(const BatchRequest& batch, const Loaded& loaded,
                            const std::string& kernel) {
  if (batch.access_level == AccessLevel::kPtx) {
    cubin::SassMap none;
    none.absent = "asked for";
    return none;
  }
  return cubin::sass_map(loaded.image, kernel, loaded.module);
}

void add_access_level(const cubin::SassMap& map, CaseRecord& record) {
  record.facts.access_level = map.absent.empty() ? AccessLevel::kSass : AccessLevel::kPtx;
  if (!map.absent.empty()) record.notes["access_level_reason"] = map.absent;
  if (!map.doubts.empty())
    record.notes["access_level_doubts"] = fmt::format("{}", fmt::join(map.doubts, "\n"));
}

/// The program and the launch in which x and y have changed places in a block: thread t of a warp
/// is (t / y, t % y), and the kernel reads the shape of a block that it knows.
void exchange_threads(Program& program, Launch& launch) {
  for (SpecialValue& special : program.specials) {
    const bool of_block =
        special.special == ptx::Special::kTid || special.special == ptx::Special::kNtid;
    if (of_block && special.component < 2) special.component ^= 1U;
  }
  std::swap(launch.block.x, launch.block.y);
}

// Findings and counts of lines have none to name then.
void add_missing_lines(const Compiled& compiled, CaseRecord& record) {
  if (!compiled.no_lines.empty()) record.notes["line_information"] = "none: " + compiled.no_lines;
}

}  // namespace

void run_case(const BatchRequest& batch, const Job& job, const LoadedKernel& kernel,
              const CaseHooks& hooks, Checker& host, CaseOutcome& outcome) {
  CaseRecord& record = outcome.record;
  const Loaded& loaded = kernel.loaded;
  const std::uint32_t index = loaded.module.find_entry(kernel.name);
  if (index == ptx::kNoIndex) {
    throw input_error(fmt::format("the compiled source has no kernel '{}'", job.kernel));
  }
  const ptx::Function& entry = loaded.module.functions[index];
  check_launch(entry, job.launch);
  LaunchMemory memory(job, loaded.module, entry, host.launched(job));

  DecodeRequest decode_request;
  decode_request.module = &loaded.module;
  decode_request.entry = index;
  decode_request.parameters = memory.parameters();
  decode_request.parameter_address = memory.parameter_address();
  decode_request.variables = memory.variables();
  const cubin::SassMap map = machine_view(batch, loaded, kernel.name);
  if (map.absent.empty()) decode_request.machine = &map;
  Program program = decode(decode_request, best_table());
  check_shared(program, job.launch);
  Launch launch = job.launch;
  if (batch.exchange_threads) exchange_threads(program, launch);

  const double seconds = batch.timeout_s > 0 ? batch.timeout_s : kDefaultTimeout;
  Patience patience(seconds, hooks);
  AccessLog log(batch.warp ? batch.warp->first : 0, batch.warp ? batch.warp->second : 0);
  AccessTrace trace(batch.trace, batch.warp ? batch.warp->first : 0);
  std::string printed;
  GridOptions options;
  options.threads = batch.threads;
  options.sample_above = batch.sample ? kSampleAbove : 0;
  if (program.cooperative) {
    check_residents(program, job.launch);
    options.workspace = memory.add_workspace();
  }
  options.stopped = [&] { return patience.stopped(); };
  options.progress = hooks.progress;
  options.print = [&](const std::string& text) {
    if (printed.size() < kMostPrinted) printed += text;
  };
  check::Session checks(program, launch, memory.memory(), batch.checks);
  options.estimated = [&](std::uint64_t instructions) { checks.expect(instructions); };
  options.observer = [&]() -> std::unique_ptr<Observer> {
    if (!batch.warp && batch.trace == Trace::kNone) return checks.observer();
    auto all = std::make_unique<Observers>();
    if (batch.warp) all->add(log.observer());
    if (batch.trace != Trace::kNone) all->add(trace.observer());
    if (auto checker = checks.observer()) all->add(std::move(checker));
    return all;
  };
  const GridResult result = run_grid(program, launch, memory.memory(), options);

  add_access_level(map, record);
  add_missing_lines(loaded.compiled, record);
  record.notes["checkers"] = checks.name();
  record.notes["model_threads"] = std::to_string(result.threads);
  if (result.sample_step > 1) {
    record.facts.sampled_blocks = result.blocks_run;
  }
  if (!printed.empty()) record.notes["printed"] = printed.substr(0, kMostPrinted);
  const MachineCodeDiff differently = machine_code_diff(program, map, result);
  if (!differently.text.empty()) record.notes["machine_code"] = differently.text;
  record.observations = observations(program, result, dram_fetch_bytes(batch.arch), differently);
  record.lines = line_observations(program, result);
  record.findings = findings(result.faults, program, launch, memory.memory(), batch.source);
  std::erase_if(record.findings,
                [&](const Finding& f) { return is_shown_race(f, job, memory.memory()); });
  if (batch.warp) record.accesses = log.accesses(program, memory.memory());
  if (batch.trace != Trace::kNone) trace.write(program, memory.memory(), launch, outcome);
  check_results(job, result, hooks.reference, host, record);
  judge_status(job, result, patience, seconds, record);
  dump(job, memory, outcome);
}

}  // namespace lab::model
