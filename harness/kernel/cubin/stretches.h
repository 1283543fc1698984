// Machine code cut into stretches that run from their first to their last instruction, and how
// often a warp runs each, from how often it ran the lines of the PTX.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "harness/kernel/cubin/cubin.h"

namespace lab::cubin {

/// How often a warp executed the instructions of a PTX line, on average.
using LineTimes = std::map<std::uint32_t, double>;

struct Stretch {
  std::size_t first = 0;  ///< index into Function::code
  std::size_t last = 0;
  double times = 0;           ///< per warp, on average
  bool in_loop = false;       ///< some jump from it or from behind it leads back to it or before it
  std::size_t loop_last = 0;  ///< of a loop's head: the stretch that jumps back to it; else 0
  bool is_head = false;       ///< of a loop
};

/// The stretches that the function's first instruction leads to, in order of pc.
///
/// A stretch belongs to the lines of its instructions. A loop that ptxas unrolled has several
/// copies of a line, of one opcode, in one stretch, and a loop for the rest has one more: the
/// largest number of copies is taken first. Of the lines of a stretch in a loop the median counts,
/// since single instructions are moved from loop to loop: of those that a warp issues each time
/// that it comes by, as an if's body under a predicate is issued where no lane is in it. Outside
/// loops a warp executes a line at most once.
[[nodiscard]] std::vector<Stretch> stretches(const Function& function, const LineTimes& times);

/// Instructions that a warp issues, as the lines of the PTX tell: each line's executions, times the
/// instructions of one of its copies. It needs no path through the code, so that it holds where
/// one was lost.
[[nodiscard]] double instructions_of_lines(const Function& function, const LineTimes& times);

}  // namespace lab::cubin
