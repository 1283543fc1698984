// The facts of a launch's time, from a few of its blocks and its machine code.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/core/kernel_facts.h"
#include "harness/core/launch.h"
#include "harness/kernel/cubin/cubin.h"
#include "harness/model/code/decoded.h"
#include "harness/model/execute/grid.h"
#include "harness/model/memory/memory.h"

namespace lab::model {

/// The blocks to look at: the first, one in the middle (of a large grid) and the last, each with
/// its neighbours along x and y, so that what two blocks store of one line is seen together.
/// Ascending.
[[nodiscard]] std::vector<std::uint64_t> blocks_to_look_at(const Dim3& grid);

/// A few blocks of a launch that ran alone, one after the other.
struct FewBlocks {
  KernelFacts facts;
  GridResult result;  ///< empty where facts are absent
};

/// Runs these blocks alone, until `stopped` says that it has been long enough (empty: never), or
/// for `most` warp instructions (0: for all). Memory is as before, afterwards. `machine` is the
/// kernel's machine code, or null. Nothing is known of kernels whose blocks wait
/// for each other, of blocks that do not come to their end, and where no machine code has lines of
/// the PTX.
[[nodiscard]] FewBlocks few_blocks(const Program& program, const cubin::Function* machine,
                                   const Launch& launch, const GlobalMemory& memory,
                                   const std::function<bool()>& stopped = {},
                                   std::uint64_t most = 0);

/// Their facts, beside what the whole launch executed: nothing is known of the time where these
/// blocks do less than half, or more than twice, of what a block does on average, or where the walk
/// through the machine code lost most of what they executed.
[[nodiscard]] KernelFacts facts_of(FewBlocks few, const GridResult& all, const Launch& launch);

}  // namespace lab::model
