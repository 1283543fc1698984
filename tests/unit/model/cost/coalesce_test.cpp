#include "harness/model/cost/rules.h"

#include <gtest/gtest.h>

namespace lab::model {
namespace {

/// Lane i reads `bytes` at base + i * stride.
WarpAccess strided(std::uint64_t base, std::uint64_t stride, std::uint32_t bytes,
                   std::uint32_t mask = kAllLanes) {
  WarpAccess access;
  access.mask = mask;
  access.bytes = bytes;
  for (unsigned lane = 0; lane < kLanes; ++lane) access.address[lane] = base + lane * stride;
  return access;
}

TEST(Coalesce, ContiguousFloatsTakeFourSectorsOfOneLine) {
  const WarpAccess access = strided(0, 4, 4);  // bytes 0..127
  EXPECT_EQ(sectors(access), 4U);              // 128 / 32
  EXPECT_EQ(lines(access), 1U);                // 128 / 128
  EXPECT_EQ(distinct_bytes(access), 128U);
}

TEST(Coalesce, AnOffsetOfOneElementTakesOneSectorMore) {
  const WarpAccess access = strided(4, 4, 4);  // bytes 4..131: sectors 0..4, lines 0 and 1
  EXPECT_EQ(sectors(access), 5U);
  EXPECT_EQ(lines(access), 2U);
  EXPECT_EQ(distinct_bytes(access), 128U);
}

TEST(Coalesce, WideAccessesAreOneRequest) {
  const WarpAccess access = strided(0, 16, 16);  // 512 bytes
  EXPECT_EQ(sectors(access), 16U);
  EXPECT_EQ(lines(access), 4U);
  EXPECT_EQ(distinct_bytes(access), 512U);
}

TEST(Coalesce, OneAddressIsOneSectorAndFourBytes) {
  const WarpAccess access = strided(64, 0, 4);
  EXPECT_EQ(sectors(access), 1U);
  EXPECT_EQ(lines(access), 1U);
  EXPECT_EQ(distinct_bytes(access), 4U);
  EXPECT_EQ(atomic_sectors(access), 32U);  // 32 lanes on one address
}

TEST(Coalesce, LocalWordsOfNeighbouringLanesLieSideBySide) {
  EXPECT_EQ(local_sectors(strided(8, 0, 4)), 4U);         // 32 words
  EXPECT_EQ(local_sectors(strided(8, 0, 8)), 8U);         // two rows of them
  EXPECT_EQ(local_sectors(strided(9, 0, 1)), 4U);         // a byte of each word
  EXPECT_EQ(local_sectors(strided(8, 0, 4, 0x101)), 2U);  // lanes 0 and 8
  EXPECT_EQ(local_sectors(strided(8, 4, 4)), 32U);        // each lane another word
}

TEST(Coalesce, AnyTwoLanesThatAreEqualAreFound) {
  std::array<std::uint32_t, kLanes> numbers{};
  for (unsigned i = 0; i < kLanes; ++i) numbers[i] = i * 7;
  EXPECT_TRUE(all_differ(numbers));
  for (unsigned a = 0; a < kLanes; ++a) {
    for (unsigned b = a + 1; b < kLanes; ++b) {
      auto pair = numbers;
      pair[a] = pair[b];
      EXPECT_FALSE(all_differ(pair)) << a << ' ' << b;
    }
  }
}

TEST(Coalesce, AllThreeTogetherAreTheSameAsEachAlone) {
  std::uint64_t state = 1;
  // From lanes that share most lines to lanes that share none, in every width.
  for (const std::uint64_t reach : {64U, 512U, 4096U, 1U << 20}) {
    for (std::uint32_t bytes = 1; bytes <= 32; bytes *= 2) {
      WarpAccess access = strided(0, 0, bytes, 0xfff5ffffU);
      for (std::uint64_t& address : access.address) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        address = (state >> 33U) % reach * bytes;
      }
      EXPECT_EQ(coverage(access),
                (Coverage{sectors(access), lines(access), distinct_bytes(access)}))
          << reach << ' ' << bytes;
    }
  }
}

TEST(Coalesce, InactiveLanesCostNothing) {
  // Lanes 0 and 31 of a stride of 128 bytes: two sectors in two lines.
  const WarpAccess access = strided(0, 128, 4, 0x80000001U);
  EXPECT_EQ(sectors(access), 2U);
  EXPECT_EQ(lines(access), 2U);
  EXPECT_EQ(distinct_bytes(access), 8U);
  EXPECT_EQ(atomic_sectors(access), 2U);
  EXPECT_EQ(sectors(strided(0, 4, 4, 0)), 0U);
  EXPECT_EQ(distinct_bytes(strided(0, 4, 4, 0)), 0U);
}

TEST(Coalesce, OverlappingBytesCountOnce) {
  // 4-byte reads at 0, 2, 4, ... 62 would be misaligned on a GPU; the count is still of bytes:
  // 0..65.
  EXPECT_EQ(distinct_bytes(strided(0, 2, 4)), 66U);
}

TEST(Coalesce, AtomicsPayForTheMostContendedAddressOfEachSector) {
  // Lanes 0..7 on byte 0, lanes 8..10 on byte 4 (same sector: largest is 8), the rest (21 lanes) on
  // byte 32 (a sector of its own): 8 + 21.
  WarpAccess access = strided(0, 0, 4);
  for (unsigned lane = 8; lane < kLanes; ++lane) access.address[lane] = lane < 11 ? 4 : 32;
  EXPECT_EQ(atomic_sectors(access), 29U);
}

}  // namespace
}  // namespace lab::model
