#include "harness/core/formula.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace lab {
namespace {

double value(const std::string& text, const FormulaNames& names = {}) {
  return Formula(text).value(names);
}

std::string error_of(const std::string& text, const FormulaNames& names = {}) {
  try {
    (void)value(text, names);
  } catch (const Error& error) {
    return render(error);
  }
  return "no error";
}

TEST(Formula, FollowsThePrecedenceOfArithmetic) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("8 - 3 - 2"), 3);  // from the left
  EXPECT_EQ(value("24 / 4 / 2"), 3);
  EXPECT_EQ(value("-2 * -3 - --1"), 5);
  EXPECT_EQ(value("7 % 4 + 1"), 4);
  EXPECT_EQ(value("1 + 1 == 2"), 1);  // comparison binds loosest
  EXPECT_EQ(value("3 < 2"), 0);
}

TEST(Formula, HasTheFunctionsOfTheory) {
  EXPECT_EQ(value("gcd(12, 32)"), 4);
  EXPECT_EQ(value("gcd(0, 32)"), 32);
  EXPECT_EQ(value("lcm(4, 6)"), 12);
  EXPECT_EQ(value("lcm(0, 6)"), 0);
  EXPECT_EQ(value("ceil(33 / 32)"), 2);
  EXPECT_EQ(value("floor(63 / 32)"), 1);
  EXPECT_EQ(value("min(3, 2) + max(3, 2)"), 5);
  EXPECT_EQ(value("if(2 > 1, 10, 20)"), 10);
}

TEST(Formula, FloorSumIsTheSumOfTheFloors) {
  // floor of 0/4, 3/4, 6/4, 9/4, 12/4: 0 + 0 + 1 + 2 + 3.
  EXPECT_EQ(value("floor_sum(5, 4, 3, 0)"), 6);
  // floor of 5/4, 8/4, 11/4: 1 + 2 + 2.
  EXPECT_EQ(value("floor_sum(3, 4, 3, 5)"), 5);
  EXPECT_EQ(value("floor_sum(0, 4, 3, 5)"), 0);
  EXPECT_NE(error_of("floor_sum(3, 0, 3, 5)"), "no error");
  for (int n = 0; n < 12; ++n) {
    for (int a = 0; a < 12; ++a) {
      int sum = 0;
      for (int i = 0; i < n; ++i) sum += (a * i + 7) / 5;
      EXPECT_EQ(value("floor_sum(" + std::to_string(n) + ", 5, " + std::to_string(a) + ", 7)"),
                sum);
    }
  }
}

TEST(Formula, IgnoresTheBranchNotTaken) {
  // A lab writes if(stride == 0, 1, 32 / stride): the division by zero is not taken.
  EXPECT_EQ(value("if(s == 0, 1, 32 / s)", {{"s", 0}}), 1);
  EXPECT_EQ(value("if(s == 0, 1, 32 / s)", {{"s", 8}}), 4);
}

TEST(Formula, KnowsParametersAndLaunch) {
  Params params;
  params.set("stride", std::int64_t{3});
  params.set("type", std::string("float"));
  const Launch launch{{4, 2, 1}, {33, 2, 1}, 0};
  const FormulaNames names = formula_names(params, launch);
  EXPECT_EQ(value("stride", names), 3);
  EXPECT_EQ(value("blocks", names), 8);    // 4 x 2
  EXPECT_EQ(value("threads", names), 66);  // 33 x 2
  EXPECT_EQ(value("warps", names), 3);     // 66 threads in warps of 32, rounded up
  EXPECT_EQ(value("all_threads", names), 528);
  EXPECT_EQ(value("all_warps", names), 24);
  EXPECT_EQ(value("grid_y * block_x", names), 66);
}

TEST(Formula, ShowsItselfWithValuesPutIn) {
  const FormulaNames names = {{"blocks", 4}, {"stride", 12}};
  EXPECT_EQ(Formula("blocks * gcd(stride, 32)").with_values(names), "4 * gcd(12, 32)");
  EXPECT_EQ(Formula("blocks + unknown").with_values(names), "4 + unknown");
  EXPECT_EQ(Formula("1 + 2").with_values(names), "1 + 2");
}

TEST(Formula, ListsItsNamesOnce) {
  EXPECT_EQ(Formula("b + a * b").names(), (std::vector<std::string>{"a", "b"}));
}

TEST(Formula, SaysWhereItIsWrong) {
  EXPECT_EQ(error_of("1 + * 2"),
            "error: formula: unexpected '*'\n"
            "  1 + * 2\n"
            "      ^\n"
            "hint: formulas have numbers, names, + - * / % ( ), comparisons and min max gcd lcm "
            "ceil floor if floor_sum\n");
  EXPECT_EQ(error_of("strid * 2", {{"stride", 1}}),
            "error: formula: unknown name 'strid'\n"
            "  strid * 2\n"
            "  ^\n"
            "hint: did you mean 'stride'?\n");
  EXPECT_EQ(error_of("1 / 0"),
            "error: formula: its value is not defined here\n"
            "  1 / 0\n"
            "  ^\n"
            "hint: it divides by zero, or takes % or gcd of a number that is not whole\n");
}

TEST(Formula, RefusesMalformedTexts) {
  for (const char* text : {"", "1 +", "(1", "1)", "min(1)", "min(1,2,3)", "gcd", "1 2", "a $ b",
                           "negate(1)", ",", "if(1,2)", "1.5.2"}) {
    EXPECT_NE(error_of(text, {{"a", 1}, {"b", 1}}), "no error") << text;
  }
}

TEST(Formula, BoundsItsNesting) {
  EXPECT_NE(error_of(std::string(100000, '(') + "1").find("nested too deeply"), std::string::npos);
  // Many minus signs need no stack: an even number of them cancels out.
  EXPECT_EQ(value(std::string(100000, '-') + "1"), 1);
}

TEST(Formula, TakesWholeNumbersWhereOnlyTheyHaveAMeaning) {
  EXPECT_NE(error_of("5 % 0"), "no error");
  EXPECT_NE(error_of("gcd(1 / 2, 3)"), "no error");
  EXPECT_NE(error_of("(1 / 2) % 2"), "no error");
}

}  // namespace
}  // namespace lab
