#include "metrics/advice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "harness/core/trial_keys.h"
#include "metrics/advice_gain.h"
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

// A row of 16 threads that goes round at its edge: lane 0 reads the row's last element.
TEST(Pattern, TheLongestRunSaysWhereARowBegins) {
  const auto round =
      access(Space::kGlobal, AccessOp::kLoad, [](int t) { return t == 0 ? 508 : 4 * (t - 1); });
  EXPECT_EQ(pattern_of(round).first, 508);
  EXPECT_EQ(pattern_of(round).begin, 0);
  EXPECT_EQ(pattern_of(round).runs, 2);
}

TEST(Pattern, IdleLanesLeaveGapsOfTheirOwn) {
  const auto some = [](std::int64_t apart) {
    return access(Space::kGlobal, AccessOp::kLoad,
                  [=](int t) { return t % 3 == 0 || t == 4 ? apart * t : -1; });
  };
  EXPECT_TRUE(is_dense_but_for_idle_lanes(some(4)));
  EXPECT_FALSE(is_dense_but_for_idle_lanes(some(8)));
  // All lanes work: nothing is idle.
  EXPECT_FALSE(is_dense_but_for_idle_lanes(
      access(Space::kGlobal, AccessOp::kLoad, [](int t) { return 4 * t; })));
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

Observation modelled(const char* metric, double low, double high) {
  Observation made;
  made.metric = metric;
  made.source = SourceOf::kModel;
  made.value = high;
  made.min = low;
  made.max = high;
  return made;
}

// A line that has all of the launch's counts.
CaseRecord with_line(std::initializer_list<std::pair<const char*, double>> costs, Access one) {
  CaseRecord record;
  record.launch.block = {32, 1, 1};
  for (const auto& [metric, value] : costs) {
    record.lines.push_back({"mine.cu", 7, metric, SourceOf::kModel, value});
    record.observations.push_back(modelled(metric, value, value));
  }
  record.accesses = {std::move(one)};
  return record;
}

void count(CaseRecord& record, std::initializer_list<Observation> more) {
  record.observations.insert(record.observations.end(), more);
}

// A trial on the accesses of a line.
void try_out(CaseRecord& record, const metric::Trial& trial, AccessOp op, double before,
             double after, int line = 7) {
  const metric::TrialKeys& keys = trial[op == AccessOp::kLoad ? 0 : 1];
  record.lines.push_back({"mine.cu", line, std::string(keys.before), SourceOf::kModel, before});
  record.lines.push_back({"mine.cu", line, std::string(keys.after), SourceOf::kModel, after});
}

/// What a layout of the array at line 7 was found to save.
Trials with_layout(double before, double after) {
  return {{}, true, {{{7}, "Declare s[32][33].", before, after}}};
}
std::vector<Advice> advise_with(const CaseRecord& record, const Trials& trials) {
  return diagnose(record, data_sheet("sm_90"), Forbidden::kNothing, trials).advice;
}

/// What gains are differences of.
double full_ns(const CaseRecord& record) {
  return full_launch_of(record, data_sheet("sm_90")).value().time().ns;
}

/// The gain where these are all counts of the cured kernel.
double gain_to(const CaseRecord& record, std::initializer_list<Observation> cured) {
  CaseRecord after = record;
  after.observations = cured;
  return 1 - full_ns(after) / full_ns(record);
}

TEST(Advise, AConflictNamesLineBankAndSaving) {
  Access column = access(Space::kShared, AccessOp::kLoad, [](int t) { return 128 * t; });
  column.conflicts = 31;
  const CaseRecord record = with_line({{"shared_load_requests", 10},
                                       {"shared_load_wavefronts", 320},
                                       {"shared_load_bank_conflicts", 310}},
                                      column);
  const auto all = advise_with(record, with_layout(320, 10));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].cure, "Declare s[32][33].");
  EXPECT_EQ(all[0].rule, AdviceRule::kSharedConflicts);
  EXPECT_EQ(all[0].line, 7);
  EXPECT_EQ(all[0].finding, "32 lanes want 32 words of bank 0, at a stride of 32 words");
  EXPECT_EQ(all[0].saved, 310);
  EXPECT_EQ(all[0].total, 320);
  // Of one of four blocks that do the same.
  CaseRecord four = record;
  four.launch.grid = {4, 1, 1};
  Trials one = with_layout(80, 20);
  one.layouts[0].blocks = 1;
  EXPECT_EQ(advise_with(four, one).at(0).saved, 240);
}

