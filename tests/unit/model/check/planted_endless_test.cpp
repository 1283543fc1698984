// Loops that no path leads out of, and loops that end.
#include <string>

#include "tests/unit/model/check/planted.h"

namespace lab::model::planted {
namespace {

const std::string kBegin =
    "extern \"C\" __global__ void k(float* x, int n) {\n  int t = threadIdx.x;\n";

BufferSpec numbers() {
  return {"x", ElementType::kF32, 64, Direction::kInOut, {Fill::Kind::kIota}};
}
Given given(std::uint64_t n = 64) {
  return {.args = {numbers(), ScalarSpec{ElementType::kI32, n}}, .threads = 1};
}

struct Endless {
  std::string body;
  int line;
  std::string why;
};

TEST(PlantedEndless, IsToldFirstAndAtTheLoopsLine) {
  const Endless all[] = {
      {"  for (int k = 0; k < 10; ) {\n    if (t < 16) x[t] += 1;\n    __syncthreads();\n  }\n}\n",
       3, "nothing in it changes its condition 'k < 10': k stays 0"},
      {"  for (int step = 32; step > 0; ) {\n    if (t < step) x[t] += x[t + step];\n"
       "    __syncthreads();\n  }\n}\n",
       3, "nothing in it changes its condition 'step > 0': step stays 32"},
      {"  for (int step = 32; step >= 0; step >>= 1) {\n    if (t < step) x[t] += x[t + step];\n"
       "    __syncthreads();\n  }\n}\n",
       3, "its condition 'step >= 0' always holds"},
      {"  for (unsigned i = 9; i >= 0; --i) {\n    x[t] += i;\n    __syncthreads();\n  }\n}\n", 3,
       "its condition 'i >= 0' always holds, since an unsigned number is never below 0"},
      {"  while (true) {\n    x[t] += 1;\n    __syncthreads();\n  }\n}\n", 3,
       "nothing in it leaves it"},
      {"  while (n > 0) {\n    if (t < 32) x[t] += 1;\n    __syncthreads();\n  }\n}\n", 3,
       "nothing in it changes its condition 'n > 0': n stays as it is"},
      {"  for (int i = t; i < n; i += 0 * n) {\n    x[i] += 1;\n  }\n}\n", 3,
       "its condition 'i < n' always holds"},
  };
  for (const Endless& one : all) {
    const CaseRecord record = run(kBegin + one.body, given());
    EXPECT_EQ(record.status, CaseStatus::kFinding) << one.body;
    ASSERT_FALSE(record.findings.empty()) << one.body;
    const Finding& first = record.findings.front();
    EXPECT_EQ(first.kind, FindingKind::kNoProgress) << one.body;
    EXPECT_EQ(first.cause, FindingCause::kNeverEnds) << one.body;
    EXPECT_EQ(first.line, one.line) << one.body;
    EXPECT_EQ(first.message, "this loop never ends: " + one.why) << one.body;
    for (const Finding& finding : record.findings) {
      EXPECT_NE(finding.kind, FindingKind::kDivergentBarrier) << one.body;
      EXPECT_NE(finding.kind, FindingKind::kBarrierDeadlock) << one.body;
    }
  }
}

// Paths lead out of these, and no round takes one: 2^24 + 1 is no float, half of the way to 2 is
// left again and again until it is rounded off.
TEST(PlantedEndless, ARoundThatChangesNothingIsTheLast) {
  const Endless all[] = {
      {"  float sum = 16000000;\n  while (sum < n * 1e6f) {\n    sum += 1;\n  }\n  x[t] = "
       "sum;\n}\n",
       4, "a round changes nothing any more, and 'sum < n * 1e6f' holds"},
      {"  float step = n;\n  for (; step != n * 0.03f; ) {\n    step = 1 + step / 2;\n    x[t] = "
       "step;\n  "
       "}\n}\n",
       4, "a round changes nothing any more, and 'step != n * 0.03f' holds"},
  };
  for (const Endless& one : all) {
    const CaseRecord record = run(kBegin + one.body, given());
    ASSERT_EQ(record.findings.size(), 1U) << one.body;
    const Finding& first = record.findings.front();
    EXPECT_EQ(first.cause, FindingCause::kNeverEnds) << one.body;
    EXPECT_EQ(first.line, one.line) << one.body;
    EXPECT_EQ(first.message, "this loop never ends: " + one.why) << one.body;
  }
}

TEST(PlantedEndless, ALoopThatReadsMayWaitForOthers) {
  const CaseRecord record =
      run(kBegin + "  volatile float* flag = x;\n  while (*flag == 0) {\n  }\n}\n", given());
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings.front().kind, FindingKind::kNoProgress);
  EXPECT_NE(record.findings.front().cause, FindingCause::kNeverEnds);
}

TEST(PlantedEndless, LoopsThatEndAreClean) {
  const char* const all[] = {
      "  for (int step = 32; step > 0; step /= 2) {\n    if (t < step) x[t] += x[t + step];\n"
      "    __syncthreads();\n  }\n}\n",
      "  while (true) {\n    x[t] += 1;\n    if (x[t] > 100) break;\n  }\n}\n",
      "  for (;;) {\n    x[t] += 1;\n    __syncthreads();\n    if (--n == 0) return;\n  }\n}\n",
      "  for (unsigned i = 10; i-- > 0; ) {\n    x[t] += i;\n    __syncthreads();\n  }\n}\n",
      // Rounds differ from lane to lane, and lanes meet behind the loop.
      "  for (int i = t; i > 0; --i) x[t] += i;\n  __syncthreads();\n}\n",
      // More rounds than a slice of the watchdog has.
      "  for (int i = 0; i < 100000; ++i) {\n    if (t < 16) x[t] += 1;\n    __syncthreads();\n  "
      "}\n}\n",
  };
  for (const char* body : all) expect_clean(kBegin + body, given());
}

TEST(PlantedEndless, ABarrierInABranchIsStillOne) {
  const CaseRecord record = run(kBegin +
                                    "  for (int i = 0; i < n; ++i) {\n    if (t < 16) "
                                    "__syncthreads();\n    x[t] += 1;\n  }\n}\n",
                                given());
  ASSERT_FALSE(record.findings.empty());
  EXPECT_EQ(record.findings.front().kind, FindingKind::kDivergentBarrier);
}

}  // namespace
}  // namespace lab::model::planted
