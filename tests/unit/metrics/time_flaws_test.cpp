#include "metrics/time_flaws.h"

#include <gtest/gtest.h>

#include "metrics/time_rules.h"

namespace lab::metrics {
namespace {

// 100 blocks for each SM of an H200, of 8 warps that load a line each: nothing stands out.
Launched plain() {
  Launched one{{}, {}, {13200, 8, 8}, rates_of(data_sheet("sm_90")).value()};
  const double warps = 13200 * 8;
  one.counts.load_requests = warps;
  one.counts.load_lines = warps;
  one.counts.load_sectors = 4 * warps;
  one.counts.l2_read_sectors = 4 * warps;
  one.counts.dram_read_bytes = 128 * warps;
  one.facts.warp.instructions = 20;
  one.facts.warp.issue_cycles = 60;
  one.facts.warp.global_rounds = 1;
  one.facts.warp.global_loads = 1;
  return one;
}

std::optional<TimeFlaw> flaw_in(const Launched& one) { return flaw_of(one, one.time()); }

TEST(TimeFlaws, APlainLaunchHasNone) { EXPECT_EQ(flaw_in(plain()), std::nullopt); }

TEST(TimeFlaws, StoresToOneSector) {
  Launched one = plain();
  one.facts.hot.stores = 1e6;  // 0.3 ns each
  EXPECT_EQ(flaw_in(one), TimeFlaw::kOneSector);
  one.facts.hot.stores = 0;
  one.facts.hot.float_adds = 1e6;  // atomics are in the rules
  EXPECT_EQ(flaw_in(one), std::nullopt);
}

TEST(TimeFlaws, ABlockLoadsWhatItStored) {
  Launched one = plain();
  one.facts.reloaded = 0.5;
  EXPECT_EQ(flaw_in(one), TimeFlaw::kReload);
}

// A sector of each line, two lines apart: 32 lines per request.
TEST(TimeFlaws, PiecesFarApart) {
  Launched one = plain();
  one.counts.load_lines *= 32;
  one.counts.load_sectors = one.counts.load_lines;
  one.counts.l2_read_sectors = one.counts.load_lines;
  one.facts.line_gap = 1;
  EXPECT_NE(flaw_in(one), TimeFlaw::kPieces);
  one.facts.line_gap = 2;
  EXPECT_EQ(flaw_in(one), TimeFlaw::kPieces);
}

// 64 warps, each in two rounds on the same 32 lines: 256 KiB.
TEST(TimeFlaws, MoreLinesThanL1Keeps) {
  Launched one = plain();
  one.counts.load_requests *= 2;
  one.counts.load_lines *= 64;
  one.counts.load_sectors = one.counts.load_lines;
  one.counts.l2_read_sectors = one.counts.load_lines / 2;
  one.facts.warp.global_rounds = 2;
  EXPECT_EQ(flaw_in(one), TimeFlaw::kLeavesL1);
  one.facts.past_l1 = 1;  // L1 holds none of them
  EXPECT_NE(flaw_in(one), TimeFlaw::kLeavesL1);
}

TEST(TimeFlaws, TwoWarpsPerScheduler) {
  Launched one = plain();
  one.shape = {132, 8, 2};
  one.counts = {};
  one.facts.warp.instructions = 1e5;
  one.facts.warp.issue_cycles = 1e5;
  EXPECT_EQ(flaw_in(one), TimeFlaw::kFewWarps);
  one.shape = {132 * 2, 8, 2};
  EXPECT_NE(flaw_in(one), TimeFlaw::kFewWarps);
}

TEST(TimeFlaws, EachHasAClause) {
  for (std::size_t i = 0; i < kWordsOf<TimeFlaw>.size(); ++i) {
    EXPECT_GT(told(static_cast<TimeFlaw>(i)).size(), 20U);
  }
}

}  // namespace
}  // namespace lab::metrics
