// Ways through a function's blocks, found by walking: what post-dominators are held against.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "harness/kernel/ptx/module.h"

namespace lab::ptx {

/// Whether a lane may leave the function at the end of this block.
inline bool may_leave(const Function& function, const Block& block) {
  const Instruction& last = function.instructions[block.last];
  const bool returns = last.op == Op::kRet || last.op == Op::kExit;
  return block.successors.empty() || (returns && last.guard != kNoIndex);
}

/// The blocks that can be reached from `from`, itself with them, on ways around `without`.
inline std::set<std::uint32_t> reached(const Function& function, std::uint32_t from,
                                       std::uint32_t without = kNoIndex) {
  std::set<std::uint32_t> seen = {from};
  std::vector<std::uint32_t> ways = {from};
  while (!ways.empty()) {
    const Block& block = function.blocks[ways.back()];
    ways.pop_back();
    for (const std::uint32_t to : block.successors) {
      if (to != without && seen.insert(to).second) ways.push_back(to);
    }
  }
  return seen;
}

/// Whether a way from `from` leaves the function without block `without`.
inline bool leaves(const Function& function, std::uint32_t from, std::uint32_t without) {
  for (const std::uint32_t block : reached(function, from, without)) {
    if (may_leave(function, function.blocks[block])) return true;
  }
  return false;
}

}  // namespace lab::ptx
