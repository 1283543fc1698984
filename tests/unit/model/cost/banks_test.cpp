#include "harness/model/cost/rules.h"

#include <gtest/gtest.h>

namespace lab::model {
namespace {

WarpAccess strided(std::uint64_t stride, std::uint32_t bytes, std::uint32_t mask = kAllLanes) {
  WarpAccess access;
  access.mask = mask;
  access.bytes = bytes;
  for (unsigned lane = 0; lane < kLanes; ++lane) access.address[lane] = lane * stride;
  return access;
}

TEST(Banks, AStrideOfTwoWordsIsATwoWayConflict) {
  const BankCost cost = shared_load(strided(8, 4));  // words 0, 2, .. 62: two in each even bank
  EXPECT_EQ(cost.hardware, 2U);
  EXPECT_EQ(cost.sass, 2U);
  EXPECT_EQ(cost.groups, 1U);
  EXPECT_EQ(cost.conflicts(), 1U);
}

TEST(Banks, OneWordIsABroadcast) {
  EXPECT_EQ(shared_load(strided(0, 4)).hardware, 1U);
  EXPECT_EQ(shared_store(strided(0, 4)).hardware, 1U);
  EXPECT_EQ(shared_atomic(strided(0, 4)).hardware, 32U);  // 32 lanes in one bank
}

TEST(Banks, WideAccessesGoByHalfAndQuarterWarps) {
  // 8 bytes: half a warp covers 128 contiguous bytes, each bank once. 16 bytes: a quarter does.
  EXPECT_EQ(shared_load(strided(8, 8)).hardware, 2U);
  EXPECT_EQ(shared_load(strided(8, 8)).conflicts(), 0U);
  EXPECT_EQ(shared_load(strided(16, 16)).hardware, 4U);
  EXPECT_EQ(shared_load(strided(16, 16)).conflicts(), 0U);
}

TEST(Banks, PairsOfEqualAddressesMergeLoadsButNotStores) {
  // Lanes 2k and 2k+1 read the 16 bytes at 16k: half a warp covers 128 bytes, so the quarters
  // merge in pairs into two groups of one wavefront each.
  WarpAccess access = strided(0, 16);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    access.address[lane] = std::uint64_t{lane / 2} * 16;
  EXPECT_EQ(shared_load(access).hardware, 2U);
  EXPECT_EQ(shared_load(access).sass, 2U);
  EXPECT_EQ(shared_load(access).groups, 2U);
  EXPECT_EQ(shared_store(access).hardware, 4U);
  EXPECT_EQ(shared_store(access).groups, 4U);
}

TEST(Banks, TheSassCounterTakesAMergeOnlyWithoutConflicts) {
  // Lanes 2k and 2k+1 read 8 bytes at 256k: words 64k and 64k+1, all in banks 0 and 1. Merged: 16
  // distinct words in bank 0. Apart: 8 + 8. Both ways 16, in one group and two.
  WarpAccess access = strided(0, 8);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    access.address[lane] = std::uint64_t{lane / 2} * 256;
  }
  EXPECT_EQ(shared_load(access).hardware, 16U);
  EXPECT_EQ(shared_load(access).sass, 16U);
  // Now both halves read the same eight addresses: merged 8 words in a bank, apart 8 + 8.
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    access.address[lane] = std::uint64_t{lane % 16 / 2} * 256;
  }
  EXPECT_EQ(shared_load(access).hardware, 8U);
  EXPECT_EQ(shared_load(access).sass, 16U);
  EXPECT_EQ(shared_load(access).conflicts(), 7U);
}

// Both halves read the same two addresses, 256 bytes apart: merged 2 words in a bank, apart 2 + 2.
// That is a conflict already, if the least there is.
TEST(Banks, TheSassCounterTakesNoMergeOfTwoWordsInABank) {
  WarpAccess access = strided(0, 8);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    access.address[lane] = std::uint64_t{lane % 4 / 2} * 256;
  }
  EXPECT_EQ(shared_load(access).hardware, 2U);
  EXPECT_EQ(shared_load(access).sass, 4U);
}

TEST(Banks, GroupsWithoutActiveLanesCostNothing) {
  const BankCost cost = shared_load(strided(16, 16, 0x000000ffU));  // the first quarter alone
  EXPECT_EQ(cost.hardware, 1U);
  EXPECT_EQ(cost.groups, 1U);
  EXPECT_EQ(shared_load(strided(4, 4, 0)).hardware, 0U);
  EXPECT_EQ(shared_atomic(strided(4, 4, 0)).groups, 0U);
}

TEST(Banks, NarrowLanesShareWords) {
  EXPECT_EQ(shared_load(strided(1, 1)).hardware, 1U);     // 8 words
  EXPECT_EQ(shared_load(strided(128, 1)).hardware, 32U);  // 32 words of bank 0
}

}  // namespace
}  // namespace lab::model
