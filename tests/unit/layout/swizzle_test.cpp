#include "harness/model/layout/swizzle.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "harness/model/layout/shapes.h"

namespace lab::layout {
namespace {

// Rows of 128 bytes: bits 7 to 9, the row modulo 8, are xor-ed to bits 4 to 6, the part of 16
// bytes.
TEST(Swizzle, ThreeFourThreeIsPartXorRow) {
  const Swizzle swizzle = swizzle_named("Swizzle<3,4,3>");
  EXPECT_EQ(swizzle.place(0), 0U);
  EXPECT_EQ(swizzle.place(5 * 128 + 2 * 16 + 6), 5U * 128 + (2 ^ 5) * 16 + 6);
  EXPECT_EQ(swizzle.place(9 * 128), 9U * 128 + 1 * 16);
}

// 64 x 64 halfs: ldmatrix takes 8 rows of 16 bytes per wavefront at best, of one column 8-way.
TEST(Swizzle, CountsAMatrixAColumnAndARow) {
  const Tile tile{2, 64, 64};
  const Swizzle none;
  const Swizzle swizzle = swizzle_named("Swizzle<3, 4, 3>");
  // 4 x 4 loads of four matrices each.
  const auto matrix = uses_of("matrix", tile, 0);
  EXPECT_EQ(cost(matrix, none), 16U * 4 * 8);
  EXPECT_EQ(cost(matrix, swizzle), 16U * 4);
  // 64 columns of 64 halfs are 128 warps: 32 rows that begin in one bank, or in 8 parts of them.
  const auto column = uses_of("column", tile, 0);
  EXPECT_EQ(cost(column, none), 128U * 32);
  EXPECT_EQ(cost(column, swizzle), 128U * 4);
  EXPECT_EQ(cost(uses_of("row:16", tile, 0), swizzle), 64U * 64 * 2 / 128);
}

TEST(Swizzle, PartsAreNotTakenApart) {
  EXPECT_FALSE(cost(uses_of("row:16", {2, 64, 64}, 0), swizzle_named("Swizzle<2,3,3>")));
}

TEST(Swizzle, OtherWordsAreRefused) {
  for (const char* text : {"Swizzle<3,4>", "Swizzle<3,4,x>", "swizzle<3,4,3>", "Swizzle<3,4,2>",
                           "Swizzle<3,4,99>", "Swizzle<3,4,3"}) {
    EXPECT_THROW(static_cast<void>(swizzle_named(text)), Error) << text;
  }
}

}  // namespace
}  // namespace lab::layout
