#include "metrics/advice.h"

#include <gtest/gtest.h>

#include <functional>

#include "metrics/advice_pattern.h"

namespace lab::metrics {
namespace {

// Lane t accesses the address of(t); -1: it does not take part.
Access access(Space space, AccessOp op, const std::function<std::int64_t(int)>& of) {
  Access made;
  made.line = 7;
  made.space = space;
  made.op = op;
  made.bytes_per_lane = 4;
  for (int lane = 0; lane < 32; ++lane) made.address[static_cast<std::size_t>(lane)] = of(lane);
  return made;
}

TEST(Pattern, AColumnOfATile) {
  const Pattern pattern =
      pattern_of(access(Space::kShared, AccessOp::kLoad, [](int t) { return 128 * t + 8; }));
  EXPECT_EQ(pattern.lanes, 32);
  EXPECT_EQ(pattern.addresses, 32);
  EXPECT_EQ(pattern.first, 8);
  EXPECT_EQ(pattern.stride, 128);
  EXPECT_EQ(pattern.every, 1);
}

TEST(Pattern, OneInFourLanes) {
  const Pattern pattern = pattern_of(
      access(Space::kGlobal, AccessOp::kLoad, [](int t) { return t % 4 == 0 ? 4 * t : -1; }));
  EXPECT_EQ(pattern.lanes, 8);
  EXPECT_EQ(pattern.every, 4);
  EXPECT_EQ(pattern.stride, 16);
  EXPECT_FALSE(pattern.from_first_lane);
}

TEST(Pattern, TwoRowsOfATileStillHaveAStride) {
  // 30 of 31 neighbours are 4 bytes apart.
  const auto rows =
      access(Space::kGlobal, AccessOp::kLoad, [](int t) { return t / 16 * 512 + t % 16 * 4; });
  EXPECT_EQ(pattern_of(rows).stride, 4);
  // 15 steps of 8, 16 of 4: neither is the rule.
  const auto mixed =
      access(Space::kGlobal, AccessOp::kLoad, [](int t) { return t < 16 ? 8 * t : 120 + 4 * t; });
  EXPECT_EQ(pattern_of(mixed).stride, std::nullopt);
}

TEST(Crowd, WordsOfTheFullestBank) {
  // Lanes 2 k want words 64 k of bank 0, the others words 64 k + 1 of bank 1: 16 of each.
  const Crowd crowd = crowd_of(
      access(Space::kShared, AccessOp::kLoad, [](int t) { return 4 * (t / 2 * 64 + t % 2); }));
  EXPECT_EQ(crowd.bank, 0);
  EXPECT_EQ(crowd.words, 16);
  // One word for all is not a crowd.
  EXPECT_EQ(crowd_of(access(Space::kShared, AccessOp::kLoad, [](int) { return 64; })).words, 1);
}

CaseRecord with_line(std::initializer_list<std::pair<const char*, double>> costs, Access one) {
  CaseRecord record;
  record.launch.block = {32, 1, 1};
  for (const auto& [metric, value] : costs) {
    record.lines.push_back({"mine.cu", 7, metric, SourceOf::kModel, value});
  }
  record.accesses = {std::move(one)};
  return record;
}

TEST(Advise, AConflictNamesLineBankAndSaving) {
  Access column = access(Space::kShared, AccessOp::kLoad, [](int t) { return 128 * t; });
  column.conflicts = 31;
  const CaseRecord record = with_line({{"shared_load_requests", 10},
                                       {"shared_load_wavefronts", 320},
                                       {"shared_load_bank_conflicts", 310}},
                                      column);
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rule, AdviceRule::kSharedConflicts);
  EXPECT_EQ(all[0].line, 7);
  EXPECT_EQ(all[0].finding, "32 lanes want 32 words of bank 0, at a stride of 32 words");
  EXPECT_EQ(all[0].saved, 310);
  EXPECT_EQ(all[0].total, 320);
}

// 10 requests take 20 wavefronts, but those of the warp that was traced take one each.
TEST(Advise, ConflictsOfOtherWarpsAreKnownByTheirCounts) {
  const Access row = access(Space::kShared, AccessOp::kLoad, [](int t) { return 4 * t; });
  const CaseRecord record = with_line({{"shared_load_requests", 10},
                                       {"shared_load_wavefronts", 20},
                                       {"shared_load_bank_conflicts", 10}},
                                      row);
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rule, AdviceRule::kSharedConflicts);
  EXPECT_EQ(all[0].finding,
            "a load takes 2 wavefronts on average and 1 without conflicts, though the first warp's "
            "has none");
  EXPECT_EQ(all[0].saved, 10);
}

