// The race rule on hand-written interleavings. Each hazard is tried in both orders: what is found
// may not depend on the schedule.
#include "harness/model/check/races.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace lab::model::check {
namespace {

/// A block of three warps; instruction numbers tell accesses apart.
class Races : public testing::Test {
 protected:
  Races() { races.begin(3); }

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
  void syncthreads() { races.barrier(0b111, 0b111); }

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
  races.barrier(0b011, 0b011);  // warps 0 and 1
  EXPECT_FALSE(read(1, 0, 2));
  EXPECT_TRUE(read(2, 0, 2));
}

TEST_F(Races, WhoArrivesWithoutWaitingIsSeenButSeesNothing) {
  // bar.arrive of warp 0, bar.sync of warp 1.
  EXPECT_FALSE(write(0, 0, 1, 0));
  EXPECT_FALSE(write(1, 0, 1, 1));
  races.barrier(0b011, 0b010);
  EXPECT_FALSE(read(1, 0, 2, 0));
  EXPECT_TRUE(read(0, 0, 2, 1));
}

TEST_F(Races, OrderIsHandedOnThroughAThirdWarp) {
  EXPECT_FALSE(write(0, 0, 1));
  races.barrier(0b011, 0b011);
  races.barrier(0b110, 0b110);
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
  races.moving_clocks().advance(0);  // __syncwarp()
  EXPECT_FALSE(read(0, 6, 2));
}

TEST_F(Races, LanesOfOneWarpReadThenWrite) {
  EXPECT_FALSE(read(0, 4, 1));
  EXPECT_FALSE(write(0, 4, 2));  // only its own reader
  EXPECT_FALSE(read(0, 4, 3));
  races.moving_clocks().advance(0);
  EXPECT_FALSE(read(0, 4, 1));
  EXPECT_FALSE(read(0, 5, 1));
  const auto race = write(0, 4, 2);  // lane 5 may still be about to read
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->same_warp);
}

TEST_F(Races, SyncwarpOfSomeLanesOrdersThoseAlone) {
  EXPECT_FALSE(write(0, 4, 1));
  races.moving_clocks().advance(0, 0x00ff);  // lanes 0 .. 7
  EXPECT_FALSE(read(0, 5, 2));
  EXPECT_TRUE(read(0, 9, 3));
  // A second one hands on what the first made known: 5 tells 9 of 4's write.
  races.moving_clocks().advance(0, 0x0220);  // lanes 5 and 9
  EXPECT_FALSE(read(0, 9, 4));
  EXPECT_TRUE(read(0, 12, 5));
  races.moving_clocks().advance(0);
  EXPECT_FALSE(read(0, 12, 6));
}

TEST_F(Races, SyncwarpOfTheOthersOrdersNothing) {
  EXPECT_FALSE(read(0, 4, 1));
  EXPECT_FALSE(read(0, 20, 1));
  races.moving_clocks().advance(0, 0xffff0000);
  const auto race = write(0, 20, 2);  // lane 4 may still be about to read
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other.lane, 4);
}

TEST_F(Races, WhatLanesKnewIsForgottenWithTheBlock) {
  EXPECT_FALSE(write(0, 4, 1));
  races.moving_clocks().advance(0, 0x00ff);
  races.begin(3);
  EXPECT_FALSE(write(0, 4, 1));
  EXPECT_TRUE(read(0, 5, 2));
}

TEST_F(Races, SyncwarpDoesNotOrderOtherWarps) {
  EXPECT_FALSE(write(0, 0, 1));
  races.moving_clocks().advance(0);
  races.moving_clocks().advance(1);
  EXPECT_TRUE(read(1, 0, 2));
}

TEST_F(Races, WhatIsWrittenIsForgottenWithTheBlock) {
  EXPECT_FALSE(races.is_written(8));
  write(0, 0, 1, 8);
  EXPECT_TRUE(races.is_written(8));
  EXPECT_FALSE(races.is_written(7) || races.is_written(9));
  races.begin(3);
  EXPECT_FALSE(races.is_written(8));
}

TEST_F(Races, ANewBlockKnowsNothingOfTheLast) {
  EXPECT_FALSE(write(0, 0, 1));
  races.begin(3);
  EXPECT_FALSE(read(1, 0, 2));
  EXPECT_TRUE(write(2, 0, 3));
}

TEST_F(Races, BeginningAgainOutrunsEveryTick) {
  // A warp that synchronised often has the highest tick; the next block begins above it.
  for (int i = 0; i < 100; ++i) races.moving_clocks().advance(2);
  EXPECT_FALSE(write(2, 0, 1));
  races.begin(3);
  EXPECT_FALSE(read(0, 0, 2));
}

