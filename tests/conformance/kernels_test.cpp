// Kernels with known results and known costs. What a comment derives is of the source; where the
// compiler may choose, the test says what it chose.
#include <cmath>
#include <numeric>

#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

class Kernels : public Suite {
 protected:
  Kernels() : Suite("kernels.cu") {}
};
INSTANTIATE_TEST_SUITE_P(Backends, Kernels, backends(), backend_name);

TEST_P(Kernels, StridedLoadsTouchASectorAnElementFromEightOn) {
  for (const int stride : {1, 2, 3, 8, 33}) {
    const auto got = run("copy_strided", line(4, 128),
                         {out(kF32, 512), in(kF32, 512 * 33), scalar_i32(stride), scalar_i32(0)});
    const auto values = buffer<float>(got, 0);
    for (std::size_t i = 0; i < 512; ++i)
      ASSERT_EQ(values[i], static_cast<float>(i) * static_cast<float>(stride));
    // 16 warps; the 32 elements of one span 31 * stride * 4 + 4 bytes from a multiple of 32 on for
    // these strides up to 8; beyond, each element has a sector of its own.
    const int sectors = stride >= 8 ? 32 : (31 * stride * 4) / 32 + 1;
    EXPECT_EQ(value(got, "global_load_requests"), 16) << stride;
    EXPECT_EQ(value(got, "global_load_sectors"), 16 * sectors) << stride;
    EXPECT_EQ(value(got, "global_store_sectors"), 16 * 4) << stride;
  }
}

TEST_P(Kernels, AnOffsetCostsASectorAWarp) {
  const auto got = run("copy_strided", line(4, 128),
                       {out(kF32, 512), in(kF32, 600), scalar_i32(1), scalar_i32(1)});
  EXPECT_EQ(value(got, "global_load_sectors"), 16 * 5);
}

TEST_P(Kernels, SixteenBytesALaneAreOneRequest) {
  const auto got = run("copy_float4", line(2, 64), {out(kF32, 512), in(kF32, 512)});
  const auto values = buffer<float>(got, 0);
  for (std::size_t i = 0; i < 512; ++i) ASSERT_EQ(values[i], static_cast<float>(i));
  // 4 warps of 512 bytes: 16 sectors each.
  EXPECT_EQ(value(got, "global_load_requests"), 4);
  EXPECT_EQ(value(got, "global_load_sectors"), 64);
  EXPECT_EQ(value(got, "global_store_sectors"), 64);
}

TEST_P(Kernels, PartialWarpsAndEarlyReturnsAskForLess) {
  // 75 bytes, blocks of 50 threads (two warps of 32 and 18 lanes). Block 0: bytes 0..31 and
  // 32..49; block 1: bytes 50..74 in its first warp (25 lanes), nothing in its second.
  const auto got = run("copy_bytes", line(2, 50),
                       {out(ElementType::kU8, 75), in(ElementType::kU8, 75), scalar_i32(75)});
  const auto values = buffer<std::uint8_t>(got, 0);
  for (std::size_t i = 0; i < 75; ++i) ASSERT_EQ(values[i], i);
  EXPECT_EQ(value(got, "global_load_requests"), 3);
  // Sector 0; sector 1; sectors 1 and 2.
  EXPECT_EQ(value(got, "global_load_sectors"), 4);
}

TEST_P(Kernels, SharedStridesConflictByTheirPowerOfTwo) {
  for (const int stride : {1, 2, 3, 4, 8, 16, 31, 32}) {
    const auto got = run("bank_stride", line(1, 32), {out(kU32, 32), scalar_i32(stride)});
    const auto values = buffer<std::uint32_t>(got, 0);
    for (std::uint32_t i = 0; i < 32; ++i) {
      ASSERT_EQ(values[i], i * static_cast<std::uint32_t>(stride));
    }
    // gcd(stride, 32) lanes share a bank.
    const int ways = static_cast<int>(std::gcd(stride, 32));
    EXPECT_EQ(value(got, "shared_load_requests"), 1) << stride;
    EXPECT_EQ(value(got, "shared_load_wavefronts_sass"), ways) << stride;
    EXPECT_EQ(value(got, "shared_store_wavefronts_sass"), 32) << stride;
  }
}

