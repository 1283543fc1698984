#include "metrics/sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/core/error.h"

namespace lab::metrics {
namespace {

// The 36 counters that take four passes on GH100.
const std::set<std::string> kDefault = {
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "smsp__inst_executed_op_global_ld_pred_on_any.sum",
    "smsp__inst_executed_op_global_st_pred_on_any.sum",
    "smsp__inst_executed_op_shared_ld_pred_on_any.sum",
    "smsp__inst_executed_op_shared_st_pred_on_any.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "lts__t_sectors_srcunit_tex_op_read.sum",
    "lts__t_sectors_srcunit_tex_op_write.sum",
    "smsp__inst_executed.sum",
    "sm__cycles_elapsed.max",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "gpu__time_duration.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "lts__t_sectors_srcunit_tex_lookup_hit.sum",
    "lts__d_sectors_fill_device.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_red.sum",
    "smsp__sass_inst_executed_op_global_ld.sum",
    "smsp__sass_inst_executed_op_global_st.sum",
    "smsp__sass_inst_executed_op_shared_ld.sum",
    "smsp__sass_inst_executed_op_shared_st.sum",
    "smsp__sass_inst_executed_op_local_ld.sum",
    "smsp__sass_inst_executed_op_local_st.sum",
    "smsp__sass_inst_executed_op_shared_atom.sum",
};

std::set<std::string> names(const MetricPlan& plan) {
  std::set<std::string> names;
  for (const auto& counter : plan.counters) names.insert(counter.name);
  return names;
}

TEST(Sets, TheDefaultSetIsThe36CountersOfFourPasses) {
  ASSERT_EQ(kDefault.size(), 36U);
  const auto plan = plan_set("default", "GH100");
  EXPECT_EQ(plan.counters.size(), 36U);
  EXPECT_EQ(names(plan), kDefault);
  EXPECT_TRUE(plan.missing.empty());
}

TEST(Sets, WhatAChipLacksIsMissingByName) {
  const auto plan = plan_set("default", "GB20B");
  EXPECT_EQ(plan.counters.size(), 34U);  // no DRAM counters, read or written
  ASSERT_EQ(plan.missing.size(), 2U);
  EXPECT_EQ(plan.missing[0].metric, "dram_read_bytes");
  EXPECT_EQ(std::get<Missing>(plan.missing[0].value),
            (Missing{NoValue::kUnsupported, "GB20B has no counter dram__bytes_read.sum"}));
}

TEST(Sets, AnUnknownSetIsAnInputErrorWithASuggestion) {
  try {
    (void)plan_set("arbitratoin", "GH100");
    FAIL() << "found a set that is not there";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "there is no metric set 'arbitratoin'");
    EXPECT_EQ(error.hint(), "did you mean 'arbitration'?");
  }
}

TEST(Sets, ADerivedKeyStandsForTheCountersOfItsParts) {
  const std::vector<std::string> asked = {"l1_hit_rate"};
  EXPECT_EQ(names(plan_metrics(asked, "GH100")),
            (std::set<std::string>{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
                                   "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                   "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum"}));
}

TEST(Sets, ARawNameIsItsOwnKey) {
  const std::vector<std::string> asked = {"sm__cycles_active.avg", "smsp__sass_x.sum"};
  const auto plan = plan_metrics(asked, "GH100");
  ASSERT_EQ(plan.counters.size(), 2U);
  EXPECT_EQ(plan.counters[0].key, "sm__cycles_active.avg");
  EXPECT_EQ(plan.counters[0].source, SourceOf::kCupti);
  EXPECT_EQ(plan.counters[1].source, SourceOf::kSass);
}

TEST(Sets, AskingForASetByNameAndTwiceForAKeyCollectsEachCounterOnce) {
  const std::vector<std::string> asked = {"arbitration", "l1_bank_conflicts", "cycles", "cycles"};
  EXPECT_EQ(plan_metrics(asked, "GH100").counters.size(), 4U);
}

TEST(Sets, OccupancyIsAFractionThoughTheCounterIsPercent) {
  const auto plan = plan_set("default", "GH100");
  const auto found = std::find_if(plan.counters.begin(), plan.counters.end(),
                                  [](const Counter& c) { return c.key == "occupancy"; });
  ASSERT_NE(found, plan.counters.end());
  EXPECT_DOUBLE_EQ(found->scale, 0.01);
}

}  // namespace
}  // namespace lab::metrics