// A number is what a trial has counted: none without a search, none where it finds nothing, and
// none of accesses that were not all looked at.
TEST(Advise, AConflictHasNoNumberThatNobodyTried) {
  Access column = access(Space::kShared, AccessOp::kLoad, [](int t) { return 128 * t; });
  column.conflicts = 31;
  const CaseRecord record = with_line({{"shared_load_requests", 10},
                                       {"shared_load_wavefronts", 320},
                                       {"shared_load_bank_conflicts", 310}},
                                      column);
  const auto searched_not = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(searched_not.size(), 1U);
  EXPECT_EQ(searched_not[0].unit, Saving::kNone);
  EXPECT_NE(searched_not[0].cure.find("lab fix"), std::string::npos);
  Trials none = with_layout(320, 320);
  none.layouts[0].change.clear();
  const auto helps_not = advise_with(record, none);
  ASSERT_EQ(helps_not.size(), 1U);
  EXPECT_EQ(helps_not[0].unit, Saving::kNone);
  EXPECT_EQ(helps_not[0].cure.rfind("No layout of the array helps", 0), 0U);
  Trials part = with_layout(320, 10);
  part.layouts[0].complete = false;
  EXPECT_EQ(advise_with(record, part).at(0).unit, Saving::kNone);
  // What is asked for alone takes as many: there is nothing to tell.
  EXPECT_TRUE(advise_with(record, {{}, true, {}}).empty());
}

// 10 requests take 20 wavefronts, but those of the warp that was traced take one each.
TEST(Advise, ConflictsOfOtherWarpsAreKnownByTheirCounts) {
  const Access row = access(Space::kShared, AccessOp::kLoad, [](int t) { return 4 * t; });
  const CaseRecord record = with_line({{"shared_load_requests", 10},
                                       {"shared_load_wavefronts", 20},
                                       {"shared_load_bank_conflicts", 10}},
                                      row);
  const auto all = advise_with(record, with_layout(20, 10));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rule, AdviceRule::kSharedConflicts);
  EXPECT_EQ(all[0].finding,
            "a load takes 2 wavefronts on average and 1 without conflicts, though the first warp's "
            "has none");
  EXPECT_EQ(all[0].saved, 10);
}

// The layout is what a lab's students are to find: its number stands, and its code does not.
TEST(Advise, ALabsAnswerIsLeftToItsHints) {
  Access column = access(Space::kShared, AccessOp::kLoad, [](int t) { return 128 * t; });
  column.conflicts = 31;
  const CaseRecord record = with_line({{"shared_load_requests", 100},
                                       {"shared_load_wavefronts", 3200},
                                       {"shared_load_bank_conflicts", 3100}},
                                      column);
  Trials trials = with_layout(3200, 100);
  trials.hint = "lab hint 3";
  const Advice hinted = advise_with(record, trials).at(0);
  EXPECT_EQ(hinted.cure.find("33"), std::string::npos) << hinted.cure;
  EXPECT_NE(hinted.cure.find(": lab hint 3."), std::string::npos) << hinted.cure;
  EXPECT_EQ(hinted.saved, 3100);
  EXPECT_FALSE(is_of_layout(hinted));  // no command is named that tells the layout
  trials.hint.clear();
  EXPECT_NE(advise_with(record, trials).at(0).cure.find("33"), std::string::npos);
}

