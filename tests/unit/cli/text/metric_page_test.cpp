#include "metrics/metric_page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/labs/registry.h"
#include "tools/cli/text/page_text.h"

namespace lab::cli {
namespace {

constexpr Terminal kPage{false, false, false, 100};

std::string metric_text(const metrics::Metric& metric) {
  return page_text(metrics::metric_page(metric, all_labs()), kPage);
}

TEST(MetricPage, Formulas) {
  EXPECT_EQ(metrics::derivation_text(metrics::at("shared_load_ways")),
            "shared_load_wavefronts_sass / shared_load_requests");
  EXPECT_EQ(metrics::derivation_text(metrics::at("global_load_efficiency")),
            "global_load_bytes / (32 * global_load_sectors)");
  EXPECT_EQ(metrics::derivation_text(metrics::at("l2_sectors")),
            "l2_read_sectors + l2_write_sectors");
  EXPECT_EQ(metrics::derivation_text(metrics::at("dram_read_bytes")), "");
}

// 28 chips: 20 say dram__bytes_read, 5 dram__bytes_op_read, 3 have no such counter.
TEST(MetricPage, CountersPlaceTheoryAndTraps) {
  const std::string text = metric_text(metrics::at("dram_read_bytes"));
  EXPECT_EQ(text.rfind("dram_read_bytes  byte, banded\n", 0), 0u) << text;
  for (const char* line :
       {"\n  CUPTI       dram__bytes_read.sum (GH100 and 19 other chips)\n",
        "\n  CUPTI       dram__bytes_op_read.sum (GB202 GB203 GB205 GB206 GB207)\n",
        "\n  CUPTI       no counter (GA10B GB10B GB20B)\n",
        "\n  in ncu      Memory Workload Analysis, Device Memory: row Load, column Bytes\n",
        "\n  model       counted while interpreting\n", "\n  measured    by cupti\n",
        "\n  theory      lab ", "\n  beware      HBM parts fetch 64 bytes at a time: "}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  }
}

TEST(MetricPage, BothCountersAndTheScale) {
  const std::string requests = metric_text(metrics::at("shared_load_requests"));
  EXPECT_NE(requests.find("  CUPTI       smsp__inst_executed_op_shared_ld_pred_on_any.sum (every "
                          "chip)\n  patching    smsp__sass_inst_executed_op_shared_ld.sum (every "
                          "chip)\n"),
            std::string::npos)
      << requests;
  const std::string occupancy = metric_text(metrics::at("occupancy"));
  EXPECT_NE(occupancy.find("times 0.01: the counter is in percent\n"), std::string::npos);
}

TEST(MetricPage, EveryMetricHasAPage) {
  for (const metrics::Metric& metric : metrics::catalogue()) {
    const std::string text = metric_text(metric);
    EXPECT_EQ(text.find("  \n"), std::string::npos) << text;
    EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 3) << text;
  }
}

TEST(MetricPage, Stalls) {
  EXPECT_EQ(page_text(metrics::stall_page(*metrics::find_stall("barrier")), kPage),
            "stall_barrier  sample, context\n"
            "  meaning   The warp waits for other warps of the block, at __syncthreads().\n"
            "  CUPTI     smsp__pcsamp_warps_issue_stalled_barrier (PC sampling)\n"
            "  in ncu    Warp State Statistics: Stall Barrier\n"
            "  measured  per source line by lab run N --stalls\n");
}

}  // namespace
}  // namespace lab::cli