TEST_P(Kernels, PaddingEndsTheConflictsOfATranspose) {
  const Launch tiles{{2, 2, 1}, {32, 8, 1}, 0};
  for (const bool padded : {false, true}) {
    const auto got = run(padded ? "transpose_padded" : "transpose_plain", tiles,
                         {out(kF32, 4096), in(kF32, 4096), scalar_i32(64)});
    const auto values = buffer<float>(got, 0);
    for (std::size_t y = 0; y < 64; ++y) {
      for (std::size_t x = 0; x < 64; ++x) {
        ASSERT_EQ(values[y * 64 + x], static_cast<float>(x * 64 + y));
      }
    }
    // 4 blocks of 8 warps, 4 rows each: 128 of every access. A column of 32 words of one bank: 32
    // wavefronts; with a pitch of 33 one.
    EXPECT_EQ(value(got, "shared_store_wavefronts_sass"), 128);
    EXPECT_EQ(value(got, "shared_load_wavefronts_sass"), padded ? 128 : 128 * 32);
    EXPECT_EQ(value(got, "global_load_sectors"), 128 * 4);
    EXPECT_EQ(value(got, "global_store_sectors"), 128 * 4);
  }
}

TEST_P(Kernels, TheCompilerMergesTheSharedLoadsOfAProduct) {
  const Launch tiles{{2, 2, 1}, {32, 32, 1}, 0};
  const BufferSpec a{"a", kF32, 4096, Direction::kIn, {Fill::Kind::kOnes}};
  const BufferSpec b{"b", kF32, 4096, Direction::kIn, {Fill::Kind::kIota}};
  const auto args = std::vector<ArgSpec>{out(kF32, 4096), a, b, scalar_i32(64)};
  const auto got = run("multiply", tiles, args);
  const auto values = buffer<float>(got, 0);
  // Column sums of 0..4095 in rows of 64: sum over k of 64 k + x = 64 * 2016 + 64 x, exact.
  for (std::size_t i = 0; i < 4096; ++i) {
    ASSERT_EQ(values[i], static_cast<float>(64 * 2016 + 64 * (i % 64)));
  }
  // 4 blocks x 32 warps x 2 tiles = 256 turns of 64 loads in the source; the machine code has 32
  // loads of one word (of bs) and 8 of four (of a row of as).
  EXPECT_EQ(value(got, "shared_load_requests"), 256 * 40);
  // A word each by all lanes from one row: no conflict, 1 wavefront. A row of as is read by all
  // lanes at one address: quarter warps merge in pairs, 2 wavefronts by the SASS rule.
  EXPECT_EQ(value(got, "shared_load_wavefronts_sass"), 256 * (32 + 8 * 2));
  if (on_gpu()) return;
  const auto written = run("multiply", tiles, args, AccessLevel::kPtx);
  EXPECT_EQ(value(written, "shared_load_requests"), 256 * 64);
  EXPECT_EQ(value(written, "shared_load_wavefronts_sass"), 256 * 64);
  EXPECT_EQ(written.record.facts.access_level, AccessLevel::kPtx);
  EXPECT_EQ(got.record.facts.access_level, AccessLevel::kSass);
}

TEST_P(Kernels, ConsecutiveSharedStoresBecomeWideOnes) {
  const auto got = run("consecutive_stores", line(1, 32), {out(kU32, 32)});
  const auto values = buffer<std::uint32_t>(got, 0);
  for (std::uint32_t t = 0; t < 32; ++t) {
    const std::uint32_t word = t * 33 % 1024;
    ASSERT_EQ(values[t], word / 32 + word % 32);
  }
  // 8 stores of 16 bytes. Lanes lie 128 bytes apart: the 8 of a quarter all meet in four banks, 8
  // wavefronts a quarter.
  EXPECT_EQ(value(got, "shared_store_requests"), 8);
  EXPECT_EQ(value(got, "shared_store_wavefronts_sass"), 8 * 32);
  if (on_gpu()) return;
  const auto written = run("consecutive_stores", line(1, 32), {out(kU32, 32)}, AccessLevel::kPtx);
  EXPECT_EQ(value(written, "shared_store_requests"), 32);
  EXPECT_EQ(value(written, "shared_store_wavefronts_sass"), 32 * 32);  // all lanes in one bank
}

TEST_P(Kernels, FloatAtomicsOnOneAddressGoLaneByLane) {
  const auto got = run("add_to_one", line(4, 64), {zeros(kF32, 1)});
  EXPECT_EQ(buffer<float>(got, 0)[0], 256.0F);  // exact
  // 8 warps of 32 lanes on one address; the result is not used.
  EXPECT_EQ(value(got, "global_reduction_sectors"), 8 * 32);
}

TEST_P(Kernels, TheCompilerCombinesIntegerAtomicsOnOneAddress) {
  const auto got = run("count_in_one", line(4, 64), {zeros(kU32, 1)});
  EXPECT_EQ(buffer<std::uint32_t>(got, 0)[0], 256U);
  EXPECT_EQ(value(got, "global_reduction_sectors"), 8);  // one lane a warp
}

TEST_P(Kernels, SharedAtomicsCountEveryValue) {
  // in = 0, 1, ... 255: each of 32 bins gets 8; a warp's lanes go to 32 different banks.
  const auto got = run("histogram", line(2, 128), {zeros(kU32, 32, "bins"), in(kU32, 256)});
  for (const std::uint32_t bin : buffer<std::uint32_t>(got, 0)) EXPECT_EQ(bin, 8U);
  EXPECT_EQ(value(got, "shared_atomic_requests"), 8);
}