// 10 requests of 32 sectors each where 128 bytes fill 4.
TEST(Advise, AStrideNamesTheSectorsInVain) {
  Access column = access(Space::kGlobal, AccessOp::kStore, [](int t) { return 1024 * t; });
  column.sectors = 32;
  CaseRecord record = with_line(
      {{"global_store_requests", 10}, {"global_store_sectors", 320}, {"global_store_bytes", 1280}},
      column);
  Observation written;
  written.metric = "l2_write_sectors";
  written.source = SourceOf::kModel;
  written.value = 320.0;
  record.observations = {written};
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rule, AdviceRule::kStrided);
  EXPECT_EQ(all[0].finding, "neighbouring lanes are 1024 bytes apart and take 4 each");
  EXPECT_EQ(all[0].saved, 280);
  // Before, 320 sectors are written, and read since all have gaps: 640. After, 40 whole ones.
  EXPECT_EQ(all[0].bound, Resource::kDram);
  EXPECT_DOUBLE_EQ(all[0].gain, 1 - 40.0 / 640);
}

Observation modelled(const char* metric, double low, double high) {
  Observation made;
  made.metric = metric;
  made.source = SourceOf::kModel;
  made.value = high;
  made.min = low;
  made.max = high;
  return made;
}

// Every warp reads 5 sectors where 4 would do, but the fifth is the next warp's first: DRAM's bytes
// are needed anyway, and they take longest.
TEST(Advise, AMisalignedReadThatDramHidesGainsNothing) {
  Access row = access(Space::kGlobal, AccessOp::kLoad, [](int t) { return 4 * t + 4; });
  row.sectors = 5;
  CaseRecord record = with_line({{"global_load_requests", 100},
                                 {"global_load_sectors", 500},
                                 {"global_load_lines", 200},
                                 {"global_load_bytes", 12800}},
                                row);
  record.observations = {modelled("l2_read_sectors", 401, 500),
                         modelled("dram_read_bytes", 12800, 12864)};
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rule, AdviceRule::kMisaligned);
  EXPECT_EQ(all[0].bound, Resource::kDram);
  EXPECT_EQ(all[0].gain, 0);
  EXPECT_EQ(all[0].known, Known::kExpected);
  EXPECT_EQ(gain_text(all[0]), "; the time stays, for DRAM sets it");
}

// Eight rows of 16 bytes, as parts of a matrix are loaded: each begins where a sector does.
TEST(Advise, ShortRunsOfNeighboursAreNotMisaligned) {
  Access rows =
      access(Space::kGlobal, AccessOp::kLoad, [](int t) { return t / 4 * 32 + t % 4 * 4; });
  rows.sectors = 8;
  const CaseRecord record = with_line({{"global_load_requests", 100},
                                       {"global_load_sectors", 800},
                                       {"global_load_lines", 200},
                                       {"global_load_bytes", 12800}},
                                      rows);
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rule, AdviceRule::kScattered);
  EXPECT_EQ(all[0].finding, "32 lanes touch 8 sectors in 8 runs of neighbours");
}

// The same bytes of DRAM, but L2 puts the sectors between two warps together.
TEST(Advise, AMisalignedStoreHasNoNumber) {
  Access row = access(Space::kGlobal, AccessOp::kStore, [](int t) { return 4 * t + 4; });
  row.sectors = 5;
  CaseRecord record = with_line({{"global_store_requests", 100},
                                 {"global_store_sectors", 500},
                                 {"global_store_lines", 200},
                                 {"global_store_bytes", 12800}},
                                row);
  record.observations = {modelled("l2_write_sectors", 401, 500)};
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].gain, 0);
  EXPECT_EQ(all[0].known, Known::kUnknown);
  EXPECT_EQ(gain_text(all[0]),
            "; how long L2 takes to put the parts of a sector together is not known");
}

// 100 requests of 32 lines each of one buffer that caches hold: L1 has 3200 lines to look up.
TEST(Advise, WhatL1BoundsIsSavedAtMost) {
  Access column = access(Space::kGlobal, AccessOp::kLoad, [](int t) { return 1024 * t; });
  column.sectors = 32;
  CaseRecord record = with_line({{"global_load_requests", 100},
                                 {"global_load_sectors", 3200},
                                 {"global_load_lines", 3200},
                                 {"global_load_bytes", 12800}},
                                column);
  record.observations = {modelled("l2_read_sectors", 400, 3200),
                         modelled("dram_read_bytes", 12800, 102400)};
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].bound, Resource::kL1);
  EXPECT_EQ(all[0].known, Known::kAtMost);
  // 100 lines are left; L1 takes 3200 clocks of 132 SMs, then DRAM sets the time: 12800 bytes at
  // 4800 GB/s are 2.67 ns, and the 24.2 clocks before 12.2 ns.
  EXPECT_NEAR(all[0].gain, 1 - 2.667 / 12.244, 1e-3);
  EXPECT_EQ(gain_text(all[0]), ", at most 78 % of the expected time");
  // A measured time says what L1 really took: of 30 ns all but DRAM's 2.67 may go.
  record.timing = Timing();
  record.timing->median_ns = 30;
  record.timing->cache = Cache::kCold;
  const Advice measured = advise(record, data_sheet("sm_90")).at(0);
  EXPECT_EQ(measured.known, Known::kMeasured);
  EXPECT_NEAR(measured.gain, 1 - 2.667 / 30, 1e-4);
  EXPECT_EQ(gain_text(measured), ", at most 91 % of the measured time");
}