// Lane l of 16 reads word l: after two warps have read them, more readers leave nothing behind,
// but where one of the following holds.
class ThirdReader : public Races {
 protected:
  ThirdReader() {
    for (std::uint32_t lane = 0; lane < 16; ++lane) row_.lanes.push_back(1U << lane);
    races.begin(5);
    for (unsigned lane = 0; lane < 16; ++lane) write(0, lane, 1, lane);
    syncthreads();
  }
  void syncthreads() { races.barrier(0b11111, 0b11111); }
  bool read_row(unsigned warp, std::uint32_t where) {
    return races.reads_are_fine(0, row_, {where, ++serial, warp});
  }

 private:
  Places row_{{{0, 16}}, {}, false};
};

TEST_F(ThirdReader, IsFine) {
  for (unsigned warp = 0; warp < 5; ++warp) EXPECT_TRUE(read_row(warp, 2));
  EXPECT_TRUE(write(4, 7, 3, 7));  // with the reads of others
}

TEST_F(ThirdReader, BehindABarrierIsNotedAnew) {
  EXPECT_TRUE(read_row(0, 2));
  EXPECT_TRUE(read_row(1, 2));
  syncthreads();
  EXPECT_TRUE(read_row(2, 3));
  const auto race = write(0, 7, 4, 7);  // only the read by warp 2 is not ordered before
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other.where, 3U);
}

TEST_F(ThirdReader, AfterAWriteIsLookedAtAnew) {
  EXPECT_TRUE(read_row(0, 2));
  EXPECT_TRUE(read_row(1, 2));
  EXPECT_TRUE(write(3, 7, 3, 7));
  EXPECT_FALSE(read_row(2, 4));
}

TEST_F(ThirdReader, WhoReadALocationBeforeIsNotedWithItsOtherLanes) {
  // Warps 3 and 4 stand at word 0, so that warps 0 and 1 find no room there.
  EXPECT_FALSE(read(3, 5, 2));
  EXPECT_FALSE(read(4, 5, 2));
  EXPECT_TRUE(read_row(0, 3));
  EXPECT_TRUE(read_row(1, 3));
  EXPECT_TRUE(read_row(3, 4));  // its lane 0 reads word 0
  // Against lane 0 of the same warp, whichever other read is told first: with warp 4 synchronised.
  races.barrier(0b11111 & ~(1U << 3U), 1U << 3U);
  const auto race = write(3, 5, 5, 0);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->same_warp);
}

TEST_F(ThirdReader, OneOfTheTwoIsNotedAgain) {
  EXPECT_TRUE(read_row(0, 2));
  EXPECT_TRUE(read_row(1, 2));
  races.moving_clocks().advance(0);
  EXPECT_TRUE(read_row(0, 3));  // behind __syncwarp()
  races.barrier(0b11110, 0b00001);
  const auto race = write(0, 5, 4, 0);
  ASSERT_TRUE(race);  // lane 0 has read word 0 since
  EXPECT_EQ(race->other.where, 3U);
}

TEST_F(ThirdReader, WhatIsReadBetweenBarriersIsForgottenBehindThem) {
  for (unsigned warp = 0; warp < 5; ++warp) EXPECT_TRUE(read_row(warp, 2));
  syncthreads();
  EXPECT_FALSE(write(4, 7, 3, 7));
  syncthreads();
  for (unsigned warp = 0; warp < 5; ++warp) EXPECT_TRUE(read_row(warp, 4));
  const auto race = write(4, 8, 5, 8);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other.where, 4U);
}

// However many reads there are: of 10,000 no list is kept.
TEST_F(ThirdReader, OfManyReadsNoneIsLost) {
  EXPECT_TRUE(read_row(3, 2));
  for (int i = 0; i < 10000; ++i) EXPECT_TRUE(read_row(4, 3));
  const auto race = write(4, 7, 4, 7);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other.warp, 3);
  EXPECT_EQ(race->other.where, 2U);
}

// Warp 1 reads after __syncwarp() what others may still write.
TEST_F(ThirdReader, WhatIsReadBeforeASyncwarpIsNotForgotten) {
  EXPECT_TRUE(read_row(0, 2));
  races.moving_clocks().advance(1);
  EXPECT_TRUE(read_row(1, 3));
  EXPECT_TRUE(write(2, 7, 4, 7));
}

