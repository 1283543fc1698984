#include "metrics/change.h"

#include <gtest/gtest.h>

namespace lab::metrics {
namespace {

Sampled exactly(double value) { return {value, value, value, false}; }

TEST(Change, WhichWayIsBetter) {
  EXPECT_EQ(aim_of("shared_load_wavefronts_sass"), Aim::kLess);
  EXPECT_EQ(aim_of("duration_ns"), Aim::kLess);
  EXPECT_EQ(aim_of("global_load_efficiency"), Aim::kMore);
  EXPECT_EQ(aim_of("effective_bandwidth"), Aim::kMore);
  EXPECT_EQ(aim_of("registers_per_thread"), Aim::kNeither);
  // Given to a launch, needed by its task, or hits without their requests: no costs.
  for (const char* key : {"shared_bytes_per_block", "l1_carveout", "l1_load_hit_sectors",
                          "l2_hit_sectors", "needed_bytes", "dram_mean_channel_bytes"}) {
    EXPECT_EQ(aim_of(key), Aim::kNeither) << key;
  }
  EXPECT_EQ(aim_of("lts__t_requests.sum"), Aim::kNeither);  // a raw counter
  EXPECT_EQ(change_of(Aim::kLess, exactly(32), exactly(1)), Change::kBetter);
  EXPECT_EQ(change_of(Aim::kMore, exactly(32), exactly(1)), Change::kWorse);
  EXPECT_EQ(change_of(Aim::kNeither, exactly(32), exactly(1)), Change::kDiffers);
  EXPECT_EQ(change_of(Aim::kLess, exactly(4), exactly(4)), Change::kSame);
}

// 100 of 90 to 110 against 112 of 108 to 120: some launches of the first were slower than some of
// the second. Against 112 of 111 to 120 none was.
TEST(Change, OverlappingSamplesDecideNothing) {
  const Sampled before{100, 90, 110, true};
  EXPECT_EQ(change_of(Aim::kLess, before, {112, 108, 120, true}), Change::kUnclear);
  EXPECT_EQ(change_of(Aim::kLess, before, {112, 111, 120, true}), Change::kWorse);
}

// Eight samples: the middle half runs from the third to the sixth. The slow one is not in it.
TEST(Change, ASlowLaunchWidensNothing) {
  CaseRecord record;
  EXPECT_FALSE(sampled_time(record));
  record.timing = Timing{104, 101, 900, {900, 101, 102, 103, 104, 105, 106, 107}, "CUDA events"};
  const Sampled time = sampled_time(record).value();
  EXPECT_EQ(time.value, 104);
  EXPECT_EQ(time.low, 103);
  EXPECT_EQ(time.high, 106);
}

TEST(Change, AMeasurementComesBeforeTheModel) {
  CaseRecord record;
  record.observations = {{"shared_load_wavefronts_sass", SourceOf::kModel, 7.0}};
  EXPECT_EQ(sampled_of(record, "shared_load_wavefronts_sass")->value, 7);
  EXPECT_FALSE(sampled_of(record, "shared_load_wavefronts_sass")->measured);
  record.observations.push_back({"shared_load_wavefronts_sass", SourceOf::kSass, 8.0, 6.0, 9.0, 3});
  Verdict verdict;
  verdict.metric = "shared_load_wavefronts_sass";
  verdict.measured = 8;
  verdict.measured_source = SourceOf::kSass;
  record.verdicts = {verdict};
  const Sampled both = sampled_of(record, "shared_load_wavefronts_sass").value();
  EXPECT_TRUE(both.measured);
  EXPECT_EQ(both.low, 6);
  EXPECT_EQ(both.high, 9);
  EXPECT_FALSE(sampled_of(record, "dram_read_bytes"));
}

}  // namespace
}  // namespace lab::metrics
