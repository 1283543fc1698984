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

// How often one of `warps` warps executed each line, which together entered the program's blocks so
// often.
cubin::LineTimes line_times(const Program& program, const std::vector<std::uint64_t>& entered,
                            double warps) {
  cubin::LineTimes times;
  for (const InstructionOrigin& one : program.instructions) {
    const auto& text =
        program.module->functions[one.origin.function].instructions[one.origin.instruction];
    times[text.where.ptx_line] += static_cast<double>(entered[one.block]) / warps;
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
  facts.global_rounds = rounds(clock.waits_global, longer.waits_global, kShort.global);
  facts.shared_rounds = rounds(clock.waits_shared, longer.waits_shared, kShort.shared);
  facts.global_hidden = facts.global_rounds * kShort.global - clock.waits_global;
  facts.shared_hidden = facts.shared_rounds * kShort.shared - clock.waits_shared;
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
  const std::uint64_t blocks = grid.count();
  std::set<std::uint64_t> all;
  // Of a small grid those at its ends are enough: twelve would be a good part of all.
  constexpr std::uint64_t kSmall = 128;
  const std::uint64_t middle = blocks < kSmall ? 0 : blocks / 2;
  for (const std::uint64_t one : {std::uint64_t{0}, middle, blocks - 1}) {
    const std::uint64_t x = std::min<std::uint64_t>(one % grid.x, grid.x - std::min(grid.x, 2U));
    const std::uint64_t row = one / grid.x;
    const std::uint64_t rows = blocks / grid.x;
    const std::uint64_t y = std::min(row, rows - std::min<std::uint64_t>(rows, 2));
    for (std::uint64_t dy = 0; dy < 2 && y + dy < rows; ++dy) {
      for (std::uint64_t dx = 0; dx < 2 && x + dx < grid.x; ++dx) {
        all.insert((y + dy) * grid.x + x + dx);
      }
    }
  }
  return {all.begin(), all.end()};
}

FewBlocks few_blocks(const Program& program, const cubin::Function* machine, const Launch& launch,
                     const GlobalMemory& memory, const std::function<bool()>& stopped,
                     std::uint64_t most) {
  FewBlocks few;
  KernelFacts& facts = few.facts;
  facts.absent = refusal(program, machine);
  if (!facts.absent.empty()) return few;
  BlockLog log(program);
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
  const auto warps_per_block = (launch.block.count() + kLanes - 1) / kLanes;
  const auto warps = static_cast<double>(warps_per_block * result.blocks_run);
  facts.warp = warp_facts(
      *machine, line_times(program, result.longest, static_cast<double>(result.blocks_run)),
      line_times(program, result.entered, warps));
  facts.registers = machine->registers.value_or(0);
  facts.shared_bytes = machine->shared_bytes;
  few.result = std::move(result);
  return few;
}

KernelFacts facts_of(FewBlocks few, const GridResult& all, const Launch& launch) {
  if (!few.facts.absent.empty() || all.blocks_run == 0 || few.result.blocks_run == 0) {
    return std::move(few.facts);
  }
  const std::uint64_t whole_warps = (launch.block.count() + kLanes - 1) / kLanes;
  const auto warps = static_cast<double>(whole_warps);
  const auto per_warp = [&](const GridResult& run) {
    return static_cast<double>(run.warp_instructions) /
           (static_cast<double>(run.blocks_run) * warps);
  };
  constexpr double kUneven = 2;
  // Machine code has up to three times as many instructions as PTX, and as few as the half.
  constexpr double kLost = 4;
  const double seen = per_warp(few.result);
  const double mean = per_warp(all);
  KernelFacts none;
  if (mean > kUneven * seen || seen > kUneven * mean) {
    none.absent = fmt::format(
        "the {} blocks that were looked at execute {} instructions per warp, all of them {} on "
        "average",
        few.result.blocks_run, grouped_text(std::round(seen)), grouped_text(std::round(mean)));
    return none;
  }
  const double walked = few.facts.warp.instructions;
  if (seen > kLost * walked) {
    none.absent = fmt::format(
        "a loop was lost on the way through the machine code: {} of about {} instructions per warp",
        grouped_text(std::round(walked)), grouped_text(std::round(seen)));
    return none;
  }
  return std::move(few.facts);
}

}  // namespace lab::model