// Accesses of whole warps, noted at once where they are fine and one by one where not, against one
// by one always: a race is found at the same accesses.
class AtOnce {
 public:
  void run(int steps) {
    for (auto* races : {&fast_, &slow_}) races->begin(kWarps);
    for (int i = 0; i < 12; ++i) patterns_.push_back(places());
    for (step_ = 0; step_ < steps; ++step_) {
      const auto what = random_() % 16;
      if (what < 12) {
        access();
      } else {
        synchronise(what);
      }
    }
  }
  int at_once = 0;  ///< accesses that were fine
  int found = 0;    ///< accesses with a race

 private:
  static constexpr unsigned kWarps = 5;
  static constexpr std::uint32_t kAll = (1U << kWarps) - 1U;
  static constexpr std::uint32_t kLocations = 96;

  void synchronise(std::uint64_t what) {
    const auto warp = static_cast<unsigned>(random_() % kWarps);
    const auto lanes = static_cast<std::uint32_t>(random_());
    const std::uint32_t others = kAll & ~(1U << warp);
    const std::uint32_t waiting = random_() % 2 == 0 ? others : others & 1U;
    for (auto* races : {&fast_, &slow_}) {
      if (what == 12) races->moving_clocks().advance(warp);
      if (what == 13) races->moving_clocks().advance(warp, lanes);
      if (what == 14) races->barrier(others, waiting);
      if (what == 15) races->barrier(kAll, kAll);
    }
    if (step_ % 64 == 0) {
      for (auto* races : {&fast_, &slow_}) races->begin(kWarps);
    }
  }

  // Lanes of a row, of a column, or all at one location.
  Places places() {
    Places places;
    const auto lane_count = static_cast<std::uint32_t>(1 + random_() % 32);
    const auto kind = random_() % 3;
    for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
      if (kind == 0) {
        places.lanes.push_back(1U << lane);
        places.runs = {{0, lane_count}};
      } else if (kind == 1) {
        places.runs.push_back({2 * lane, 1});
        places.lanes.push_back(1U << lane);
      } else {
        places.runs = {{0, 1}};
        places.lanes = {(places.lanes.empty() ? 0 : places.lanes[0]) | 1U << lane};
        places.shared = lane > 0;
      }
    }
    return places;
  }

  bool one_by_one(SharedRaces& races, std::uint64_t at, const Places& places, bool writes,
                  const Together& who) {
    bool any = false;
    std::size_t next = 0;
    for (const Places::Run& run : places.runs) {
      for (std::uint32_t i = 0; i < run.count; ++i) {
        for (std::uint32_t left = places.lanes[next++], lane = 0; lane < 32; ++lane) {
          if (((left >> lane) & 1U) == 0) continue;
          const Access access{who.where, who.serial, static_cast<std::uint8_t>(who.warp),
                              static_cast<std::uint8_t>(lane)};
          const std::uint64_t here = at + run.first + i;
          any |= writes ? races.write(here, access, false).has_value()
                        : races.read(here, access).has_value();
        }
      }
    }
    return any;
  }

  void access() {
    // Few, so that several warps read the same.
    const Places& which = patterns_[random_() % patterns_.size()];
    const std::uint64_t at = random_() % 4;
    const bool writes = random_() % 6 == 0;
    const Together who{static_cast<std::uint32_t>(step_ + 1), static_cast<std::uint32_t>(step_),
                       static_cast<std::uint32_t>(random_() % kWarps)};
    const bool fine =
        writes ? fast_.writes_are_fine(at, which, who) : fast_.reads_are_fine(at, which, who);
    const bool fast = !fine && one_by_one(fast_, at, which, writes, who);
    ASSERT_EQ(fast, one_by_one(slow_, at, which, writes, who)) << "step " << step_;
    at_once += fine ? 1 : 0;
    found += fast ? 1 : 0;
    for (std::uint32_t i = 0; i < kLocations; ++i) {
      ASSERT_EQ(fast_.is_written(i), slow_.is_written(i)) << i << " step " << step_;
    }
  }

  SharedRaces fast_{kLocations * 4, 4};
  SharedRaces slow_{kLocations * 4, 4};
  std::mt19937_64 random_{20261121};
  std::vector<Places> patterns_;
  int step_ = 0;
};

TEST(RacesAtOnce, FindWhatIsFoundOneByOne) {
  AtOnce test;
  test.run(20000);
  // Of some 15000 accesses, both happen often enough to mean something.
  EXPECT_GT(test.at_once, 1000);
  EXPECT_GT(test.found, 1000);
}

}  // namespace
}  // namespace lab::model::check
