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

/// The blocks to look at: at most twelve, over the whole grid and away from the steps of its
/// patterns, each with its neighbours along x and y, so that what two blocks store of one line is
/// seen together. Ascending.
[[nodiscard]] std::vector<std::uint64_t> blocks_to_look_at(const Dim3& grid);

/// Where arrays begin in a page of 4 KiB, which decides how many parts of L2 they lie in. A
/// program's cudaMalloc gives the first small array a page's beginning. Where lab times a lab's
/// kernels, 512 bytes of its own come first.
inline constexpr std::uint64_t kOfPrograms = 0;
inline constexpr std::uint64_t kOfLabs = 512;

/// A few blocks of a launch that ran alone, one after the other.
struct FewBlocks {
  KernelFacts facts;
  GridResult result;  ///< empty where facts are absent
};

/// Runs these blocks alone, until `stopped` says that it has been long enough (empty: never), or
/// for `most` warp instructions (0: for all). Arrays begin so far into a page. Memory is as before,
/// afterwards. `machine` is the kernel's machine code, or null. Nothing is known of kernels whose
/// blocks wait for each other, of blocks that do not come to their end, and where no machine code
/// has lines of the PTX.
[[nodiscard]] FewBlocks few_blocks(const Program& program, const cubin::Function* machine,
                                   const Launch& launch, const GlobalMemory& memory,
                                   const std::function<bool()>& stopped = {},
                                   std::uint64_t most = 0, std::uint64_t begins = kOfPrograms);

/// Their facts, scaled to what the whole launch executed: line by line what a warp runs, and how
/// often the same places are asked for. Nothing is known of the time where the walk through the
/// machine code met less than half, or more than twice, of what the lines of the PTX tell.
[[nodiscard]] KernelFacts facts_of(FewBlocks few, const GridResult& all, const Program& program,
                                   const cubin::Function* machine, const Launch& launch);

}  // namespace lab::model
