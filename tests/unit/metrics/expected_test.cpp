#include "metrics/expected.h"

#include <gtest/gtest.h>

#include "metrics/compare.h"
#include "metrics/machine.h"
#include "metrics/values.h"

namespace lab::metrics {
namespace {

// Numbers that are easy to divide by: 10 SMs at 1000 MHz, so that an event per SM and clock is 10
// events a ns.
const Machine kMachine = {
    "Some GPU",
    "measured 2026-01-02",
    {{"dram_read", 4e12, "byte/s", ""},   // 4000 bytes a ns
     {"dram_write", 2e12, "byte/s", ""},  // 2000
     {"dram_copy", 1e12, "byte/s", ""},   // 1000: slower than first to read, then to write
     {"l2_read", 6.4e12, "byte/s", ""},   // 200 sectors a ns
     {"shared_wavefronts", 0.5, "", ""},  // 5 a ns
     {"instructions", 4, "", ""},         // 40 a ns
     {"sm_clock", 1000, "MHz", ""}},
    {10, 50000}};

void add(CaseRecord& record, const char* metric, SourceOf source, double low, double high) {
  Observation one;
  one.metric = metric;
  one.source = source;
  one.value = low;
  if (low != high) {
    one.min = low;
    one.max = high;
  }
  record.observations.push_back(one);
}

// Theory has the bytes and sectors, the model alone the instructions.
CaseRecord copy() {
  CaseRecord record;
  add(record, "dram_read_bytes", SourceOf::kTheory, 80000, 160000);
  add(record, "dram_write_bytes", SourceOf::kTheory, 0, 240000);
  add(record, "l2_read_sectors", SourceOf::kTheory, 2500, 2500);
  add(record, "l2_write_sectors", SourceOf::kTheory, 2500, 7500);
  add(record, "needed_bytes", SourceOf::kTheory, 160000, 160000);
  add(record, "instructions", SourceOf::kModel, 2000, 2000);
  add(record, "instructions", SourceOf::kCupti, 8e9, 8e9);  // not a prediction
  return record;
}

TEST(ExpectedTime, IsTheLargestOverTheCeilings) {
  CaseRecord record = copy();
  record.timing.emplace();
  record.timing->cache = Cache::kCold;
  const auto expected = expected_time(record, kMachine);
  ASSERT_EQ(expected.size(), 3U);
  // 80000 read, 20 ns, and 2500 sectors of 32 bytes written once, 40 ns. L2: 5000 / 200 = 25 ns;
  // issue: 2000 / 40 = 50 ns.
  EXPECT_EQ(expected[0].metric, "duration_ns");
  EXPECT_DOUBLE_EQ(expected[0].value, 60);
  EXPECT_EQ(expected[0].formula, "max of time by DRAM, instruction issue, L2");
  EXPECT_EQ(expected[0].reason,
            "at least: DRAM 0.06 us, instruction issue 0.05 us, L2 0.025 us; ceilings of Some GPU, "
            "measured 2026-01-02");
  EXPECT_EQ(expected[1].metric, "effective_bandwidth");
  EXPECT_DOUBLE_EQ(expected[1].value, 160000.0 / 60);  // GB/s
  EXPECT_EQ(expected[2].metric, "moved_bandwidth");
  EXPECT_DOUBLE_EQ(expected[2].value, 160000.0 / 60);  // 80000 read and 80000 written
}

// Two transposes, one four times as fast as the other, would both be given the rate of the bound.
TEST(ExpectedTime, NoRateWhereNothingWasTimed) {
  const auto expected = expected_time(copy(), kMachine);
  ASSERT_EQ(expected.size(), 1U);
  EXPECT_EQ(expected[0].metric, "duration_ns");
  CaseRecord record = copy();
  add(record, "duration_ns", SourceOf::kModel, 70, 70);
  EXPECT_EQ(expected_time(record, kMachine).size(), 1U);
  add(record, "duration_ns", SourceOf::kNcu, 70, 70);
  EXPECT_EQ(expected_time(record, kMachine).size(), 3U);
}

TEST(ExpectedTime, BytesWrittenStayWithinTheRow) {
  CaseRecord record;
  add(record, "dram_write_bytes", SourceOf::kTheory, 0, 40000);
  add(record, "l2_write_sectors", SourceOf::kTheory, 2500, 2500);
  // 2500 sectors have 80000 bytes, of which at most 40000 reach DRAM: 40000 / 2000.
  EXPECT_DOUBLE_EQ(expected_time(record, kMachine).at(0).value, 20);
}

TEST(ExpectedTime, WhatIsInL2IsTakenOff) {
  CaseRecord record;
  add(record, "dram_read_bytes", SourceOf::kTheory, 90000, 90000);
  record.timing.emplace();
  record.timing->cache = Cache::kCold;
  EXPECT_DOUBLE_EQ(expected_time(record, kMachine).at(0).value, 22.5);  // 90000 / 4000
  // A loop over 90000 bytes finds nothing in an L2 of 50000.
  record.timing->cache = Cache::kWarm;
  EXPECT_DOUBLE_EQ(expected_time(record, kMachine).at(0).value, 22.5);
  record.observations[0].value = 50000.0;
  EXPECT_TRUE(expected_time(record, kMachine).empty());  // all of it is there
}

TEST(ExpectedTime, NothingWithoutCountsOrCeilings) {
  EXPECT_TRUE(expected_time(CaseRecord(), kMachine).empty());
  EXPECT_TRUE(expected_time(copy(), Machine()).empty());
  // A data sheet says nothing of L2: the other resources are said, and no number for it.
  Machine sheet = data_sheet("sm_90");
  CaseRecord record;
  add(record, "l2_read_sectors", SourceOf::kTheory, 2500, 2500);
  EXPECT_TRUE(expected_time(record, sheet).empty());
}

TEST(ExpectedTime, IsSaidOfTheLabsOwnKernelsAlone) {
  CaseRecord own = copy();
  Variant variant;  // no rows: theory's observations above are removed, the model's stay
  Question question{&variant, true, {}, &kMachine};
  judge(question, own);
  const Observation* theory = find_observation(own, "duration_ns", SourceOf::kTheory);
  ASSERT_NE(theory, nullptr);
  EXPECT_DOUBLE_EQ(theory->number(), 50);  // the model's 2000 instructions
  const auto verdict = std::find_if(own.verdicts.begin(), own.verdicts.end(),
                                    [](const Verdict& v) { return v.metric == "duration_ns"; });
  ASSERT_NE(verdict, own.verdicts.end());
  EXPECT_EQ(verdict->kind, VerdictKind::kContext);

  CaseRecord students = copy();
  question.own_kernel = false;
  judge(question, students);
  EXPECT_EQ(find_observation(students, "duration_ns", SourceOf::kTheory), nullptr);
}

TEST(Machine, DataSheetOfTheArchitecture) {
  const Machine h200 = data_sheet("sm_90a");
  EXPECT_EQ(h200.gpu, "NVIDIA H200");
  EXPECT_EQ(h200.origin, "data sheet");
  CaseRecord record;
  add(record, "dram_read_bytes", SourceOf::kTheory, 4.8e6, 4.8e6);
  EXPECT_DOUBLE_EQ(expected_time(record, h200).at(0).value, 1000);  // 4.8 TB/s: 4.8 MB in a us
  EXPECT_TRUE(data_sheet("sm_60").ceilings.empty());
}

TEST(Machine, DataSheetsHaveTheNamesThatPeopleUse) {
  for (const char* name : {"A100", "H100", "H200", "L4", "T4", "3090", "4090", "5090", "t4"}) {
    const Machine machine = data_sheet_named(name);
    EXPECT_NE(machine.gpu, "") << name;
    EXPECT_GT(machine.size.bus_bits, 0) << name;
    EXPECT_EQ(machine.basis, Basis::kPins) << name;
    EXPECT_EQ(data_sheet_named(machine.gpu).arch, machine.arch) << name;
  }
  EXPECT_EQ(data_sheet_named("L4").arch, "sm_89");
  EXPECT_EQ(data_sheet("sm_89").gpu, "GeForce RTX 4090");  // the first of its architecture
  EXPECT_EQ(data_sheet_named("H300").gpu, "");
}

TEST(Machine, DriversFiguresGiveTheRateOfThePins) {
  // The H200 of tests/fixtures/h200: 6016 pins, two transfers in each of 3201e6 clocks are
  // 4.814 TB/s, where its data sheet says 4.8.
  const Machine h200 = as_driver_says({{"gpu", "NVIDIA H200"},
                                       {"gpu_memory_clock_mhz", "3201"},
                                       {"gpu_memory_bus_bits", "6016"},
                                       {"gpu_max_sm_clock_mhz", "1980"},
                                       {"gpu_sms", "132"},
                                       {"gpu_l2_bytes", "62914560"}});
  EXPECT_EQ(h200.origin, "as its driver says");
  ASSERT_FALSE(h200.ceilings.empty());
  EXPECT_EQ(h200.ceilings[0].name, "dram_read");
  EXPECT_NEAR(h200.ceilings[0].value, 4.814e12, 1e9);
  EXPECT_EQ(h200.size.sms, 132);
  EXPECT_EQ(h200.size.l2_bytes, 62914560);
  EXPECT_EQ(data_sheet("sm_90").gpu, "NVIDIA H200");
  EXPECT_EQ(data_sheet("sm_90").size.l2_bytes, h200.size.l2_bytes);
  EXPECT_TRUE(as_driver_says({{"gpu", "GB10"}}).size.sms == 0);
}

}  // namespace
}  // namespace lab::metrics
