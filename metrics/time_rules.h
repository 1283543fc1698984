// The numbers of the rules of time that no calibration has yet, each with what it was read from.
#pragma once

#include <string_view>

namespace lab::metrics::rule {

// All are of an H200, by `lab calibrate` where nothing else is said; cycles are taken to hold for
// its chip, rates to scale with SMs and clock.

/// ns between the events around a launch that does nothing, as the middle of 31. (The ceiling
/// `launch`, 3903 ns, has the host's work in it.)
inline constexpr double kEmptyLaunchNs = 2720;
/// The same as Nsight Compute times the kernel by itself: 1600 to 2100.
inline constexpr double kEmptyKernelNs = 1850;
/// Cycles of an SM between the starts of two blocks: of an empty kernel 156 to 160 for blocks of 32
/// to 512 threads, 179 for 1024; so it is per block.
inline constexpr double kBlockStart = 157;
/// Cycles from the start of a block that does nothing and has its SM for itself to the next one's.
inline constexpr double kBlockLife = 301;
/// Of a barrier of eight warps, from the last one's arrival: 17 + 2 per warp (loops of 1000
/// barriers take 17, 24, 33, 47 and 81 cycles each with blocks of 1, 4, 8, 16 and 32 warps).
inline constexpr double kBarrier = 30;
inline constexpr double kBarrierHalf = 0.5;    ///< the part of it that is any block's
inline constexpr double kBarrierPerWarp = 16;  ///< warps that add as much as that of eight
/// Times that hide behind each other add up as (a^p + b^p + ...)^(1/p): p is infinite where the
/// longest hides all others, 1 where none hides. With 3.5
/// the rules come nearest to the copies of tests/bench/places, by 1 to 8 blocks per SM.
inline constexpr double kOverlap = 3.5;
/// Lines and sectors per ns that L2 takes where sectors are stored in part.
inline constexpr double kPartLines = 66;
inline constexpr double kPartSectors = 104;
/// Lines per ns of which L2 sends one sector each, to loads past L1: four calibrations 108 to 134.
inline constexpr double kLoadLines = 121;
/// ns of a 64-bit share of the DRAM bus per line that leaves L2 written in part: 25.4 lines per ns.
inline constexpr double kDirtyLineNs = 3.7;
/// ns per operation on one address, or one sector, whatever the number of lanes.
inline constexpr double kFloatAddNs = 1.755;
inline constexpr double kIntegerAddNs = 0.733;
/// Operations per ns on all addresses together, where the lanes of a warp share one.
inline constexpr double kAtomics = 102;
/// ns per load of a line past L1 that one part of L2 takes (HotFacts::loads). tests/bench/places:
/// of one line 0.32 per load, of two the same, of 3 and 4 and of 6 and 8 0.22 and 0.17, of 16 at
/// most 0.1.
inline constexpr double kPartNs = 0.32;
/// ns per plain store to one sector. tests/bench/places gets 0.11 where the lanes of a warp store
/// to eight words, 0.15 where one lane does, 0.24 where 32 store to one word, 0.36 where they
/// loaded their numbers first.
inline constexpr double kStoreNs = 0.3;
/// Share of L2 in which a launch finds again what the one before left: each half of the chip keeps
/// copies of its own.
inline constexpr double kKept = 0.725;
/// Share of L2 that is not in DRAM yet where much was put back before a launch: it leaves while the
/// launch runs (DRAM's writes are 20 to 40 MB more then than in a loop without that).
inline constexpr double kDirtyOfL2 = 0.3;
/// Cycles more of L2 for what was just written: it lies in the half of the chip that its address
/// says, and half of the SMs are at the other.
inline constexpr double kFreshCycles = 180;
/// How much longer the slowest line of a load of 32 takes than one alone: they lie in near and far
/// parts of L2 (chains of such loads: 394 cycles each, and 334 of one lane's), or in as many places
/// of DRAM (1137 and 700).
inline constexpr double kSlowestLine = 0.2;
inline constexpr double kSlowestPlace = 0.65;
/// Lines that L2 sends one sector of: those of loads at random come faster than those past L1 at
/// regular strides, of which the ceiling is (4 million from 16 MB: 141 per ns).
inline constexpr double kAtRandom = 1.2;
/// Cycles that an atomic in L2 takes longer than a load, where its result is waited for, and one in
/// shared memory (chains of atomics beside chains of loads: 540 and 334, 41 and 30).
inline constexpr double kGlobalAtomic = 205;
inline constexpr double kSharedAtomic = 12;
/// Share of the rate of atomics that those with a result reach, on all addresses.
inline constexpr double kWithResult = 0.62;
/// How much longer DRAM takes for pieces of lines of a load that roams over more than L2 keeps:
/// each opens a row.
inline constexpr double kScattered = 0.8;
/// What L1 holds of global memory, of 256 KiB.
inline constexpr double kL1Bytes = 192 * 1024;
/// Cycles of a stored line in L1: 64 bytes leave it per cycle. Sectors that arrive per cycle.
inline constexpr double kStoredLine = 2;
inline constexpr double kFillSectors = 2;
/// Instructions of a warp per SM and cycle (CUDA C++ Programming Guide, "Throughput of Native
/// Arithmetic Instructions": results per cycle and SM of 64-bit additions and multiplications, and
/// of special functions, of 32 lanes each).
inline constexpr double kSpecial = 16.0 / 32;
struct Fp64Rate {
  std::string_view arch;
  double rate;
};
inline constexpr Fp64Rate kFp64[] = {
    {"sm_80", 32.0 / 32}, {"sm_90", 64.0 / 32}, {"sm_100", 64.0 / 32}};
inline constexpr double kFp64OfOthers = 2.0 / 32;  ///< 7.5, 8.6, 8.9, 12.0
// What stands in for a calibration. Of the rate of its memory's pins an H200 reaches 92 % reading,
// 90 % writing and 89 % copying, an H100 92, 95 and 85 %: the mean of both.
inline constexpr double kReadOfPins = 0.92;
inline constexpr double kWriteOfPins = 0.93;
inline constexpr double kCopyOfPins = 0.87;
// The rest is an H200's, scaled by clock, SMs and bus (kernel_time.cpp).
inline constexpr double kSms = 132;
inline constexpr double kClockNs = 1 / 1.98;
inline constexpr double kL2BytesPerSmCycle = 27.7;  ///< 7243 GB/s on 132 SMs at 1.98 GHz
inline constexpr double kL2Sectors = kL2BytesPerSmCycle * kSms / kClockNs / 32;
inline constexpr double kSharedLatency = 23.03;
inline constexpr double kL1Latency = 32.02;
inline constexpr double kL2Latency = 280.2;
inline constexpr double kDramLatency = 658.3;
inline constexpr double kBusBits = 6016;

}  // namespace lab::metrics::rule
