// A loop of a function: which blocks it has, and what decides that it goes on.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/kernel/ptx/module.h"

namespace lab::model {

/// A volatile load, or one with an order of its own: it is made for what others write meanwhile.
[[nodiscard]] bool is_fresh_load(const ptx::Instruction& ins);

/// Reads anew each time, and leaves memory as it was: a fresh load, or an atomic that adds 0 or
/// exchanges a value for itself.
[[nodiscard]] bool reads_anew(const ptx::Instruction& ins);

/// The blocks that lead to block `last` without passing `first`, which `last` leads to.
class Loop {
 public:
  Loop(const ptx::Function& function, std::uint32_t first, std::uint32_t last);

  [[nodiscard]] bool has(std::uint32_t block) const { return in_[block]; }
  /// It has no effect but the time it takes, and ends when a word of global memory has another
  /// value.
  [[nodiscard]] bool waits() const;
  /// No round of the loop changes the operand's value.
  [[nodiscard]] bool is_fixed(const ptx::Operand& operand) const;
  /// Whether the value that `read` brings decides if the loop goes on.
  [[nodiscard]] bool ends_it(const ptx::Instruction& read) const;

 private:
  template <typename F>
  void each(F f) const;
  [[nodiscard]] std::vector<std::uint32_t> decided_by(std::uint32_t block) const;
  [[nodiscard]] bool leaves(std::uint32_t block) const;
  enum class Asked : std::uint8_t { kNever, kNow, kFixed };
  bool is_fixed(const ptx::Operand& operand, std::vector<Asked>& asked) const;
  bool is_fixed(std::uint32_t r, std::vector<Asked>& asked) const;
  bool spread(std::vector<bool>& depends) const;

  const ptx::Function& function_;
  std::vector<bool> in_;
};

/// The loops of a function, one for each way back.
[[nodiscard]] std::vector<Loop> loops_of(const ptx::Function& function);

}  // namespace lab::model
