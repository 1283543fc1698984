// Kernels that include the CUDA toolkit's headers: skipped where there are none.
#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

class ToolkitHeaders : public Suite {
 protected:
  ToolkitHeaders() : Suite("toolkit.cu", Needs::kToolkitHeaders) {}
};
INSTANTIATE_TEST_SUITE_P(Backends, ToolkitHeaders, backends(), backend_name);

TEST_P(ToolkitHeaders, HalvesRoundOnlyWhereTheyMust) {
  // 2 x + 2 x^2 for x up to 31: 1984 at most, whole numbers below 2048 are exact in a half.
  const auto values = buffer<float>(run("halves", line(1, 32), {out(kF32, 32), in(kF32, 32)}), 0);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(values[i], static_cast<float>(2 * i + 2 * i * i));
  }
}

TEST_P(ToolkitHeaders, CooperativeGroupsPartitionTheBlock) {
  const auto sums = buffer<std::int32_t>(run("block_groups", line(1, 64), {out(kI32, 64)}), 0);
  for (std::int32_t t = 0; t < 64; ++t) {
    const std::int32_t first = t / 16 * 16;
    EXPECT_EQ(sums[static_cast<std::size_t>(t)], 16 * first + 120);  // first .. first + 15
  }
}

TEST_P(ToolkitHeaders, CooperativeGroupsKnowTheirRanks) {
  const auto values = buffer<std::int32_t>(run("warp_groups", line(2, 64), {out(kI32, 768)}), 0);
  for (std::int32_t i = 0; i < 128; ++i) {
    const std::int32_t t = i % 64;
    const std::int32_t* mine = &values[static_cast<std::size_t>(i) * 6];
    EXPECT_EQ(mine[0], t % 8 + 100 * (t / 8) + 10000 * 8);
    EXPECT_EQ(mine[1], t / 8 * 8 + 7 + (t < 8 ? 1000 : 0));
    std::int32_t threes = 0;
    for (std::int32_t k = 0; k < 8; ++k) threes |= ((t / 8 * 8 + k) % 3 == 0 ? 1 : 0) << k;
    EXPECT_EQ(mine[2], threes);
    if (t % 5 == 2) {
      // Of the first warp 2, 7, ... 27 (six lanes), of the second 32, 37, ... 62 (seven).
      const std::int32_t first = t < 32 ? 2 : 32;
      EXPECT_EQ(mine[3], (t - first) / 5 + 100 * (t < 32 ? 6 : 7)) << t;
      EXPECT_EQ(mine[4], first);
    }
    EXPECT_EQ(mine[5], i / 64 * 1000 + 64 + i);
  }
}

}  // namespace
}  // namespace lab::conformance
