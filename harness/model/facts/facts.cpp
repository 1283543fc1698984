#include "harness/model/facts/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "harness/core/numbers.h"
#include "harness/kernel/cubin/warp_clock.h"
#include "harness/model/facts/block_log.h"
#include "harness/model/facts/undo.h"

namespace lab::model {

namespace {

// How waits grow from the shorter to the longer latency says how many of them come one after the
// other. Both are longer than what usually stands between a load and its use.
constexpr double kOther = 20;
constexpr cubin::Latencies kShort = {300, 23, kOther};
constexpr cubin::Latencies kLong = {600, 46, kOther};

double rounds(double short_wait, double long_wait, double short_latency) {
  return std::max(0.0, (long_wait - short_wait) / short_latency);
}

/// How often a warp entered each of the program's blocks, on average.
using Entered = std::vector<double>;

Entered per_warp(const std::vector<std::uint64_t>& entered, double warps) {
  Entered all(entered.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<double>(entered[i]) / warps;
  return all;
}

// How often a warp executed each line.
cubin::LineTimes line_times(const Program& program, const Entered& entered) {
  cubin::LineTimes times;
  for (const InstructionOrigin& one : program.instructions) {
    const auto& text =
        program.module->functions[one.origin.function].instructions[one.origin.instruction];
    times[text.where.ptx_line] += entered[one.block];
  }
  return times;
}

// A block lives as long as the warp that has most to do.
WarpFacts warp_facts(const cubin::Function& machine, const cubin::LineTimes& longest,
                     const cubin::LineTimes& average) {
  const cubin::WarpClock clock = cubin::warp_clock(machine, longest, kShort);
  const cubin::WarpClock longer = cubin::warp_clock(machine, longest, kLong);
  const cubin::WarpClock mean = cubin::warp_clock(machine, average, kShort);
  WarpFacts facts;
  facts.instructions = mean.instructions;
  facts.issue_cycles = clock.issue_cycles;
  facts.global_atomic_rounds =
      rounds(clock.waits_global_atomics, longer.waits_global_atomics, kShort.global);
  facts.shared_atomic_rounds =
      rounds(clock.waits_shared_atomics, longer.waits_shared_atomics, kShort.shared);
  facts.global_rounds =
      facts.global_atomic_rounds + rounds(clock.waits_global, longer.waits_global, kShort.global);
  facts.shared_rounds =
      facts.shared_atomic_rounds + rounds(clock.waits_shared, longer.waits_shared, kShort.shared);
  facts.global_hidden =
      facts.global_rounds * kShort.global - clock.waits_global - clock.waits_global_atomics;
  facts.shared_hidden =
      facts.shared_rounds * kShort.shared - clock.waits_shared - clock.waits_shared_atomics;
  facts.other_cycles = clock.waits_other;
  facts.barriers = clock.barriers;
  facts.fp64 = mean.fp64;
  facts.special = mean.special;
  facts.tensor = mean.tensor;
  facts.global_loads = mean.global_loads;
  facts.shared_loads = mean.shared_loads;
  facts.stores = mean.stores;
  facts.phases = clock.barriers > 0 && clock.shared_after_barrier && !clock.loads_after_barrier;
  return facts;
}

/// Warps of the blocks that ran.
double warps_run(const GridResult& result, const Launch& launch) {
  const std::uint64_t per_block = (launch.block.count() + kLanes - 1) / kLanes;
  return static_cast<double>(per_block * result.blocks_run);
}

// Blocks that do more than those that were looked at ask more often for the same places.
void scale(HotFacts& hot, const GridResult& few, const GridResult& all, const Program& program) {
  const auto requests = [&](const GridResult& run, AccessOp op, AccessOp or_op) {
    double sum = 0;
    for (std::size_t i = 0; i < run.sites.size(); ++i) {
      const Site& site = program.sites[i];
      if (site.space != ptx::Space::kGlobal || (site.op != op && site.op != or_op)) continue;
      sum += static_cast<double>(run.sites[i].requests);
    }
    return sum / static_cast<double>(run.blocks_run);
  };
  const auto more = [&](AccessOp op, AccessOp or_op) {
    const double seen = requests(few, op, or_op);
    return seen > 0 ? requests(all, op, or_op) / seen : 1;
  };
  const double adds = more(AccessOp::kAtomic, AccessOp::kReduction);
  hot.float_adds *= adds;
  hot.integer_adds *= adds;
  hot.stores *= more(AccessOp::kStore, AccessOp::kStore);
  hot.loads *= more(AccessOp::kLoad, AccessOp::kLoad);
}

/// Why the walk through the machine code is of no use, which met so many instructions per warp
/// where the lines of the PTX have `told`; empty: it is.
std::string lost(double walked, double told, std::size_t code) {
  constexpr double kMost = 2;
  // Where no more are told than there are, nothing goes round: copies of a line may be left out.
  if (told <= static_cast<double>(code)) return {};
  if (told <= kMost * walked && walked <= kMost * told) return {};
  return fmt::format(
      "a loop was lost on the way through the machine code: {} of about {} instructions per warp",
      grouped_text(std::round(walked)), grouped_text(std::round(told)));
}

/// Why nothing is known; empty: it is.
std::string refusal(const Program& program, const cubin::Function* machine) {
  if (machine == nullptr || machine->code.empty()) return "no machine code";
  const bool lines = std::any_of(machine->code.begin(), machine->code.end(),
                                 [](const cubin::Issue& one) { return one.ptx_line != 0; });
  if (!lines) return "no lines of the PTX in the machine code";
  if (program.cooperative || program.waits) return "its blocks wait for each other";
  if (program.cluster != std::array<std::uint32_t, 3>{1, 1, 1}) return "it runs in clusters";
  return {};
}

}  // namespace

std::vector<std::uint64_t> blocks_to_look_at(const Dim3& grid) {
  // Four blocks of a small grid are enough: twelve would be a good part of it.
  constexpr std::uint64_t kSmall = 128;
  constexpr double kGolden = 0.6180339887498949;
  const std::uint64_t wide = grid.x;
  const std::uint64_t rows = grid.count() / wide;
  const std::uint64_t sites = grid.count() < kSmall ? (rows > 1 ? 1 : 2) : (rows > 1 ? 3 : 6);
  // The part of the way along an axis at which a pair of neighbours begins: at an even place, since
  // those who share a line are the first and the second of it.
  const auto pair_at = [](double part, std::uint64_t size) {
    const auto at = static_cast<std::uint64_t>(part * static_cast<double>(size));
    return size < 2 ? 0 : std::min(at, size - 2) / 2 * 2;
  };
  std::set<std::uint64_t> all;
  for (std::uint64_t site = 0; site < sites; ++site) {
    // By the golden ratio, no period of the grid meets all of them.
    const double turn = std::fmod((static_cast<double>(site) + 1) * kGolden, 1);
    const double step = (static_cast<double>(site) + turn) / static_cast<double>(sites);
    const std::uint64_t x = pair_at(rows > 1 ? turn : step, wide);
    const std::uint64_t y = pair_at(step, rows);
    for (std::uint64_t dy = 0; dy < 2 && y + dy < rows; ++dy) {
      for (std::uint64_t dx = 0; dx < 2 && x + dx < wide; ++dx) {
        all.insert((y + dy) * wide + x + dx);
      }
    }
  }
  return {all.begin(), all.end()};
}

FewBlocks few_blocks(const Program& program, const cubin::Function* machine, const Launch& launch,
                     const GlobalMemory& memory, const std::function<bool()>& stopped,
                     std::uint64_t most, std::uint64_t begins) {
  FewBlocks few;
  KernelFacts& facts = few.facts;
  facts.absent = refusal(program, machine);
  if (!facts.absent.empty()) return few;
  BlockLog log(program, memory, begins);
  GridOptions options;
  options.only = blocks_to_look_at(launch.grid);
  Undo undo(memory);
  options.observer = [&] {
    auto both = std::make_unique<Observers>();
    both->add(log.observer());
    both->add(undo.observer());
    return both;
  };
  if (most != 0) options.too_many = [most](std::uint64_t run) { return run > most; };
  options.stopped = stopped;
  options.longest = true;
  GridResult result = run_grid(program, launch, memory, options);
  undo.restore();
  if (result.stop != Stop::kRunning) {
    facts.absent = "a block did not come to its end";
    return few;
  }
  log.write(result.blocks, facts);
  facts.warp = warp_facts(
      *machine,
      line_times(program, per_warp(result.longest, static_cast<double>(result.blocks_run))),
      line_times(program, per_warp(result.entered, warps_run(result, launch))));
  facts.registers = machine->registers.value_or(0);
  facts.shared_bytes = machine->shared_bytes;
  few.result = std::move(result);
  return few;
}

KernelFacts facts_of(FewBlocks few, const GridResult& all, const Program& program,
                     const cubin::Function* machine, const Launch& launch) {
  if (!few.facts.absent.empty() || all.blocks_run == 0 || few.result.blocks_run == 0) {
    return std::move(few.facts);
  }
  KernelFacts facts = std::move(few.facts);
  const Entered mean = per_warp(all.entered, warps_run(all, launch));
  const Entered seen = per_warp(few.result.entered, warps_run(few.result, launch));
  Entered longest = per_warp(few.result.longest, static_cast<double>(few.result.blocks_run));
  for (std::size_t i = 0; i < longest.size(); ++i) {
    longest[i] = seen[i] > 0 ? longest[i] * mean[i] / seen[i] : mean[i];
  }
  const cubin::LineTimes lines = line_times(program, mean);
  facts.warp = warp_facts(*machine, line_times(program, longest), lines);
  scale(facts.hot, few.result, all, program);
  facts.absent = lost(facts.warp.instructions, cubin::instructions_of_lines(*machine, lines),
                      machine->code.size());
  if (facts.absent.empty()) return facts;
  KernelFacts none;
  none.absent = std::move(facts.absent);
  return none;
}

}  // namespace lab::model