// DRAM sets the time: 96000 bytes at 4800 GB/s are 20 ns. 3200 wavefronts of 132 SMs at 1.98 GHz
// are 12.244 ns and the 100 that are left 0.383, so that a cure saves 11.861 ns where nothing hides
// them.
TEST(Advise, OfAMeasuredTimeAboveTheExpectedOneTheRestMayGo) {
  Access column = access(Space::kShared, AccessOp::kLoad, [](int t) { return 128 * t; });
  column.conflicts = 31;
  CaseRecord record = with_line({{"shared_load_requests", 100},
                                 {"shared_load_wavefronts", 3200},
                                 {"shared_load_bank_conflicts", 3100}},
                                column);
  record.observations = {modelled("shared_load_wavefronts", 3200, 3200),
                         modelled("dram_read_bytes", 96000, 96000)};
  const auto measured = [&](double ns) {
    record.timing = Timing();
    record.timing->median_ns = ns;
    record.timing->cache = Cache::kCold;
    const auto all = advise(record, data_sheet("sm_90"));
    EXPECT_EQ(all.size(), 1U);
    return all.at(0);
  };
  EXPECT_EQ(gain_text(advise(record, data_sheet("sm_90")).at(0)),
            "; the time stays, for DRAM sets it");
  EXPECT_EQ(measured(25).known, Known::kMeasured);
  EXPECT_NEAR(measured(25).gain, (25.0 - 20) / 25, 1e-9);
  EXPECT_EQ(gain_text(measured(25)), ", at most 20 % of the measured time");
  EXPECT_NEAR(measured(40).gain, 11.861 / 40, 1e-4);  // whatever the other 20 ns are
  EXPECT_EQ(measured(20.1).known, Known::kExpected);
  EXPECT_EQ(gain_text(measured(20.1)), "; the time stays, for DRAM sets it");
  record.observations
      .pop_back();  // without DRAM's bytes L1 sets the time, and the gain is expected
  EXPECT_EQ(measured(25).known, Known::kExpected);
}

// An expected gain is told first, however large the other may be.
TEST(Advise, AnExpectedGainComesBeforeOneOfTheMeasuredTime) {
  Access column = access(Space::kShared, AccessOp::kLoad, [](int t) { return 128 * t; });
  column.conflicts = 31;
  CaseRecord record = with_line({{"shared_load_requests", 100},
                                 {"shared_load_wavefronts", 3200},
                                 {"shared_load_bank_conflicts", 3100},
                                 {"global_store_requests", 100},
                                 {"global_store_sectors", 3200},
                                 {"global_store_bytes", 89600}},
                                column);
  Access store = access(Space::kGlobal, AccessOp::kStore, [](int t) { return 32 * t; });
  store.line = 7;
  store.sectors = 32;
  record.accesses.push_back(store);
  record.observations = {modelled("shared_load_wavefronts", 3200, 3200),
                         modelled("l2_write_sectors", 3200, 3200)};
  record.timing = Timing();
  record.timing->median_ns = 1000;
  record.timing->cache = Cache::kCold;
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].known, Known::kExpected);
  EXPECT_GT(all[0].gain, 0.01);
  EXPECT_EQ(all[1].known, Known::kMeasured);
}

