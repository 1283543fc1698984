#include "harness/model/cost/pattern.h"

#include <gtest/gtest.h>

#include "harness/core/buffer.h"

namespace lab::model {
namespace {

PatternKey strided(std::uint64_t stride, CostRule rule, std::uint8_t bytes = 4,
                   std::uint32_t mask = kAllLanes) {
  PatternKey key;
  key.mask = mask;
  key.bytes = key.cost_bytes = bytes;
  key.rule = rule;
  const unsigned first = static_cast<unsigned>(__builtin_ctz(mask));
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (((mask >> lane) & 1U) != 0) key.delta[lane] = (lane - std::uint64_t{first}) * stride;
  }
  return key;
}

TEST(Pattern, LayoutsAreRecognised) {
  EXPECT_EQ(analyse(strided(4, CostRule::kGlobal)).layout, Layout::kContiguous);
  EXPECT_EQ(analyse(strided(0, CostRule::kGlobal)).layout, Layout::kBroadcast);
  EXPECT_EQ(analyse(strided(8, CostRule::kGlobal)).layout, Layout::kGeneral);
  EXPECT_EQ(analyse(strided(16, CostRule::kGlobal, 16)).layout, Layout::kContiguous);
  // Half of the lanes: no contiguous copy of 128 bytes, but all within them.
  EXPECT_EQ(analyse(strided(4, CostRule::kGlobal, 4, 0xffffU)).layout, Layout::kWindow);
  // Lane i at -4 * i: a window from the last lane up.
  const Pattern down = analyse(strided(static_cast<std::uint64_t>(-4), CostRule::kGlobal));
  EXPECT_EQ(down.layout, Layout::kWindow);
  EXPECT_EQ(down.low, static_cast<std::uint64_t>(-124));
  EXPECT_EQ(down.span, 128U);
  EXPECT_EQ(down.word[0], 31U);
  EXPECT_EQ(down.word[31], 0U);
}

TEST(Pattern, RunsAreBytesWithoutAGap) {
  const Pattern one = analyse(strided(4, CostRule::kGlobal));
  ASSERT_EQ(one.run_count, 1U);
  EXPECT_EQ(one.runs[0].bytes, 128U);
  PatternKey key = strided(4, CostRule::kGlobal);
  for (unsigned lane = 16; lane < kLanes; ++lane) key.delta[lane] += 4096;  // two rows of 64 bytes
  const Pattern two = analyse(key);
  ASSERT_EQ(two.run_count, 2U);
  EXPECT_EQ(two.runs[0].bytes, 64U);
  EXPECT_EQ(two.runs[1].begin, 64U + 4096U);
  EXPECT_EQ(two.runs[1].bytes, 64U);
  EXPECT_EQ(analyse(strided(8, CostRule::kGlobal)).run_count, 0U);  // 32 runs
}

TEST(Pattern, GlobalCostDependsOnTheBaseModulo128) {
  Pattern pattern = analyse(strided(4, CostRule::kGlobal));
  EXPECT_EQ(pattern.global_cost(0).sectors, 4U);
  EXPECT_EQ(pattern.global_cost(0).lines, 1U);
  EXPECT_EQ(pattern.global_cost(32).sectors, 4U);
  EXPECT_EQ(pattern.global_cost(32).lines, 2U);
  EXPECT_EQ(pattern.global_cost(4).sectors, 5U);
  EXPECT_EQ(pattern.global_cost(1280 + 4).sectors, 5U);
}

TEST(Pattern, CostsEqualTheRulesForRandomAddressesAndBases) {
  std::uint64_t state = 7;
  for (int round = 0; round < 200; ++round) {
    PatternKey key;
    key.mask = static_cast<std::uint32_t>(split_mix64(state)) | 1U;
    key.bytes = key.cost_bytes = static_cast<std::uint8_t>(1U << (round % 5));
    key.rule = round % 2 == 0 ? CostRule::kGlobal : CostRule::kSharedLoad;
    for (unsigned lane = 1; lane < kLanes; ++lane) {
      if (((key.mask >> lane) & 1U) != 0) key.delta[lane] = split_mix64(state) % 64 * key.bytes;
    }
    Pattern pattern = analyse(key);
    const std::uint64_t base = 4096 + split_mix64(state) % 64 * key.bytes;
    WarpAccess access;
    access.mask = key.mask;
    access.bytes = key.bytes;
    for (unsigned lane = 0; lane < kLanes; ++lane) access.address[lane] = base + key.delta[lane];
    if (key.rule == CostRule::kGlobal) {
      EXPECT_EQ(pattern.global_cost(base).sectors, sectors(access));
      EXPECT_EQ(pattern.global_cost(base).lines, lines(access));
    } else {
      EXPECT_EQ(pattern.shared[key.bytes >= 4 ? 0 : base % 4].hardware,
                shared_load(access).hardware);
    }
    EXPECT_EQ(pattern.distinct_bytes, distinct_bytes(access));
  }
}

// One pattern for one key after the other, as a site with random addresses has it: near and far
// lanes, few and all, and now and then a base that is not aligned, which takes the other way.
TEST(Pattern, AnalysedOnceItCostsWhatTheRulesSayWhateverItWasBefore) {
  Pattern pattern;
  std::uint64_t state = 11;
  for (int round = 0; round < 400; ++round) {
    PatternKey& key = pattern.key;
    key.mask = round % 3 == 0 ? static_cast<std::uint32_t>(split_mix64(state)) | 1U : kAllLanes;
    key.bytes = key.cost_bytes = 8;
    const std::uint64_t reach = round % 2 == 0 ? 16 : 1000000;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const bool moves = lane > 0 && ((key.mask >> lane) & 1U) != 0 && round % 5 != 4;
      key.delta[lane] = moves ? split_mix64(state) % reach * 8 - reach * 4 : 0;
    }
    const std::uint64_t base = 80000000 + split_mix64(state) % 16 * 8 + (round % 7 == 6 ? 4 : 0);
    const Pattern whole = analyse(key, true);
    analyse_once(pattern, base);
    WarpAccess access;
    access.mask = key.mask;
    access.bytes = 8;
    for (unsigned lane = 0; lane < kLanes; ++lane) access.address[lane] = base + key.delta[lane];
    EXPECT_EQ(pattern.global_cost(base).sectors, sectors(access)) << round;
    EXPECT_EQ(pattern.global_cost(base).lines, lines(access)) << round;
    EXPECT_EQ(pattern.distinct_bytes, distinct_bytes(access)) << round;
    EXPECT_EQ(pattern.low, whole.low) << round;
    EXPECT_EQ(pattern.span, whole.span) << round;
    EXPECT_EQ(pattern.low_bits, whole.low_bits) << round;
    EXPECT_TRUE(pattern.transient);
    EXPECT_EQ(pattern.run_count, 0U);
    // It says only what also holds for the whole analysis.
    EXPECT_TRUE(pattern.layout == Layout::kGeneral || pattern.layout == whole.layout) << round;
    EXPECT_TRUE(!pattern.one_address || whole.one_address) << round;
  }
}

