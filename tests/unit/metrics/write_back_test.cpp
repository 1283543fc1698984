#include "metrics/write_back.h"

#include <gtest/gtest.h>

#include "metrics/compare.h"

namespace lab::metrics {
namespace {

constexpr GpuSize kSixtyMb{132, 60e6, 6144};

// 10 + 15 MB are less than half of 60.
TEST(WrittenBack, WhatFitsStaysInL2) {
  const Interval bytes = written_back({10e6, 15e6, {0, 15e6}}, kSixtyMb);
  EXPECT_EQ(bytes.low, 0);
  EXPECT_EQ(bytes.high, 0);
  EXPECT_EQ(written_back({20e6, 15e6, {0, 15e6}}, kSixtyMb).high, 15e6);
}

// 100 MB less the 30 that may be dirty in the end; stored twice, up to 200.
TEST(WrittenBack, AllButHalfOfL2IsWritten) {
  const Interval bytes = written_back({50e6, 100e6, {0, 200e6}}, kSixtyMb);
  EXPECT_EQ(bytes.low, 70e6);
  EXPECT_EQ(bytes.high, 200e6);
  EXPECT_EQ(written_back({50e6, 100e6, {0, 200e6}}, {}).low, 0);
}

TEST(WrittenBack, AnIntervalFromZeroOrWiderThanTwiceSaysNothing) {
  EXPECT_TRUE(says_nothing({0, 32}));
  EXPECT_TRUE(says_nothing({10, 21}));
  EXPECT_FALSE(says_nothing({10, 20}));
  EXPECT_FALSE(says_nothing({0, 0}));
}

CaseRecord wrote(double bytes) {
  CaseRecord record;
  const auto add = [&](const char* metric, SourceOf source, double value) {
    Observation one;
    one.metric = metric;
    one.source = source;
    one.value = value;
    record.observations.push_back(one);
  };
  add("dram_read_bytes", SourceOf::kModel, 100e6);
  add("dram_write_bytes", SourceOf::kModel, 100e6);
  record.observations.back().min = 0;
  record.observations.back().max = 100e6;
  add("dram_write_bytes", SourceOf::kCupti, bytes);
  return record;
}

Verdict judged(CaseRecord record, const Machine* machine) {
  judge({nullptr, true, {}, machine}, record);
  for (const Verdict& one : record.verdicts) {
    if (one.metric == "dram_write_bytes") return one;
  }
  return {};
}

TEST(WrittenBack, DecidesWhatDramWritesAgreeWith) {
  Machine machine;
  machine.size = kSixtyMb;
  EXPECT_EQ(judged(wrote(80e6), &machine).kind, VerdictKind::kAgrees);
  EXPECT_EQ(judged(wrote(80e6), &machine).reason,
            "all agree: model 0 to 100000000, cupti 80000000; by what L2 keeps: 70000000 to "
            "100000000");
  EXPECT_EQ(judged(wrote(60e6), &machine).kind, VerdictKind::kExplained);  // the counter's band
  EXPECT_EQ(judged(wrote(120e6), &machine).kind, VerdictKind::kDisagrees);
  const Verdict unknown = judged(wrote(80e6), nullptr);
  EXPECT_EQ(unknown.kind, VerdictKind::kContext);
  EXPECT_EQ(unknown.reason,
            "not predicted closely: 0 to 100000000, which nearly any value is; model 0 to "
            "100000000, cupti 80000000");
}

}  // namespace
}  // namespace lab::metrics
