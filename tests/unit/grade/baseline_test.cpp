// A baseline reads back as it was, and what differs from it is named.
#include "harness/classes/grade/baseline.h"

#include <gtest/gtest.h>

namespace lab::grade {
namespace {

Snapshot sample() {
  Snapshot one{"copy \"wide\"", "sm_90", "ok", "13.0"};
  one.code.registers = 12;
  one.code.local_bytes = 0;
  one.code.shared_bytes = 128;
  one.code.accesses = {{"out[i] = in[i];", "1 LDG.128, 1 STG.128"}};
  one.counters = {{"global_load_sectors", 4096}, {"global_load_efficiency", 1.0 / 3}};
  one.outputs = {{"arg1", "00ff"}};
  return one;
}

TEST(Baseline, ReadsBack) {
  const std::vector<Snapshot> read = read_baseline("b.toml", baseline_text({sample(), sample()}));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_TRUE(changes(sample(), read[1]).empty());  // to the last digit
  EXPECT_EQ(baseline_text(read), baseline_text({sample(), sample()}));
}

TEST(Baseline, NamesEachChange) {
  Snapshot now = sample();
  now.code.registers = 14;
  now.code.local_bytes = 16;
  now.code.accesses = {{"out[i] = in[i];", "4 LDG, 1 STG.128"}};
  now.counters["global_load_sectors"] = 4097;
  now.outputs["arg1"] = "00fe";
  now.compiler = "12.4";
  EXPECT_EQ(
      changes(sample(), now),
      (std::vector<std::string>{"out[i] = in[i];: 1 LDG.128, 1 STG.128 -> 4 LDG, 1 STG.128",
                                "registers per thread: 12 -> 14", "local bytes per thread: 0 -> 16",
                                "arg1 holds another result", "global_load_sectors: 4096 -> 4097",
                                "(the baseline was compiled by NVRTC 13.0, this by 12.4)"}));
}

TEST(Baseline, ARewordedLineIsNoChange) {
  Snapshot now = sample();
  now.code.accesses = {{"out[i] = source[i];", "1 LDG.128, 1 STG.128"}};
  now.compiler = "12.4";  // nor is another compiler by itself
  EXPECT_TRUE(changes(sample(), now).empty());
}

// `c[i] = a[i] + b[i];` on one line, then with a line break after the `+`.
TEST(Baseline, AStatementOnTwoLinesIsNoChange) {
  Snapshot before = sample();
  Snapshot now = sample();
  before.code.accesses = {{"c[i] = a[i] + b[i];", "2 LDG, 1 STG"}, {"d[i] = 0;", "1 STG"}};
  now.code.accesses = {
      {"c[i] = a[i] +", "1 LDG, 1 STG"}, {"b[i];", "1 LDG"}, {"d[i] = 0;", "1 STG"}};
  EXPECT_TRUE(changes(before, now).empty());
  EXPECT_TRUE(changes(now, before).empty());
  // One load more is one.
  now.code.accesses["b[i];"] = "2 LDG";
  EXPECT_FALSE(changes(before, now).empty());
  // Nor are two narrow loads a wide one.
  now.code.accesses["b[i];"] = "1 LDG.64 (merged)";
  EXPECT_FALSE(changes(before, now).empty());
}

// What a compiled kernel needs is a fact of its code, and no counter: baselines have it there.
TEST(Baseline, CountersAreWhatWasCounted) {
  CaseRecord record;
  record.observations = {{"global_load_requests", SourceOf::kModel, 8.0},
                         {"registers_per_thread", SourceOf::kModel, 20.0},
                         {"theoretical_occupancy", SourceOf::kModel, 0.5}};
  const Snapshot one = snapshot_of("k", record, {});
  EXPECT_EQ(one.counters.size(), 1U);
  EXPECT_EQ(one.counters.at("global_load_requests"), 8.0);
}

}  // namespace
}  // namespace lab::grade
