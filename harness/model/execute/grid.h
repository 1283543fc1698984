// Runs a launch: distributes its blocks over the cores.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/model/execute/block.h"

namespace lab::model {

/// Blocks of `launch` that the GPU has room for at once: as many as its multiprocessors have warps,
/// shared memory and places for. Registers, which the program does not tell, may allow fewer.
[[nodiscard]] std::uint64_t blocks_at_once(const Program& program, const Launch& launch);

struct GridOptions {
  int threads = 0;  ///< 0: as many as cores
  /// Where more warp instructions than this are expected, only a sample of the blocks runs, spread
  /// evenly over the grid. 0: all blocks run.
  std::uint64_t sample_above = 0;
  /// Not empty: these blocks run and no others, one after the other; of traffic
  /// `block_reads` alone is counted.
  std::vector<std::uint64_t> only = {};
  /// Every core asks now and then whether the warp instructions that it has run are too many.
  std::function<bool(std::uint64_t)> too_many = {};
  bool longest = false;  ///< each block's longest warp is counted apart, too
  /// Device address of what a grid's barrier uses. Where the program reads it, blocks wait for each
  /// other: all are alive at once, on one core.
  std::uint64_t workspace = 0;
  /// Makes one observer per core. It may return null, which costs nothing.
  std::function<std::unique_ptr<Observer>()> observer = {};
  /// Is told how many warp instructions the launch will probably take, estimated from its first
  /// block. The observers of all cores are made afterwards, and the first block's is replaced.
  std::function<void(std::uint64_t)> estimated = {};
  std::function<bool()> stopped = {};         ///< every core calls it now and then
  std::function<void(double)> progress = {};  ///< on the calling thread; fraction done
  std::function<void(const std::string&)> print = {};
};

struct GridResult {
  std::vector<SiteCounts> sites;       ///< by Program::sites
  std::vector<std::uint64_t> entered;  ///< by Program::blocks: how often warps entered it
  std::vector<std::uint64_t> longest;  ///< the same of the blocks' longest warps; empty: not asked
  std::uint64_t warp_instructions = 0;
  std::uint64_t blocks = 0;       ///< of the grid
  std::uint64_t blocks_run = 0;   ///< less than `blocks` where sampled or stopped
  std::uint64_t sample_step = 1;  ///< 1: every block ran; n: every n-th
  Stop stop = Stop::kRunning;     ///< kRunning: all blocks came to their end
  std::uint32_t stopped_at =
      kNone;  ///< index into Program::code: a warp that was stopped was there
  std::vector<Fault> faults;
  std::uint64_t block_reads = 0;  ///< distinct sectors that each block's loads read, added up
  TouchedSectors touched;         ///< of the whole launch
  int threads = 1;
};

/// Runs `launch` of `program` on `memory`. Counts are the same whatever the number of threads.
[[nodiscard]] GridResult run_grid(const Program& program, const Launch& launch,
                                  const GlobalMemory& memory, const GridOptions& options);

}  // namespace lab::model