// 10 requests of 32 sectors each where 128 bytes fill 4.
TEST(Advise, AStrideNamesTheSectorsInVain) {
  Access column = access(Space::kGlobal, AccessOp::kStore, [](int t) { return 1024 * t; });
  column.sectors = 32;
  CaseRecord record = with_line(
      {{"global_store_requests", 10}, {"global_store_sectors", 320}, {"global_store_bytes", 1280}},
      column);
  count(record,
        {modelled("global_store_lines", 320, 320), modelled("dram_write_bytes", 10240, 10240)});
  record.lines.push_back({"mine.cu", 7, "global_store_lines", SourceOf::kModel, 320});
  // The fault and its cure stand, but nobody has tried it.
  const Advice untried = advise(record, data_sheet("sm_90")).at(0);
  EXPECT_EQ(untried.unit, Saving::kNone);
  EXPECT_EQ(untried.saved, 0);
  EXPECT_EQ(gain_text(untried), "");
  // Nor is a number told where the order does not help.
  CaseRecord in_vain = record;
  try_out(in_vain, metric::kTrialOfOrder, AccessOp::kStore, 320, 300);
  EXPECT_EQ(advise(in_vain, data_sheet("sm_90")).at(0).unit, Saving::kNone);
  try_out(record, metric::kTrialOfOrder, AccessOp::kStore, 320, 40);
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rule, AdviceRule::kStrided);
  EXPECT_EQ(all[0].finding, "neighbouring lanes are 1024 bytes apart and take 4 each");
  EXPECT_EQ(all[0].saved, 280);
  // Before, L2 takes a sector in part from each of 320 lines. After, 40 whole ones from 10.
  EXPECT_EQ(all[0].bound, TimeTerm::kL2Stores);
  EXPECT_TRUE(all[0].of_many);
  EXPECT_GT(all[0].gain, 0.8);
  EXPECT_NEAR(
      all[0].gain,
      gain_to(record,
              {modelled("global_store_requests", 10, 10), modelled("global_store_sectors", 40, 40),
               modelled("global_store_lines", 10, 10), modelled("global_store_bytes", 1280, 1280),
               modelled("dram_write_bytes", 1280, 1280)}),
      1e-9);
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
  count(record, {modelled("l2_read_sectors", 401, 401), modelled("dram_read_bytes", 12800, 12800)});
  try_out(record, metric::kTrialOfAlignment, AccessOp::kLoad, 500, 400);
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rule, AdviceRule::kMisaligned);
  EXPECT_EQ(all[0].bound, TimeTerm::kDram);
  EXPECT_LT(all[0].gain, 0.01);
  EXPECT_TRUE(all[0].hidden);
  EXPECT_EQ(all[0].known, Known::kExpected);
  EXPECT_EQ(gain_text(all[0]), "; the time of many such blocks stays: what sets it is DRAM");
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

// The same bytes of DRAM, but L2 puts the sectors between two warps together: lines with such parts
// at the rate of lines, whole sectors at theirs.
TEST(Advise, AMisalignedStoreGainsWhatL2TakesForParts) {
  Access row = access(Space::kGlobal, AccessOp::kStore, [](int t) { return 4 * t + 4; });
  row.sectors = 5;
  CaseRecord record = with_line({{"global_store_requests", 100},
                                 {"global_store_sectors", 500},
                                 {"global_store_lines", 200},
                                 {"global_store_bytes", 12800}},
                                row);
  try_out(record, metric::kTrialOfAlignment, AccessOp::kStore, 500, 400);
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].known, Known::kExpected);
  EXPECT_NEAR(all[0].gain,
              gain_to(record, {modelled("global_store_requests", 100, 100),
                               modelled("global_store_sectors", 400, 400),
                               modelled("global_store_lines", 100, 100),
                               modelled("global_store_bytes", 12800, 12800)}),
              1e-9);
  EXPECT_GT(all[0].gain, 0.1);
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
  count(record, {modelled("l2_read_sectors", 400, 400), modelled("dram_read_bytes", 12800, 12800)});
  try_out(record, metric::kTrialOfOrder, AccessOp::kLoad, 3200, 400);
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].bound, TimeTerm::kTags);
  EXPECT_EQ(all[0].known, Known::kAtMost);
  // 100 lines are left.
  const std::initializer_list<Observation> cured = {
      modelled("global_load_requests", 100, 100), modelled("global_load_sectors", 400, 400),
      modelled("global_load_lines", 100, 100),    modelled("global_load_bytes", 12800, 12800),
      modelled("l2_read_sectors", 400, 400),      modelled("dram_read_bytes", 12800, 12800)};
  const double gain = gain_to(record, cured);
  EXPECT_NEAR(all[0].gain, gain, 1e-9);
  EXPECT_EQ(gain_text(all[0]),
            fmt::format(", at most {:.0f} % of the expected time of many such blocks", 100 * gain));
  // A measured time says what L1 really took: of twice the expected time half as much is left.
  const double after = full_ns(record) * (1 - gain);
  record.timing = Timing();
  record.timing->median_ns = 2 * full_ns(record);
  record.timing->cache = Cache::kCold;
  const Advice measured = advise(record, data_sheet("sm_90")).at(0);
  EXPECT_EQ(measured.known, Known::kMeasured);
  EXPECT_NEAR(measured.gain, 1 - after / record.timing->median_ns, 1e-9);
  EXPECT_TRUE(gain_text(measured).ends_with(" % of the measured time")) << gain_text(measured);
}

