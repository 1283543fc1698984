#include "metrics/time_gap.h"

#include <gtest/gtest.h>

#include "metrics/values.h"

namespace lab::metrics {
namespace {

const Machine kClocked = {"Some GPU",
                          "measured",
                          {{"launch", 2000, "ns", ""},
                           {"dram_latency", 500, "clock", ""},
                           {"sm_clock", 1000, "MHz", ""}},  // a clock is a ns
                          {10, 50000}};

// 1,000 blocks on 10 SMs, four at once on each: 40 places.
CaseRecord that_took(double ns) {
  CaseRecord record;
  record.kernel = "k";
  record.launch = {{1000}, {256}};
  record.facts.blocks_per_sm = 4;
  record.timing.emplace();
  record.timing->median_ns = ns;
  return record;
}

CaseRecord having(CaseRecord record, const char* metric, double value) {
  Observation one;
  one.metric = metric;
  one.source = SourceOf::kCupti;
  one.value = value;
  record.observations.push_back(one);
  return record;
}

std::string because(const CaseRecord& record) {
  const auto cause = time_gap_cause(record, 1000, kClocked);
  return cause ? cause->because : "";
}

TEST(TimeGap, SaysNothingOfABoundThatIsReachedOrOfNoTime) {
  EXPECT_FALSE(time_gap_cause(that_took(100'000), 85'000, kClocked).has_value());
  EXPECT_TRUE(time_gap_cause(that_took(100'000), 84'000, kClocked).has_value());
  EXPECT_EQ(because(CaseRecord()), "");
}

TEST(TimeGap, AnEmptyKernelTakesThatLong) {
  EXPECT_EQ(because(that_took(6000)), "a launch of an empty kernel takes 2 us by itself");
  EXPECT_NE(because(that_took(6001)), "a launch of an empty kernel takes 2 us by itself");
}

TEST(TimeGap, FewerBlocksThanSms) {
  CaseRecord record = that_took(100'000);
  record.launch.grid = {3};
  EXPECT_EQ(because(record), "3 blocks leave 7 of 10 SMs without work");
  record.launch.grid = {1};
  EXPECT_EQ(because(record), "1 block leaves 9 of 10 SMs without work");
}

// 1,000 blocks in 40 places take 25 turns: of 50,000 ns each has 2,000, four loads of 500.
TEST(TimeGap, BlocksThatAreThereForFewLoads) {
  const CaseRecord alone = having(that_took(50'000), "global_load_sectors_per_request", 32);
  EXPECT_EQ(because(having(alone, "global_load_efficiency", 0.125)).substr(0, 46),
            "latency: a block is there for 2000 cycles, and");
  // Up to ten loads it is what is left where the addresses are not to blame.
  EXPECT_EQ(because(that_took(125'000)).substr(0, 46),
            "latency: a block is there for 5000 cycles, and");
  EXPECT_EQ(because(that_took(125'100)).find("latency:"), std::string::npos);
  CaseRecord few = that_took(100'000);
  few.launch.grid = {79};  // fewer than two turns
  EXPECT_EQ(because(few).find("latency:"), std::string::npos);
}

TEST(TimeGap, WhatTheAddressesDo) {
  const auto stores = [](double efficiency, double loaded) {
    const CaseRecord some = having(that_took(100'000), "global_store_sectors", 32);
    return having(having(some, "global_load_sectors", loaded), "global_store_efficiency",
                  efficiency);
  };
  EXPECT_EQ(because(stores(0.125, 96)),
            "stores fill 0.12 of the sectors that they touch: L2 merges each with the rest of its "
            "sector, which it may have to read first");
  EXPECT_EQ(because(stores(0.125, 97)).find("stores fill"), std::string::npos);  // a few
  EXPECT_EQ(because(stores(1, 0)).find("stores fill"), std::string::npos);

  const CaseRecord wide = having(having(that_took(100'000), "global_load_sectors", 320),
                                 "global_load_sectors_per_request", 16);
  EXPECT_EQ(because(having(wide, "global_load_efficiency", 0.25)),
            "a load touches 16 sectors, which L1 serves a few at a time");
  // 16 bytes per lane, side by side.
  EXPECT_EQ(because(having(wide, "global_load_efficiency", 1)).find("a load"), std::string::npos);
  EXPECT_EQ(because(having(that_took(200'000), "global_reduction_sectors", 32)),
            "L2 does the atomics on one address one after the other");
}

TEST(TimeGap, WhatIsLeft) {
  EXPECT_EQ(because(having(that_took(200'000), "occupancy", 0.12)),
            "12 % of the warps that an SM can hold were there to hide latency");
  EXPECT_EQ(because(that_took(200'000)),
            "none of the mechanisms that counts show; lab run --stalls says what its warps wait "
            "for");
  CaseRecord rounds = that_took(200'000);
  rounds.launch.grid = {90};  // 2.25 times 40
  EXPECT_EQ(because(rounds), "the last of 3 rounds of blocks fills 25 % of the GPU");
}

}  // namespace
}  // namespace lab::metrics
