#include "metrics/values.h"

#include <gtest/gtest.h>

#include "tests/unit/metrics/records.h"

namespace lab::metrics {
namespace {

using testing_records::with;
constexpr auto kModel = SourceOf::kModel;
constexpr auto kCupti = SourceOf::kCupti;
constexpr auto kSass = SourceOf::kSass;

Missing missing(const CaseRecord& record, std::string_view key, SourceOf source) {
  const auto* observation = find_observation(record, key, source);
  EXPECT_NE(observation, nullptr) << key;
  if (observation == nullptr) return {};
  EXPECT_FALSE(observation->has_value()) << key;
  return std::get<Missing>(observation->value);
}

TEST(Measured, RequestsAreThePatchedCountersOthersTheHardwares) {
  const auto record = with({{"global_load_requests", kCupti, 7},
                            {"global_load_requests", kSass, 8},
                            {"global_load_sectors", kCupti, 5},
                            {"global_load_sectors", kSass, 6}});
  EXPECT_EQ(measured(record, "global_load_requests")->value, 8);
  EXPECT_EQ(measured(record, "global_load_requests")->source, kSass);
  EXPECT_EQ(measured(record, "global_load_sectors")->value, 5);
  EXPECT_FALSE(measured(record, "global_load_sectors")->fell_back);
}

TEST(Measured, FallsBackToTheOtherSourceAndSaysSo) {
  const auto record = with({{"global_load_requests", kCupti, 7}});
  const auto value = measured(record, "global_load_requests");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->source, kCupti);
  EXPECT_TRUE(value->fell_back);
  EXPECT_FALSE(measured(record, "cycles"));
}

TEST(Derive, RatiosOfEverySourceThatHasTheParts) {
  auto record = with({{"global_load_sectors", kModel, 64},
                      {"global_load_requests", kModel, 16},
                      {"global_load_sectors", kSass, 96},
                      {"global_load_requests", kSass, 16}});
  derive(record);
  EXPECT_EQ(value_of(record, "global_load_sectors_per_request", kModel), 4);
  EXPECT_EQ(value_of(record, "global_load_sectors_per_request", kSass), 6);
  EXPECT_EQ(find_observation(record, "global_load_sectors_per_request", kCupti), nullptr);
}

// 97 rows of 331 floats are 97 x 11 = 1067 requests; the hardware's counter said 1071 on an H200.
TEST(Derive, RatiosTakeTheRequestsThatPatchingCounted) {
  auto record = with({{"global_load_sectors", kCupti, 4268},
                      {"global_load_requests", kCupti, 1071},
                      {"global_load_requests", kSass, 1067}});
  derive(record);
  EXPECT_EQ(value_of(record, "global_load_sectors_per_request", kCupti), 4);
  auto alone =
      with({{"global_load_sectors", kCupti, 4268}, {"global_load_requests", kCupti, 1067}});
  derive(alone);
  EXPECT_EQ(value_of(alone, "global_load_sectors_per_request", kCupti), 4);
}

// 1024 distinct bytes in 64 sectors of 32: one half. Hardware has no count of distinct bytes.
TEST(Derive, EfficiencyTakesTheModelsBytesOverMeasuredSectors) {
  auto record = with({{"global_load_bytes", kModel, 1024},
                      {"global_load_sectors", kModel, 32},
                      {"global_load_sectors", kCupti, 64}});
  derive(record);
  EXPECT_EQ(value_of(record, "global_load_efficiency", kModel), 1.0);
  EXPECT_EQ(value_of(record, "global_load_efficiency", kCupti), 0.5);
}

TEST(Derive, ARatioOfNothingIsMissingNotZero) {
  auto record = with({{"global_load_sectors", kModel, 0}, {"global_load_requests", kModel, 0}});
  derive(record);
  EXPECT_EQ(missing(record, "global_load_sectors_per_request", kModel),
            (Missing{NoValue::kNoAccess, "the kernel has none: global_load_requests is 0"}));
}

TEST(Derive, AMissingPartPassesItsReasonOn) {
  auto record = with({{"global_load_sectors", kCupti, 5}});
  testing_records::add_missing(record, "global_load_requests", kCupti,
                               {NoValue::kNoPermission, "counters need root"});
  derive(record);
  EXPECT_EQ(missing(record, "global_load_sectors_per_request", kCupti),
            (Missing{NoValue::kNoPermission, "counters need root"}));
}

TEST(Derive, CountersWithJitterAreNotCombinedAcrossPasses) {
  auto record = with({{"l2_read_sectors", kCupti, 100, 1},
                      {"l2_write_sectors", kCupti, 50, 1},
                      {"l2_hit_sectors", kCupti, 75, 2}});
  derive(record);
  EXPECT_EQ(value_of(record, "l2_sectors", kCupti), 150);
  const auto reason = missing(record, "l2_hit_rate", kCupti);
  EXPECT_EQ(reason.reason, NoValue::kDifferentPasses);
  EXPECT_EQ(reason.detail,
            "l2_hit_sectors and l2_sectors were read in different passes, whose values do not "
            "belong together");
}

TEST(Derive, NsightComputesValuesAreCombinedWhereTheyAreOfOnePass) {
  const auto run = [](int pass) {
    auto record = with({{"l2_read_sectors", SourceOf::kNcu, 100, pass},
                        {"l2_write_sectors", SourceOf::kNcu, 50, pass},
                        {"global_load_sectors", SourceOf::kNcu, 8},
                        {"global_load_requests", SourceOf::kNcu, 2},
                        {"duration_ns", SourceOf::kNcu, 10, pass},
                        {"needed_bytes", SourceOf::kTheory, 40}});
    derive(record);
    return record;
  };
  const auto unknown = run(0);
  EXPECT_EQ(missing(unknown, "l2_sectors", SourceOf::kNcu),
            (Missing{NoValue::kPassesUnknown,
                     "Nsight Compute does not say in which passes it read l2_read_sectors and "
                     "l2_write_sectors; values of different passes do not belong together"}));
  EXPECT_EQ(value_of(unknown, "global_load_sectors_per_request", SourceOf::kNcu), 4);
  EXPECT_EQ(value_of(unknown, "effective_bandwidth", SourceOf::kNcu), 4);  // 40 bytes in 10 ns
  EXPECT_EQ(value_of(run(1), "l2_sectors", SourceOf::kNcu), 150);
}

// Instructions that never ran have no conflicts in any pass: nothing is combined.
TEST(Derive, NsightComputesConflictsOfOneKindAreTheTotal) {
  auto record = with({{"shared_load_bank_conflicts", SourceOf::kNcu, 7},
                      {"shared_store_requests", kSass, 0},
                      {"shared_atomic_requests", kSass, 0}});
  derive(record);
  EXPECT_EQ(value_of(record, "shared_bank_conflicts", SourceOf::kNcu), 7);
}

TEST(Derive, ExactCountersAreEqualInEveryPass) {
  auto record =
      with({{"global_load_sectors", kCupti, 8, 1}, {"global_load_requests", kCupti, 2, 2}});
  derive(record);
  EXPECT_EQ(value_of(record, "global_load_sectors_per_request", kCupti), 4);
}

// Conflicts of atomics are not in the default set: none where no shared atomic ran, unknown else.
TEST(Derive, ConflictsOfAtomicsThatNeverRanAreNone) {
  auto record = with({{"shared_load_bank_conflicts", kCupti, 3},
                      {"shared_store_bank_conflicts", kCupti, 4},
                      {"shared_atomic_requests", kSass, 0}});
  derive(record);
  EXPECT_EQ(value_of(record, "shared_bank_conflicts", kCupti), 7);

  auto with_atomics = with({{"shared_load_bank_conflicts", kCupti, 3},
                            {"shared_store_bank_conflicts", kCupti, 4},
                            {"shared_atomic_requests", kSass, 9}});
  derive(with_atomics);
  EXPECT_EQ(missing(with_atomics, "shared_bank_conflicts", kCupti).detail,
            "shared_atomic_bank_conflicts was not collected");
}

// The model adds up what a counter counts; hardware that has the counter is asked for it.
TEST(Derive, ACounterThatWasNotReadIsNotWhatOthersAddUpTo) {
  auto record = with({{"shared_load_bank_conflicts", kCupti, 3},
                      {"shared_store_bank_conflicts", kCupti, 4},
                      {"shared_atomic_requests", kSass, 0},
                      {"shared_load_bank_conflicts", SourceOf::kModel, 3},
                      {"shared_store_bank_conflicts", SourceOf::kModel, 4},
                      {"shared_atomic_bank_conflicts", SourceOf::kModel, 5}});
  derive(record);
  EXPECT_EQ(find_observation(record, "shared_conflicts_all", kCupti), nullptr);
  EXPECT_EQ(value_of(record, "shared_conflicts_all", SourceOf::kModel), 12);
}

// 8000 bytes in 2000 ns are 4 bytes a ns, 4 GB/s; the timing loop beats the counter's duration.
TEST(Derive, BandwidthIsTheoryBytesOverTheTimingLoopsMedian) {
  auto record = with({{"needed_bytes", SourceOf::kTheory, 8000}, {"duration_ns", kCupti, 4000}});
  derive(record);
  EXPECT_EQ(value_of(record, "effective_bandwidth", kCupti), 2);

  auto timed = with({{"needed_bytes", SourceOf::kTheory, 8000}, {"duration_ns", kCupti, 4000}});
  timed.timing = Timing{};
  timed.timing->median_ns = 2000;
  derive(timed);
  EXPECT_EQ(value_of(timed, "effective_bandwidth", kCupti), 4);
}

TEST(Derive, TwiceIsAsOnce) {
  auto record = with({{"global_load_sectors", kModel, 64}, {"global_load_requests", kModel, 16}});
  derive(record);
  const auto count = record.observations.size();
  derive(record);
  EXPECT_EQ(record.observations.size(), count);
}

// A value that comes in later replaces the reason why there was none.
TEST(Derive, AReasonGivesWayToAValue) {
  auto record = with({{"global_load_sectors", kCupti, 8}});
  derive(record);
  EXPECT_EQ(missing(record, "global_load_sectors_per_request", kCupti).reason,
            NoValue::kNotCollected);
  record.observations.push_back(testing_records::observation("global_load_requests", kCupti, 2));
  derive(record);
  EXPECT_EQ(value_of(record, "global_load_sectors_per_request", kCupti), 4);
}

}  // namespace
}  // namespace lab::metrics