// DRAM sets the time by far: 960000 bytes at 92 % of 4800 GB/s are 217 ns. 3200 wavefronts of 132
// SMs at 1.98 GHz are 12.244 ns and the 100 that are left 0.383, so that a cure saves 11.861 ns
// where nothing hides them.
TEST(Advise, OfAMeasuredTimeAboveTheExpectedOneTheRestMayGo) {
  Access column = access(Space::kShared, AccessOp::kLoad, [](int t) { return 128 * t; });
  column.conflicts = 31;
  CaseRecord record = with_line({{"shared_load_requests", 100},
                                 {"shared_load_wavefronts", 3200},
                                 {"shared_load_bank_conflicts", 3100}},
                                column);
  count(record, {modelled("dram_read_bytes", 960000, 960000)});
  const auto measured = [&](double ns) {
    record.timing = Timing();
    record.timing->median_ns = ns;
    record.timing->cache = Cache::kCold;
    const auto all = advise_with(record, with_layout(3200, 100));
    EXPECT_EQ(all.size(), 1U);
    return all.at(0);
  };
  EXPECT_EQ(gain_text(advise_with(record, with_layout(3200, 100)).at(0)),
            "; the time of many such blocks stays: what sets it is DRAM");
  const double left =
      full_ns(record) * (1 - advise_with(record, with_layout(3200, 100)).at(0).gain);
  EXPECT_EQ(measured(left + 5).known, Known::kMeasured);
  EXPECT_NEAR(measured(left + 5).gain, 5 / (left + 5), 1e-6);
  EXPECT_NEAR(measured(left + 50).gain, 11.861 / (left + 50),
              1e-6);  // whatever the other 38 ns are
  EXPECT_EQ(measured(left + 0.1).known, Known::kExpected);
  EXPECT_EQ(gain_text(measured(left + 0.1)),
            "; the time of many such blocks stays: what sets it is DRAM");
  record.observations
      .pop_back();  // without DRAM's bytes L1 sets the time, and the gain is expected
  EXPECT_EQ(measured(25).known, Known::kExpected);
}

// An expected gain is told first, however large the other may be.
TEST(Advise, AnExpectedGainComesBeforeOneOfTheMeasuredTime) {
  Access column = access(Space::kShared, AccessOp::kLoad, [](int t) { return 128 * t; });
  column.conflicts = 31;
  CaseRecord record = with_line({{"shared_load_requests", 10000},
                                 {"shared_load_wavefronts", 320000},
                                 {"shared_load_bank_conflicts", 310000},
                                 {"global_store_requests", 100},
                                 {"global_store_sectors", 6400},
                                 {"global_store_bytes", 179200}},
                                column);
  Access store = access(Space::kGlobal, AccessOp::kStore, [](int t) { return 32 * t; });
  store.line = 7;
  store.sectors = 32;
  record.accesses.push_back(store);
  record.timing = Timing();
  record.timing->median_ns = 1400;
  record.timing->cache = Cache::kCold;
  try_out(record, metric::kTrialOfOrder, AccessOp::kStore, 6400, 5600);
  const auto all = advise_with(record, with_layout(320000, 10000));
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
  for (Observation& both : record.observations) both.value = 2 * both.number();
  count(record,
        {modelled("l2_read_sectors", 1600, 1600), modelled("dram_read_bytes", 51200, 51200)});
  // One cure, told once, with what both lines save: 1600 sectors less the 400 that 12,800 bytes
  // fill.
  try_out(record, metric::kTrialOfFields, AccessOp::kLoad, 1600, 400);
  try_out(record, metric::kTrialOfFields, AccessOp::kLoad, 1600, 400, 8);
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rule, AdviceRule::kStructures);
  EXPECT_EQ(all[0].line, 7);
  EXPECT_EQ(all[0].also, std::vector<int>{8});
  EXPECT_EQ(all[0].saved, 2 * 1200);
  // 800 sectors of 32 bytes are left, half of the 51,200 bytes.
  EXPECT_NEAR(
      all[0].gain,
      gain_to(
          record,
          {modelled("global_load_requests", 200, 200), modelled("global_load_sectors", 800, 800),
           modelled("global_load_lines", 200, 200), modelled("global_load_bytes", 25600, 25600),
           modelled("l2_read_sectors", 800, 800), modelled("dram_read_bytes", 25600, 25600)}),
      1e-9);
  EXPECT_GT(all[0].gain, 0.4);
}