TEST(Pattern, ACombinedAtomicCostsOneLane) {
  PatternKey key = strided(0, CostRule::kGlobalAtomic);
  EXPECT_EQ(analyse(key).global_cost(0).sectors, 32U);
  key.combined = true;
  EXPECT_EQ(analyse(key).global_cost(0).sectors, 1U);
}

// A pattern of one address serves other lanes too, where they cost the same. Lanes of an atomic at
// one address wait for each other: each costs its own.
TEST(Pattern, OneAddressCostsTheSameForOtherLanesButInAtomics) {
  for (const CostRule rule : {CostRule::kGlobal, CostRule::kSharedLoad, CostRule::kSharedStore}) {
    EXPECT_TRUE(analyse(strided(0, rule)).one_address);
  }
  for (const CostRule rule : {CostRule::kGlobalAtomic, CostRule::kSharedAtomic,
                              CostRule::kSharedSwap, CostRule::kSharedFloatAdd}) {
    PatternKey key = strided(0, rule);
    EXPECT_FALSE(analyse(key).one_address);
    key.combined = true;
    EXPECT_TRUE(analyse(key).one_address);
  }
}

TEST(Pattern, WiderMachineAccessesCostByTheirOwnWidth) {
  PatternKey key = strided(16, CostRule::kSharedLoad);
  EXPECT_EQ(analyse(key).shared[0].hardware, 4U);  // every fourth word: four in each of 8 banks
  key.cost_bytes = 16;                             // four quarters of 128 contiguous bytes
  EXPECT_EQ(analyse(key).shared[0].hardware, 4U);
  EXPECT_EQ(analyse(key).shared[0].conflicts(), 0U);
}

TEST(PatternTable, FindsEqualKeysAndFillsUp) {
  PatternTable table;
  Pattern* first = table.intern(strided(4, CostRule::kGlobal));
  EXPECT_EQ(table.intern(strided(4, CostRule::kGlobal)), first);
  EXPECT_NE(table.intern(strided(4, CostRule::kUncounted)), first);
  EXPECT_EQ(table.size(), 2U);
  for (std::uint64_t stride = 8; stride < 100000; stride += 8) {
    if (table.intern(strided(stride, CostRule::kGlobal)) == nullptr) break;
  }
  EXPECT_EQ(table.size(), 4096U);
  EXPECT_EQ(table.intern(strided(99999992, CostRule::kGlobal)), nullptr);
  EXPECT_EQ(table.intern(strided(4, CostRule::kGlobal)), first);  // what it has it keeps
}

// Lanes 0, 1 and 2 at 2^63, 2^64 - 4 and 0: 2^64 bytes from the lowest to the end of the highest.
// A span of 0 would let all of them pass for bytes within any memory.
TEST(Pattern, LanesAWholeAddressSpaceApartHaveAHugeSpan) {
  PatternKey key;
  key.mask = 7;
  key.delta[1] = (std::uint64_t{1} << 63U) - 4;
  key.delta[2] = std::uint64_t{1} << 63U;
  const Pattern pattern = analyse(key);
  EXPECT_GT(pattern.span, std::uint64_t{1} << 60U);
  EXPECT_EQ(pattern.layout, Layout::kGeneral);
}

}  // namespace
}  // namespace lab::model
