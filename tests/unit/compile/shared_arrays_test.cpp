#include "harness/kernel/compile/source/shared_arrays.h"

#include <gtest/gtest.h>

namespace lab::source {
namespace {

TEST(SharedArrays, AreFoundWithTypeAndExtents) {
  const auto arrays = shared_arrays_of(
      "#define ROWS 16\n"
      "constexpr int kTile = 32;\n"
      "// __shared__ float not_this[1];\n"
      "template <typename T, int N = 8> __global__ void k() {\n"
      "  __shared__ float tile[kTile][kTile + 1];\n"
      "  __shared__ alignas(16) unsigned char a[ROWS][64u], b[N];\n"
      "  extern __shared__ double rest[];\n"
      "  __shared__ float alone;\n"
      "}\n");
  ASSERT_EQ(arrays.size(), 4U);
  EXPECT_EQ(arrays[0].name, "tile");
  EXPECT_EQ(arrays[0].type, "float");
  EXPECT_EQ(arrays[0].line, 5);
  ASSERT_EQ(arrays[0].extents.size(), 2U);
  EXPECT_EQ(arrays[0].extents[0].value, 32U);
  EXPECT_EQ(arrays[0].extents[1].text, "kTile + 1");
  EXPECT_EQ(arrays[0].extents[1].value, std::nullopt);  // an expression is not computed
  EXPECT_EQ(arrays[1].name, "a");
  EXPECT_EQ(arrays[1].type, "unsigned char");
  EXPECT_EQ(arrays[1].extents[0].value, 16U);
  EXPECT_EQ(arrays[1].extents[1].value, 64U);
  EXPECT_EQ(arrays[2].name, "b");
  EXPECT_EQ(arrays[2].extents[0].value, 8U);
  EXPECT_EQ(arrays[3].name, "rest");
  EXPECT_TRUE(arrays[3].is_dynamic);
}

TEST(SharedArrays, ANameWithTwoValuesHasNone) {
  const auto arrays = shared_arrays_of(
      "#ifdef LARGE\nconstexpr int kN = 64;\n#else\nconstexpr int kN = 32;\n#endif\n"
      "__global__ void k() { __shared__ int s[kN]; }\n");
  ASSERT_EQ(arrays.size(), 1U);
  EXPECT_EQ(arrays[0].extents[0].value, std::nullopt);
}

TEST(SharedArrays, TheLastExtentIsReplacedInItsLine) {
  const std::string source = "void k() {\n  __shared__ float a[4], tile[32][32];  // rows\n}\n";
  const auto arrays = shared_arrays_of(source);
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(with_last_extent(source, arrays[1], "33"),
            "__shared__ float a[4], tile[32][33];  // rows");
  EXPECT_EQ(with_last_extent(source, arrays[0], "5"),
            "__shared__ float a[5], tile[32][32];  // rows");
}

TEST(SharedArrays, TextsThatEndTooSoonAreRead) {
  for (const char* text : {"__shared__", "__shared__ float", "__shared__ float a[",
                           "__shared__ a[3", "__shared__ float a[][", "extern __shared__"}) {
    static_cast<void>(shared_arrays_of(text));  // no crash, whatever is found
  }
  EXPECT_EQ(bytes_of_type("float4"), 16U);
  EXPECT_EQ(bytes_of_type("T"), std::nullopt);
}

}  // namespace
}  // namespace lab::source
