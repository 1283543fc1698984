#include "metrics/kernel_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/core/launch_facts.h"
#include "metrics/time_rules.h"
#include "metrics/time_terms.h"
#include "metrics/time_text.h"

namespace lab::metrics {
namespace {

// 10 SMs at 1000 MHz: a cycle is a ns.
const Machine kTimedGpu = {"Some GPU",
                           "measured 2026-01-02",
                           {{"dram_read", 4e12, "byte/s", ""},  // 4000 bytes a ns
                            {"dram_write", 2e12, "byte/s", ""}, {"dram_copy", 3e12, "byte/s", ""},
                            {"l2_read", 6.4e12, "byte/s", ""},  // 200 sectors a ns
                            {"shared_wavefronts", 1, "", ""},   {"instructions", 4, "", ""},
                            {"shared_latency", 20, "", ""},     {"l1_latency", 30, "", ""},
                            {"l2_latency", 300, "", ""},        {"dram_latency", 600, "", ""},
                            {"l2_lines", 134e9, "", ""},        {"part_lines", 66e9, "", ""},
                            {"part_sectors", 130e9, "", ""},    {"adds", 104e9, "", ""},
                            {"add_float_one", 1.755, "", ""},   {"empty_launch", 2800, "ns", ""},
                            {"block_start", 157, "cycle", ""},  {"block_life", 700, "cycle", ""},
                            {"l2_kept", 0.75, "", ""},          {"sm_clock", 1000, "MHz", ""}},
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
  EXPECT_DOUBLE_EQ(made.dirty_lines, 10 / 3.7);
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
  // 700 of its own, of which 157 until it starts, 2 x 300 less 40, 250 lines of 40 warps, 100 + 10
  // + 22.5: a barrier of four warps takes three quarters of one of eight.
  const double life = 700 + 560 + 6.25 + 132.5;
  EXPECT_DOUBLE_EQ(time_of_term(time, Term::kLife), life);
  EXPECT_DOUBLE_EQ(time_of_term(time, Term::kL2Loads), 5);  // 1000 / 200; as lines / 134 less
  // Half of the waits, those for the second load, come with its start: 157 + 283.125, to which the
  // cycles of L1 and L2 for 250 lines add next to nothing.
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

// 200 blocks on 10 SMs with room for 1: each starts when the one before it ends, 20 lives.
TEST(KernelTime, OfBlocksOneAfterTheOtherIsTheirLives) {
  KernelFacts facts;
  facts.warp.issue_cycles = 300;
  const KernelTime time = kernel_time({}, facts, {200, 4, 1}, test_rates());
  EXPECT_DOUBLE_EQ(time_of_term(time, Term::kLife), 20 * 1000);
  EXPECT_DOUBLE_EQ(time_of_term(time, Term::kStarts), 20 * 157);
  // The first one starts 157 before its life, of which 157 are in the lives of the others.
  EXPECT_DOUBLE_EQ(time.ns, 2800 + 157 + 20 * 1000);
}

// With room for 2: a block is ready 843 after its start. Where the one server of 157 finds one
// customer of two busy with it for a share q of the time, a start takes 157 (1 + q); alone, q is
// 157 of 1000. Two blocks follow each other in half of 843 + 157 x 1.157.
TEST(KernelTime, BlocksWaitForEachOthersStarts) {
  KernelFacts facts;
  facts.warp.issue_cycles = 300;
  const KernelTime time = kernel_time({}, facts, {200, 4, 2}, test_rates());
  const double each = (843 + 157 * (1 + 157.0 / 1000)) / 2;
  EXPECT_NEAR(time.ns, 2800 + 1000 + 2 * 157 + 18 * each, 1e-6);
}

// 20 blocks one after the other, each with 4 warps of 2000 instructions, 4 per cycle: 2000 cycles
// of its own work after its life, which hide the units' 40,000 in part.
TEST(KernelTime, ABlockWaitsForItsOwnWarps) {
  KernelFacts facts;
  facts.warp.instructions = 2000;
  const KernelTime time = kernel_time({}, facts, {200, 4, 1}, test_rates());
  EXPECT_DOUBLE_EQ(time_of_term(time, Term::kIssue), 20 * 2000);
  const double blocks = 157 + 19 * (700 + 2000);
  EXPECT_NEAR(time.ns, 2800 + 700 + overlapped({blocks, 40000}), 1e-6);
}

// Two blocks per SM, one after the other. L2 sends what they load in 100 ns, 50 per block, of which
// L1's tags take 85; that it takes their pieces for 606 ns delays neither.
TEST(KernelTime, ABlockDoesNotWaitForItsStores) {
  Machine many = kTimedGpu;
  many.size.sms = 1000;
  TimeCounts counts;
  counts.dram_read_bytes = 2e5;  // L2 has them, L1 has not the room
  counts.l2_read_sectors = 20000;
  counts.load_sectors = 20000;
  counts.load_lines = 5000;
  counts.store_sectors = 40000;
  counts.store_lines = 40000;
  counts.store_bytes = 40000 * 4;
  KernelFacts facts;
  facts.warp.global_rounds = 1;
  const double ns = kernel_time(counts, facts, {2000, 4, 1}, rates_of(many).value()).ns;
  const double life = 700 + 300 + (5000 + 2 * 40000) / 8000.0;  // of 8000 warps
  const double hidden = overlapped({157 + life + 50, 40000 / 66.0, (5000 + 2 * 40000) / 1000.0});
  EXPECT_NEAR(ns, 2800 + life + hidden, 1e-2);
}

// Two waits of 300 for L2: the first shows, the second hides behind 457 ns of atomics, as does the
// block's start.
TEST(KernelTime, LaterWaitsAreHidden) {
  KernelFacts facts;
  facts.warp.global_rounds = 2;
  TimeCounts counts;
  counts.atomic_sectors = 104 * (157 + 300);
  counts.l2_read_sectors = 100;
  const double ns = kernel_time(counts, facts, {10, 4, 8}, test_rates()).ns;
  EXPECT_NEAR(ns, 2800 + 700 + 300 + (157 + 300) * std::pow(2, 1 / 3.5), 1e-2);
}

// L2 sends 40,000 sectors in 200 ns and takes 40,000 in 200 ns; if these are parts, at 130 a ns,
// they take 308, while its data still are busy for 400. Of fewer loads the parts take longer.
TEST(KernelTime, LoadsHideBehindStoresOfParts) {
  TimeCounts counts;
  counts.l2_read_sectors = 40000;
  counts.load_sectors = 40000;
  counts.load_lines = 10000;
  counts.store_sectors = 40000;
  counts.store_lines = 10000;
  counts.store_bytes = 40000 * 16;
  const auto ns = [](const TimeCounts& of) {
    return kernel_time(of, {}, {10, 4, 8}, test_rates()).ns;
  };
  TimeCounts whole = counts;
  whole.store_bytes *= 2;
  EXPECT_DOUBLE_EQ(ns(counts), ns(whole));
  counts.l2_read_sectors = 4000;
  whole.l2_read_sectors = 4000;
  EXPECT_GT(ns(counts), ns(whole));
}

TEST(KernelTime, AdditionsToOneAddressComeOneByOne) {
  KernelFacts facts;
  facts.hot.float_adds = 1e6;
  const KernelTime time = kernel_time({}, facts, {100, 8, 8}, test_rates());
  EXPECT_EQ(time.sets(), Term::kSameAddress);
  EXPECT_NEAR(time.ns, 2800 + 700 + 1.755e6, 10);  // the launch, a block, one million
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

// What L1 and the schedulers of the fullest SM do: 25 blocks of 4 warps on 10 SMs are 3 on one, so
// that it has 3 of 25 of all counts, one cycle each or as the rules say.
TEST(KernelTime, TheFullestSmSetsThePace) {
  constexpr double kShare = 3.0 / 25;
  KernelFacts facts;
  facts.tag_cycles = 0.5;
  facts.data_cycles = 0.25;
  facts.warp.instructions = 40;
  facts.warp.fp64 = 6;
  facts.warp.special = 3;
  TimeCounts counts;
  counts.load_lines = 1000;
  counts.load_sectors = 4000;
  counts.l2_read_sectors = 4000;
  counts.store_lines = 100;
  counts.shared_requests = 400;
  counts.shared_wavefronts = 400;
  const KernelTime time = kernel_time(counts, facts, {25, 4, 8}, test_rates());
  // Half a cycle per loaded line, two per stored one.
  EXPECT_DOUBLE_EQ(time_of_term(time, Term::kTags), (500 + 200) * kShare);
  EXPECT_DOUBLE_EQ(time_of_term(time, Term::kFills), 4000 / 2.0 * kShare);
  EXPECT_DOUBLE_EQ(time_of_term(time, Term::kData), (400 + 250 + 100) * kShare);
  EXPECT_DOUBLE_EQ(time_of_term(time, Term::kIssue), 40 * 100 / 4.0 * kShare);
  // 2 of 32 lanes of doubles per cycle where the architecture is not known to have more; a half.
  Machine consumer = kTimedGpu;
  consumer.arch = "sm_89";
  const KernelTime slow = kernel_time(counts, facts, {25, 4, 8}, rates_of(consumer).value());
  EXPECT_DOUBLE_EQ(time_of_term(slow, Term::kFp64), 6 * 100 * 16 * kShare);
  EXPECT_DOUBLE_EQ(time_of_term(slow, Term::kSpecial), 3 * 100 * 2 * kShare);
  EXPECT_DOUBLE_EQ(time_of_term(slow, Term::kStarts), 3 * 157);
}

// Powers of what hides behind each other add up: 20 lives of 1000, of which the first shows, and as
// long of atomics.
TEST(KernelTime, LongTimesHideShorterOnesInPart) {
  KernelFacts facts;
  facts.warp.issue_cycles = 300;
  TimeCounts counts;
  counts.atomic_sectors = 104 * (157 + 19 * 1000);
  const KernelTime time = kernel_time(counts, facts, {200, 4, 1}, test_rates());
  EXPECT_NEAR(time.ns, 2800 + 1000 + (157 + 19 * 1000) * std::pow(2, 1 / 3.5), 1e-6);
}

// One round whose barrier parts loading from the rest: they add up. 2000 cycles of atomics are with
// the loads, 2000 of wavefronts behind the barrier; 700 begin and end.
TEST(KernelTime, PhasesAddUp) {
  KernelFacts facts;
  TimeCounts counts;
  counts.atomic_sectors = 104 * 2000;
  counts.shared_requests = 20000;
  counts.shared_wavefronts = 20000;
  const Shape shape{10, 4, 8};
  const double together = kernel_time(counts, facts, shape, test_rates()).ns;
  facts.warp.phases = true;
  const double apart = kernel_time(counts, facts, shape, test_rates()).ns;
  // A block's life of 700 shows, its start does not.
  const double two = 2 * std::pow(2000, 3.5) + std::pow(157, 3.5);
  EXPECT_NEAR(together, 2800 + 700 + std::pow(two, 1 / 3.5), 1e-6);
  EXPECT_NEAR(apart, 2800 + 700 + 2000 + 2000, 1e-6);
  // Of several rounds another block fills the gap.
  EXPECT_LT(kernel_time(counts, facts, {20, 4, 1}, test_rates()).ns, apart);
}

/// The life of a block whose one load waits for nothing else, without the 700 cycles.
double latency_of(const TimeCounts& counts, double past_l1, const Shape& shape,
                  double line_gap = 0) {
  KernelFacts facts;
  facts.line_gap = line_gap;
  facts.warp.global_rounds = 1;
  facts.past_l1 = past_l1;
  const KernelTime time = kernel_time(counts, facts, shape, test_rates());
  const double rounds = std::ceil(std::ceil(shape.blocks / 10) / shape.resident);
  return time_of_term(time, Term::kLife) / rounds - 700;
}

// A load of 32 lines waits for the slowest of them: 0.2 x 31 / 32 longer in L2, and 0.65 x 31 / 32
// where they are in as many places of DRAM.
TEST(KernelTime, ALoadOfManyLinesWaitsForTheSlowest) {
  TimeCounts counts;
  counts.dram_read_bytes = 3e5;
  counts.l2_read_sectors = 3e5 / 32;
  counts.load_requests = 100;
  counts.load_lines = 3200;
  counts.load_sectors = 3200;
  const double own = 3200.0 / 800;  // lines that L1 looks up, of 800 warps
  EXPECT_DOUBLE_EQ(latency_of(counts, 0, {100, 8, 8}), 300 * (1 + 0.2 * 31 / 32) + own);
  counts.dram_read_bytes = 3e6;
  counts.l2_read_sectors = 3e6 / 32;
  EXPECT_DOUBLE_EQ(latency_of(counts, 0, {100, 8, 8}), 600 * (1 + 0.2 * 31 / 32) + own);
  EXPECT_DOUBLE_EQ(latency_of(counts, 0, {100, 8, 8}, 16), 600 * (1 + 0.65 * 31 / 32) + own);
}

// 600 cycles of L2 for two results, of which atomics' take 205 more each; as for shared memory's 20
// and 12.
TEST(KernelTime, ResultsOfAtomicsTakeLonger) {
  TimeCounts counts;
  counts.dram_read_bytes = 3e5;
  counts.l2_read_sectors = 3e5 / 32;
  KernelFacts facts;
  facts.warp.global_rounds = 2;
  facts.warp.shared_rounds = 3;
  const auto life = [&] {
    return time_of_term(kernel_time(counts, facts, {10, 8, 8}, test_rates()), Term::kLife);
  };
  EXPECT_DOUBLE_EQ(life(), 700 + 600 + 60);
  facts.warp.global_atomic_rounds = 2;
  EXPECT_DOUBLE_EQ(life(), 700 + 600 + 2 * 205 + 60);
  facts.warp.shared_atomic_rounds = 1;
  EXPECT_DOUBLE_EQ(life(), 700 + 600 + 2 * 205 + 60 + 12);
}

// Eight warps come together in 30 cycles, 32 in 75, one in 16.875.
TEST(KernelTime, ABarrierOfManyWarpsTakesLonger) {
  KernelFacts facts;
  facts.warp.barriers = 10;
  const auto life = [&](double warps) {
    return time_of_term(kernel_time({}, facts, {10, warps, 1}, test_rates()), Term::kLife) - 700;
  };
  EXPECT_DOUBLE_EQ(life(8), 300);
  EXPECT_DOUBLE_EQ(life(32), 750);
  EXPECT_DOUBLE_EQ(life(1), 168.75);
}

// Those with a result reach 0.62 of the rate of 104 a ns.
TEST(KernelTime, AtomicsWithAResultTakeL2Longer) {
  TimeCounts counts;
  counts.atomic_sectors = 1.04e6;
  counts.result_sectors = 1.04e6;
  const KernelTime time = kernel_time(counts, {}, {100, 8, 8}, test_rates());
  EXPECT_NEAR(time_of_term(time, Term::kAtomics), 10000 / 0.62, 1e-6);
}

/// The launch reads 300,000 bytes, of which L2 has room for 1,000,000 and keeps 750,000.
KernelFacts put_back(double restored, double copied) {
  KernelFacts facts;
  facts.warp.global_rounds = 1;
  facts.restored_bytes = restored;
  facts.copied_bytes = copied;
  return facts;
}

// What was put back is in L2, but in one half of it: 180 cycles more for each load that nobody made
// before. 350,000 bytes and as many originals are still there; a copy of 600,000 has pushed them
// out, and DRAM's 600 cycles are waited for.
TEST(KernelTime, WhatWasPutBackSaysWhereTheDataAre) {
  TimeCounts counts;
  counts.dram_read_bytes = 3e5;
  counts.l2_read_sectors = 3e5 / 32;
  const auto life = [&](const KernelFacts& facts) {
    return time_of_term(kernel_time(counts, facts, {100, 8, 8}, test_rates()), Term::kLife) / 2;
  };
  EXPECT_DOUBLE_EQ(life(put_back(0, 0)), 700 + 300);
  EXPECT_DOUBLE_EQ(life(put_back(3.5e5, 3.5e5)), 700 + 300 + 180);
  EXPECT_DOUBLE_EQ(life(put_back(1e5, 1e5)), 700 + 300);  // of what it reads, little was
  EXPECT_DOUBLE_EQ(life(put_back(6e5, 6e5)), 700 + 600);
  counts.l2_read_sectors *= 2;  // every other load finds what another has brought
  EXPECT_DOUBLE_EQ(life(put_back(3.5e5, 3.5e5)), 700 + 300 + 90);
}

// 300,000 of the bytes that were put back still have to be written to DRAM; a launch that writes as
// many itself leaves as many behind.
TEST(KernelTime, WhatWasPutBackIsWrittenToDramByTheLaunch) {
  TimeCounts counts;
  counts.dram_read_bytes = 3e5;
  counts.l2_read_sectors = 3e5 / 32;
  const auto dram = [&](const KernelFacts& facts) {
    return time_of_term(kernel_time(counts, facts, {100, 8, 8}, test_rates()), Term::kDram);
  };
  EXPECT_DOUBLE_EQ(dram(put_back(3e5, 3e5)), 0);
  // 300,000 both ways at 3000 a ns.
  EXPECT_DOUBLE_EQ(dram(put_back(6e5, 6e5)), 6e5 / 3000);
  counts.dram_write_bytes = 3e5;
  EXPECT_DOUBLE_EQ(dram(put_back(6e5, 6e5)), 3e5 / 4000);
}

// Loads of 32 sectors from 3,000,000 bytes, of which L2 keeps 750,000. Where they are 1000 lines
// apart, each load spans 4,096,000 bytes: each sector opens a row, which takes 0.8 x 31 / 32
// longer.
TEST(KernelTime, PiecesFarApartTakeDramLonger) {
  TimeCounts counts;
  counts.dram_read_bytes = 3e6;
  counts.load_sectors = 3e6 / 32;
  counts.l2_read_sectors = 3e6 / 32;
  counts.load_lines = counts.load_sectors;
  counts.load_requests = counts.load_lines / 32;
  KernelFacts facts;
  const auto dram = [&] {
    return time_of_term(kernel_time(counts, facts, {100, 8, 8}, test_rates()), Term::kDram);
  };
  EXPECT_DOUBLE_EQ(dram(), 3e6 / 4000);
  facts.line_gap = 100;  // 409,600 bytes at once, which L2 keeps until others ask for the rest
  EXPECT_DOUBLE_EQ(dram(), 3e6 / 4000);
  facts.line_gap = 1000;
  EXPECT_DOUBLE_EQ(dram(), 3e6 / 4000 * (1 + 0.8 * 31 / 32));
  // Asked for twice, of which L2 has kept a quarter: the rest comes again, two sectors for one.
  counts.l2_read_sectors *= 2;
  counts.load_sectors *= 2;
  counts.load_lines *= 2;
  counts.load_requests *= 2;
  EXPECT_NEAR(dram(), (3e6 + 2 * 3e6 * (1 - 0.75e6 / 3e6)) / 4000 * (1 + 0.8 * 31 / 32), 1e-6);
}

TEST(KernelTime, LoadsWaitForTheLevelThatHasTheirData) {
  TimeCounts near;
  near.dram_read_bytes = 3e5;  // L2 holds 7.5e5
  near.l2_read_sectors = 3e5 / 32;
  EXPECT_DOUBLE_EQ(latency_of(near, 0, {100, 8, 8}), 300);
  TimeCounts far;
  far.dram_read_bytes = 3e6;
  far.l2_read_sectors = 3e6 / 32;
  EXPECT_DOUBLE_EQ(latency_of(far, 0, {100, 8, 8}), 600);
  far.l2_read_sectors *= 5;  // of five SMs that read it, four find it in L2
  EXPECT_DOUBLE_EQ(latency_of(far, 0, {100, 8, 8}), 300);
  TimeCounts few;
  few.dram_read_bytes = 1e5;  // all of it fits in L1, from the second round on
  few.l2_read_sectors = 1e5 / 32;
  EXPECT_DOUBLE_EQ(latency_of(few, 0, {100, 8, 8}), 30);
  EXPECT_DOUBLE_EQ(latency_of(few, 1, {100, 8, 8}), 300);  // volatile
  few.dram_read_bytes = 3e5;
  few.l2_read_sectors = 300;  // of 800 loads, more than half find their sector in L1
  EXPECT_DOUBLE_EQ(latency_of(few, 0, {100, 8, 8}), 30);
}

TEST(KernelTime, OneAddressServesOneAfterTheOther) {
  const Rates rates = test_rates();
  EXPECT_DOUBLE_EQ(same_address_time({1000, 0, 0, 0}, rates), 1755);
  EXPECT_NEAR(same_address_time({0, 1000, 0, 0}, rates), 733 * 1.98, 1e-9);  // cycles of L2
  EXPECT_DOUBLE_EQ(same_address_time({0, 0, 1000, 0}, rates), 300);
}

// 1000 loads at 0.32 ns of an H200's clock, whatever the rest of L2 could do; stores come on top.
TEST(L2, APartTakesOneLoadAfterTheOther) {
  TimeCounts counts;
  KernelFacts facts;
  facts.hot.loads = 1000;
  EXPECT_NEAR(l2_load_time({counts, facts}, test_rates()), 320 * 1.98, 1e-9);
}

// 3 sectors that all of 10 SMs read: 30. Where they are more than an SM's 192 KiB, a part comes
// again each time; past L1 all of it does.
TEST(L2, SendsWhatL1DoesNotKeep) {
  TimeCounts counts;
  counts.dram_read_bytes = 96;
  counts.l2_read_sectors = 1000;
  counts.load_sectors = 5000;
  counts.load_lines = 1250;
  KernelFacts facts;
  const Rates rates = test_rates();
  EXPECT_DOUBLE_EQ(l2_reads({counts, facts}, rates), 30);
  facts.past_l1 = 0.5;
  EXPECT_DOUBLE_EQ(l2_reads({counts, facts}, rates), 15 + 2500);
  facts.past_l1 = 0;
  counts.dram_read_bytes = 2 * 192 * 1024;  // half of what is read again is lost
  counts.l2_read_sectors = 200000;
  EXPECT_DOUBLE_EQ(l2_reads({counts, facts}, rates), 122880 + (200000 - 122880) / 2.0);
}

// 20000 sectors at 200 a ns; one in each line, at 134 lines past L1, and 1.2 times as many else.
TEST(L2, SendsSectorsOfFewLines) {
  TimeCounts counts;
  counts.l2_read_sectors = 20000;
  counts.load_sectors = 20000;
  counts.load_lines = 5000;
  KernelFacts facts;
  EXPECT_DOUBLE_EQ(l2_load_time({counts, facts}, test_rates()), 100);
  counts.load_lines = 20000;
  EXPECT_DOUBLE_EQ(l2_load_time({counts, facts}, test_rates()), 20000 / (1.2 * 134));
  facts.past_l1 = 1;
  EXPECT_DOUBLE_EQ(l2_load_time({counts, facts}, test_rates()), 20000 / 134.0);
}

// Three stores of a float3 fill twelve sectors together: a third of them arrive, and whole.
TEST(Stores, ThatFillTheirSectorsTogetherArriveWhole) {
  TimeCounts counts;
  counts.store_lines = 9000;
  counts.store_sectors = 36000;
  counts.store_bytes = 12000 * 32;
  KernelFacts facts;
  EXPECT_DOUBLE_EQ(l2_store_time({counts, facts}, test_rates()), 36000 / 130.0);
  facts.stores.sent_sectors = 36;
  facts.stores.sent_lines = 9;
  facts.stores.merged_sectors = 12;
  facts.stores.merged_lines = 3;
  facts.stores.merged_whole = 12;
  EXPECT_DOUBLE_EQ(l2_store_time({counts, facts}, test_rates()), 12000 / 200.0);
}

// 8 MB of one sector in each line: 250,000 lines, of which a bus of 10 words writes one in 0.37 ns.
TEST(Dram, LinesThatLeaveL2WrittenInPartTakeLonger) {
  TimeCounts counts;
  counts.dram_write_bytes = 8e6;
  counts.store_bytes = 8e6;
  counts.store_sectors = 250000;
  counts.store_lines = 250000;
  KernelFacts facts;
  EXPECT_DOUBLE_EQ(dram_time({counts, facts}, test_rates()), 8e6 / 2000);
  facts.stores.sectors = 1;
  facts.stores.lines = 1;
  EXPECT_NEAR(dram_time({counts, facts}, test_rates()),
              std::pow(std::pow(4000, 3.5) + std::pow(92500, 3.5), 1 / 3.5), 1e-6);
}

// A sector of each of 12,500 lines, which take 1.6 MB: L2 keeps 1.5.
TEST(Dram, LinesOfWhichLittleIsReadTakeTheirPlaceInL2) {
  TimeCounts counts;
  counts.dram_read_bytes = 800000;  // 64 bytes each
  counts.l2_read_sectors = 12500;
  counts.load_sectors = 12500;
  counts.load_lines = 12500;
  Rates rates = test_rates();
  rates.l2_bytes = 2e6;  // 1.5 of it are kept
  const KernelFacts facts;
  EXPECT_DOUBLE_EQ(dram_time({counts, facts}, rates), 800000 / 4000.0);
  counts.load_lines = 3125;  // whole lines
  EXPECT_DOUBLE_EQ(dram_time({counts, facts}, rates), 0);
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
  counts.store_bytes = 3184;  // the half percent that is missing are edges
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
