// Values become observations under our keys; ours and theirs meet by name.
#include "harness/ncu/observe.h"

#include <gtest/gtest.h>

#include "harness/ncu/side_by_side.h"
#include "metrics/values.h"

namespace lab::ncu {
namespace {

KernelLaunch launch_with(std::vector<MetricValue> values) {
  KernelLaunch launch;
  launch.values = std::move(values);
  return launch;
}

Observed observed(std::vector<KernelLaunch> launches, bool library = false) {
  Report report;
  Match all;
  for (std::size_t i = 0; i < launches.size(); ++i) all.launches.push_back(i);
  report.launches = std::move(launches);
  return observe(report, all, library, "GH100");
}

CaseRecord record_of(Observed observed) {
  CaseRecord record;
  replace_ncu(record, std::move(observed.observations));
  return record;
}

std::optional<double> ncu(const CaseRecord& record, std::string_view key) {
  return metrics::value_of(record, key, SourceOf::kNcu);
}

Missing missing(const CaseRecord& record, std::string_view key) {
  const auto* found = metrics::find_observation(record, key, SourceOf::kNcu);
  return found == nullptr ? Missing{} : std::get<Missing>(found->value);
}

TEST(Observe, KeysScalesAndRawNames) {
  const auto record =
      record_of(observed({launch_with({{"dram__bytes_read.sum", 1024.0},
                                       {"sm__warps_active.avg.pct_of_peak_sustained_active", 87.5},
                                       {"smsp__sass_inst_executed_op_shared_ld.sum", 128.0},
                                       {"smsp__inst_executed_op_shared_ld_pred_on_any.sum", 129.0},
                                       {"launch__registers_per_thread", 20.0},
                                       {"lts__t_requests.sum", 3.0},
                                       {"device__attribute_warp_size", 32.0}})}));
  EXPECT_EQ(ncu(record, "dram_read_bytes"), 1024);
  EXPECT_EQ(ncu(record, "occupancy"), 0.875);
  // The catalogue measures requests by patching; the other counter keeps its own name.
  EXPECT_EQ(ncu(record, "shared_load_requests"), 128);
  EXPECT_EQ(ncu(record, "smsp__inst_executed_op_shared_ld_pred_on_any.sum"), 129);
  EXPECT_EQ(ncu(record, "registers_per_thread"), 20);
  EXPECT_EQ(ncu(record, "lts__t_requests.sum"), 3);
  EXPECT_EQ(record.observations.size(), 6u);  // the device's attribute is none of the kernel's
}

TEST(Observe, ChipsHaveTheirOwnNames) {
  Report report;
  report.launches = {launch_with({{"dram__bytes_op_read.sum", 64.0}})};
  const auto found = observe(report, {0, {0}, true}, false, "GB202");
  ASSERT_EQ(found.observations.size(), 1u);
  EXPECT_EQ(found.observations[0].metric, "dram_read_bytes");
}

TEST(Observe, LabelsComeSecond) {
  const auto both = observed({launch_with({{"Duration", 2900.0, "2.90 us"},
                                           {"gpu__time_duration.sum", 2848.0},
                                           {"DRAM Frequency", 1.0}})});
  EXPECT_EQ(both.nameless, 1u);
  EXPECT_EQ(ncu(record_of(both), "duration_ns"), 2848);
  EXPECT_EQ(
      ncu(record_of(observed({launch_with({{"Duration", 2900.0, "2.90 us"}})})), "duration_ns"),
      2900);
}

TEST(Observe, ExactMetricsAreNotTakenRounded) {
  const auto record = record_of(observed(
      {launch_with({{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 2.1e6, "2.10 Msector"},
                    {"dram__bytes_read.sum", 67.11e6, "67.11 Mbyte"}})}));
  EXPECT_EQ(missing(record, "global_load_sectors"),
            (Missing{NoValue::kRounded,
                     "Nsight Compute printed it as 2.10 Msector; --print-units base prints all "
                     "digits"}));
  EXPECT_EQ(ncu(record, "dram_read_bytes"), 67.11e6);
}

TEST(Observe, LaunchesOfOneKernelGiveTheirMedian) {
  const auto found = observed({launch_with({{"dram__bytes_read.sum", 30.0}}),
                               launch_with({{"dram__bytes_read.sum", 10.0}}),
                               launch_with({{"dram__bytes_read.sum", 20.0}})});
  ASSERT_EQ(found.observations.size(), 1u);
  const Observation& one = found.observations[0];
  EXPECT_EQ(one.number(), 20);
  EXPECT_EQ(one.min, 10);
  EXPECT_EQ(one.max, 30);
  EXPECT_EQ(one.samples, 3);
}

TEST(Observe, LaunchesOfALibraryAddUp) {
  const std::vector<MetricValue> a = {{"dram__bytes_read.sum", 30.0},
                                      {"sm__warps_active.avg.pct_of_peak_sustained_active", 50.0}};
  const auto record = record_of(observed({launch_with(a), launch_with(a)}, true));
  EXPECT_EQ(ncu(record, "dram_read_bytes"), 60);
  EXPECT_EQ(missing(record, "occupancy"),
            (Missing{NoValue::kSeveralLaunches,
                     "a library's call of several launches has no one value"}));
}

TEST(Observe, OnePassIsKnownWhereTheReportSaysSo) {
  const std::pair<const char*, double> bytes = {"dram__bytes_read.sum", 30.0};
  const auto pass = [&](double passes) {
    const auto found = observed(
        {launch_with({{bytes.first, bytes.second}, {"profiler__replayer_passes", passes}})});
    return metrics::find_observation(record_of(found), "dram_read_bytes", SourceOf::kNcu)->pass;
  };
  EXPECT_EQ(pass(1), 1);
  EXPECT_EQ(pass(2), 0);
}

TEST(Observe, WhatNcuLacksIsMissingWhereWeHaveARow) {
  const auto record = record_of(
      observed({launch_with({{"dram__bytes_read.sum", Missing{NoValue::kNotAvailable, "x"}},
                             {"lts__t_requests.sum", Missing{NoValue::kNotAvailable, "x"}}})}));
  EXPECT_EQ(missing(record, "dram_read_bytes"), (Missing{NoValue::kNotAvailable, "x"}));
  EXPECT_EQ(record.observations.size(), 1u);
}

TEST(Observe, ImportingAgainReplaces) {
  CaseRecord record;
  record.observations.push_back({"dram_read_bytes", SourceOf::kCupti, 1.0});
  record.observations.push_back({"dram_read_bytes", SourceOf::kNcu, 2.0});
  replace_ncu(record, {{"dram_read_bytes", SourceOf::kNcu, 3.0}});
  EXPECT_EQ(record.observations.size(), 2u);
  EXPECT_EQ(ncu(record, "dram_read_bytes"), 3);
}

TEST(Observe, ChipOfARun) {
  RunRecord run;
  run.arch = "sm_120";
  EXPECT_EQ(chip_of(run), "GB202");
  run.environment["gpu_chip"] = "GB205";
  EXPECT_EQ(chip_of(run), "GB205");
}

TEST(SideBySide, CountersMeetByName) {
  CaseRecord record;
  const auto add = [&](const char* key, SourceOf source, double value) {
    record.observations.push_back({key, source, value});
  };
  add("shared_load_requests", SourceOf::kCupti, 129);
  add("shared_load_requests", SourceOf::kSass, 128);
  add("shared_load_requests", SourceOf::kNcu, 128);
  add("smsp__inst_executed_op_shared_ld_pred_on_any.sum", SourceOf::kNcu, 130);
  add("lts__t_requests.sum", SourceOf::kCupti, 7);
  add("lts__t_requests.sum", SourceOf::kNcu, 8);
  const auto pairs = pairs_of(record, "GH100");
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[0].source, SourceOf::kCupti);
  EXPECT_EQ(pairs[0].ours, 129);
  EXPECT_EQ(pairs[0].theirs, 130);
  EXPECT_EQ(pairs[1].source, SourceOf::kSass);
  EXPECT_EQ(pairs[1].ours, 128);
  EXPECT_EQ(pairs[1].theirs, 128);
  EXPECT_EQ(pairs[2].key, "lts__t_requests.sum");
  EXPECT_EQ(pairs[2].theirs, 8);
}

RunRecord measured_run() {
  RunRecord run;
  run.environment = {{"gpu", "H200"}, {"driver", "580"}};
  CaseRecord record;
  record.facts.counter_cache = Cache::kCold;
  record.facts.carveout = 50;
  record.facts.cubin_sha256 = "aa";
  run.cases = {record};
  return run;
}

TEST(SideBySide, LikeWithLike) {
  RunRecord run = measured_run();
  const Conditions ours = our_conditions(run);
  for (const auto& [name, value] : ours) run.environment["ncu_" + name] = value;
  EXPECT_EQ(unlike(ours, their_conditions(run)), std::vector<std::string>{});
  run.environment["ncu_clocks"] = "locked to base";
  run.environment.erase("ncu_carveout");
  EXPECT_EQ(unlike(ours, their_conditions(run)),
            (std::vector<std::string>{
                "the L1 data store's share for shared memory: ours 50 %, ncu's not known",
                "clock control: ours left alone, ncu's locked to base"}));
}

// The run under ncu has those cases alone that ran: a refused one's code is not a difference.
TEST(SideBySide, MachineCodeIsThatOfTheCasesThatRan) {
  RunRecord run = measured_run();
  RunRecord more = run;
  more.cases.push_back(run.cases.front());  // the same code again
  CaseRecord refused;
  refused.status = CaseStatus::kError;
  refused.facts.cubin_sha256 = "bb";
  more.cases.push_back(refused);
  EXPECT_EQ(our_conditions(more).at("cubin"), our_conditions(run).at("cubin"));
  more.cases.back().status = CaseStatus::kWrong;
  EXPECT_NE(our_conditions(more).at("cubin"), our_conditions(run).at("cubin"));
}

TEST(SideBySide, SidesHaveNames) {
  EXPECT_EQ(
      unlike({{"cache", "left warm"}}, {{"cache", "flushed before each pass"}}, {"A's", "B's"}),
      std::vector<std::string>{"cache control: A's left warm, B's flushed before each pass"});
}

TEST(SideBySide, ClocksAreThoseThatWereRecorded) {
  RunRecord run = measured_run();
  EXPECT_EQ(our_conditions(run).at("clocks"), "left alone");
  run.cases.front().notes.counter_clocks = "locked to base";
  EXPECT_EQ(our_conditions(run).at("clocks"), "locked to base");
}

TEST(SideBySide, Causes) {
  const Conditions ours = {{"clocks", "left alone"}, {"cubin", "a"}};
  EXPECT_EQ(cause_of("duration_ns", ours, {{"clocks", "locked to base"}}),
            "clock control differs: left alone against locked to base");
  EXPECT_EQ(cause_of("global_load_sectors", ours, {{"clocks", "locked to base"}}), "");
  EXPECT_EQ(cause_of("global_load_sectors", ours, {{"cubin", "b"}}),
            "the machine code (CUBIN) differs: a against b");
  EXPECT_EQ(cause_of("shared_load_bank_conflicts", ours, ours).substr(0, 12), "arbitration:");
  EXPECT_EQ(cause_of("dram_write_bytes", ours, ours).substr(0, 11), "write-back:");
  EXPECT_EQ(cause_of("dram_read_bytes", ours, ours).substr(0, 7), "replay:");
  EXPECT_EQ(cause_of("instructions", ours, ours).substr(0, 22), "jitter between passes:");
}

}  // namespace
}  // namespace lab::ncu
