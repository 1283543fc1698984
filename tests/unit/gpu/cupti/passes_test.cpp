// Planning passes, keeping the plan on disk, and turning values into observations.
#include "harness/gpu/cupti/passes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "harness/core/error.h"
#include "harness/gpu/measure/observe.h"
#include "metrics/sets.h"

namespace lab::gpu {
namespace {

using Names = std::vector<std::string>;

Names names_of(const metrics::MetricPlan& plan) {
  Names names;
  for (const metrics::Counter& counter : plan.counters) names.push_back(counter.name);
  return names;
}

// A folder that goes with the test.
class Folder {
 public:
  Folder() {
    path_ =
        std::filesystem::temp_directory_path() /
        ("lab-image-cache-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
         ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(Passes, TheDefaultSetTakesFourOnGh100UnderOneConfiguration) {
  const Names names = names_of(metrics::plan_set("default", "GH100"));
  EXPECT_EQ(names.size(), 36U);
  const PassPlan plan = plan_passes(Host("GH100"), names);
  EXPECT_EQ(plan.passes, 4U);
  // One configuration: a second one would cost another 0.13 s.
  ASSERT_EQ(plan.groups.size(), 1U);
  EXPECT_EQ(plan.groups[0].image.metrics, names);
  EXPECT_TRUE(plan.lacking.empty());
}

TEST(Passes, MetricsThatAChipLacksAreListedAndTheRestIsPlanned) {
  const Names names = {"smsp__inst_executed.sum", "dram__bytes_read.sum"};
  const PassPlan plan = plan_passes(Host("GB202"), names);
  EXPECT_EQ(plan.lacking, Names{"dram__bytes_read.sum"});
  ASSERT_EQ(plan.groups.size(), 1U);
  EXPECT_EQ(plan.groups[0].image.metrics, Names{"smsp__inst_executed.sum"});
}

TEST(Passes, NothingToCollectIsNoPass) {
  const PassPlan plan = plan_passes(Host("GH100"), Names{});
  EXPECT_EQ(plan.passes, 0U);
  EXPECT_TRUE(plan.groups.empty());
}

TEST(Passes, APlanSurvivesItsFile) {
  PassPlan plan;
  plan.lacking = {"a:b", ""};
  plan.withheld = {"w.sum"};
  ConfigImage image;
  image.metrics = {"m.sum", "n.sum"};
  image.bytes = {0, 255, 58, 10};
  image.passes = 2;
  plan.groups.push_back({image, 0});
  plan.groups.push_back({image, 2});
  plan.passes = 4;
  const PassPlan back = read_plan(write_plan(plan));
  EXPECT_EQ(back.lacking, plan.lacking);
  EXPECT_EQ(back.withheld, plan.withheld);
  EXPECT_EQ(back.passes, 4U);
  ASSERT_EQ(back.groups.size(), 2U);
  EXPECT_EQ(back.groups[1].first_pass, 2);
  EXPECT_EQ(back.groups[1].image.metrics, image.metrics);
  EXPECT_EQ(back.groups[1].image.bytes, image.bytes);
}

// A metric that the chip has and this GPU withholds is not the chip's fault; a failure is nobody's.
TEST(Passes, EachMetricIsPutByItsCause) {
  const CUptiResult lacks = CUPTI_ERROR_INVALID_PARAMETER;
  const std::vector<TriedMetric> tried = {{"a.sum", {CUPTI_SUCCESS, CUPTI_SUCCESS}},
                                          {"b.sum", {lacks, lacks}},
                                          {"c.sum", {lacks, CUPTI_SUCCESS}},
                                          {"d.sum", {CUPTI_ERROR_UNKNOWN, CUPTI_ERROR_UNKNOWN}},
                                          {"e.sum", {lacks, CUPTI_ERROR_OUT_OF_MEMORY}},
                                          {"f.sum", {CUPTI_SUCCESS, lacks}}};
  PassPlan plan;
  EXPECT_EQ(sort_out(tried, plan), (Names{"a.sum", "f.sum"}));
  EXPECT_EQ(plan.lacking, Names{"b.sum"});
  EXPECT_EQ(plan.withheld, Names{"c.sum"});
  EXPECT_EQ(plan.unanswered,
            (std::map<std::string, CUptiResult>{{"d.sum", CUPTI_ERROR_UNKNOWN},
                                                {"e.sum", CUPTI_ERROR_OUT_OF_MEMORY}}));
}

TEST(Passes, AFailureIsNotKept) {
  const Folder folder;
  const FileCache cache(folder.path());
  int made = 0;
  const auto failing = [&] {
    ++made;
    PassPlan plan;
    plan.unanswered.emplace("d.sum", CUPTI_ERROR_UNKNOWN);
    return plan;
  };
  const auto whole = [&] {
    ++made;
    PassPlan plan;
    plan.lacking = {"b.sum"};
    return plan;
  };
  EXPECT_EQ(kept_plan(cache, "key", failing).unanswered.size(), 1U);
  EXPECT_TRUE(kept_plan(cache, "key", whole).unanswered.empty());  // asked again
  EXPECT_EQ(kept_plan(cache, "key", failing).lacking, Names{"b.sum"});
  EXPECT_EQ(made, 2);
}

TEST(Passes, AMalformedFileIsAnError) {
  for (const char* bytes : {"", "1", "9:x", "1:x", "2:12", "1:199:z"}) {
    EXPECT_THROW((void)read_plan(bytes), Error) << bytes;
  }
}

metrics::MetricPlan small_plan() {
  metrics::MetricPlan plan;
  plan.counters = {{"duration_ns", SourceOf::kCupti, "gpu__time_duration.sum", 1},
                   {"occupancy", SourceOf::kCupti, "sm__warps_active.pct", 0.01},
                   {"global_load_requests", SourceOf::kSass, "smsp__sass_ld.sum", 1}};
  Observation lacking;
  lacking.metric = "dram_read_bytes";
  lacking.value = Missing{NoValue::kUnsupported, "GA10B has no counter dram__bytes_read.sum"};
  plan.missing = {lacking};
  return plan;
}

TEST(Observe, TakesMedianLeastAndMostAndScales) {
  Collected collected;
  collected.by_case[7]["gpu__time_duration.sum"] = {{30, 10, 20}, 1};
  collected.by_case[7]["sm__warps_active.pct"] = {{50, 50, 50}, 2};
  PassPlan passes;
  passes.lacking = {"smsp__sass_ld.sum"};
  const auto found = observe(small_plan(), passes, collected, 7, "GA10B");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].number(), 20);
  EXPECT_EQ(found[0].min, 10);
  EXPECT_EQ(found[0].max, 30);
  EXPECT_EQ(found[0].samples, 3);
  EXPECT_EQ(found[0].pass, 1);
  EXPECT_EQ(found[1].number(), 0.5);
  EXPECT_EQ(std::get<Missing>(found[2].value),
            (Missing{NoValue::kUnsupported, "GA10B has no counter smsp__sass_ld.sum"}));
  EXPECT_EQ(found[3].metric, "dram_read_bytes");
}

TEST(Observe, WhoTookACounterIsNamed) {
  PassPlan passes;
  passes.withheld = {"gpu__time_duration.sum"};
  passes.unanswered = {{"smsp__sass_ld.sum", CUPTI_ERROR_UNKNOWN},
                       {"sm__warps_active.pct", CUPTI_ERROR_HARDWARE_BUSY}};
  const auto why = [&](const Partition& partition) {
    return std::get<Missing>(
        observe(small_plan(), passes, {}, 0, "GH100", partition).front().value);
  };
  EXPECT_EQ(
      why({true, {}}),
      (Missing{NoValue::kMig,
               "GH100 has the counter gpu__time_duration.sum, this MIG instance does not; "
               "this MIG instance has no counters of its own: use a whole compute instance"}));
  EXPECT_EQ(why({false, true}).reason, NoValue::kVirtualGpu);
  EXPECT_EQ(why({}).reason, NoValue::kWithheld);
  for (const char* word :
       {"ERR_NVGPUCTRPERM", "--cap-add=SYS_ADMIN", "NVreg_RestrictProfilingToAdminUsers=0"}) {
    EXPECT_NE(why({}).detail.find(word), std::string::npos) << word;
  }
  const auto found = observe(small_plan(), passes, {}, 0, "GH100");
  EXPECT_EQ(std::get<Missing>(found[1].value).reason, NoValue::kCountersHeld);
  EXPECT_EQ(std::get<Missing>(found[2].value),
            (Missing{NoValue::kCounterError,
                     "CUPTI gave code 999 when it was asked about smsp__sass_ld.sum"}));
}

TEST(Observe, VoidPassesAndImpossibleValuesAreMissing) {
  Collected collected;
  collected.by_case[0]["sm__warps_active.pct"] = {{std::numeric_limits<double>::quiet_NaN()}, 2};
  collected.void_passes["gpu__time_duration.sum"] = "1 ranges were dropped";
  const auto found = observe(small_plan(), {}, collected, 0, "GH100");
  EXPECT_EQ(std::get<Missing>(found[0].value),
            (Missing{NoValue::kLostRanges, "1 ranges were dropped"}));
  EXPECT_EQ(std::get<Missing>(found[1].value),
            (Missing{NoValue::kNoValue, "CUPTI gave no number for sm__warps_active.pct"}));
  EXPECT_EQ(std::get<Missing>(found[2].value),
            (Missing{NoValue::kNotCollected, "the case was not counted"}));
}

TEST(Observe, WithoutCountersWhatPatchingCountedStands) {
  const Missing why{NoValue::kNoPermission, "ask the administrator"};
  const auto found = observe_without_counters(small_plan(), why, {{"smsp__sass_ld.sum", 4096}});
  EXPECT_EQ(std::get<Missing>(found[0].value), why);
  EXPECT_EQ(found[2].number(), 4096);
  EXPECT_EQ(found[2].source, SourceOf::kSass);
}

}  // namespace
}  // namespace lab::gpu
