// Recordings of an H200 (driver 580.159, CUPTI 13.0) say what their program does:
// tests/fixtures/record/streams_and_graph.cu.
#include <gtest/gtest.h>

#include "harness/core/files.h"
#include "harness/record/summary.h"

namespace lab::record {
namespace {

Summary summary_of(const std::string& name) {
  const std::string path = LAB_SOURCE_DIR "/tests/fixtures/record/" + name;
  const Recording recording = read_recording(read_file(path, "the recording"), path);
  EXPECT_EQ(recording.damage, "");
  EXPECT_TRUE(recording.processes.at(0).end.has_value());
  return summarise(recording);
}

const KernelRow& row(const Summary& summary, std::string_view kernel, std::uint32_t grid) {
  for (const KernelRow& one : summary.kernels) {
    if (one.kernel == kernel && one.shape.grid[0] == grid) return one;
  }
  ADD_FAILURE() << kernel << " is not there";
  return summary.kernels.at(0);
}

// 1 + 10 x 4 x 2 + 1 launches run a kernel, 5 are captured, 3 are of the graph, 1 fails.
void expect_launches(const Summary& summary) {
  EXPECT_EQ(summary.launches.all, 91U);
  EXPECT_EQ(summary.launches.captured, 5U);
  EXPECT_EQ(summary.launches.graphs, 3U);
  EXPECT_EQ(summary.launches.failed, 1U);
  EXPECT_EQ(summary.launches.untimed, 0U);
}

TEST(RecordedOnAnH200, ATracedProgram) {
  const Summary summary = summary_of("h200_traced.labrec");
  expect_launches(summary);
  EXPECT_EQ(summary.kernels_run, 82U + 3 * 5);
  EXPECT_EQ(row(summary, "scale", 64).launches, 40U);
  EXPECT_EQ(row(summary, "tile<128>", 64).launches, 40U);
  EXPECT_EQ(row(summary, "tile<128>", 64).static_shared, 128U * 4);
  EXPECT_EQ(row(summary, "scale", 4096).launches, 1U);
  EXPECT_EQ(row(summary, "dynamic", 1).dynamic_shared, 4096U);
  EXPECT_EQ(row(summary, "add", 4096).launches, 15U);
  EXPECT_EQ(row(summary, "add", 4096).of_graphs, 15U);
  ASSERT_EQ(summary.gpus.size(), 1U);
  EXPECT_EQ(summary.gpus[0].name, "NVIDIA H200");
  // Two copies to the GPU and one from it of 4 MiB, and the graph's memset of 1 KiB three times.
  ASSERT_EQ(summary.copies.size(), 3U);
  EXPECT_EQ(summary.copies[0].bytes, 2U * 4 * (1U << 20U));
  EXPECT_EQ(summary.copies[1].bytes, 4U * (1U << 20U));
  EXPECT_EQ(summary.copies[2].count, 3U);
  ASSERT_EQ(summary.ranges.size(), 3U);
  EXPECT_EQ(summary.ranges[0].path, "setup");
  EXPECT_EQ(summary.ranges[1].path, "train");
  EXPECT_EQ(summary.ranges[1].kernels, 80U);
  EXPECT_EQ(summary.ranges[2].path, "train/step");
  EXPECT_EQ(summary.ranges[2].times, 10U);
}

double counted(const KernelRow& row, std::string_view metric) {
  for (const CounterSum& one : row.counters) {
    if (one.metric == metric) return one.sum;
  }
  return -1;
}

TEST(RecordedOnAnH200, ACountedProgram) {
  const Summary summary = summary_of("h200_counted.labrec");
  expect_launches(summary);
  EXPECT_EQ(summary.launches_counted, 82U);
  // Each float is read and written once: 32 bytes, eight of them, to a sector.
  constexpr std::string_view kRead = "lts__t_sectors_srcunit_tex_op_read.sum";
  constexpr std::string_view kWritten = "lts__t_sectors_srcunit_tex_op_write.sum";
  EXPECT_EQ(counted(row(summary, "scale", 4096), kRead), 4096 * 256 / 8);
  EXPECT_EQ(counted(row(summary, "scale", 4096), kWritten), 4096 * 256 / 8);
  EXPECT_EQ(counted(row(summary, "scale", 64), kRead), 40 * 64 * 128 / 8);
  EXPECT_EQ(counted(row(summary, "tile<128>", 64), kWritten), 40 * 64 * 128 / 8);
  EXPECT_EQ(counted(row(summary, "dynamic", 1), kRead), 256 / 8);
  // The first touches what the host has just copied: 4 MiB come from DRAM, and little more.
  EXPECT_NEAR(counted(row(summary, "scale", 4096), "dram__bytes_read.sum"), 4 << 20, 4 << 14);
}

}  // namespace
}  // namespace lab::record
