#include "harness/model/memory/memory.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "harness/model/cost/traffic.h"

namespace lab::model {
namespace {

TEST(GlobalMemory, FindsWhatLiesAroundAnAddress) {
  std::vector<std::byte> a(100);
  std::vector<std::byte> b(4096);
  GlobalMemory memory;
  const std::uint64_t at_a = memory.add(a, "a", 0);
  const std::uint64_t at_b = memory.add(b, "b", 1);
  EXPECT_EQ(at_a % 256, 0U);
  EXPECT_EQ(at_b % 256, 0U);
  EXPECT_GE(at_b - (at_a + a.size()), std::uint64_t{1} << 20U);  // the guard
  EXPECT_EQ(memory.find(at_a)->name, "a");
  EXPECT_EQ(memory.find(at_a + 99)->name, "a");
  EXPECT_EQ(memory.find(at_a + 100), nullptr);
  EXPECT_EQ(memory.find(at_a - 1), nullptr);
  EXPECT_EQ(memory.find(at_b + 4095)->host, b.data());
  EXPECT_EQ(memory.nearest(at_a + 104)->name, "a");
  EXPECT_EQ(memory.nearest(at_b - 8)->name, "b");
  EXPECT_EQ(GlobalMemory().nearest(0), nullptr);
}

// Each allocation's numbers begin at a multiple of 64.
TEST(GlobalMemory, SectorsAreNumberedThrough) {
  std::vector<std::byte> a(33);    // two sectors
  std::vector<std::byte> b(2080);  // 65
  GlobalMemory memory;
  memory.add(a, "a");
  const std::uint64_t at_b = memory.add(b, "b");
  EXPECT_EQ(memory.find(at_b)->first_sector, 64U);
  EXPECT_EQ(memory.sector_count(), 64U + 128U);
}

TEST(GlobalMemory, AnAllocationContainsWholeAccessesOnly) {
  Allocation a;
  a.base = 256;
  a.bytes = 16;
  EXPECT_TRUE(a.contains(256, 16));
  EXPECT_TRUE(a.contains(268, 4));
  EXPECT_FALSE(a.contains(268, 8));
  EXPECT_FALSE(a.contains(252, 8));
  EXPECT_FALSE(a.contains(~std::uint64_t{0}, 4));  // no wrap
}

TEST(GlobalMemory, WindowsTellTheSpace) {
  EXPECT_EQ(kind_of(kSharedWindow), AddressKind::kShared);
  EXPECT_EQ(kind_of(kSharedWindow + kWindowBytes), AddressKind::kGlobal);
  EXPECT_EQ(kind_of(kLocalWindow + 12), AddressKind::kLocal);
  EXPECT_EQ(kind_of(0x1000000000U), AddressKind::kGlobal);
}

TEST(Traffic, CountsDistinctSectorsOfEachBlockAndOfAll) {
  Traffic traffic(16);
  traffic.read(0, 3);
  traffic.read(2, 4);  // one new
  traffic.end_block();
  traffic.read(4, 5);  // both new to this block
  traffic.store(8, 9);
  traffic.store(9, 9);
  traffic.atomic(12, 12);
  traffic.end_block();
  EXPECT_EQ(traffic.block_reads(), 5U + 2U);
  const TouchedSectors touched = traffic.touched(0, 16);
  EXPECT_EQ(touched.read, 6U + 1U);        // 0..5 and the atomic's
  EXPECT_EQ(touched.pairs_read, 3U + 1U);  // 01 23 45 and that of 12
  EXPECT_EQ(touched.stored, 2U);
  EXPECT_EQ(touched.changed, 3U);
}

TEST(Traffic, OtherCoresSectorsAreAddedOnce) {
  Traffic a(8);
  Traffic b(8);
  a.read(0, 1);
  b.read(1, 2);
  b.store(7, 7);
  a.end_block();
  b.end_block();
  a.merge(b);
  EXPECT_EQ(a.block_reads(), 4U);  // two blocks
  EXPECT_EQ(a.touched(0, 8).read, 3U);
  EXPECT_EQ(a.touched(0, 8).stored, 1U);
}

// L1 keeps what its block stores: on an H200 a public kernel that reads back its own results
// fetched 520 sectors, those that it had not stored, each once.
TEST(Traffic, WhatABlockHasStoredItNeedNotRead) {
  Traffic traffic(192);
  traffic.read(10, 11);
  traffic.store(10, 130);  // 10 and 11 were read before; 119 others in three words of bits
  traffic.read(9, 140);    // of which 9 and 131 to 140 are left
  traffic.end_block();
  EXPECT_EQ(traffic.block_reads(), 2U + 1U + 10U);
  EXPECT_EQ(traffic.touched(0, 192).read, 13U);
  EXPECT_EQ(traffic.touched(0, 192).pairs_read, 1U + 1U + 6U);  // 8/9, 10/11, 130/131 .. 140/141
  traffic.read(12, 12);  // stored by another block, whose L1 may not be this one's
  traffic.end_block();
  EXPECT_EQ(traffic.block_reads(), 14U);
  EXPECT_EQ(traffic.touched(0, 192).read, 14U);
}

TEST(Traffic, RunsCrossWordsOfBits) {
  Traffic traffic(320);
  traffic.read(63, 64);
  traffic.store(62, 130);  // two in the first word, all of the second, three in the third
  traffic.atomic(191, 191);
  traffic.store(200, 319);  // through two more ends
  traffic.end_block();
  const TouchedSectors touched = traffic.touched(0, 320);
  EXPECT_EQ(touched.read, 2U + 1U);
  EXPECT_EQ(touched.pairs_read, 3U);  // 62/63, 64/65, 190/191
  EXPECT_EQ(touched.stored, 69U + 120U);
  EXPECT_EQ(touched.changed, 69U + 1U + 120U);
  // The allocation that begins at sector 128 has three of the first run.
  EXPECT_EQ(traffic.touched(128, 192).stored, 3U + 120U);
}

TEST(Traffic, ManyBlocksKeepTheirSectorsApart) {
  Traffic traffic(4);
  for (int block = 0; block < 70000; ++block) {
    traffic.read(0, 0);
    traffic.read(0, 0);
    traffic.end_block();
  }
  EXPECT_EQ(traffic.block_reads(), 70000U);
  EXPECT_EQ(traffic.touched(0, 4).read, 1U);
}

TEST(GlobalMemory, ConstantsLieInAWindowOfTheirOwn) {
  std::vector<std::byte> table(10);
  std::vector<std::byte> buffer(64);
  std::vector<std::byte> more(40);
  GlobalMemory memory;
  const std::uint64_t constant = memory.add_constant(table, "table");
  const std::uint64_t first = memory.add(buffer, "buffer", 0);
  const std::uint64_t second = memory.add_constant(more, "more");
  const std::uint64_t last = memory.add(more, "again", 1);
  EXPECT_EQ(constant, kConstWindow);
  EXPECT_TRUE(is_constant(constant) && is_constant(second));
  EXPECT_FALSE(is_constant(first) || is_constant(last) || is_constant(kConstWindow - 1) ||
               is_constant(kSharedWindow) || is_constant(kLocalWindow));
  // Whatever the order of adding, each is found where it is and only there.
  const std::pair<std::uint64_t, const char*> all[] = {
      {constant + 9, "table"}, {first + 63, "buffer"}, {second, "more"}, {last + 39, "again"}};
  for (const auto& each : all) {
    ASSERT_NE(memory.find(each.first), nullptr) << each.second;
    EXPECT_EQ(memory.find(each.first)->name, each.second);
    EXPECT_EQ(memory.find(each.first)->writable, !is_constant(each.first));
  }
  EXPECT_EQ(memory.find(constant + 10), nullptr);
  EXPECT_EQ(memory.find(last + 40), nullptr);
  // 10, 64, 40 and 40 bytes: fewer than 64 sectors each, numbered as they were added.
  EXPECT_EQ(memory.sector_count(), 4 * 64U);
  EXPECT_EQ(memory.find(last)->first_sector, 3 * 64U);
}

}  // namespace
}  // namespace lab::model
