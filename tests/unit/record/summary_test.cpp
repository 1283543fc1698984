// Summaries of recordings. Times are small numbers, so that each sum can be worked out here.
#include "harness/record/summary.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lab::record {
namespace {

Kernel kernel(TextId name, Time start, Time end, std::uint32_t correlation = 0) {
  Kernel one;
  one.correlation = correlation;
  one.name = name;
  one.shape = {{4, 1, 1}, {64, 1, 1}};
  one.registers = 20;
  one.start = start;
  one.end = end;
  return one;
}

Copy copy(Copied what, Time start, Time end, std::uint64_t bytes = 1) {
  return {0, what, 0, 0, bytes, start, end};
}

Launch launch(std::uint32_t correlation, TextId name = 2, TextId range = kNoText) {
  Launch one;
  one.correlation = correlation;
  one.entry = Entry::kKernel;
  one.name = name;
  one.range = range;
  one.shape = {{4, 1, 1}, {64, 1, 1}};
  one.start = 10;
  one.end = 13;
  return one;
}

// Texts 2 and on: _Z1kPf is k(float*), _Z1mILi8EEvi is m<8>(int).
Process process(std::vector<std::string> more = {}) {
  Process one;
  one.texts = {"_Z1kPf", "_Z1mILi8EEvi"};
  one.texts.insert(one.texts.end(), more.begin(), more.end());
  return one;
}

TEST(Summary, KernelsAreByShareOfTheTimeOfAll) {
  Process one = process();
  // k: 10 + 30 + 20 = 60 of 300; m: 240.
  one.kernels = {kernel(2, 100, 110), kernel(2, 200, 230), kernel(3, 300, 540),
                 kernel(2, 600, 620)};
  const Summary summary = summarise({{one}, 0, ""});
  EXPECT_EQ(summary.kernels_run, 4U);
  EXPECT_EQ(summary.kernels_ns, 300U);
  ASSERT_EQ(summary.kernels.size(), 2U);
  EXPECT_EQ(summary.kernels[0].kernel, "m<8>");
  EXPECT_EQ(summary.kernels[0].signature, "m<8>(int)");
  EXPECT_DOUBLE_EQ(summary.kernels[0].share, 0.8);
  const KernelRow& k = summary.kernels[1];
  EXPECT_EQ(k.mangled, "_Z1kPf");
  EXPECT_EQ(k.launches, 3U);
  EXPECT_EQ(k.total_ns, 60U);
  EXPECT_DOUBLE_EQ(k.mean_ns(), 20);
  EXPECT_EQ(k.shortest_ns, 10U);
  EXPECT_EQ(k.longest_ns, 30U);
  EXPECT_DOUBLE_EQ(k.share, 0.2);
}

TEST(Summary, EachShapeIsARow) {
  Process one = process();
  one.kernels.assign(7, kernel(2, 10, 20));
  one.kernels[1].shape.grid[0] = 5;
  one.kernels[2].shape.block[1] = 2;
  one.kernels[3].cluster = {2, 1, 1};
  one.kernels[4].dynamic_shared = 64;
  one.kernels[5].registers = 21;
  const Summary summary = summarise({{one}, 0, ""});
  EXPECT_EQ(summary.kernels.size(), 6U);
}

TEST(Summary, TheGpuIsIdleWhereNothingRuns) {
  Process one = process();
  // Kernels cover 100..160 (two overlap) and 200..210: 70. Copies cover 150..180 and 300..310: of
  // these, 160..180 and 300..310 alone: 30. Idle: 180..200, 210..300: 110 of 100..310.
  one.kernels = {kernel(2, 100, 140), kernel(3, 120, 160), kernel(2, 200, 210)};
  one.copies = {copy(Copied::kToDevice, 150, 180, 5), copy(Copied::kSet, 300, 310, 7)};
  const Summary summary = summarise({{one}, 0, ""});
  ASSERT_EQ(summary.gpus.size(), 1U);
  const GpuUse& use = summary.gpus[0];
  EXPECT_EQ(use.span_ns, 210U);
  EXPECT_EQ(use.kernels_ns, 70U);
  EXPECT_EQ(use.copies_ns, 30U);
  EXPECT_EQ(use.idle_ns(), 110U);
  EXPECT_EQ(use.gaps, 2U);
  ASSERT_EQ(use.longest.size(), 2U);
  EXPECT_EQ(use.longest[0].length_ns, 90U);
  EXPECT_EQ(use.longest[0].start_ns, 110U);
  EXPECT_EQ(use.longest[0].before, "k");
  EXPECT_EQ(use.longest[0].after, "memset");
  EXPECT_EQ(use.longest[1].length_ns, 20U);
  EXPECT_EQ(use.longest[1].before, "copy to the GPU");
  EXPECT_EQ(use.longest[1].after, "k");
  ASSERT_EQ(summary.copies.size(), 2U);
  EXPECT_EQ(summary.copies[0].bytes, 5U);
  EXPECT_EQ(summary.copies[1].total_ns, 10U);
}

// A kernel within a longer one ends no work: the gap begins where the longer one ends.
TEST(Summary, AGapBeginsWhereTheLastWorkEnds) {
  Process one = process();
  one.kernels = {kernel(2, 100, 200), kernel(3, 110, 120), kernel(3, 230, 240)};
  const GpuUse use = summarise({{one}, 0, ""}).gpus.at(0);
  EXPECT_EQ(use.gaps, 1U);
  EXPECT_EQ(use.longest.at(0).length_ns, 30U);
  EXPECT_EQ(use.longest.at(0).before, "k");
}

TEST(Summary, GpusAreToldApartByWhatTheyAre) {
  Device a;
  a.name = 4;
  a.uuid = {1};
  Device b;
  b.device = 1;
  b.name = 5;
  b.uuid = {2};
  Process first = process({"GPU a", "GPU b"});
  first.devices = {a, b};
  first.kernels = {kernel(2, 10, 20), kernel(2, 50, 60)};
  first.kernels[1].device = 1;
  // Another process sees the second GPU alone, as its number 0.
  Process second = process({"GPU a", "GPU b"});
  b.device = 0;
  second.devices = {b};
  second.kernels = {kernel(2, 100, 110)};
  const Summary summary = summarise({{first, second}, 0, ""});
  ASSERT_EQ(summary.gpus.size(), 2U);
  EXPECT_EQ(summary.gpus[0].name, "GPU a");
  EXPECT_EQ(summary.gpus[0].span_ns, 10U);
  EXPECT_EQ(summary.gpus[1].name, "GPU b");
  EXPECT_EQ(summary.gpus[1].span_ns, 60U);
  EXPECT_EQ(summary.kernels.at(0).launches, 3U);
}

TEST(Summary, LaunchesAreByWhatBecameOfThem) {
  Process one = process();
  one.launches = {launch(1), launch(2), launch(3), launch(4), launch(5)};
  one.launches[1].result = 700;
  one.launches[2].captured = 1;
  one.launches[3].entry = Entry::kGraph;
  one.launches[3].name = kNoText;
  // Launch 1 ran, and two kernels of the graph's launch; nothing is known of launch 5.
  one.kernels = {kernel(2, 10, 20, 1), kernel(2, 30, 40, 4), kernel(3, 40, 50, 4)};
  one.kernels[1].graph_node = one.kernels[2].graph_node = 9;
  const Summary summary = summarise({{one}, 0, ""});
  EXPECT_EQ(summary.launches.all, 5U);
  EXPECT_EQ(summary.launches.failed, 1U);
  EXPECT_EQ(summary.launches.captured, 1U);
  EXPECT_EQ(summary.launches.graphs, 1U);
  EXPECT_EQ(summary.launches.untimed, 1U);
  EXPECT_EQ(summary.launches.host_ns, 15U);  // 3 each
  const auto row = [&](std::string_view name) {
    for (const KernelRow& of : summary.kernels) {
      if (of.kernel == name) return of;
    }
    return KernelRow();
  };
  EXPECT_EQ(row("k").launches, 2U);
  EXPECT_EQ(row("k").untimed, 1U) << "5 was launched as 1 was";
  EXPECT_EQ(row("k").of_graphs, 1U);
  EXPECT_EQ(row("m<8>").launches, 1U);
  EXPECT_EQ(row("m<8>").untimed, 0U);
}

TEST(Summary, ALaunchWhoseKernelIsUnknownHasARowOfItsOwn) {
  Process one = process();
  one.launches = {launch(1, 3)};
  one.kernels = {kernel(2, 10, 20)};
  const Summary summary = summarise({{one}, 0, ""});
  ASSERT_EQ(summary.kernels.size(), 2U);
  EXPECT_EQ(summary.kernels[1].kernel, "m<8>");
  EXPECT_EQ(summary.kernels[1].launches, 0U);
  EXPECT_EQ(summary.kernels[1].untimed, 1U);
  EXPECT_EQ(summary.kernels_run, 1U);
}

// CUPTI gives 0 for times that it could not take.
TEST(Summary, AKernelWithoutTimesIsNoneThatTookNothing) {
  Process one = process();
  one.launches = {launch(1)};
  one.kernels = {kernel(2, 0, 0, 1), kernel(3, 30, 20, 2)};
  const Summary summary = summarise({{one}, 0, ""});
  EXPECT_EQ(summary.kernels_run, 0U);
  EXPECT_EQ(summary.launches.untimed, 1U);
  EXPECT_TRUE(summary.gpus.empty());
}

TEST(Summary, ARangeHasWhatTheRangesWithinItHave) {
  Process one = process({"train", "train/step", "a/b"});
  one.launches = {launch(1, 2, 4), launch(2, 2, 5), launch(3, 2, 6), launch(4)};
  one.kernels = {kernel(2, 10, 11, 1), kernel(2, 20, 40, 2), kernel(2, 50, 60, 3),
                 kernel(2, 70, 80, 4)};
  one.ranges = {{5, 1, 100, 130}, {5, 1, 140, 150}, {4, 1, 90, 190}, {6, 1, 200, 201}};
  const Summary summary = summarise({{one}, 0, ""});
  // `a/b` is one name: nothing called `a` was entered.
  ASSERT_EQ(summary.ranges.size(), 3U);
  EXPECT_EQ(summary.ranges[0].path, "a/b");
  EXPECT_EQ(summary.ranges[0].gpu_ns, 10U);
  EXPECT_EQ(summary.ranges[1].path, "train");
  EXPECT_EQ(summary.ranges[1].launches, 2U);
  EXPECT_EQ(summary.ranges[1].gpu_ns, 21U);
  EXPECT_EQ(summary.ranges[1].host_ns, 100U);
  EXPECT_EQ(summary.ranges[2].path, "train/step");
  EXPECT_EQ(summary.ranges[2].times, 2U);
  EXPECT_EQ(summary.ranges[2].kernels, 1U);
  EXPECT_EQ(summary.ranges[2].gpu_ns, 20U);
  EXPECT_EQ(summary.ranges[2].host_ns, 40U);
}

TEST(Summary, CountersAreSummedWhereThereAreValues) {
  Process one = process({"gpu__time_duration.sum,x.sum"});
  one.launches = {launch(1), launch(2), launch(3), launch(9, 3)};
  const double nan = std::nan("");
  // The times are 40, 20 and none; x is 5, none and 7. Of correlation 4 no launch is known.
  one.counters = {{{1, 4}, {40, 5}}, {{2, 4}, {20, nan}}, {{3, 4}, {nan, 7}}, {{4, 4}, {1, 1}}};
  const Summary summary = summarise({{one}, 0, ""});
  ASSERT_EQ(summary.kernels.size(), 2U);
  const KernelRow& row = summary.kernels[0];
  EXPECT_EQ(row.kernel, "k");
  EXPECT_FALSE(row.traced);
  EXPECT_EQ(row.launches, 2U);
  EXPECT_EQ(row.untimed, 1U);
  EXPECT_EQ(row.total_ns, 60U);
  ASSERT_EQ(row.counters.size(), 2U);
  EXPECT_EQ(row.counters[0].sum, 60);
  EXPECT_EQ(row.counters[1].metric, "x.sum");
  EXPECT_EQ(row.counters[1].launches, 2U);
  EXPECT_EQ(row.counters[1].sum, 12);
  EXPECT_EQ(row.counters[1].least, 5);
  EXPECT_EQ(row.counters[1].most, 7);
  EXPECT_EQ(summary.launches.untimed, 2U);
  EXPECT_EQ(summary.launches_counted, 4U);
}

// A traced kernel's time is without the set-up of its launch: the two are no one mean.
TEST(Summary, CountedAndTracedLaunchesHaveRowsOfTheirOwn) {
  Process counted = process({"gpu__time_duration.sum"});
  counted.launches = {launch(1)};
  counted.counters = {{{1, 4}, {40}}};
  Process traced = process();
  traced.launches = {launch(1)};
  traced.kernels = {kernel(2, 10, 30, 1)};
  const Summary summary = summarise({{counted, traced}, 0, ""});
  ASSERT_EQ(summary.kernels.size(), 2U);
  EXPECT_FALSE(summary.kernels[0].traced);
  EXPECT_EQ(summary.kernels[0].total_ns, 40U);
  EXPECT_TRUE(summary.kernels[1].traced);
  EXPECT_EQ(summary.kernels[1].total_ns, 20U);
}

TEST(Summary, NothingRecordedIsNothing) {
  const Summary summary = summarise({});
  EXPECT_TRUE(summary.kernels.empty() && summary.gpus.empty() && summary.processes.empty());
}

}  // namespace
}  // namespace lab::record