// Two fields of four are read: parting them spares DRAM half, though each line alone spares none.
TEST(Advise, StructuresArePartedWhole) {
  Access x = access(Space::kGlobal, AccessOp::kLoad, [](int t) { return 16 * t; });
  x.sectors = 16;
  CaseRecord record = with_line({{"global_load_requests", 100},
                                 {"global_load_sectors", 1600},
                                 {"global_load_lines", 400},
                                 {"global_load_bytes", 12800}},
                                x);
  Access y = access(Space::kGlobal, AccessOp::kLoad, [](int t) { return 16 * t + 4; });
  y.sectors = 16;
  y.line = 8;
  record.accesses.push_back(y);
  const std::vector<LineObservation> first = record.lines;
  for (LineObservation second : first) {
    second.line = 8;
    record.lines.push_back(second);
  }
  // Both lines touch the same 1600 sectors.
  record.observations = {modelled("l2_read_sectors", 1600, 3200),
                         modelled("dram_read_bytes", 51200, 51200)};
  // One cure, told once, with what both lines save: 1600 sectors less the 400 that 12,800 bytes
  // fill.
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rule, AdviceRule::kStructures);
  EXPECT_EQ(all[0].line, 7);
  EXPECT_EQ(all[0].also, std::vector<int>{8});
  EXPECT_EQ(all[0].saved, 2 * 1200);
  // 800 sectors of 32 bytes are left of 51,200 bytes.
  EXPECT_DOUBLE_EQ(all[0].gain, 0.5);
}

// Two fields, 4 bytes apart, of structures of 32 words; with one word more it is a row's stride.
TEST(Advise, AStructureHas128BytesAtMost) {
  const auto rule_at = [](std::int64_t stride) {
    Access x = access(Space::kGlobal, AccessOp::kLoad, [=](int t) { return stride * t; });
    x.sectors = 32;
    CaseRecord record = with_line(
        {{"global_load_requests", 10}, {"global_load_sectors", 320}, {"global_load_bytes", 1280}},
        x);
    Access y = access(Space::kGlobal, AccessOp::kLoad, [=](int t) { return stride * t + 4; });
    y.line = 8;
    record.accesses.push_back(y);
    return advise(record, data_sheet("sm_90")).at(0).rule;
  };
  EXPECT_EQ(rule_at(128), AdviceRule::kStructures);
  EXPECT_EQ(rule_at(132), AdviceRule::kStrided);
}

// 8 of 10 requests' lanes add to one word, though the first warp adds nowhere: counts tell.
TEST(Advise, AtomicsOfOtherWarpsAreKnownByTheirCounts) {
  CaseRecord record =
      with_line({{"global_adders", 80}, {"global_added", 10}},
                access(Space::kGlobal, AccessOp::kLoad, [](int t) { return 4 * t; }));
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rule, AdviceRule::kSameAddress);
  EXPECT_EQ(all[0].saved, 70);
  EXPECT_EQ(all[0].total, 80);
}

// A warp of a block of 16 x 16 is two rows of 16 bytes: two sectors where its 32 bytes fill one.
TEST(Advise, TwoRowsOfANarrowBlockNameTheBlock) {
  Access rows =
      access(Space::kGlobal, AccessOp::kLoad, [](int t) { return t / 16 * 128 + t % 16; });
  rows.bytes_per_lane = 1;
  rows.sectors = 2;
  CaseRecord record = with_line(
      {{"global_load_requests", 10}, {"global_load_sectors", 20}, {"global_load_bytes", 320}},
      rows);
  record.launch.block = {16, 16, 1};
  const auto all = advise(record, data_sheet("sm_90"));
  // That a lane moves one byte comes first: a request of 32 bytes where 128 would do.
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].rule, AdviceRule::kNarrow);
  EXPECT_EQ(all[1].rule, AdviceRule::kBlockShape);
  EXPECT_EQ(all[1].finding, "a warp is 2 rows of 16 threads: 2 sectors where 1 would do");
}

// Neighbours of a stencil: in[i - 1] begins within a sector, and in[i] beside it does not.
TEST(Advise, AStencilIsNotMisaligned) {
  Access left = access(Space::kGlobal, AccessOp::kLoad, [](int t) { return 4 * t + 28; });
  left.sectors = 5;
  CaseRecord record = with_line(
      {{"global_load_requests", 20}, {"global_load_sectors", 90}, {"global_load_bytes", 2560}},
      left);
  EXPECT_EQ(advise(record, data_sheet("sm_90")).size(), 1U);
  Access middle = access(Space::kGlobal, AccessOp::kLoad, [](int t) { return 4 * t + 32; });
  middle.sectors = 4;
  record.accesses.push_back(middle);
  EXPECT_TRUE(advise(record, data_sheet("sm_90")).empty());
}

TEST(Advise, GoodAccessesGetNone) {
  Access row = access(Space::kGlobal, AccessOp::kLoad, [](int t) { return 4 * t; });
  row.sectors = 4;
  EXPECT_TRUE(advise(with_line({{"global_load_requests", 10},
                                {"global_load_sectors", 40},
                                {"global_load_bytes", 1280}},
                               row),
                     data_sheet("sm_90"))
                  .empty());
}

}  // namespace
}  // namespace lab::metrics
