// Barriers that order nothing, since nobody writes before or behind them.
#pragma once

#include <cstdint>
#include <map>

#include "harness/model/case/line_sums.h"
#include "harness/model/execute/observer.h"

namespace lab::model {

class BarrierHabits {
 public:
  explicit BarrierHabits(const Program& program) : program_(&program) {}

  void block_begins(const Block& block) {
    block_ = {};
    running_ = &block;
  }
  /// Index into Program::code of a barrier that a warp is about to execute.
  void reaches(std::uint32_t barrier) { block_.reached = barrier; }
  /// `orders`: it is made for what other blocks do, whose order a barrier may hand on.
  void access(const AccessEvent& event, bool orders);
  /// Copies and barriers of other kinds, or a barrier for a part of the block: nothing is known.
  void other() { unknown_ = true; }
  void barrier_released();
  void block_ends();
  void add(const BarrierHabits& other);
  void write(LineSums& sums) const;

 private:
  struct Sums {
    std::uint64_t passed = 0;
    std::uint64_t needless = 0;
    std::uint32_t before =
        0;                 ///< line of the barrier of another line before a needless one; 0: none
    bool several = false;  ///< it is not always the same
    void add_before(std::uint32_t line);
  };
  struct InBlock {
    std::uint32_t reached = kNone;
    std::uint32_t last = kNone;  ///< barrier that the block has passed
    std::uint32_t before = 0;    ///< line of the last one before it that stands in another line
    bool wrote_before = true;    ///< between the one before that and it
    bool wrote = false;          ///< since then
  };
  void settle();
  [[nodiscard]] std::uint32_t line_of(std::uint32_t barrier) const;

  const Program* program_;
  std::map<std::uint32_t, Sums> barriers_;
  InBlock block_;
  const Block* running_ = nullptr;
  bool unknown_ = false;
};

}  // namespace lab::model
