#include "metrics/kernel_time.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "metrics/residency.h"
#include "metrics/time_rules.h"
#include "metrics/time_terms.h"
#include "metrics/time_text.h"

namespace lab::metrics {
namespace {

// 10 SMs at 1000 MHz: a cycle is a ns.
const Machine kTimedGpu = {"Some GPU",
                           "measured 2026-01-02",
                           {{"dram_read", 4e12, "byte/s", ""},  // 4000 bytes a ns
                            {"dram_write", 2e12, "byte/s", ""},
                            {"dram_copy", 3e12, "byte/s", ""},
                            {"l2_read", 6.4e12, "byte/s", ""},  // 200 sectors a ns
                            {"shared_wavefronts", 1, "", ""},
                            {"instructions", 4, "", ""},
                            {"shared_latency", 20, "", ""},
                            {"l1_latency", 30, "", ""},
                            {"l2_latency", 300, "", ""},
                            {"dram_latency", 600, "", ""},
                            {"l2_lines", 134e9, "", ""},
                            {"part_lines", 66e9, "", ""},
                            {"part_sectors", 130e9, "", ""},
                            {"adds", 104e9, "", ""},
                            {"add_float_one", 1.755, "", ""},
                            {"sm_clock", 1000, "MHz", ""}},
                           {10, 1e6, 640}};

Rates test_rates() { return rates_of(kTimedGpu).value(); }

double time_of_term(const KernelTime& time, Term term) {
  for (const TermTime& one : time.terms) {
    if (one.term == term) return one.ns;
  }
  return -1;
}

TEST(Rates, AreTheCalibrationsPerNs) {
  const Rates made = test_rates();
  EXPECT_DOUBLE_EQ(made.cycle_ns, 1);
  EXPECT_DOUBLE_EQ(made.dram_read, 4000);
  EXPECT_DOUBLE_EQ(made.l2_sectors, 200);
  EXPECT_DOUBLE_EQ(made.bus_words, 10);
  EXPECT_TRUE(made.calibrated);
}

TEST(Rates, OfADataSheetAreAnH200sWhereItSaysNothing) {
  const Rates made = rates_of(data_sheet("sm_90")).value();
  // Of 4800 GB/s at the pins; the bound stays that of the pins.
  EXPECT_DOUBLE_EQ(made.dram_read, 4800 * 0.92);
  EXPECT_DOUBLE_EQ(made.dram_copy, 4800 * 0.87);
  EXPECT_FALSE(made.calibrated);
  EXPECT_DOUBLE_EQ(made.dram_latency, rule::kDramLatency);
  // 27.7 bytes per cycle of 132 SMs at 1.98 GHz, in sectors.
  EXPECT_NEAR(made.l2_sectors, 27.7 * 132 * 1.98 / 32, 0.01);
  EXPECT_FALSE(rates_of({"no clock", "", {{"dram_read", 1e12, "", ""}}, {10, 1e6}}).has_value());
}

// L2 sends 200 sectors a ns, so that its other rates are an H200's by as much less. At 1 GHz, not
// 1.98, times that are cycles of L2 are 1.98 as long, and its memory has 10 words of the bus, of
// which a line takes 4 ns.
TEST(Rates, WhatWasNotMeasuredIsAnH200sAndNamed) {
  Machine old = kTimedGpu;
  std::erase_if(old.ceilings, [](const Ceiling& one) {
    return one.name == "part_lines" || one.name == "add_float_one";
  });
  const Rates made = rates_of(old).value();
  EXPECT_TRUE(made.calibrated);
  EXPECT_NEAR(made.part_lines, 66.0 * 200 / rule::kL2Sectors, 1e-9);
  EXPECT_NEAR(made.float_add, 1.755 * 1.98, 1e-9);
  EXPECT_DOUBLE_EQ(made.dirty_lines, 10 / 4.0);
  const auto assumed = [&](std::string_view name) {
    return std::count(made.assumed.begin(), made.assumed.end(), name);
  };
  EXPECT_EQ(assumed("part_lines"), 1);
  EXPECT_EQ(assumed("dirty_lines"), 1);
  EXPECT_EQ(assumed("part_sectors"), 0);
  EXPECT_DOUBLE_EQ(test_rates().part_lines, 66);
  EXPECT_EQ(test_rates().assumed.size() + 2, made.assumed.size());
}

// 40 SMs at 1590 MHz take an H200's share of 132 at 1980: a cycle is longer, L2 is smaller.
TEST(Rates, OfAnotherDataSheetScaleWithSmsAndClock) {
  const Rates made = rates_of(data_sheet_named("T4")).value();
  EXPECT_DOUBLE_EQ(made.cycle_ns, 1e3 / 1590);
  EXPECT_DOUBLE_EQ(made.dram_latency, rule::kDramLatency);  // cycles
  EXPECT_NEAR(made.load_lines, rule::kLoadLines * 40 * 1.59 / (132 * 1.98), 0.01);
  // Results per cycle and SM of 64-bit additions: 2 on 7.5, 32 on 8.0, 64 on 9.0.
  EXPECT_DOUBLE_EQ(made.fp64, 2.0 / 32);
  EXPECT_DOUBLE_EQ(rates_of(data_sheet_named("A100")).value().fp64, 1);
  EXPECT_DOUBLE_EQ(rates_of(data_sheet_named("H100")).value().fp64, 2);
  EXPECT_FALSE(made.calibrated);
}

// One block per SM whose warps wait twice for L2 and issue 100 cycles: nothing else takes time.
TEST(KernelTime, OfOneBlockIsItsLife) {
  KernelFacts facts;
  facts.warp.global_rounds = 2;
  facts.warp.global_hidden = 40;
  facts.warp.issue_cycles = 100;
  facts.warp.other_cycles = 10;
  facts.warp.barriers = 1;
  TimeCounts counts;
  counts.l2_read_sectors = 1000;
  counts.load_sectors = 1000;
  counts.load_lines = 250;
  const KernelTime time = kernel_time(counts, facts, {10, 4, 8}, test_rates());
  // 700 to begin and end, 2 x 300 less 40, 250 lines of 40 warps, 100 + 10 + 30. A block starts 157
  // before.
  const double life = 700 + 560 + 6.25 + 140;
  EXPECT_DOUBLE_EQ(time_of_term(time, Term::kLife), life);
  EXPECT_DOUBLE_EQ(time_of_term(time, Term::kL2Loads), 5);  // 1000 / 200; as lines / 134 less
  EXPECT_NEAR(time.ns, 2800 + 157 + life, 1);
  // What it does takes less than its launch.
  EXPECT_EQ(time.sets(), Term::kLaunch);
  EXPECT_EQ(time.terms.at(1).term, Term::kLife);
}

// 40 warps, each with 2 requests of 32 wavefronts: a warp waits for the 31 more of each.
TEST(KernelTime, ABlocksLifeHasItsConflicts) {
  TimeCounts counts;
  counts.shared_requests = 80;
  counts.shared_wavefronts = 32 * 80;
  KernelFacts facts;
  facts.warp.issue_cycles = 100;
  const KernelTime time = kernel_time(counts, facts, {10, 4, 8}, test_rates());
  EXPECT_DOUBLE_EQ(time_of_term(time, Term::kLife), 700 + 100 + 2 * 31);
}

// 200 blocks on 10 SMs with room for 4 are 5 rounds of their lives.
TEST(KernelTime, OfManyBlocksIsRoundsOfTheirLives) {
  KernelFacts facts;
  facts.warp.issue_cycles = 300;
  const KernelTime time = kernel_time({}, facts, {200, 4, 4}, test_rates());
  EXPECT_DOUBLE_EQ(time_of_term(time, Term::kLife), 5 * 1000);
  EXPECT_DOUBLE_EQ(time_of_term(time, Term::kStarts), 20 * 157);
  EXPECT_DOUBLE_EQ(time.ns, 2800 + 5000);
}

TEST(KernelTime, AdditionsToOneAddressComeOneByOne) {
  KernelFacts facts;
  facts.hot.float_adds = 1e6;
  const KernelTime time = kernel_time({}, facts, {100, 8, 8}, test_rates());
  EXPECT_EQ(time.sets(), Term::kSameAddress);
  EXPECT_NEAR(time.ns, 2800 + 1.755e6, 10);
}

// 1,040,000 at 104 a ns, of 10 to each address.
TEST(KernelTime, AdditionsToManyAddressesTakeL2AsWell) {
  KernelFacts facts;
  facts.hot.float_adds = 10;
  TimeCounts counts;
  counts.atomic_sectors = 1.04e6;
  const KernelTime time = kernel_time(counts, facts, {100, 8, 8}, test_rates());
  EXPECT_EQ(time.sets(), Term::kAtomics);
  EXPECT_DOUBLE_EQ(time_of_term(time, Term::kAtomics), 10000);
}

// 8 MB do not fit in 70 % of 1 MB: 4 read at 4000 a ns are a part of what is copied at 3000.
TEST(Dram, MovesWhatL2DoesNotKeep) {
  TimeCounts counts;
  counts.dram_read_bytes = 4e6;
  counts.dram_write_bytes = 2e6;
  counts.l2_read_sectors = 4e6 / 32;
  const KernelFacts facts;
  // 2 MB each way at 3000, the other 2 MB read at 4000.
  EXPECT_DOUBLE_EQ(dram_time({counts, facts}, test_rates()), 4e6 / 3000 + 2e6 / 4000);
  counts.dram_read_bytes = 3e5;
  counts.dram_write_bytes = 3e5;
  EXPECT_DOUBLE_EQ(dram_time({counts, facts}, test_rates()), 0);
}

// Every other float of 32 sectors: 128 bytes stored in each 8 sectors that were looked at.
TEST(Stores, ThatLeaveSectorsInPartFetchTheRest) {
  TimeCounts counts;
  counts.dram_write_bytes = 3200;
  counts.store_bytes = 1600;
  counts.store_sectors = 100;
  counts.store_lines = 25;
  KernelFacts facts;
  facts.stores.sectors = 8;
  facts.stores.partly = 8;
  facts.stores.filled = 8;
  facts.stores.empty_bytes = 8 * 16;
  facts.stores.stored_bytes = 128;
  facts.stores.distinct_bytes = 128;
  EXPECT_DOUBLE_EQ(filled_up({counts, facts}), 1);
  // Where the launch fills them though the blocks that were looked at do not, nothing is fetched.
  counts.store_bytes = 3200;
  EXPECT_DOUBLE_EQ(filled_up({counts, facts}), 0);
}

// A store of 32 lines, an eighth of a sector each: 32000 lines at 66 a ns.
TEST(Stores, ThatTouchManyLinesTakeL2Longer) {
  TimeCounts counts;
  counts.store_requests = 1000;
  counts.store_lines = 32000;
  counts.store_sectors = 32000;
  counts.store_bytes = 32000 * 4;
  const KernelFacts facts;
  EXPECT_DOUBLE_EQ(l2_store_time({counts, facts}, test_rates()), 32000 / 66.0);
  EXPECT_EQ(
      what_takes(Term::kL2Stores, {counts, facts}, {100, 8, 8}, test_rates()),
      "a store touches 32 lines and fills its sectors to 13 %; L2 takes 66 such lines, or 130 "
      "sectors, per ns");
}

TEST(Text, EveryTermHasASentence) {
  const TimeCounts counts;
  const KernelFacts facts;
  for (std::size_t i = 0; i < kWordsOf<Term>.size(); ++i) {
    const std::string text =
        what_takes(static_cast<Term>(i), {counts, facts}, {100, 8, 8}, test_rates());
    EXPECT_GT(text.size(), 15U) << i;
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
  }
}

TEST(Residency, IsTheLeastOfWarpsBlocksRegistersAndSharedMemory) {
  EXPECT_EQ(resident_blocks({256, 10, 0}, "sm_90"), 8U);          // 64 warps
  EXPECT_EQ(resident_blocks({32, 10, 0}, "sm_90"), 32U);          // blocks
  EXPECT_EQ(resident_blocks({256, 255, 0}, "sm_90"), 1U);         // 8 warps of 8192 registers
  EXPECT_EQ(resident_blocks({256, 32, 48 * 1024}, "sm_90"), 4U);  // 49 KiB each of 228
  EXPECT_EQ(resident_blocks({256, 10, 0}, "sm_75"), 4U);          // 32 warps
  EXPECT_EQ(resident_blocks({256, 10, 0}, "sm_20"), 0U);
}

}  // namespace
}  // namespace lab::metrics
