// Counts of machine instructions put together by source line. Counting itself needs a GPU.
#include "harness/gpu/measure/observe.h"

#include <gtest/gtest.h>

#include "harness/kernel/compile/nvrtc.h"

namespace lab::gpu {
namespace {

constexpr const char* kTwoLines = R"(extern "C" __global__ void twice(float* p) {
  float x = p[threadIdx.x];
  p[threadIdx.x] = x * x;
})";

Compiled twice() {
  CompileRequest request;
  request.source = {"twice.cu", kTwoLines};
  request.kernels = {"twice"};
  request.arch = "sm_90";
  return compile::nvrtc_compile(request);
}

// Each of a function's first instructions ran in 5 warps; those of a line are added up.
TEST(Lines, CountsOfALinesInstructionsAreAddedUp) {
  const Compiled compiled = twice();
  const SourceLines source(compiled.cubin);
  const std::vector<std::string> metrics = {"smsp__sass_inst_executed",
                                            "smsp__sass_sectors_mem_global"};
  std::vector<InstructionCounts> counts;
  double on_line_3 = 0;
  for (std::uint32_t offset = 0; offset < 0x80; offset += 16) {
    counts.push_back({"", offset, {5, 0}});
    const auto line = source.find("twice", offset);
    if (line && line->line == 3) on_line_3 += 5;
  }
  ASSERT_GT(on_line_3, 0);  // the store
  const auto observed = line_observations(counts, metrics, "twice", source);
  double sum = 0;
  for (const LineObservation& one : observed) {
    EXPECT_EQ(one.metric, "instructions");  // a metric that is 0 has no observation
    EXPECT_EQ(one.source, SourceOf::kSass);
    sum += one.value;
    if (one.line == 3) {
      EXPECT_EQ(one.value, on_line_3);
    }
  }
  EXPECT_EQ(sum, 8 * 5);  // eight instructions
}

TEST(Lines, AnotherFunctionHasNone) {
  const Compiled compiled = twice();
  const auto observed = line_observations({{"", 0, {5}}}, {"smsp__sass_inst_executed"}, "thrice",
                                          SourceLines(compiled.cubin));
  EXPECT_TRUE(observed.empty());
}

}  // namespace
}  // namespace lab::gpu