TEST_P(Kernels, ShufflesAddAWarp) {
  const auto got = run("sum_by_shuffle", line(2, 64), {zeros(kF32, 1), in(kF32, 128)});
  EXPECT_EQ(buffer<float>(got, 0)[0], 127 * 128 / 2.0F);  // exact below 2^24
}

TEST_P(Kernels, VotesMatchesAndReductionsSeeTheWarp) {
  const auto words = buffer<std::uint32_t>(run("warp_words", line(1, 64), {out(kU32, 256)}), 0);
  for (std::uint32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(words[t * 4], 0xaaaaaaaaU);                    // odd lanes
    EXPECT_EQ(words[t * 4 + 1], 0xffU << (t % 32 / 8 * 8));  // eight neighbours
    EXPECT_EQ(words[t * 4 + 2], 31U * 32 / 2);
    EXPECT_EQ(words[t * 4 + 3], 2U);  // any, not all
  }
}

TEST_P(Kernels, VariablesKeepTheirInitialValues) {
  const auto values = buffer<std::int32_t>(run("variables", line(1, 32), {out(kI32, 34)}), 0);
  const int fibonacci[] = {1, 1, 2, 3, 5, 8, 13, 21};
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(values[i], fibonacci[i % 8]);
  EXPECT_EQ(values[32], 40);
  EXPECT_EQ(values[33], 42);
}

TEST_P(Kernels, DynamicSharedMemoryHasTheLaunchsSize) {
  Launch launch = line(1, 96);
  launch.dynamic_shared_bytes = 96 * 4;
  const auto values =
      buffer<std::int32_t>(run("dynamic_reverse", launch, {out(kI32, 96), in(kI32, 96)}), 0);
  for (std::int32_t i = 0; i < 96; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], 95 - i);
}

TEST_P(Kernels, FunctionsLoopForEachLane) {
  const auto steps = buffer<std::int32_t>(run("call_function", line(1, 40), {out(kI32, 40)}), 0);
  EXPECT_EQ(steps[0], -1);
  EXPECT_EQ(steps[1], 0);
  EXPECT_EQ(steps[6], 8);     // 6 3 10 5 16 8 4 2 1
  EXPECT_EQ(steps[27], 111);  // the well-known long one
}

TEST_P(Kernels, LocalArraysBelongToTheirThread) {
  // order[i] = i: sum over odd i of i^2 = 43680 (half of 64 * 63 * 65 / 3 by i = 2 k + 1: 32 * 63 *
  // 65 / 3); then own[threadIdx.x].
  const auto values =
      buffer<std::int32_t>(run("local_array", line(1, 64), {out(kI32, 64), in(kI32, 64)}), 0);
  for (std::int32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(values[static_cast<std::size_t>(t)], 32 * 63 * 65 / 3 + t * t);
  }
}

TEST_P(Kernels, DoublesFollowIeee) {
  const auto values = buffer<double>(run("doubles", line(1, 32), {out(kF64, 32), in(kF64, 32)}), 0);
  for (std::size_t i = 0; i < 32; ++i) {
    const auto x = static_cast<double>(i);
    // The fused product of whole numbers this small has no error to show.
    EXPECT_EQ(values[i], std::sqrt(x) * std::sqrt(x) + 0.0 + x / 4);
  }
}

// The PTX has a loop over two words of k at a time; the machine code has four in one load. For each
// of 16 steps a warp loads 8 words of B one by one, and for each of its eight results the 8 words
// of A in two loads of 16 bytes: 24 loads, where the PTX makes 72.
TEST_P(Kernels, LoadsOfSeveralRoundsAreOneInTheMachineCode) {
  const auto got =
      run("tiled_in_one_dimension", line(1, 512),
          {out(kF32, 4096), in(kF32, 64 * 128), zeros(kF32, 128 * 64, "b"), scalar_i32(128)});
  EXPECT_EQ(value(got, "shared_load_requests"), 16 * 16 * 24);
}

TEST_P(Kernels, ALockLaneByLaneEnds) {
  const auto got = run("lock_each", line(2, 64), {zeros(kI32, 1, "lock"), zeros(kI32, 1)});
  EXPECT_EQ(buffer<std::int32_t>(got, 1)[0], 128);
}

TEST_P(Kernels, PrintfReachesTheRecord) {
  if (on_gpu()) GTEST_SKIP() << "a GPU prints to the worker's own output";
  const auto got = run("speak", line(1, 2), {scalar_i32(7)});
  EXPECT_EQ(got.record.notes.printed, "thread 1 of 7: 1.5 ok\n");
}

}  // namespace
}  // namespace lab::conformance
