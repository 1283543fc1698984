// Which checkers a launch gets.
#include <string>

#include "tests/unit/model/check/planted.h"

namespace lab::model::planted {
namespace {

TEST(PlantedCost, CheckersThatCostAreLeftOutOfLargeLaunches) {
#ifdef LAB_SANITIZED
  GTEST_SKIP() << "a large launch takes a sanitizer 16 s";
#endif
  const std::string source = R"(
extern "C" __global__ void k(float* out, int n) {
  float x = 0;
  for (int i = 0; i < n; ++i) x = x * 0.5f + out[threadIdx.x];
  if (x == 123.0f) out[0] = x;
}
)";
  // 400 blocks of 1 warp, 500 rounds of at least 2 instructions: some 4e5, then 2.4e8 and more.
  Given given{.launch = {{400, 1, 1}, {32, 1, 1}, 0}, .args = {out_f32(32), scalar_i32(500)}};
  EXPECT_EQ(run(source, given).notes.checkers, Looked::kFull);
  given.args[1] = scalar_i32(300000);
  EXPECT_EQ(run(source, given).notes.checkers, Looked::kLarge);
  given.args[1] = scalar_i32(500);
  given.checks = Checks::kOff;
  EXPECT_EQ(run(source, given).notes.checkers, Looked::kOff);
  EXPECT_EQ(run(source, given).findings.size(), 0U);
}

}  // namespace
}  // namespace lab::model::planted
