// The race rule on hand-written interleavings. Each hazard is tried in both orders: what is found
// may not depend on the schedule.
#include "harness/model/check/races.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace lab::model::check {
namespace {

/// A block of three warps; instruction numbers tell accesses apart.
class Races : public testing::Test {
 protected:
  Races() { races.clocks.begin(); }

  Access by(unsigned warp, unsigned lane, std::uint32_t where) {
    return {where, ++serial, static_cast<std::uint8_t>(warp), static_cast<std::uint8_t>(lane)};
  }
  auto read(unsigned warp, unsigned lane, std::uint32_t where, std::uint64_t at = 0) {
    return races.read(at, by(warp, lane, where));
  }
  auto write(unsigned warp, unsigned lane, std::uint32_t where, std::uint64_t at = 0) {
    return races.write(at, by(warp, lane, where), false);
  }
  auto atomic(unsigned warp, unsigned lane, std::uint32_t where) {
    return races.write(0, by(warp, lane, where), true);
  }
  void syncthreads() { races.clocks.barrier(0b111, 0b111); }

  SharedRaces races{64, 4};
  std::uint32_t serial = 0;
};

TEST_F(Races, WriteAndReadOfTwoWarps) {
  EXPECT_FALSE(write(0, 0, 1));
  const auto race = read(1, 0, 2);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other.where, 1U);
  EXPECT_EQ(race->other.warp, 0);
  EXPECT_TRUE(race->other_writes);
  EXPECT_FALSE(race->same_warp);
}

TEST_F(Races, ReadAndWriteOfTwoWarps) {
  EXPECT_FALSE(read(1, 0, 2));
  const auto race = write(0, 0, 1);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other.where, 2U);
  EXPECT_FALSE(race->other_writes);
}

TEST_F(Races, TwoWritesOfTwoWarps) {
  EXPECT_FALSE(write(0, 3, 1));
  EXPECT_TRUE(write(1, 3, 2));
}

TEST_F(Races, ReadsAloneNeverRace) {
  EXPECT_FALSE(read(0, 0, 1));
  EXPECT_FALSE(read(1, 0, 1));
  EXPECT_FALSE(read(2, 5, 1));
}

TEST_F(Races, OtherLocationsDoNotMatter) {
  EXPECT_FALSE(write(0, 0, 1, 3));
  EXPECT_FALSE(read(1, 0, 2, 4));
}

TEST_F(Races, BarriersOrder) {
  EXPECT_FALSE(write(0, 0, 1));
  syncthreads();
  EXPECT_FALSE(read(1, 0, 2));
  EXPECT_FALSE(read(2, 0, 2));
  syncthreads();
  EXPECT_FALSE(write(1, 0, 3));
  syncthreads();
  EXPECT_FALSE(write(2, 0, 3));
  EXPECT_TRUE(read(0, 0, 4));  // of warp 2's write, after the last barrier
}

TEST_F(Races, AWriterAmongItsOwnReadersIsFoundBehindThem) {
  // Warps 0 and 1 read, warp 1 then writes: the race is with warp 0 although warp 1 read last.
  EXPECT_FALSE(read(0, 0, 1));
  EXPECT_FALSE(read(1, 0, 1));
  const auto race = write(1, 0, 2);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other.warp, 0);
}

TEST_F(Races, ReadersOfEarlierEpochsMakeRoom) {
  EXPECT_FALSE(read(0, 0, 1));
  EXPECT_FALSE(read(1, 0, 1));
  syncthreads();
  EXPECT_FALSE(read(2, 0, 1));  // takes the place of one that is ordered
  const auto race = write(0, 0, 2);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other.warp, 2);
}

TEST_F(Races, BarriersOfSomeWarpsOrderThoseAlone) {
  EXPECT_FALSE(write(0, 0, 1));
  races.clocks.barrier(0b011, 0b011);  // warps 0 and 1
  EXPECT_FALSE(read(1, 0, 2));
  EXPECT_TRUE(read(2, 0, 2));
}

TEST_F(Races, WhoArrivesWithoutWaitingIsSeenButSeesNothing) {
  // bar.arrive of warp 0, bar.sync of warp 1.
  EXPECT_FALSE(write(0, 0, 1, 0));
  EXPECT_FALSE(write(1, 0, 1, 1));
  races.clocks.barrier(0b011, 0b010);
  EXPECT_FALSE(read(1, 0, 2, 0));
  EXPECT_TRUE(read(0, 0, 2, 1));
}

