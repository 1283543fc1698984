// A kernel as the rules of advice see it: its lines with their counts, and one warp's accesses.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"
#include "metrics/advice.h"
#include "metrics/advice_pattern.h"

namespace lab::metrics {

/// Advice that would save less than this share of a kernel's accesses of the kind is not given, all
/// lines together that one cure is for.
inline constexpr double kWorthwhile = 0.1;
/// A line with less has no part in it.
inline constexpr double kSomeOfIt = 0.01;
inline constexpr double kWarpLanes = 32;

/// A source line's costs by metric, as the model counted them.
using Costs = std::map<std::string, double, std::less<>>;

/// A line with the instructions that one warp executed there.
struct Line {
  std::string file;
  int number = 0;
  Costs costs;
  std::vector<const Access*> accesses;

  [[nodiscard]] double cost(std::string_view metric) const {
    const auto found = costs.find(metric);
    return found == costs.end() ? 0 : found->second;
  }
  /// The instruction of this kind that `worst` ranks highest; null: none was seen.
  template <typename Worst>
  [[nodiscard]] const Access* worst(Space space, AccessOp op, const Worst& rank) const {
    const Access* found = nullptr;
    for (const Access* one : accesses) {
      if (one->space != space || one->op != op) continue;
      if (found == nullptr || rank(*one) > rank(*found)) found = one;
    }
    return found;
  }
};

struct Kernel {
  const CaseRecord& record;
  Forbidden forbidden;  ///< as a cure
  const Trials& trials;
  std::vector<Line> lines;  ///< in the order of file and number
  Costs whole;              ///< counts that no line has

  [[nodiscard]] double total(std::string_view metric) const {
    double sum = 0;
    for (const Line& line : lines) sum += line.cost(metric);
    return sum;
  }
  [[nodiscard]] double of_whole(std::string_view metric) const {
    const auto found = whole.find(metric);
    return found == whole.end() ? 0 : found->second;
  }
  /// Whether an instruction is seen to walk with several strides, such as the steps of a tree.
  [[nodiscard]] bool has_other_stride(const Access& access) const;
  /// The line with most of a metric; null: none has any.
  [[nodiscard]] const Line* most(std::string_view metric) const {
    const Line* found = nullptr;
    for (const Line& line : lines) {
      if (line.cost(metric) > (found == nullptr ? 0 : found->cost(metric))) found = &line;
    }
    return found;
  }
};
[[nodiscard]] Kernel kernel_of(const CaseRecord& record, Forbidden forbidden, const Trials& trials);

[[nodiscard]] Advice advice_at(const Line& line, AdviceRule rule, std::string finding,
                               std::string cure);

/// The same with what it saves.
[[nodiscard]] Advice with_saving(Advice advice, Saving unit, double saved, double total);

/// The line whose store of the same element in each round is the only store in a loop: without it
/// the compiler loads but once what the loop loads again and again. Null: there is none.
[[nodiscard]] const Line* accumulates_at(const Kernel& kernel);

/// A warp is several rows of a block that is narrower than a warp.
[[nodiscard]] bool is_narrow(const Launch& launch);
inline constexpr std::string_view kWiderBlock =
    "Make the block 32 threads wide, such as 32 x 8, so that a warp is one row.";

// The rules, by what they look at: each adds what it finds.
void advise_on_shared(const Kernel& kernel, std::vector<Advice>& all);
void advise_on_global(const Kernel& kernel, std::vector<Advice>& all);
void advise_on_reloads(const Kernel& kernel, std::vector<Advice>& all);
void advise_on_reuse(const Kernel& kernel, std::vector<Advice>& all);
void advise_on_atomics(const Kernel& kernel, std::vector<Advice>& all);
void advise_on_tiles(const Kernel& kernel, std::vector<Advice>& all);
void advise_on_threads(const Kernel& kernel, std::vector<Advice>& all);
void advise_on_arithmetic(const Kernel& kernel, std::vector<Advice>& all);

}  // namespace lab::metrics
