#include "harness/reading/accesses.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/sample_run.h"

namespace lab::reading {
namespace {

using cli::access_at;

TEST(Patterns, MovedByLinesCountsAsTheSame) {
  // 128 bytes further costs the same; 64 bytes further may not.
  const std::vector<Access> accesses = {access_at(Space::kGlobal, 4, 0, 4),
                                        access_at(Space::kGlobal, 4, 128, 4),
                                        access_at(Space::kGlobal, 4, 192, 4)};
  const auto patterns = patterns_of(accesses);
  ASSERT_EQ(patterns.size(), 2U);
  EXPECT_EQ(patterns[0].times, 2U);
}

TEST(Patterns, ColumnsOfATileAreOnePatternInOtherBanks) {
  // Column 0, column 8 and column 32: banks 0, 8 and 0. Half a word further is another pattern.
  const std::vector<Access> accesses = {
      access_at(Space::kShared, 4, 0, 128), access_at(Space::kShared, 4, 32, 128),
      access_at(Space::kShared, 4, 128, 128), access_at(Space::kShared, 4, 2, 128)};
  const auto patterns = patterns_of(accesses);
  ASSERT_EQ(patterns.size(), 2U);
  EXPECT_EQ(patterns[0].times, 3U);
  EXPECT_EQ(patterns[0].shifted, 2U);
}

TEST(Patterns, ALaneLessIsAnotherPattern) {
  std::vector<Access> accesses = {access_at(Space::kGlobal, 4, 0, 4),
                                  access_at(Space::kGlobal, 4, 0, 4)};
  accesses[1].address[5] = -1;
  EXPECT_EQ(patterns_of(accesses).size(), 2U);
}

// 32 bytes further a column of floats touches other sectors, as many, in as many lines; 4 bytes
// further a row touches five sectors.
TEST(Patterns, ShiftedByLessThanALineIsTheSameWhereItCostsTheSame) {
  std::vector<Access> accesses = {
      access_at(Space::kGlobal, 4, 0, 1024), access_at(Space::kGlobal, 4, 32, 1024),
      access_at(Space::kGlobal, 4, 0, 4), access_at(Space::kGlobal, 4, 4, 4)};
  accesses[2].sectors = 4;
  accesses[3].sectors = 5;
  const auto patterns = patterns_of(accesses);
  ASSERT_EQ(patterns.size(), 3U);
  EXPECT_EQ(patterns[0].times, 2U);
  EXPECT_EQ(patterns[0].shifted, 1U);
  accesses[1].line = 5;
  EXPECT_EQ(patterns_of(accesses).size(), 4U);
  EXPECT_TRUE(look_alike(accesses[0], accesses[1]));
}

// 16 lanes of 8 bytes fill the 32 banks: each gives one word to the first half, one to the second.
TEST(Banks, WideAccessesAreServedInGroupsOfLanes) {
  EXPECT_EQ(by_bank(access_at(Space::kShared, 4, 0, 4)).size(), 1U);
  const auto halves = by_bank(access_at(Space::kShared, 8, 0, 8));
  ASSERT_EQ(halves.size(), 2U);
  EXPECT_EQ(halves[1].first, 16U);
  EXPECT_EQ(halves[0].deepest(), 1U);
  EXPECT_EQ(halves[1].banks[1].begin()->second, (std::vector<std::size_t>{16}));
  EXPECT_EQ(by_bank(access_at(Space::kShared, 16, 0, 16)).size(), 4U);
  EXPECT_EQ(by_bank(access_at(Space::kShared, 4, 0, 128))[0].deepest(), 32U);
}

// Lanes 16 bytes apart: two words of each of 16 sectors.
TEST(Sectors, HaveTheWordsThatLanesAskFor) {
  const auto sectors = by_sector(access_at(Space::kGlobal, 4, 32, 16));
  ASSERT_EQ(sectors.size(), 16U);
  EXPECT_EQ(sectors.begin()->first, 1);
  EXPECT_EQ(sectors.begin()->second.size(), 2U);
}

TEST(Costliest, OfALinesAccessesOfOneCostTheFirstStandsForAll) {
  RunRecord run;
  run.cases.resize(2);
  for (const int sectors : {4, 32, 4}) {
    run.cases[0].accesses.push_back(access_at(Space::kGlobal, 4, 0, 4));
    run.cases[0].accesses.back().sectors = sectors;
  }
  run.cases[1].accesses = {access_at(Space::kLocal, 4, 0, 4), access_at(Space::kShared, 4, 0, 4)};
  run.cases[1].accesses[1].wavefronts = 8;
  const auto all = costliest_accesses(run, 8);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(cost_of(*all[0]), 32);
  EXPECT_EQ(cost_of(*all[1]), 8);
  EXPECT_EQ(costliest_accesses(run, 1).size(), 1U);
}

}  // namespace
}  // namespace lab::reading
