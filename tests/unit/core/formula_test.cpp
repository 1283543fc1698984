#include "harness/core/formula.h"

#include <gtest/gtest.h>

namespace lab {
namespace {

TEST(FormulaNames, AreParametersAndLaunch) {
  Params params;
  params.set("stride", std::int64_t{3});
  params.set("type", std::string("float"));
  const Launch launch{{4, 2, 1}, {33, 2, 1}, 0};
  const FormulaNames names = formula_names(params, launch);
  const auto value = [&](const char* name) { return names.find(name)->second; };
  EXPECT_EQ(value("stride"), 3);
  EXPECT_EQ(names.count("type"), 0U);  // a text has no value
  EXPECT_EQ(value("blocks"), 8);       // 4 x 2
  EXPECT_EQ(value("threads"), 66);     // 33 x 2
  EXPECT_EQ(value("warps"), 3);        // 66 threads in warps of 32, rounded up
  EXPECT_EQ(value("all_threads"), 528);
  EXPECT_EQ(value("all_warps"), 24);
  EXPECT_EQ(value("grid_y"), 2);
  EXPECT_EQ(value("block_x"), 33);
}

}  // namespace
}  // namespace lab
