#include "metrics/ceilings.h"

#include <gtest/gtest.h>

#include "tests/unit/metrics/records.h"

namespace lab::metrics {
namespace {

using testing_records::with;

// A GPU whose numbers are easy to divide by: 10 SMs at 1000 MHz, so that an event per SM and clock
// is 10 events a ns.
const std::vector<Ceiling> kCeilings = {
    {"dram_read", 4e12, "byte/s", ""},   // 4000 bytes a ns
    {"dram_write", 2e12, "byte/s", ""},  // 2000
    {"dram_copy", 8e12, "byte/s", ""},   // 8000
    {"l2_read", 6.4e12, "byte/s", ""},   // 6400, 200 sectors
    {"shared_wavefronts", 0.5, "", ""},  // 5 a ns
    {"instructions", 4, "", ""},         // 40 a ns
    {"sm_clock", 1000, "MHz", ""},
};
constexpr GpuSize kGpu = {10, 50000};

std::vector<Ceiling> without(std::string_view name) {
  std::vector<Ceiling> rest = kCeilings;
  for (Ceiling& one : rest) {
    if (one.name == name) one.value = 0;
  }
  return rest;
}

CaseRecord timed(CaseRecord record, double median_ns, Cache cache) {
  record.timing.emplace();
  record.timing->median_ns = median_ns;
  record.timing->method = "CUDA events";
  record.timing->cache = cache;
  return record;
}

TEST(Ceilings, DramPricesEqualAmountsAsACopy) {
  EXPECT_DOUBLE_EQ(dram_ns(8000, 0, kCeilings).value(), 2);  // 8000 / 4000
  EXPECT_DOUBLE_EQ(dram_ns(0, 8000, kCeilings).value(), 4);  // 8000 / 2000
  // 2000 read and 2000 written are 4000 bytes of a copy: 0.5 ns; the other 8000 read: 2 ns.
  EXPECT_DOUBLE_EQ(dram_ns(10000, 2000, kCeilings).value(), 2.5);
  EXPECT_DOUBLE_EQ(dram_ns(0, 0, kCeilings).value(), 0);
}

// 2000 read in 0.5 ns, then 2000 written in 1: a copy that took 4 ns for them was no ceiling.
TEST(Ceilings, DramReadsAndThenWritesWhereThatIsFaster) {
  std::vector<Ceiling> slow_copy = without("dram_copy");
  slow_copy.push_back({"dram_copy", 1e12, "byte/s", ""});
  EXPECT_DOUBLE_EQ(dram_ns(2000, 2000, slow_copy).value(), 1.5);
  EXPECT_DOUBLE_EQ(dram_ns(10000, 2000, slow_copy).value(), 3.5);
}

TEST(Ceilings, DramAsksOnlyForTheRatesThatItTakes) {
  EXPECT_DOUBLE_EQ(dram_ns(8000, 0, without("dram_write")).value(), 2);
  EXPECT_EQ(dram_ns(8000, 0, without("dram_read")), std::nullopt);
  EXPECT_EQ(dram_ns(8000, 8000, without("dram_copy")), std::nullopt);
}

TEST(Ceilings, L2CountsSectorsOf32Bytes) {
  EXPECT_DOUBLE_EQ(l2_ns(1000, kCeilings).value(), 5);  // 32000 / 6400
  EXPECT_EQ(l2_ns(1000, without("l2_read")), std::nullopt);
}

TEST(Ceilings, EventsAreSharedByTheSms) {
  EXPECT_DOUBLE_EQ(per_sm_ns(100, "shared_wavefronts", 10, kCeilings).value(), 20);  // 100 / 5
  EXPECT_DOUBLE_EQ(per_sm_ns(100, "shared_wavefronts", 20, kCeilings).value(), 10);
  EXPECT_EQ(per_sm_ns(100, "shared_wavefronts", 0, kCeilings), std::nullopt);
  EXPECT_EQ(per_sm_ns(100, "shared_wavefronts", 10, without("sm_clock")), std::nullopt);
}

TEST(Ceilings, TheLargestIsTheBound) {
  const CaseRecord record = with({{"duration_ns", SourceOf::kCupti, 50},
                                  {"dram_read_bytes", SourceOf::kCupti, 8000},         // 2 ns
                                  {"l2_read_sectors", SourceOf::kCupti, 1500},         // 7.5
                                  {"l2_write_sectors", SourceOf::kCupti, 500},         // 2.5: 10
                                  {"shared_load_wavefronts", SourceOf::kCupti, 100},   // 20
                                  {"shared_store_wavefronts", SourceOf::kCupti, 100},  // 20: 40
                                  {"instructions", SourceOf::kCupti, 200}});           // 5
  const auto bound = time_bound(record, kCeilings, kGpu);
  ASSERT_TRUE(bound);
  ASSERT_EQ(bound->uses.size(), 4u);
  EXPECT_EQ(bound->uses[0].resource, Resource::kSharedMemory);
  EXPECT_DOUBLE_EQ(bound->uses[0].least_ns, 40);
  EXPECT_DOUBLE_EQ(bound->fraction(bound->uses[0]), 0.8);  // 40 of 50
  EXPECT_EQ(bound->uses[1].resource, Resource::kL2);
  EXPECT_DOUBLE_EQ(bound->fraction(bound->uses[1]), 0.2);
  EXPECT_EQ(bound->uses[2].resource, Resource::kIssue);
  EXPECT_EQ(bound->uses[3].resource, Resource::kDram);
}

TEST(Ceilings, SassWavefrontsStandInForTheHardwares) {
  const auto bound = time_bound(with({{"duration_ns", SourceOf::kCupti, 40},
                                      {"shared_load_wavefronts_sass", SourceOf::kSass, 100}}),
                                kCeilings, kGpu);
  ASSERT_TRUE(bound);
  EXPECT_DOUBLE_EQ(bound->uses.at(0).least_ns, 20);
}

TEST(Ceilings, AWarmLoopNeedNotHaveMovedWhatL2Keeps) {
  const CaseRecord counted = with({{"dram_read_bytes", SourceOf::kCupti, 90000}});
  // 90000 bytes, of which L2 keeps 50000: 40000 / 4000 = 10 ns.
  const auto warm = time_bound(timed(counted, 20, Cache::kWarm), kCeilings, kGpu);
  ASSERT_TRUE(warm);
  EXPECT_DOUBLE_EQ(warm->uses.at(0).least_ns, 10);
  EXPECT_DOUBLE_EQ(warm->measured_ns, 20);
  EXPECT_EQ(warm->method, "CUDA events, warm L2, 0 launches after 0 warm-ups");
  // All 90000: 22.5 ns.
  const auto cold = time_bound(timed(counted, 30, Cache::kCold), kCeilings, kGpu);
  EXPECT_DOUBLE_EQ(cold.value().uses.at(0).least_ns, 22.5);
  CaseRecord both_warm = timed(counted, 30, Cache::kWarm);
  both_warm.facts.counter_cache = Cache::kWarm;
  EXPECT_DOUBLE_EQ(time_bound(both_warm, kCeilings, kGpu).value().uses.at(0).least_ns, 22.5);
}

TEST(Ceilings, NothingIsSaidWithoutTimeOrCounts) {
  EXPECT_FALSE(time_bound(with({{"instructions", SourceOf::kCupti, 200}}), kCeilings, kGpu));
  EXPECT_FALSE(time_bound(with({{"duration_ns", SourceOf::kCupti, 50}}), kCeilings, kGpu));
  // A model's counts are not a measurement.
  EXPECT_FALSE(time_bound(
      with({{"duration_ns", SourceOf::kCupti, 50}, {"instructions", SourceOf::kModel, 200}}),
      kCeilings, kGpu));
  EXPECT_FALSE(time_bound(
      with({{"duration_ns", SourceOf::kCupti, 50}, {"instructions", SourceOf::kCupti, 200}}), {},
      kGpu));
}

}  // namespace
}  // namespace lab::metrics
