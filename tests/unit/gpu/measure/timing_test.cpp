#include "harness/gpu/measure/timing.h"

#include <gtest/gtest.h>

#include "harness/gpu/measure/kernels.h"
#include "harness/gpu/measure/observe.h"

namespace lab::gpu {
namespace {

TEST(Timing, QuantileInterpolatesBetweenRanks) {
  // Ranks 0..3 of 1, 2, 4, 8: the middle lies half way between 2 and 4.
  EXPECT_DOUBLE_EQ(quantile({8, 1, 4, 2}, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile({8, 1, 4, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({8, 1, 4, 2}, 1), 8);
  EXPECT_DOUBLE_EQ(quantile({5}, 0.75), 5);
}

TEST(Timing, StopsWhenTheSpreadIsSmall) {
  TimingPlan plan;
  plan.least_samples = 4;
  plan.spread = 0.01;
  EXPECT_FALSE(settled({100, 100, 100}, plan, 0));       // too few
  EXPECT_TRUE(settled({100, 100, 100, 100}, plan, 0));   // no spread
  EXPECT_FALSE(settled({100, 110, 120, 130}, plan, 0));  // quartiles 15 apart of 115
}

TEST(Timing, StopsAtTheCaps) {
  TimingPlan plan;
  plan.least_samples = 10;
  plan.most_samples = 4;
  EXPECT_TRUE(settled({100, 110, 120, 130}, plan, 0));
  plan.most_samples = 100;
  plan.most_seconds = 0.5;
  EXPECT_FALSE(settled({100, 200}, plan, 1));  // two samples have no spread worth a name
  EXPECT_TRUE(settled({100, 200, 300}, plan, 0.5));
}

TEST(Timing, SaysHowItWasTaken) {
  TimingPlan plan;
  plan.cache = Cache::kCold;
  const Timing timing = summarise({30, 10, 20}, plan, 1980.4);
  EXPECT_EQ(timing.median_ns, 20);
  EXPECT_EQ(timing.min_ns, 10);
  EXPECT_EQ(timing.max_ns, 30);
  EXPECT_EQ(timing.samples_ns, (std::vector<double>{30, 10, 20}));
  EXPECT_EQ(timing.cache, Cache::kCold);
  EXPECT_EQ(timing.warm_ups, 3);
  EXPECT_EQ(timing.sm_clock_mhz, 1980.4);
  EXPECT_EQ(method_text(timing),
            "CUDA events, cold L2, 3 launches after 3 warm-ups, SM clock 1980 MHz");
}

TEST(Timing, SaysThatASampleWasManyLaunches) {
  TimingPlan plan;
  plan.launches = 10000;
  EXPECT_EQ(method_text(summarise({1500, 1510, 1490}, plan, 0)),
            "CUDA events around 10000 launches in a row, warm L2, 3 times after 3 warm-ups");
}

TEST(Timing, SaysThatTheHostWaitedForEachLaunch) {
  TimingPlan plan;
  plan.host_timer = true;
  EXPECT_EQ(method_text(summarise({9000, 9010, 8990}, plan, 0)),
            "the host's clock around each launch, warm L2, 3 times after 3 warm-ups");
  plan.launches = 10000;
  const Timing many = summarise({9000, 9010, 8990}, plan, 0);
  EXPECT_EQ(method_text(many),
            "the host's clock around each of 10000 launches, warm L2, 3 times after 3 warm-ups");
  EXPECT_TRUE(timed_otherwise(many));
}

TEST(Totals, SumInstructionsUnderTheRangeProfilersNames) {
  const std::vector<InstructionCounts> counts = {{"k", 0, {1, 10}}, {"k", 16, {2, 20}}};
  const auto totals = counter_totals(counts, {"smsp__sass_a", "smsp__sass_b"});
  EXPECT_EQ(totals.at("smsp__sass_a.sum"), 3);
  EXPECT_EQ(totals.at("smsp__sass_b.sum"), 30);
}

TEST(ContentKey, TellsContentsApartAndNothingElse) {
  BufferSpec a;
  a.name = "in";
  a.count = 4;
  a.fill.kind = Fill::Kind::kRandom;
  BufferSpec b = a;
  b.name = "other";
  b.direction = Direction::kInOut;
  EXPECT_EQ(content_key(a), content_key(b));
  b.fill.seed = 2;
  EXPECT_NE(content_key(a), content_key(b));
  b = a;
  b.type = ElementType::kU32;
  EXPECT_NE(content_key(a), content_key(b));
  BufferSpec bytes = a;
  bytes.fill.kind = Fill::Kind::kBytes;
  bytes.fill.bytes = std::vector<std::byte>(16, std::byte{1});
  BufferSpec others = bytes;
  others.fill.bytes[15] = std::byte{2};
  EXPECT_NE(content_key(bytes), content_key(others));
}

Job job(const std::string& kernel, std::vector<std::string> options = {}) {
  Job out;
  out.kernel = kernel;
  out.options = std::move(options);
  return out;
}

TEST(CompileBatch, CompilesOnceForEachSetOfOptions) {
  std::vector<CompileRequest> asked;
  const Compiler compiler = [&](const CompileRequest& request) {
    asked.push_back(request);
    Compiled unit;
    for (const std::string& kernel : request.kernels) {
      unit.lowered.push_back(kernel == "gone" ? "" : "_Z" + kernel);
    }
    return unit;
  };
  const std::vector<Job> jobs = {job("a"), job("b", {"-O0"}), job("a"), job("gone")};
  const CompiledBatch batch = compile_batch(compiler, {"k.cu", "text"}, jobs, "sm_75");
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0].kernels, (std::vector<std::string>{"a", "gone"}));
  EXPECT_EQ(asked[0].arch, "sm_75");
  EXPECT_TRUE(asked[0].partial);
  EXPECT_EQ(asked[1].kernels, std::vector<std::string>{"b"});
  EXPECT_EQ(batch.places[0].unit, 0U);
  EXPECT_EQ(batch.places[0].lowered, "_Za");
  EXPECT_EQ(batch.places[1].unit, 1U);
  EXPECT_EQ(batch.places[2].lowered, "_Za");
  EXPECT_EQ(batch.places[3].missing, "k.cu defines no kernel 'gone'");
}

TEST(CompileBatch, KnowsHowManyParametersAKernelTakes) {
  const Compiler compiler = [](const CompileRequest& request) {
    Compiled unit;
    unit.ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry none()
{
  .param .b64 of_a_call;
  ret;
}
.visible .entry three(
  .param .u64 .ptr .global in, .param .align 4 .b8 pair[8],
  .param .u32 n)
{
  ret;
}
)";
    unit.lowered = request.kernels;
    return unit;
  };
  const std::vector<Job> jobs = {job("none"), job("three")};
  const CompiledBatch batch = compile_batch(compiler, {"k.cu", "text"}, jobs, "sm_90");
  EXPECT_EQ(batch.places[0].parameters, 0U);
  EXPECT_EQ(batch.places[1].parameters, 3U);
}

}  // namespace
}  // namespace lab::gpu
