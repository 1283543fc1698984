#include "harness/model/case/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <vector>

#include "harness/core/chip.h"
#include "harness/core/error.h"
#include "harness/core/metric_keys.h"
#include "harness/model/case/access_log.h"
#include "harness/model/case/access_trace.h"
#include "harness/model/case/case_facts.h"
#include "harness/model/case/endless.h"
#include "harness/model/case/habits.h"
#include "harness/model/case/instruction_kinds.h"
#include "harness/model/case/launch_rules.h"
#include "harness/model/case/machine_code_diff.h"
#include "harness/model/case/machine_facts.h"
#include "harness/model/case/patience.h"
#include "harness/model/case/printed.h"
#include "harness/model/case/ready_launch.h"
#include "harness/model/case/records.h"
#include "harness/model/case/reference_bound.h"
#include "harness/model/check/session.h"
#include "harness/model/facts/facts.h"

namespace lab::model {
namespace {

struct Watched {
  const CaseHooks& hooks;
  Patience& patience;
  const Job& job;
  ReferenceBound* bound = nullptr;  ///< null: the launch has no reference
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

struct Launched {
  GridResult grid;
  Looked looked;
  std::string stopped_in = {};  ///< "in the loop of line 4, ..."; empty: it was not stopped
  std::string granted = {};     ///< of a launch that was given up: how much it had run
};

std::string where_it_ran(const Launched& launched) {
  return launched.stopped_in.empty() ? "" : "; it was " + launched.stopped_in;
}

void judge_status(const Job& job, const Launched& launched, const Patience& patience,
                  double seconds, CaseRecord& record) {
  const auto unexpected =
      std::find_if(record.findings.begin(), record.findings.end(),
                   [&](const Finding& f) { return !is_expected(f, job.expected); });
  if (patience.cancelled()) {
    record.status = CaseStatus::kInterrupted;
    record.reason = "interrupted";
  } else if (patience.late()) {
    record.status = CaseStatus::kTimeout;
    record.reason = fmt::format("did not end within {} s{}", seconds, where_it_ran(launched));
  } else if (unexpected != record.findings.end()) {
    record.status = CaseStatus::kFinding;
    record.reason = unexpected->message;
  } else if (launched.grid.stop == Stop::kBudget) {
    record.status = CaseStatus::kTimeout;
    record.reason = fmt::format("given up after {}{}", launched.granted, where_it_ran(launched));
  } else if (record.correct == std::optional<bool>(false)) {
    record.status = CaseStatus::kWrong;
  }
}

// Blocks run on the host's threads: what they lose to each other changes from run to run.
constexpr const char* kNoCountOfRaces =
    "in the model, not counted: blocks race for one sum, and only a GPU shows what is left";

// A user who stops a reference stops the case; judge_status says so.
CheckResult checked_unless_stopped(const Job& job, References& references, Patience& patience) {
  try {
    return references.check(job, [&] { return patience.stopped(); });
  } catch (const ReferenceError&) {
    if (!patience.cancelled()) throw;
    return {};
  }
}

void check_results(const Job& job, const GridResult& result, Patience& patience,
                   References& references, CaseRecord& record) {
  if (result.stop == Stop::kBudget || result.stop == Stop::kCancelled) return;
  if (result.blocks_run < result.blocks) {
    record.reason = result.sample_step > 1 ? "only a sample of the blocks ran: not checked" : "";
    return;
  }
  const CheckResult checked = checked_unless_stopped(job, references, patience);
  record.correct = checked.correct;
  if (checked.blocks_raced) {
    record.notes.races = kNoCountOfRaces;
  } else if (!checked.races.empty()) {
    record.notes.races = "in the model, " + checked.races;
  }
  if (checked.correct == std::optional<bool>(false)) {
    record.reason = checked.reason;
    record.notes.wrong_results = checked.wrong;
    record.notes.compared_results = checked.compared;
  }
}

// A task that forbids padding says what its arrays take without it.
void look_for_padding(const Job& job, const Program& program, CaseRecord& record) {
  const std::uint64_t most = job.expected.most_shared;
  if (most == 0 || program.shared_bytes <= most) return;
  Finding finding;
  finding.kind = FindingKind::kForbiddenCure;
  finding.kernel = job.kernel;
  finding.message = fmt::format(
      "the task rules padding out: its arrays take {} bytes of shared memory, and here they are {}",
      most, program.shared_bytes);
  record.findings.push_back(std::move(finding));
}

void dump(const Job& job, LaunchMemory& memory, CaseOutcome& outcome) {
  for (const std::string& name : job.dump) {
    const auto bytes = memory.buffers().raw(name);
    outcome.dumped[name] = {bytes.begin(), bytes.end()};
  }
}

void add_access_level(const cubin::SassMap& map, CaseRecord& record) {
  record.facts.access_level = map.absent.empty() ? AccessLevel::kSass : AccessLevel::kPtx;
  if (!map.absent.empty()) record.notes.access_level_reason = map.absent;
  if (!map.doubts.empty())
    record.notes.access_level_doubts = fmt::format("{}", fmt::join(map.doubts, "\n"));
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

const Ins* do_nothing(const Ins* ins, Warp& /*warp*/) noexcept { return ins + 1; }

// Stores by addresses whose space is not known are left out as well: where they went to global
// memory, the output lacks them, and nothing is said of a kernel that is right.
void withhold_shared(Program& program) {
  for (const Site& site : program.sites) {
    const bool of_shared = site.space == ptx::Space::kShared || site.space == ptx::Space::kGeneric;
    if (of_shared && site.op == AccessOp::kStore) program.code[site.where].fn = do_nothing;
  }
}

// Findings and counts of lines have none to name then.
void add_missing_lines(const Compiled& compiled, CaseRecord& record) {
  if (!compiled.no_lines.empty()) record.notes.line_information = "none: " + compiled.no_lines;
}

// A warp that was asked for, whole; else of two the first accesses of each instruction, which tell
// how it walks through memory: the grid's first, and for what that one skips, one in the middle.
std::vector<AccessLog> logs_of(const BatchRequest& batch, const LaunchPlace& place,
                               const Launch& launch) {
  std::vector<AccessLog> logs;
  if (batch.warp) logs.emplace_back(batch.warp->first, batch.warp->second);
  if (!place.shows_accesses) return logs;
  constexpr std::size_t kPerInstruction = 8;
  const std::uint64_t warps = (launch.block.count() + kLanes - 1) / kLanes;
  const auto middle = static_cast<std::uint32_t>(warps / 2);
  logs.emplace_back(0, 0, kPerInstruction);
  if (launch.grid.count() * warps > 1) {
    logs.emplace_back(launch.grid.count() / 2, middle, kPerInstruction);
  }
  return logs;
}

std::vector<Access> accesses_of(const std::vector<AccessLog>& logs, const Program& program,
                                const GlobalMemory& memory) {
  std::vector<Access> all;
  for (const AccessLog& log : logs) {
    std::set<int> lines;
    for (const Access& known : all) lines.insert(known.line);
    for (Access& one : log.accesses(program, memory)) {
      if (!lines.contains(one.line)) all.push_back(std::move(one));
    }
  }
  return all;
}

// The launch itself: what it counts, prints and finds goes to the record.
Launched run_launch(const BatchRequest& batch, const LaunchPlace& place, ReadyLaunch& ready,
                    const Watched& watched, CaseOutcome& outcome) {
  CaseRecord& record = outcome.record;
  Program& program = ready.program;
  Launch& launch = ready.launch;
  if (batch.exchange_threads) exchange_threads(program, launch);
  if (batch.withhold_shared) withhold_shared(program);

  std::vector<AccessLog> logs = logs_of(batch, place, launch);
  AccessTrace trace(batch.trace, batch.warp ? batch.warp->first : 0);
  AccessTrace sample(launch.grid.count() / 2);
  const bool samples = place.shows_accesses && batch.trace == Trace::kNone &&
                       program.shared_bytes + launch.dynamic_shared_bytes > 0;
  std::optional<Habits> habits;
  if (batch.habits) habits.emplace(program);
  Printed printed;
  GridOptions options;
  options.threads = batch.threads;
  options.sample_above = batch.sample_above;
  if (program.cooperative) {
    require_residents(program, record.launch);
    options.workspace = place.add_workspace();
    record.notes.grid_barrier = true;
  }
  options.stopped = [&] { return watched.patience.stopped(); };
  if (watched.bound != nullptr) {
    options.too_many = [&](std::uint64_t count) { return watched.bound->is_passed(count); };
  }
  options.progress = watched.hooks.progress;
  options.print = watched.hooks.print;
  if (!options.print) {
    options.print = [&](const std::string& text) { printed.add(text); };
  }
  check::Session checks(program, launch, place.memory, batch.checks, place.written);
  options.estimated = [&](std::uint64_t instructions) { checks.expect(instructions); };
  if (place.footprint != nullptr) place.footprint->begin(program, place.memory);
  options.observer = [&]() -> std::unique_ptr<Observer> {
    const bool checks_alone =
        logs.empty() && batch.trace == Trace::kNone && !batch.habits && place.footprint == nullptr;
    if (checks_alone) return checks.observer();
    auto all = std::make_unique<Observers>();
    for (AccessLog& log : logs) all->add(log.observer());
    if (batch.trace != Trace::kNone) all->add(trace.observer());
    if (samples) all->add(sample.observer());
    if (habits) all->add(habits->observer());
    if (place.footprint != nullptr) all->add_for_global(place.footprint->observer());
    if (auto checker = checks.observer()) all->add(std::move(checker));
    return all;
  };
  GridResult result = run_grid(program, launch, place.memory, options);

  add_access_level(ready.map, record);
  record.notes.checkers = checks.looked();
  record.notes.instructions = executed_kinds(program, result);
  record.notes.images = !program.images.empty();
  record.notes.model_threads = static_cast<std::uint64_t>(result.threads);
  if (result.sample_step > 1) {
    record.facts.sampled_blocks = result.blocks_run;
  }
  printed.tell(record);
  MachineCodeDiff differently = machine_code_diff(program, ready.map, result);
  const Spills spills = spills_of(ready.machine, program);
  add_uncounted(spills, differently);
  record.notes.machine_code = differently.notes;
  record.observations = observations(program, result, dram_fetch_bytes(batch.arch), differently);
  const std::uint64_t warps = launch.grid.count() * ((launch.block.count() + kLanes - 1) / kLanes);
  count(spills, warps, record.observations);
  for (Observation& one : machine_facts(ready.machine, launch, record.arch)) {
    record.observations.push_back(std::move(one));
  }
  record.lines = line_observations(program, result);
  if (habits) {
    const std::vector<LineObservation> seen = habits->lines(result, watched.job);
    record.lines.insert(record.lines.end(), seen.begin(), seen.end());
    if (result.sample_step == 1) {
      record.observations.push_back({std::string(metric::kWorkingThreads), SourceOf::kModel,
                                     static_cast<double>(habits->working())});
    }
  }
  add_findings(
      findings(result.faults, program, launch, place.memory, batch.source, place.parameters),
      record);
  record.accesses = accesses_of(logs, program, place.memory);
  if (batch.trace != Trace::kNone) trace.write(program, place.memory, launch, outcome);
  if (samples && sample.has_conflicts()) {
    sample.write(program, place.memory, launch, outcome);
  }
  Launched launched = {std::move(result), checks.looked()};
  if (launched.grid.stopped_at != kNone) {
    launched.stopped_in = loop_around(program, launched.grid.stopped_at, batch.source);
  }
  if (launched.grid.stop == Stop::kBudget) launched.granted = watched.bound->text();
  return launched;
}

// A kernel that does not end is to be found by the launch, so that this is not for long.
FewBlocks blocks_before(const ReadyLaunch& ready, const LoadedKernel& kernel,
                        const GlobalMemory& memory, Patience& patience, std::uint64_t begins) {
  constexpr std::uint64_t kMost = 50'000'000;  // warp instructions
  return few_blocks(
      ready.program, kernel.loaded.image.find(kernel.name), ready.launch, memory,
      [&] { return patience.stopped(); }, kMost, begins);
}

// Blocks that wait for what others leave come to their end when the launch has run.
FewBlocks blocks_after(FewBlocks before, const ReadyLaunch& ready, const LoadedKernel& kernel,
                       const GlobalMemory& memory, Patience& patience, std::uint64_t begins) {
  if (before.facts.absent.empty()) return before;
  return few_blocks(
      ready.program, kernel.loaded.image.find(kernel.name), ready.launch, memory,
      [&] { return patience.stopped(); }, 0, begins);
}

}  // namespace

void run_case(const BatchRequest& batch, const Job& job, const LoadedKernel& kernel,
              const CaseHooks& hooks, References& references, CaseOutcome& outcome) {
  CaseRecord& record = outcome.record;
  const ptx::Function& entry = entry_for(kernel, job.kernel, job.launch);
  LaunchMemory memory(job, kernel.loaded.module, entry, references.launched(job));
  const LaunchPlace place = place_of(memory);
  ReadyLaunch ready = ready_launch(place, kernel, job.launch, batch.access_level);
  const double seconds = seconds_of(batch);
  Patience patience(seconds, hooks.cancelled);
  const std::uint64_t begins = arrays_begin(job);
  FewBlocks few = blocks_before(ready, kernel, memory.memory(), patience, begins);
  ReferenceBound bound(job, references, patience);
  const Launched launched =
      run_launch(batch, place, ready, {hooks, patience, job, &bound}, outcome);
  const GridResult& result = launched.grid;
  add_missing_lines(kernel.loaded.compiled, record);
  std::erase_if(record.findings,
                [&](const Finding& f) { return is_shown_race(f, job, memory.memory()); });
  check_results(job, result, patience, references, record);
  look_for_padding(job, ready.program, record);
  judge_status(job, launched, patience, seconds, record);
  dump(job, memory, outcome);
  record.kernel_facts =
      facts_of(blocks_after(std::move(few), ready, kernel, memory.memory(), patience, begins),
               result, ready.program, kernel.loaded.image.find(kernel.name), ready.launch);
  note_put_back(job, *record.kernel_facts);
}

RanInPlace run_in_place(const BatchRequest& batch, const LaunchPlace& place,
                        const LoadedKernel& kernel, const CaseHooks& hooks, CaseOutcome& outcome) {
  CaseRecord& record = outcome.record;
  static_cast<void>(entry_for(kernel, record.kernel, record.launch));
  ReadyLaunch ready = ready_launch(place, kernel, record.launch, batch.access_level);
  const double seconds = seconds_of(batch);
  Patience patience(seconds, hooks.cancelled);
  const Job no_job;
  std::optional<FewBlocks> few;
  if (place.facts_first) {
    few = blocks_before(ready, kernel, place.memory, patience, kOfPrograms);
  }
  Launched launched = run_launch(batch, place, ready, {hooks, patience, no_job}, outcome);
  add_missing_lines(kernel.loaded.compiled, record);
  judge_status(no_job, launched, patience, seconds, record);
  if (few) {
    record.kernel_facts =
        facts_of(blocks_after(std::move(*few), ready, kernel, place.memory, patience, kOfPrograms),
                 launched.grid, ready.program, kernel.loaded.image.find(kernel.name), ready.launch);
  }
  return {launched.looked, std::move(launched.stopped_in)};
}

}  // namespace lab::model