// Twelve fields of 16, each in a line of its own, have a twelfth of the sectors each: less than is
// worth a word, but one cure is for all.
TEST(Advise, LinesWithLittleEachAreOneCure) {
  CaseRecord record;
  record.launch.block = {32, 1, 1};
  for (int field = 0; field < 12; ++field) {
    Access one = access(Space::kGlobal, AccessOp::kLoad, [=](int t) { return 64 * t + 4 * field; });
    one.line = 7 + field;
    one.sectors = 32;
    record.accesses.push_back(one);
    for (const auto& [metric, value] :
         {std::pair{"global_load_requests", 10.0}, std::pair{"global_load_sectors", 320.0},
          std::pair{"global_load_bytes", 1280.0}}) {
      record.lines.push_back({"mine.cu", 7 + field, metric, SourceOf::kModel, value});
    }
    try_out(record, metric::kTrialOfFields, AccessOp::kLoad, 320, 40, 7 + field);
  }
  const auto all = advise(record, data_sheet("sm_90"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rule, AdviceRule::kStructures);
  EXPECT_EQ(all[0].also.size(), 11U);
  // Of each line's 320 sectors 1280 bytes fill 40.
  EXPECT_EQ(all[0].saved, 12 * 280);
  EXPECT_EQ(all[0].total, 12 * 320);
}

// One line's 5 of 105 sectors are not worth a change.
TEST(Advise, TriflesAreLeftOut) {
  CaseRecord record = with_line(
      {{"global_load_requests", 20}, {"global_load_sectors", 105}, {"global_load_bytes", 3200}},
      access(Space::kGlobal, AccessOp::kLoad, [](int t) { return 64 * t; }));
  EXPECT_TRUE(advise(record, data_sheet("sm_90")).empty());
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

// 100 blocks of 32 threads that add 3,200 times to a table of 8 words: 100 tables of 8 are added up
// at the end. To one of 256 words they add no more often than 100 such tables would: 6 blocks do,
// of which each thread takes 16 elements.
TEST(Advise, ATableOfFewWordsIsOneOfEachBlock) {
  const Access row = access(Space::kGlobal, AccessOp::kLoad, [](int t) { return 4 * t; });
  const auto told = [&](double words, double used) {
    CaseRecord record = with_line({{"global_adders", 3200},
                                   {"global_added", 3000},
                                   {"added_words", words},
                                   {"used_adders", used},
                                   {"indexed_requests", 100}},
                                  row);
    record.launch.grid = {100, 1, 1};
    return advise(record, data_sheet("sm_90"));
  };
  const auto few = told(8, 0);
  ASSERT_EQ(few.size(), 1U);
  EXPECT_EQ(few[0].rule, AdviceRule::kHistogram);
  EXPECT_EQ(few[0].saved, 3200 - 100 * 8);
  const auto many = told(256, 0);
  ASSERT_EQ(many.size(), 1U);
  EXPECT_EQ(many[0].saved, 3200 - 6 * 256);
  EXPECT_TRUE(told(2048, 0).empty());
  // Places that are taken one by one can't be counted in a table first.
  EXPECT_TRUE(told(8, 3200).empty());
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
