// Lanes that speak to each other, atomics, barriers and asynchronous copies, from CUDA source.
#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

class Warps : public Suite {
 protected:
  Warps() : Suite("warps.cu") {}
};
INSTANTIATE_TEST_SUITE_P(Backends, Warps, backends(), backend_name);

TEST_P(Warps, ShufflesOfEveryWidthAndType) {
  const auto values =
      buffer<double>(run("shuffles", line(1, 32), {out(kF64, 256), in(kI32, 32)}), 0);
  for (std::uint32_t t = 0; t < 32; ++t) {
    // in[t] = t. Within a part of 8 lanes the source wraps; a source outside its part is the lane.
    const double expected[] = {5,
                               static_cast<double>(t / 8 * 8 + (t + 1) % 8),
                               static_cast<double>(t < 3 ? t : t - 3),
                               static_cast<double>(t % 4 < 2 ? t : t - 2),
                               static_cast<double>(t + 20 < 32 ? t + 20 : t),
                               0.5 * (t ^ 17U),
                               1099511627776.0 * (t ^ 1U),
                               t < 10 ? 9.0 : -1.0};
    for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(values[t * 8 + k], expected[k]) << t << ' ' << k;
  }
}

TEST_P(Warps, VotesMatchesAndReductionsOfSomeLanesAndOfAll) {
  const auto words = buffer<std::uint32_t>(run("votes", line(1, 32), {out(kU32, 256)}), 0);
  for (std::uint32_t t = 0; t < 32; ++t) {
    const std::uint32_t* mine = &words[t * 8];
    const bool chosen = t % 4 == 1;  // lanes 1, 5, 9, ...: 0x22222222
    EXPECT_EQ(mine[0], chosen ? 0x22222222U : 0U);
    EXPECT_EQ(mine[1], chosen ? 0x22222000U : 0U);  // from 13 on
    EXPECT_EQ(mine[2], chosen ? 3U : 0U);           // 29 is one of them; all are odd
    // Lanes of one remainder by 3: every third bit.
    EXPECT_EQ(mine[3], (0x49249249U << (t % 3)));
    EXPECT_EQ(mine[4], 0xffffffffU + 1U);  // all 0: the mask, and true
    EXPECT_EQ(mine[5], 0U);                // lane 31 has 1
    EXPECT_EQ(mine[6], static_cast<std::uint32_t>(-16));
    // max of t ^ 9 is 31; all have bit 4 and no other in common: 4; bits 2 and 4: 6; 4 ^ 5 ^ 6 = 7.
    EXPECT_EQ(mine[7], 31U + 4000U + 600000U + 70000000U);
  }
}

TEST_P(Warps, EveryAtomicLeavesItsResult) {
  // 200 threads: t = 0 .. 199. Operations whose result depends on the order have the same here.
  const auto got =
      run("atomics", line(4, 50),
          {changed<std::uint32_t>(kU32, {0, 200, 5000, 7, 0, 0, 0xffff, 0, 0, 0, 500, 0, 0}, "u"),
           changed<std::int32_t>(kI32, {0, 100, -1000}, "s"),
           changed<std::uint64_t>(kU64, {1, 0, 0, 0, 0}, "l"), zeros(kF64, 1, "d"),
           zeros(kF32, 3, "f")});
  EXPECT_EQ(buffer<std::uint32_t>(got, 0),
            (std::vector<std::uint32_t>{19900,    // 199 * 200 / 2
                                        0,        // 200 - 200
                                        801,      // 1000 - 199
                                        597,      // 199 * 3
                                        0,        // counts 0 .. 9 and round again: 200 % 10
                                        0,        // 0 -> 9 -> 8 ... -> 0: ten steps, twenty times
                                        0xff00,   // bits 0 .. 7 cleared
                                        0xfffff,  // bits 0 .. 19
                                        0,        // 0 ^ 1 ^ ... ^ 199: 199 % 4 is 3
                                        77, 500,  // no thread is number 500
                                        400, 600}));
  EXPECT_EQ(buffer<std::int32_t>(got, 1), (std::vector<std::int32_t>{-19900, -194, -301}));
  EXPECT_EQ(buffer<std::uint64_t>(got, 2),
            (std::vector<std::uint64_t>{(200ULL << 32U) + 1, 199ULL << 33U, 0ULL - (199ULL << 32U),
                                        ~0ULL, 5ULL << 40U}));
  EXPECT_EQ(buffer<double>(got, 3), std::vector<double>{9950});
  EXPECT_EQ(buffer<float>(got, 4), (std::vector<float>{50, 1.5F, 99.5F}));
}

TEST_P(Warps, CompareAndSwapOfSixteenBitsLeavesTheNeighbour) {
  const auto values =
      buffer<std::uint16_t>(run("sixteen_bits", line(2, 33), {zeros(ElementType::kU16, 3)}), 0);
  // Of 33 threads 17 are even and 16 odd, in two blocks, 3 each.
  EXPECT_EQ(values, (std::vector<std::uint16_t>{102, 96, 0}));
}

TEST_P(Warps, AnAtomicGivesEachThreadAPlaceOfItsOwn) {
  const auto got = run("places", line(4, 64), {zeros(kI32, 128 + 256), zeros(kU32, 1, "next")});
  const auto values = buffer<std::int32_t>(got, 0);
  for (std::size_t i = 0; i < 128; ++i) {
    EXPECT_EQ(values[i], i % 32 < 22 ? 1 : 0) << i;  // 0, 3, ... 63: 22 threads per block
  }
  for (std::size_t i = 128; i < values.size(); ++i) EXPECT_EQ(values[i], 1) << i;
  EXPECT_EQ(buffer<std::uint32_t>(got, 1)[0], 256U);
}

TEST_P(Warps, TheLastBlockSeesWhatTheOthersWrote) {
  const auto got = run("last_block", line(20, 32), {zeros(kI32, 1), out(kI32, 20)});
  EXPECT_EQ(buffer<std::int32_t>(got, 0)[0], 19 * 20 * 39 / 6);  // sum of squares up to 19
}

TEST_P(Warps, BarriersCountTheirThreads) {
  const auto values =
      buffer<std::int32_t>(run("counted_barriers", line(1, 96), {out(kI32, 96)}), 0);
  // 32 of 96 are multiples of 3; all are below 96; one is 95; none is 96.
  for (const std::int32_t each : values) EXPECT_EQ(each, 32 + 1000 + 2000);
}

TEST_P(Warps, NamedBarriersOrderThoseWhoMeetThere) {
  const auto got = run("named_barriers", line(1, 128), {out(kI32, 128)});
  const auto values = buffer<std::int32_t>(got, 0);
  for (std::int32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(values[static_cast<std::size_t>(t)], 63 - t);
    // The first half's values, and the mirror within the second half.
    EXPECT_EQ(values[static_cast<std::size_t>(t + 64)], 1000 + 63 - t + 64 + 63 - t);
  }
  EXPECT_EQ(got.record.findings.size(), 0U);
}

TEST_P(Warps, AsynchronousCopiesArriveInTheirGroups) {
  const auto got = run("copied_ahead", line(1, 32), {out(kI32, 32), in(kI32, 256)});
  const auto values = buffer<std::int32_t>(got, 0);
  for (std::int32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(values[static_cast<std::size_t>(t)], (127 - t) * 1000 + 255 - t);
  }
}

}  // namespace
}  // namespace lab::conformance
