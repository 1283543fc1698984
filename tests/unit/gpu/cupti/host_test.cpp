#include "harness/gpu/cupti/host.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/gpu/cupti/cause.h"
#include "harness/gpu/cupti/cupti_call.h"

namespace lab::gpu {
namespace {

using Names = std::vector<std::string>;

// Two lists that the pass tables of NVIDIA's scheduler are known to pack (measured on an H200, and
// the same on the other chips): the hardware part of the default set in two passes, SASS counters
// in one more whatever their number.
const Names kHardware = {"smsp__inst_executed_op_global_ld_pred_on_any.sum",
                         "smsp__inst_executed_op_global_st_pred_on_any.sum",
                         "smsp__inst_executed_op_shared_ld_pred_on_any.sum",
                         "smsp__inst_executed_op_shared_st_pred_on_any.sum",
                         "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                         "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                         "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                         "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
                         "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                         "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                         "lts__t_sectors_srcunit_tex_op_read.sum",
                         "lts__t_sectors_srcunit_tex_op_write.sum",
                         "smsp__inst_executed.sum",
                         "sm__cycles_elapsed.max",
                         "sm__warps_active.avg.pct_of_peak_sustained_active",
                         "gpu__time_duration.sum"};

Names with_dram(Names metrics, const std::string& read, const std::string& write) {
  metrics.push_back(read);
  metrics.push_back(write);
  return metrics;
}

TEST(Host, ListsChipsSortedAndKnowsTheOnesOfTheIssue) {
  const Names chips = supported_chips();
  EXPECT_TRUE(std::is_sorted(chips.begin(), chips.end()));
  for (const char* chip : {"TU102", "GA100", "AD102", "GH100", "GB202"}) {
    EXPECT_NE(std::find(chips.begin(), chips.end(), chip), chips.end()) << chip;
  }
}

TEST(Host, EveryUsualChipIsOneThatCuptiProfiles) {
  const Names chips = supported_chips();
  for (int capability : {75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121}) {
    const std::string chip = usual_chip(capability);
    EXPECT_NE(std::find(chips.begin(), chips.end(), chip), chips.end()) << capability << chip;
  }
  EXPECT_EQ(usual_chip(35), "");
}

TEST(Host, UnknownChipSuggestsTheNearest) {
  EXPECT_EQ(find_chip("GH100"), "GH100");
  try {
    (void)find_chip("GH10");
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    EXPECT_STREQ(error.what(), "no chip is called 'GH10'");
    EXPECT_EQ(error.hint(), "did you mean 'GH100'?");
  }
}

TEST(Host, SaysOneByOneWhichMetricsAChipLacks) {
  const Names asked = {"dram__bytes_read.sum", "no__such_metric.sum", "dram__bytes_op_read.sum",
                       "smsp__inst_executed.sum"};
  EXPECT_EQ(Host("GH100").lacking(asked),
            (Names{"no__such_metric.sum", "dram__bytes_op_read.sum"}));
  // GB202 renamed the DRAM counters.
  EXPECT_EQ(Host("GB202").lacking(asked), (Names{"dram__bytes_read.sum", "no__such_metric.sum"}));
}

TEST(Host, ACounterWithoutItsRollUpIsLacking) {
  EXPECT_FALSE(Host("GH100").has("dram__bytes_read"));
  EXPECT_TRUE(Host("GH100").has("dram__bytes_read.sum"));
}

// Whatever a person writes after --metrics gets an answer: none of these is CUPTI's own failure.
TEST(Host, NamesThatCannotBeRightAreLacking) {
  const Host host("GH100");
  for (const char* name : {"", ".", ".sum", "sum", "dram__bytes_read.", "dram__bytes_read.nonsense",
                           "dram__bytes_read.sum.nonsense", "dram__bytes_read.sum ", "no such"}) {
    EXPECT_EQ(answer_of(host.try_metric(name), name), Answer::kLacks)
        << name << " " << host.try_metric(name);
  }
}

TEST(Host, EighteenHardwareMetricsTakeTwoPasses) {
  for (const char* chip : {"TU102", "GA100", "AD102", "GH100"}) {
    const Names metrics = with_dram(kHardware, "dram__bytes_read.sum", "dram__bytes_write.sum");
    EXPECT_EQ(Host(chip).configure(metrics).passes, 2U) << chip;
  }
  const Names metrics = with_dram(kHardware, "dram__bytes_op_read.sum", "dram__bytes_op_write.sum");
  EXPECT_EQ(Host("GB202").configure(metrics).passes, 2U);
}

TEST(Host, SassMetricsAddOnePass) {
  Names metrics = with_dram(kHardware, "dram__bytes_read.sum", "dram__bytes_write.sum");
  metrics.push_back("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum");
  metrics.push_back("smsp__sass_inst_executed_op_global_ld.sum");
  const ConfigImage image = Host("GH100").configure(metrics);
  EXPECT_EQ(image.passes, 3U);
  EXPECT_EQ(image.metrics, metrics);
}

TEST(Host, ConfiguringTwiceDoesNotAddUp) {
  const Host host("GH100");
  const Names one = {"smsp__inst_executed.sum"};
  EXPECT_EQ(host.configure(one).bytes, host.configure(one).bytes);
}

TEST(Host, ABadNameInAListIsAnErrorThatCarriesTheCode) {
  const Names metrics = {"smsp__inst_executed.sum", "no__such_metric.sum"};
  try {
    (void)Host("GH100").configure(metrics);
    FAIL() << "expected an error";
  } catch (const CuptiError& error) {
    EXPECT_EQ(error.code(), CUPTI_ERROR_INVALID_PARAMETER);
    EXPECT_STREQ(error.what(),
                 "cuptiProfilerHostConfigAddMetrics for 2 metrics gave "
                 "CUPTI_ERROR_INVALID_PARAMETER (1)");
  }
}

TEST(Host, DescribesMetricsWithTheirUnit) {
  const std::vector<MetricInfo> metrics = Host("GH100").metrics();
  const auto dram = std::find_if(metrics.begin(), metrics.end(), [](const MetricInfo& info) {
    return info.name == "dram__bytes_read";
  });
  ASSERT_NE(dram, metrics.end());
  EXPECT_EQ(dram->unit, "byte");
  EXPECT_EQ(dram->counter, "counter");
  EXPECT_FALSE(dram->description.empty());
}

TEST(Host, SassMetricsIncludeTheIdealsOfTheSourceView) {
  const std::vector<SassMetric> metrics = sass_metrics("GH100");
  for (const char* name : {"smsp__sass_inst_executed", "smsp__sass_sectors_mem_global_ideal",
                           "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal"}) {
    EXPECT_TRUE(std::any_of(metrics.begin(), metrics.end(), [&](const SassMetric& metric) {
      return metric.name == name;
    })) << name;
  }
}

TEST(CuptiAdvice, SaysWhatToDoWherePermissionIsDenied) {
  EXPECT_EQ(advice(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
            "NVIDIA's tools call this ERR_NVGPUCTRPERM: run as root, start a container with "
            "--cap-add=SYS_ADMIN, or let every user read counters: put `options nvidia "
            "NVreg_RestrictProfilingToAdminUsers=0` into /etc/modprobe.d/nvidia.conf and reboot");
  EXPECT_EQ(advice(CUPTI_ERROR_INVALID_PARAMETER), "");
}

}  // namespace
}  // namespace lab::gpu
