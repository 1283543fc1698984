#include "harness/gpu/machine/occupancy.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace lab::gpu {
namespace {

// Compute capability 9.0 (CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability"): 2048 threads = 64 warps, 32 blocks, 65536 registers and 228 KiB of shared memory
// an SM, 227 KiB a block with opt-in, 1 KiB of it reserved.
SmLimits hopper() {
  SmLimits limits;
  limits.major = 9;
  limits.minor = 0;
  limits.sms = 132;
  limits.threads_per_sm = 2048;
  limits.threads_per_block = 1024;
  limits.registers_per_sm = 65536;
  limits.registers_per_block = 65536;
  limits.shared_bytes_per_sm = 233472;
  limits.shared_bytes_per_block = 49152;
  limits.shared_bytes_per_block_optin = 232448;
  limits.reserved_shared_bytes_per_block = 1024;
  return limits;
}

KernelResources kernel(int registers, int shared) {
  KernelResources out;
  out.registers_per_thread = registers;
  out.static_shared_bytes = shared;
  out.max_threads_per_block = 1024;
  return out;
}

Launch launch(std::uint32_t blocks, std::uint32_t threads, std::uint32_t shared = 0) {
  return {{blocks}, {threads}, shared};
}

TEST(Occupancy, WarpsLimitAKernelThatNeedsLittle) {
  // 256 threads = 8 warps; 64 / 8 = 8 blocks. Registers: 32 x 32 lanes = 1024 a warp, 64 warps.
  const Occupancy found = occupancy(hopper(), kernel(32, 0), launch(2112, 256));
  EXPECT_EQ(found.blocks_per_sm, 8);
  EXPECT_EQ(found.warps_per_sm, 64);
  EXPECT_DOUBLE_EQ(found.fraction, 1.0);
  EXPECT_EQ(found.limiter, "warps, registers");
  // 2112 blocks / (8 x 132) = 2.
  EXPECT_DOUBLE_EQ(found.waves, 2.0);
}

TEST(Occupancy, RegistersLimit) {
  // 128 registers x 32 lanes = 4096 a warp; 65536 / 4096 = 16 warps = 2 blocks of 8.
  const Occupancy found = occupancy(hopper(), kernel(128, 0), launch(132, 256));
  EXPECT_EQ(found.blocks_per_sm, 2);
  EXPECT_EQ(found.warps_per_sm, 16);
  EXPECT_DOUBLE_EQ(found.fraction, 0.25);
  EXPECT_EQ(found.limiter, "registers");
  EXPECT_DOUBLE_EQ(found.waves, 0.5);
}

TEST(Occupancy, SharedMemoryLimitsWithWhatTheSystemReserves) {
  // 64 KiB + 1 KiB reserved a block: 228 / 65 = 3 blocks of 4 warps.
  const Occupancy found = occupancy(hopper(), kernel(32, 0), launch(396, 128, 65536));
  EXPECT_EQ(found.blocks_per_sm, 3);
  EXPECT_EQ(found.warps_per_sm, 12);
  EXPECT_EQ(found.limiter, "shared memory");
  EXPECT_DOUBLE_EQ(found.waves, 1.0);
}

TEST(Occupancy, BlocksLimitSmallBlocks) {
  // 32 blocks of one warp: half of the 64 warps.
  const Occupancy found = occupancy(hopper(), kernel(16, 0), launch(1, 32));
  EXPECT_EQ(found.blocks_per_sm, 32);
  EXPECT_DOUBLE_EQ(found.fraction, 0.5);
  EXPECT_EQ(found.limiter, "blocks");
}

TEST(Occupancy, AnUnknownCapabilityIsAnError) {
  SmLimits limits = hopper();
  limits.major = 42;
  EXPECT_THROW((void)occupancy(limits, kernel(32, 0), launch(1, 32)), Error);
}

TEST(Refusal, NamesTheLimitThatALaunchExceeds) {
  EXPECT_EQ(refusal(hopper(), kernel(32, 0), launch(1, 1025)),
            "1025 threads per block; this GPU allows 1024");
  KernelResources fat = kernel(255, 0);
  fat.max_threads_per_block = 256;
  EXPECT_EQ(refusal(hopper(), fat, launch(1, 512)),
            "512 threads per block; with 255 registers per thread this kernel allows 256");
  EXPECT_EQ(refusal(hopper(), kernel(32, 1024), launch(1, 32, 232000)),
            "233024 bytes of shared memory per block; this GPU allows 232448");
  Launch tall = launch(1, 32);
  tall.grid.y = 65536;
  EXPECT_EQ(refusal(hopper(), kernel(32, 0), tall),
            "a grid of 1 x 65536 x 1 blocks; at most 2147483647 x 65535 x 65535 are allowed");
  EXPECT_EQ(refusal(hopper(), kernel(32, 1024), launch(1, 1024, 200000)), std::nullopt);
}

double value_of(const CaseRecord& record, const std::string& key) {
  for (const Observation& observation : record.observations) {
    if (observation.metric == key) return observation.number();
  }
  return -1;
}

TEST(LaunchFacts, RecordsWhatTheKernelTakes) {
  CaseRecord record;
  record.launch = launch(396, 128, 65536);
  record_launch_facts(hopper(), kernel(40, 512), 3, {}, record);
  EXPECT_EQ(record.notes.registers_per_thread, "40");
  EXPECT_EQ(record.notes.shared_static_bytes, "512");
  EXPECT_EQ(record.notes.shared_dynamic_bytes, "65536");
  EXPECT_EQ(record.notes.shared_reserved_bytes, "1024");
  EXPECT_EQ(record.notes.occupancy_limiter, "shared memory");
  EXPECT_EQ(record.facts.carveout, CaseFacts::kDriversChoice);
  // 512 static + 65536 dynamic + 1024 reserved.
  EXPECT_EQ(value_of(record, "shared_bytes_per_block"), 67072);
  // 3 blocks x 4 warps of 64.
  EXPECT_EQ(value_of(record, "theoretical_occupancy"), 0.1875);
}

TEST(LaunchFacts, TheDriversCountOfBlocksWins) {
  CaseRecord record;
  record.launch = launch(264, 256);
  record_launch_facts(hopper(), kernel(32, 0), 4, 25, record);
  // 4 blocks x 8 warps of 64, against the calculator's 8 blocks.
  EXPECT_EQ(value_of(record, "theoretical_occupancy"), 0.5);
  EXPECT_EQ(record.facts.blocks_per_sm, 4);
  EXPECT_EQ(record.notes.waves, "0.50");
  EXPECT_EQ(record.facts.carveout, 25);
}

}  // namespace
}  // namespace lab::gpu
