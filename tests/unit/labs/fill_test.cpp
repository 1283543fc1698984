// Arrays that a formula over `i` fills: what begins anew after a while is worked out once.
#include <gtest/gtest.h>

#include <cstring>

#include "harness/labs/lab_file.h"

namespace lab {
namespace {

std::vector<std::int32_t> filled(const std::string& formula) {
  const std::string text = R"(title = "t"
summary = "s"
[variant.k]
summary = "s"
grid = 1
block = 32
inputs = { in = "int[10] = )" +
                           formula + R"(" }
arguments = "in"
points = [""]
)";
  const Lab lab = labs::read_lab("fills", "lab.toml", text);
  const auto args = lab.variants.front().args({});
  const auto& bytes = std::get<BufferSpec>(args.front()).fill.bytes;
  std::vector<std::int32_t> values(bytes.size() / sizeof(std::int32_t));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(Fills, HaveTheirFormulasValueAtEachElement) {
  // Periods 4, lcm(2, 3) = 6, none, none, and one that is longer than the array.
  EXPECT_EQ(filled("i % 4 + 1"), (std::vector{1, 2, 3, 4, 1, 2, 3, 4, 1, 2}));
  EXPECT_EQ(filled("i % 2 + 10 * (i % 3)"), (std::vector{0, 11, 20, 1, 10, 21, 0, 11, 20, 1}));
  EXPECT_EQ(filled("i % 4 + i"), (std::vector{0, 2, 4, 6, 4, 6, 8, 10, 8, 10}));
  EXPECT_EQ(filled("7 % (i + 1)"), (std::vector{0, 1, 1, 3, 2, 1, 0, 7, 7, 7}));
  EXPECT_EQ(filled("i % 16 + 1"), (std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

}  // namespace
}  // namespace lab
