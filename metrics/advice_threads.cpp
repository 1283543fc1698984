// Advice on threads: who works, who waits for whom, and what they do one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/core/metric_keys.h"
#include "harness/core/numbers.h"
#include "harness/core/trial_keys.h"
#include "metrics/advice_kernel.h"
#include "metrics/values.h"

namespace lab::metrics {
namespace {

// ---- lanes --------------------------------------------------------------------------------------

// Partners that come nearer by half in each step, as those of a reduction: the line is seen to work
// with so many lanes, and with half of them.
bool halves_partners(const Line& line) {
  std::set<int> lanes;
  for (const Access* one : line.accesses) {
    if (one->space == Space::kShared) lanes.insert(pattern_of(*one).lanes);
  }
  return std::any_of(lanes.begin(), lanes.end(), [&](int count) {
    return count > 1 && lanes.contains(count / 2) && count % 2 == 0;
  });
}

std::string_view partial_cure(const Line& line, const Pattern& pattern) {
  if (pattern.every > 1) {
    return "Let the first threads work (t < n), so that whole warps are done early.";
  }
  if (halves_partners(line)) {
    return "Share the work among all lanes; for the last steps of a reduction, shuffles.";
  }
  return "Share the work among all lanes.";
}

// Blocks whose size is not a multiple of a warp leave lanes idle in every instruction.
void partial_blocks(const Kernel& kernel, std::vector<Advice>& all) {
  const auto threads = static_cast<double>(kernel.record.launch.block.count());
  const double slots = std::ceil(threads / kWarpLanes) * kWarpLanes;
  if (threads == 0 || (slots - threads) / slots < kWorthwhile) return;
  Advice advice;
  advice.rule = AdviceRule::kPartialWarps;
  advice.finding = fmt::format("blocks of {} thread{} use {} of {} lanes", threads,
                               threads == 1 ? "" : "s", threads, slots);
  advice.cure = "Make the block's threads a multiple of 32.";
  all.push_back(with_saving(std::move(advice), Saving::kLanes, slots - threads, slots));
}

// The requests at a line and their lanes, of all warps where that was counted.
double requests_at(const Line& line) { return line.cost(metric::kMemoryRequests); }
double lanes_at(const Line& line) { return line.cost(metric::kMemoryLanes); }

// Threads t < d that become fewer from step to step leave by whole warps: the last five steps are
// one warp's.
bool is_tree(const Line& line) {
  bool full = false;
  for (const Access* one : line.accesses) {
    const Pattern pattern = pattern_of(*one);
    full |= pattern.lanes == static_cast<int>(kWarpLanes);
    if (!pattern.from_first_lane) return false;
  }
  return full;
}

// Lanes in no order: their data choose who works, and who contends for an address is told that.
bool is_of_data(const Line& line, const std::vector<Advice>& told) {
  const bool contends = std::any_of(told.begin(), told.end(), [&](const Advice& one) {
    const bool adds = one.rule == AdviceRule::kSameAddress || one.rule == AdviceRule::kPerBlock;
    return adds && one.line == line.number && one.file == line.file;
  });
  return contends || std::any_of(line.accesses.begin(), line.accesses.end(),
                                 [](const Access* one) { return pattern_of(*one).every == 0; });
}

// A few lanes speak for their warp, such as for the sums of a reduction, or load a tile's edge,
// unless they do nearly all.
bool speaks_for_its_warp(const Kernel& kernel, const Line& line) {
  constexpr double kNearlyAll = 0.75;
  constexpr double kFew = kWarpLanes / 4;
  return lanes_at(line) <= kFew * requests_at(line) &&
         requests_at(line) < kNearlyAll * kernel.total(metric::kMemoryRequests);
}

const Access* partial_example(const Line& line) {
  const Access* most = nullptr;
  for (const Access* one : line.accesses) {
    const int lanes = pattern_of(*one).lanes;
    if (lanes == static_cast<int>(kWarpLanes)) continue;
    if (most == nullptr || lanes > pattern_of(*most).lanes) most = one;
  }
  return most;
}

// Of a line that the warp which was seen did not come to, the lanes are an average.
Pattern partial_pattern(const Line& line) {
  if (const Access* example = partial_example(line)) return pattern_of(*example);
  Pattern pattern;
  pattern.lanes = static_cast<int>(std::lround(lanes_at(line) / requests_at(line)));
  return pattern;
}

bool waits(const Line& line) { return line.cost(metric::kWaitRequests) > 0; }

// Lanes whose search is over wait for the longest of their warp: the data say how many these are.
void searches(const Line& line, std::vector<Advice>& all) {
  all.push_back(advice_at(
      line, AdviceRule::kPartialWarps,
      fmt::format("{:.3g} of 32 lanes work on average: those that are done wait for the longest "
                  "search of their warp",
                  lanes_at(line) / requests_at(line)),
      "Shorten the longest searches, or let lanes that are done take the next element."));
}

// Three quarters of the lanes and less work on average, in a good part of the requests.
void partial_warps(const Kernel& kernel, std::vector<Advice>& all) {
  constexpr double kFew = 0.75;
  if (static_cast<double>(kernel.record.launch.block.count()) < kWarpLanes) return;  // see above
  const double requests = kernel.total(metric::kMemoryRequests);
  const double lanes = kernel.total(metric::kMemoryLanes);
  if (requests == 0 || lanes > kFew * kWarpLanes * requests) return;
  // Lanes that access memory now and then say nothing about what the others do.
  constexpr double kMemoryBound = 0.05;
  if (requests < kMemoryBound * kernel.total(metric::kInstructions)) return;
  const Line* worst = nullptr;
  double most = 0;
  for (const Line& line : kernel.lines) {
    const double idle = kWarpLanes * requests_at(line) - lanes_at(line);
    if (idle <= most || is_tree(line) || speaks_for_its_warp(kernel, line)) continue;
    // Who waits for another thread does no work that lanes could share.
    if (is_of_data(line, all) || waits(line)) continue;
    worst = &line;
    most = idle;
  }
  constexpr double kGoodPart = 0.25;
  if (worst == nullptr || requests_at(*worst) < kGoodPart * requests) return;
  if (worst->cost(metric::kSearchRequests) > 0) return searches(*worst, all);
  const Pattern pattern = partial_pattern(*worst);
  const std::string which = pattern.every > 1 ? fmt::format(", one in {}", pattern.every) : "";
  all.push_back(with_saving(advice_at(*worst, AdviceRule::kPartialWarps,
                                      fmt::format("{} of 32 lanes work{}", pattern.lanes, which),
                                      std::string(partial_cure(*worst, pattern))),
                            Saving::kLanes, kWarpLanes - pattern.lanes, kWarpLanes));
}

// Threads that never touch memory and calculate nothing either, in the whole launch.
void idle_threads(const Kernel& kernel, std::vector<Advice>& all) {
  constexpr double kHalf = 0.5;
  const double threads = kernel.of_whole(metric::kThreads);
  const double working = kernel.of_whole(metric::kBusyThreads);
  const Line* line = kernel.most(metric::kMemoryRequests);
  if (line == nullptr || working <= 0 || working > kHalf * threads || waits(*line)) return;
  const Access* example = partial_example(*line);
  if (example != nullptr && pattern_of(*example).every > 1) return;  // see partial_warps
  const bool one = working <= static_cast<double>(kernel.record.launch.grid.count()) &&
                   line->cost(metric::kLoopedRequests) > 0;
  all.push_back(with_saving(
      advice_at(*line, AdviceRule::kIdleThreads,
                fmt::format("{} of {} threads work; the others never touch memory",
                            brief_text(working), brief_text(threads)),
                one ? "Share the loop among the threads of the block: each takes the elements t, t "
                      "+ blockDim.x, ..."
                    : "Launch as many threads as there is work for, or give each a part of it."),
      Saving::kThreads, threads - working, threads));
}

// ---- what is wrong in the launch ----------------------------------------------------------------

void unwritten(const Kernel& kernel, std::vector<Advice>& all) {
  for (const Line& line : kernel.lines) {
    const double reached = line.cost(metric::kReachedBytes);
    const double bytes = line.cost(metric::kReachableBytes);
    if (reached <= 0 || reached >= bytes) continue;
    all.push_back(advice_at(
        line, AdviceRule::kUnwritten,
        fmt::format("nobody writes the last {} of {} bytes of the output: the grid has too few "
                    "threads",
                    brief_text(bytes - reached), brief_text(bytes)),
        "Launch (n + block - 1) / block blocks, in each direction, or loop over the grid "
        "(i += gridDim.x * blockDim.x)."));
  }
}

void return_before_barrier(const Kernel& kernel, std::vector<Advice>& all) {
  const Line* line = kernel.most(metric::kPassedWithout);
  const double gone = kernel.of_whole(metric::kGoneThreads);
  if (line == nullptr || gone <= 0) return;
  all.push_back(advice_at(
      *line, AdviceRule::kReturnBeforeBarrier,
      "threads that have returned do not reach this barrier: GPUs before Volta wait for them "
      "forever",
      "Guard the loads and stores (if (i < n)), and let every thread reach the barrier."));
}

// ---- barriers -----------------------------------------------------------------------------------

// The last round's orders reads before the next writes: it is wanted behind the loop.
std::string needless_cure(const Line& line) {
  const bool looped = line.cost(metric::kBarriersPassed) > line.cost(metric::kNeedlessBarriers);
  const double before = line.cost(metric::kBarrierBefore);
  const std::string other =
      before > 0 ? fmt::format(" That of line {} orders what was written before.", before) : "";
  return (looped
              ? "One barrier per step is enough, between its last reads and the next writes: put "
                "this one behind the loop."
              : "Leave it out.") +
         other;
}

// Of reads alone nothing is ordered: one barrier before the next writes does.
void needless_barriers(const Kernel& kernel, std::vector<Advice>& all) {
  constexpr double kHalf = 0.5;
  const Line* line = kernel.most(metric::kNeedlessBarriers);
  if (line == nullptr) return;
  const double passed = kernel.total(metric::kBarriersPassed);
  const double needless = line->cost(metric::kNeedlessBarriers);
  // One that is passed once may have a reason that no access shows, such as a clock.
  const auto blocks = static_cast<double>(kernel.record.launch.grid.count());
  const bool few = needless < kHalf * line->cost(metric::kBarriersPassed) || needless < 2 * blocks;
  if (few || needless < kWorthwhile * passed) return;
  all.push_back(with_saving(
      advice_at(*line, AdviceRule::kNeedlessBarriers,
                "threads wait for each other where nobody writes, neither before nor behind the "
                "barrier",
                needless_cure(*line)),
      Saving::kBarriers, needless, passed));
}

// ---- local memory -------------------------------------------------------------------------------

// printf's arguments go through local memory, whatever the kernel does.
double local_requests(const Line& line) {
  if (line.cost(metric::kPrinted) > 0) return 0;
  return line.cost(metric::kLocalLoadRequests) + line.cost(metric::kLocalStoreRequests);
}

void local_memory(const Kernel& kernel, std::vector<Advice>& all) {
  const Line* most = nullptr;
  double total = 0;
  for (const Line& line : kernel.lines) {
    total += local_requests(line);
    if (local_requests(line) > (most == nullptr ? 0 : local_requests(*most))) most = &line;
  }
  const auto bytes = value_of(kernel.record, metric::kLocalBytesPerThread, SourceOf::kModel);
  if (most != nullptr) {
    all.push_back(with_saving(
        advice_at(
            *most, AdviceRule::kLocalMemory,
            "a per-thread array is kept in local memory, which goes through L1 and L2 to DRAM",
            "Index it by constants alone (unroll the loop), or keep it in shared "
            "memory."),
        Saving::kLocalRequests, total, total));
  } else if (bytes.value_or(0) > 0 && kernel.total(metric::kPrinted) == 0) {
    Advice advice;
    advice.rule = AdviceRule::kLocalMemory;
    advice.finding =
        fmt::format("registers are spilled to {} bytes of local memory per thread", *bytes);
    advice.cure = "Let a thread keep less at once, or allow it more registers (__launch_bounds__).";
    all.push_back(std::move(advice));
  }
}

// A sum that goes to memory and back in each round of a loop.
void accumulates(const Kernel& kernel, std::vector<Advice>& all) {
  const Line* line = kernel.most(metric::kRepeatedStores);
  const double sectors =
      kernel.total(metric::kGlobalLoadSectors) + kernel.total(metric::kGlobalStoreSectors);
  double saved = kernel.total(metric::kRepeatedSectors);
  if (line == nullptr || saved < kWorthwhile * sectors) return;
  if (line == accumulates_at(kernel)) {
    saved += kernel.total(metric::kReloadedSectors) + kernel.total(metric::kAgainSectors);
  }
  const bool looped = line->cost(metric::kLoopedRequests) > 0;
  all.push_back(with_saving(
      advice_at(*line, AdviceRule::kAccumulates,
                looped ? "each thread stores the same element in every round of a loop"
                       : "each thread stores the same element more than once",
                looped ? "Add up in a register (float sum), and store it once behind the "
                         "loop."
                       : "Add up in a register (float sum), and store it once."),
      Saving::kSectors, saved, sectors));
}

}  // namespace

void advise_on_threads(const Kernel& kernel, std::vector<Advice>& all) {
  unwritten(kernel, all);
  return_before_barrier(kernel, all);
  needless_barriers(kernel, all);
  idle_threads(kernel, all);
  partial_blocks(kernel, all);
  const bool idle = std::any_of(all.begin(), all.end(), [](const Advice& one) {
    return one.rule == AdviceRule::kIdleThreads;
  });
  if (!idle) partial_warps(kernel, all);
  accumulates(kernel, all);
  local_memory(kernel, all);
}

// Constants and doubles.
void advise_on_arithmetic(const Kernel& kernel, std::vector<Advice>& all) {
  for (const Line& line : kernel.lines) {
    const double requests = line.cost(metric::kConstantRequests);
    const double places = line.cost(metric::kConstantPlaces);
    if (requests <= 0 || places < 2 * requests) continue;
    all.push_back(with_saving(
        advice_at(line, AdviceRule::kConstantLanes,
                  fmt::format("the lanes of a warp read {:.3g} different constants, one after the "
                              "other",
                              places / requests),
                  "Constant memory is for what all lanes read at once: keep the table in shared or "
                  "global memory."),
        Saving::kConstantReads, places - requests, places));
  }
  const Line* most = nullptr;
  double doubles = 0;
  for (const Line& line : kernel.lines) {
    const double here = line.cost(metric::kDoubleArithmetic);
    const bool there_and_back = line.cost(metric::kWidened) > 0 && line.cost(metric::kNarrowed) > 0;
    if (here <= 0 || !there_and_back) continue;
    doubles += here;
    if (most == nullptr || here > most->cost(metric::kDoubleArithmetic)) most = &line;
  }
  if (most == nullptr || kernel.total(metric::kDoublesMoved) > 0) return;
  all.push_back(with_saving(
      advice_at(*most, AdviceRule::kDoubleArithmetic,
                "numbers are converted to double and back: the line calculates in double",
                "Write literals as float (0.5f), and call the float functions (sqrtf)."),
      Saving::kDoubleInstructions, doubles, kernel.total(metric::kDoubleArithmetic)));
}

}  // namespace lab::metrics
