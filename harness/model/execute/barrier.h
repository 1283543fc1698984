// The 16 barriers of a block: PTX ISA, "bar, barrier".
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/model/code/instruction.h"

namespace lab::model {

/// Behind the 16 that bar and barrier name: that of the block's cluster.
inline constexpr std::uint32_t kClusterBarrier = 16;

enum class Reduction : std::uint8_t { kNoVote, kPopc, kAnd, kOr };

/// A split of a warp that arrived at a barrier.
struct Arrival {
  Warp* warp = nullptr;
  const Ins* ins = nullptr;
  std::uint32_t mask = 0;
  bool waits = true;  ///< false: bar.arrive
  Reduction reduction = Reduction::kNoVote;
  std::uint32_t votes = 0;     ///< lanes whose predicate is true
  std::uint32_t expected = 0;  ///< threads; 0: all of the block
  bool counted = false;        ///< `expected` is what the instruction says
};

class Barrier {
 public:
  void arrive(const Arrival& arrival) { arrivals_.push_back(arrival); }
  [[nodiscard]] bool pending() const { return !arrivals_.empty(); }
  [[nodiscard]] const std::vector<Arrival>& arrivals() const { return arrivals_; }

  /// True where all threads that are expected have arrived. `warps` are the block's.
  [[nodiscard]] bool complete(const std::vector<Warp>& warps) const;
  /// Hands the reduction's result to the warps that wait, lets them go on, and starts over.
  void release();

 private:
  std::vector<Arrival> arrivals_;
};

}  // namespace lab::model
