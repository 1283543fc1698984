// Control flow: basic blocks, their successors, and where diverged lanes meet again.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/kernel/ptx/module.h"

namespace lab::ptx {

/// Fills Function::blocks from the instructions. `bra` and `brx` end a block, and so do ret, exit
/// and trap, guarded or not; a call does not. A guarded ret, exit or trap has the next block as
/// its only successor, since the way out does not lead to a block. Throws an input error where a
/// list of branch targets makes more than a million edges.
void build_blocks(Function& function);

/// Immediate post-dominators (Lengauer and Tarjan, 1979) of a graph whose node i has
/// successors[i]; `leaves[i]`: the exit can be reached from i directly. A node whose
/// paths to the exit have no other node in common has kNoIndex. Where the exit can't be reached at
/// all (an endless loop), the loop's ways back to its first node lead out, and lanes that have
/// nothing else in common meet at that node.
[[nodiscard]] std::vector<std::uint32_t> post_dominators(
    const std::vector<std::vector<std::uint32_t>>& successors, const std::vector<bool>& leaves);

/// By node: the first node, on a walk from node 0, of the loop around it from which no path leads
/// out; kNoIndex: there is none.
[[nodiscard]] std::vector<std::uint32_t> endless_loops(
    const std::vector<std::vector<std::uint32_t>>& successors, const std::vector<bool>& leaves);

}  // namespace lab::ptx
