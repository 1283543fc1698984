// Advice on atomics, by what the machine code makes of them: additions of lanes that it combines
// are one, and a lock is no sum.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/metric_keys.h"
#include "harness/core/numbers.h"
#include "metrics/advice_kernel.h"

namespace lab::metrics {
namespace {

constexpr std::string_view kInWarp =
    "Combine within the warp first (shuffles, __reduce_add_sync), then once per warp or block.";

struct Contended {
  std::string_view adders;
  std::string_view added;
  Space memory;
};
constexpr Contended kContended[] = {{metric::kGlobalAdders, metric::kGlobalAdded, Space::kGlobal},
                                    {metric::kSharedAdders, metric::kSharedAdded, Space::kShared}};

bool is_atomic(const Access& access) {
  return access.op == AccessOp::kAtomic || access.op == AccessOp::kReduction;
}

/// Who contends for a word, in words.
struct Crowding {
  std::string_view verb;    ///< change
  std::string_view manner;  ///< ", one after the other"
};

// The lanes of the costliest atomic that one warp was seen to make: they are named where they are
// as crowded as on average.
std::string crowd_text(const Line& line, Space memory, double average, const Crowding& how) {
  for (const Access* one : line.accesses) {
    const Pattern pattern = pattern_of(*one);
    if (!is_atomic(*one) || one->space != memory || 2 * pattern.addresses > pattern.lanes) continue;
    return pattern.addresses == 1
               ? fmt::format("{} lanes {} one word of {} memory{}", pattern.lanes, how.verb,
                             name_of(memory), how.manner)
               : fmt::format("{} lanes {} {} words of {} memory", pattern.lanes, how.verb,
                             pattern.addresses, name_of(memory));
  }
  return fmt::format("{:.3g} lanes on average {} one word of {} memory{}", average, how.verb,
                     name_of(memory), how.manner);
}

// ---- locks --------------------------------------------------------------------------------------

// One thread goes on, and those of its warp wait as well.
std::string lock_text(const Line& line, double threads) {
  int lanes = 1;
  for (const Access* one : line.accesses) {
    if (is_atomic(*one)) lanes = std::max(lanes, pattern_of(*one).lanes);
  }
  if (lanes > 1) {
    return fmt::format("a lock: one thread holds it while {} of its warp wait", lanes - 1);
  }
  return fmt::format("a lock: {} threads want it, and one after the other goes on",
                     brief_text(threads));
}

void locks(const Line& line, std::vector<Advice>& all) {
  const double threads = line.cost(metric::kLockThreads);
  if (threads < 2) return;
  all.push_back(advice_at(line, AdviceRule::kLock, lock_text(line, threads),
                          "Where all that it guards is a sum or one word, an atomic does without "
                          "it (atomicAdd, atomicMax). Else let one thread of each block take it, "
                          "for what the block has put together."));
}

// ---- compare-and-swap that tries again ----------------------------------------------------------

void retries(const Line& line, std::vector<Advice>& all) {
  const double tries = line.cost(metric::kSwapTries);
  const double words = line.cost(metric::kSwapWords);
  if (words <= 0 || tries < 2 * words) return;
  const Space memory = std::any_of(line.accesses.begin(), line.accesses.end(),
                                   [](const Access* one) { return one->space == Space::kShared; })
                           ? Space::kShared
                           : Space::kGlobal;
  all.push_back(advice_at(
      line, AdviceRule::kSameAddress,
      crowd_text(line, memory, tries / words,
                 {"compare and swap", ", and one of them succeeds in each round"}),
      "Use the atomic that does it at once, where there is one (atomicAdd of a double since "
      "compute "
      "capability 6.0), or combine within the warp first (shuffles), and let one lane swap."));
}

// ---- additions ----------------------------------------------------------------------------------

bool is_indexed(const Line& line) { return line.cost(metric::kIndexedRequests) > 0; }

// What was there before is used: a place in a list, or the next piece of work.
bool is_used(const Line& line) { return line.cost(metric::kUsedAdders) > 0; }

bool same_word(const Line& line, const Contended& where, std::vector<Advice>& all) {
  const double lanes = line.cost(where.adders);
  const double places = line.cost(where.added);
  if (places <= 0 || lanes < 2 * places) return false;
  const std::string_view cure =
      is_used(line) ? "Let one lane add for all of its warp, and each take its place from there (a "
                      "scan by shuffles)."
      : is_indexed(line)
          ? "Add for all lanes of a word at once (__match_any_sync finds them), or keep "
            "several tables, by lane % 4, and add them up at the end."
          : kInWarp;
  all.push_back(with_saving(
      advice_at(line, AdviceRule::kSameAddress,
                crowd_text(line, where.memory, lanes / places, {"change", ", one after the other"}),
                std::string(cure)),
      Saving::kAdditions, lanes - places, lanes));
  if (!is_indexed(line)) all.back().memory = where.memory;
  return true;
}

/// A table per block: how many blocks there are to be, and the additions to global memory then.
struct Tables {
  double blocks = 0;
  double additions = 0;
};

// The launch as it is, or, where its blocks add no more often than their tables have words, one in
// which each thread takes 16 elements.
std::optional<Tables> tables_for(const Kernel& kernel, double adders, double words) {
  constexpr double kElements = 16;
  constexpr double kMostWords = 48 * 1024 / kBankBytes;  // that any block may have
  if (words > kMostWords) return {};
  const auto worth = [&](double blocks) { return 2 * blocks * words <= adders; };
  const auto grid = static_cast<double>(kernel.record.launch.grid.count());
  if (worth(grid)) return Tables{grid, grid * words};
  const auto threads = static_cast<double>(kernel.record.launch.block.count());
  const double fewer = std::max(1.0, std::floor(adders / (kElements * threads)));
  if (fewer >= grid || !worth(fewer)) return {};
  return Tables{fewer, fewer * words};
}

// Words that data choose, of which there are few: each block can have them to itself.
bool histogram(const Kernel& kernel, const Line& line, std::vector<Advice>& all) {
  const double adders = line.cost(metric::kGlobalAdders);
  const double words = line.cost(metric::kAddedWords);
  if (adders <= 0 || words < 2 || !is_indexed(line) || is_used(line)) return false;
  const auto tables = tables_for(kernel, adders, words);
  if (!tables) return false;
  std::string cure =
      "Keep a histogram per block in shared memory, and add it to this one at the end.";
  if (tables->blocks < static_cast<double>(kernel.record.launch.grid.count())) {
    cure += fmt::format(
        " Launch {} block{} that loop{} over the input (i += gridDim.x * blockDim.x).",
        brief_text(tables->blocks), tables->blocks == 1 ? "" : "s", tables->blocks == 1 ? "s" : "");
  }
  all.push_back(with_saving(
      advice_at(line, AdviceRule::kHistogram,
                fmt::format("all blocks add to the same {} words of global memory, {} times",
                            brief_text(words), brief_text(adders)),
                std::move(cure)),
      Saving::kAdditions, adders - tables->additions, adders));
  return true;
}

// A thread that adds to the same place in each round of a loop.
bool repeated(const Line& line, std::vector<Advice>& all) {
  const double lanes = line.cost(metric::kGlobalAdders);
  const double again = line.cost(metric::kRepeatedAdders);
  if (lanes <= 0 || 2 * again < lanes || is_used(line)) return false;
  all.push_back(with_saving(
      advice_at(line, AdviceRule::kSameAddress,
                "each thread adds to the same word in every round of a loop",
                "Add up in a register, and combine within the warp (shuffles) before one atomic "
                "per warp or block."),
      Saving::kAdditions, again, lanes));
  return true;
}

// One addition per warp already, and several warps of a block to one word.
void per_block(const Line& line, std::vector<Advice>& all) {
  constexpr double kSeveral = 4;
  const double adders = line.cost(metric::kGlobalAdders);
  const double words = line.cost(metric::kBlockAdded);
  if (words <= 0 || adders < kSeveral * words || is_indexed(line)) return;
  Advice advice = advice_at(
      line, AdviceRule::kPerBlock,
      fmt::format("each block adds {:.3g} times to one word, once per warp", adders / words),
      is_used(line) ? "Count within the block first (a scan in shared memory), and take the "
                      "block's places at once."
                    : "Add up within the block first, in shared memory, then once per block.");
  advice.only_for_time = true;
  advice.memory = Space::kGlobal;
  all.push_back(with_saving(std::move(advice), Saving::kAdditions, adders - words, adders));
}

}  // namespace

void advise_on_atomics(const Kernel& kernel, std::vector<Advice>& all) {
  for (const Line& line : kernel.lines) {
    locks(line, all);
    retries(line, all);
    if (histogram(kernel, line, all) || repeated(line, all)) continue;
    bool told = false;
    for (const Contended& where : kContended) told = same_word(line, where, all) || told;
    if (!told) per_block(line, all);
  }
}

}  // namespace lab::metrics