TEST_F(Races, OrderIsHandedOnThroughAThirdWarp) {
  EXPECT_FALSE(write(0, 0, 1));
  races.clocks.barrier(0b011, 0b011);
  races.clocks.barrier(0b110, 0b110);
  EXPECT_FALSE(read(2, 0, 2));
}

TEST_F(Races, AtomicsRaceWithPlainAccessesOnly) {
  EXPECT_FALSE(atomic(0, 0, 1));
  EXPECT_FALSE(atomic(1, 0, 1));
  EXPECT_FALSE(atomic(1, 7, 1));
  EXPECT_TRUE(read(2, 0, 2));
  syncthreads();
  EXPECT_FALSE(write(0, 0, 3));
  EXPECT_TRUE(atomic(1, 0, 1));
}

TEST_F(Races, LanesOfOneWarpNeedSyncwarp) {
  EXPECT_FALSE(write(0, 4, 1));
  EXPECT_FALSE(read(0, 4, 2));  // the thread's own value
  const auto race = read(0, 5, 2);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->same_warp);
  races.clocks.advance(0);  // __syncwarp()
  EXPECT_FALSE(read(0, 6, 2));
}

TEST_F(Races, LanesOfOneWarpReadThenWrite) {
  EXPECT_FALSE(read(0, 4, 1));
  EXPECT_FALSE(write(0, 4, 2));  // only its own reader
  EXPECT_FALSE(read(0, 4, 3));
  races.clocks.advance(0);
  EXPECT_FALSE(read(0, 4, 1));
  EXPECT_FALSE(read(0, 5, 1));
  const auto race = write(0, 4, 2);  // lane 5 may still be about to read
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->same_warp);
}

TEST_F(Races, SyncwarpOfSomeLanesOrdersThoseAlone) {
  EXPECT_FALSE(write(0, 4, 1));
  races.clocks.advance(0, 0x00ff);  // lanes 0 .. 7
  EXPECT_FALSE(read(0, 5, 2));
  EXPECT_TRUE(read(0, 9, 3));
  // A second one hands on what the first made known: 5 tells 9 of 4's write.
  races.clocks.advance(0, 0x0220);  // lanes 5 and 9
  EXPECT_FALSE(read(0, 9, 4));
  EXPECT_TRUE(read(0, 12, 5));
  races.clocks.advance(0);
  EXPECT_FALSE(read(0, 12, 6));
}

TEST_F(Races, SyncwarpOfTheOthersOrdersNothing) {
  EXPECT_FALSE(read(0, 4, 1));
  EXPECT_FALSE(read(0, 20, 1));
  races.clocks.advance(0, 0xffff0000);
  const auto race = write(0, 20, 2);  // lane 4 may still be about to read
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other.lane, 4);
}

TEST_F(Races, WhatLanesKnewIsForgottenWithTheBlock) {
  EXPECT_FALSE(write(0, 4, 1));
  races.clocks.advance(0, 0x00ff);
  races.clocks.begin();
  EXPECT_FALSE(write(0, 4, 1));
  EXPECT_TRUE(read(0, 5, 2));
}

TEST_F(Races, SyncwarpDoesNotOrderOtherWarps) {
  EXPECT_FALSE(write(0, 0, 1));
  races.clocks.advance(0);
  races.clocks.advance(1);
  EXPECT_TRUE(read(1, 0, 2));
}

TEST_F(Races, ANewBlockKnowsNothingOfTheLast) {
  EXPECT_FALSE(write(0, 0, 1));
  races.clocks.begin();
  EXPECT_FALSE(read(1, 0, 2));
  EXPECT_TRUE(write(2, 0, 3));
}

TEST_F(Races, BeginningAgainOutrunsEveryTick) {
  // A warp that synchronised often has the highest tick; the next block begins above it.
  for (int i = 0; i < 100; ++i) races.clocks.advance(2);
  EXPECT_FALSE(write(2, 0, 1));
  races.clocks.begin();
  EXPECT_FALSE(read(0, 0, 2));
}

}  // namespace
}  // namespace lab::model::check
