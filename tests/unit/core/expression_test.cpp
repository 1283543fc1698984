#include "harness/core/expression.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/core/error.h"

namespace lab {
namespace {

const Expr kN("n");
const Expr kStrideExpr("stride");

double value(const Expr& e, const FormulaNames& names = {}) { return e.value(names); }
std::string short_text(const Expr& e) { return e.simplified().text(); }

std::string error_of(const Expr& e, const FormulaNames& names = {}) {
  try {
    (void)e.value(names);
  } catch (const Error& error) {
    return render(error);
  }
  return "no error";
}

TEST(Expression, Computes) {
  EXPECT_EQ(value(Expr(1) + Expr(2) * 3), 7);
  EXPECT_EQ(value(Expr(8) - 3 - 2), 3);
  EXPECT_EQ(value(Expr(24) / 4 / 2), 3);
  EXPECT_EQ(value(Expr(7) % 4 + 1), 4);
  EXPECT_EQ(value(equal(kN, 2), {{"n", 2}}), 1);
  EXPECT_EQ(value(differ(kN, 2), {{"n", 2}}), 0);
  EXPECT_EQ(value(kN < 2, {{"n", 2}}), 0);
  EXPECT_EQ(value(kN >= 2, {{"n", 2}}), 1);
  EXPECT_EQ(value(gcd(12, 32)), 4);
  EXPECT_EQ(value(gcd(0, 32)), 32);
  EXPECT_EQ(value(ceil(Expr(33) / 32)), 2);
  EXPECT_EQ(value(floor(Expr(63) / 32)), 1);
  EXPECT_EQ(value(min(3, 2) + max(3, 2)), 5);
}

TEST(Expression, IgnoresTheBranchNotTaken) {
  // The division by zero is not taken.
  const auto e = choose(equal(kStrideExpr, 0), 1, 32 / kStrideExpr);
  EXPECT_EQ(value(e, {{"stride", 0}}), 1);
  EXPECT_EQ(value(e, {{"stride", 8}}), 4);
}

TEST(Expression, SaysWhatIsNotDefined) {
  EXPECT_EQ(error_of(Expr("strid") * 2, {{"stride", 1}}),
            "error: formula: unknown name 'strid'\nhint: did you mean 'stride'?\n");
  EXPECT_NE(error_of(Expr(1) / 0).find("not defined here: 1 / 0"), std::string::npos);
  EXPECT_NE(error_of(Expr(5) % 0), "no error");
  EXPECT_NE(error_of(gcd(Expr(1) / 2, 3)), "no error");
  EXPECT_NE(error_of(Expr(1) / 2 % 2), "no error");
}

// Each range's units counted one by one.
TEST(Expression, UnitsOfRangesAreThoseOfEachRange) {
  for (int pitch = 0; pitch < 40; pitch += 3) {
    for (int first = 0; first < 9; first += 4) {
      for (int span = 1; span < 70; span += 7) {
        int units = 0;
        for (int i = 0; i < 11; ++i) {
          const int begin = first + i * pitch;
          for (int unit = 0; unit < 100; ++unit) {
            if (unit * 8 < begin + span && (unit + 1) * 8 > begin) ++units;
          }
        }
        EXPECT_EQ(value(units_of_ranges(11, pitch, first, span, 8)), units);
      }
    }
  }
  EXPECT_EQ(value(units_of_ranges(0, 5, 3, 4, 8)), 0);
  EXPECT_NE(error_of(units_of_ranges(3, 5, 3, 4, 0)), "no error");
}

TEST(Simplified, FoldsAndCancels) {
  EXPECT_EQ(short_text(Expr(0) + Expr(32 - 1) * 1), "31");
  EXPECT_EQ(short_text(kN - kN), "0");
  EXPECT_EQ(short_text(kN / kN), "1");
  EXPECT_EQ(short_text(32 * Expr(1)), "32");
  EXPECT_EQ(short_text(kN * 4 / 32), "n / 8");
  EXPECT_EQ(short_text(2 * kN + kN - 3 * kStrideExpr + kStrideExpr * 3), "3 * n");
  EXPECT_EQ(short_text(kN * kStrideExpr - kStrideExpr * kN + 7), "7");
  EXPECT_EQ(short_text(Expr(1) + kN), "n + 1");
  EXPECT_EQ(short_text((8 * kN + 16) / 8), "n + 2");
  EXPECT_EQ(short_text(choose(Expr(3) * 4 >= 32, kN, 2)), "2");
  EXPECT_EQ(short_text(floor(ceil(kN / 32))), "ceil(n / 32)");
  EXPECT_EQ(short_text((32 * kN + kStrideExpr) % 8), "stride % 8");
  EXPECT_EQ(short_text(gcd(kN, 1)), "1");
  EXPECT_EQ(short_text(max(0, kN)), "n");
  EXPECT_EQ(short_text(Expr(0) >= kStrideExpr), "stride == 0");
  EXPECT_EQ(short_text(choose(equal(kN, 1), 8, kN) / choose(equal(kN, 1), 2, 3)),
            "if(n == 1, 4, n / 3)");
}

TEST(Simplified, KeepsTheValue) {
  const Expr forms[] = {
      (6 * kN + 4) / 8,
      kN - 3 * kStrideExpr + 5 - kN * 2,
      (40 * kN + kStrideExpr) % 8,
      kN / 3 * 6 / kStrideExpr,
      floor((kN + 1) / 2) * 2,
      (kN - 40) % 8,
      min(kN, kN) + max(kN, 2),
      choose(kN > kStrideExpr, kN / 2, kN / 2) * (kStrideExpr + 1) / 3,
      Expr(7) / 2 + Expr(1) / 2,
      kN * (kStrideExpr - kStrideExpr + 2) / (4 * kN),
  };
  for (const auto& form : forms) {
    for (int n = 1; n < 60; ++n) {
      const FormulaNames names = {{"n", n}, {"stride", n % 7 + 1}};
      EXPECT_NEAR(form.simplified().value(names), form.value(names), 1e-12) << form.text();
    }
  }
}

TEST(Text, HasTheParenthesesItNeedsAndNoOthers) {
  EXPECT_EQ((kN * (kStrideExpr + 1)).text(), "n * (stride + 1)");
  EXPECT_EQ((kN - (kStrideExpr - 1)).text(), "n - (stride - 1)");
  EXPECT_EQ((kN / (kStrideExpr * 2) * 3).text(), "n / (stride * 2) * 3");
  EXPECT_EQ((kN + equal(kStrideExpr, 0)).text(), "n + (stride == 0)");
  EXPECT_EQ(min(32, 4 * kStrideExpr).text(), "min(32, 4 * stride)");
}

std::vector<FormulaNames> points(std::initializer_list<int> strides, double n) {
  std::vector<FormulaNames> all;
  for (const int stride : strides) {
    all.push_back({{"stride", static_cast<double>(stride)}, {"n", n}});
  }
  return all;
}

TEST(Specialised, PutsInWhatDoesNotVary) {
  EXPECT_EQ((kN * kStrideExpr).specialised(points({1, 2}, 8)).text(), "8 * stride");
  // Nothing varies: the names say more than a number.
  EXPECT_EQ((kN * kStrideExpr).specialised(points({2}, 8)).text(), "n * stride");
}

TEST(Specialised, LosesWhatNoPointTakes) {
  const auto e = choose(equal(kStrideExpr, 0), 1, min(32, 4 * kStrideExpr + (0 >= kStrideExpr)));
  EXPECT_EQ(e.specialised(points({1, 2, 16}, 8)).text(), "min(32, 4 * stride)");
  EXPECT_EQ(e.specialised(points({1, 2, 8}, 8)).text(), "4 * stride");
  EXPECT_EQ(e.specialised(points({8, 9}, 8)).text(), "32");
  EXPECT_EQ(e.specialised(points({0, 1}, 8)).text(), "if(stride == 0, 1, 4 * stride)");
  EXPECT_EQ(ceil(kN / 4).specialised(points({1, 2}, 10)).text(), "3");
  EXPECT_EQ(ceil(kStrideExpr / 4).specialised(points({4, 8}, 10)).text(), "stride / 4");
  EXPECT_EQ(ceil(kStrideExpr / 4).specialised(points({4, 9}, 10)).text(), "ceil(stride / 4)");
}

TEST(Specialised, KeepsTheValueAtEveryPoint) {
  const auto at = points({0, 1, 5, 8, 33}, 12);
  const Expr forms[] = {
      choose(kStrideExpr >= 8, kN, units_of_ranges(kN, kStrideExpr, 3, 4, 8)),
      units_of_ranges(kN, 8 * kStrideExpr, kStrideExpr, 5, 8) * gcd(kStrideExpr, 4),
      max(kStrideExpr, 3) - min(kStrideExpr, 40) + floor(kStrideExpr / 2) + kStrideExpr % 40,
      function("f", {kStrideExpr},
               choose(equal(kStrideExpr % 8, 0), kStrideExpr / 8, ceil(kStrideExpr / 8)), "."),
  };
  for (const auto& form : forms) {
    const auto special = form.specialised(at);
    for (const auto& names : at) EXPECT_EQ(special.value(names), form.value(names)) << form.text();
  }
}

TEST(Specialised, RangesThatBeginAlikeAreCountedByOne) {
  // 12 rows of 64 bytes, a whole number of sectors: 8 floats from byte 0 touch one, from 16 two.
  EXPECT_EQ(units_of_ranges(kN, 64, 0, 32, 32).specialised(points({1, 2}, 12)).text(), "12");
  EXPECT_EQ(units_of_ranges(kN, 64, 16, 32, 32).specialised(points({1, 2}, 12)).text(), "24");
}

TEST(Terms, AreNamedAndDefined) {
  const auto t = term("T", min(32, 4 * kStrideExpr), "sectors of a warp");
  const auto e = floor(kN / 32) * t;
  EXPECT_EQ(e.text(), "floor(n / 32) * T");
  EXPECT_EQ(e.text_with_terms(), "floor(n / 32) * T where T = min(32, 4 * stride)");
  EXPECT_EQ(e.opened().text(), "floor(n / 32) * min(32, 4 * stride)");
  ASSERT_EQ(definitions_of(e).size(), 1U);
  EXPECT_EQ(definitions_of(e)[0].why, "sectors of a warp");
  EXPECT_EQ(lines_of(e, 80, 2), std::vector<std::string>{"floor(n / 32) * min(32, 4 * stride)"});
  EXPECT_EQ(lines_of(e, 30, 2),
            (std::vector<std::string>{"floor(n / 32) * T where T =", "min(32, 4 * stride)"}));
  EXPECT_EQ(lines_of(e, 20, 1), std::vector<std::string>{"floor(n / 32) * T"});
  EXPECT_TRUE(lines_of(e, 10, 1).empty());
}

// 7 lies above 2 and below 9: the first branch, and 0 added to it.
TEST(Values, DecideConditions) {
  const Expr a("a");
  const auto e = choose(kN > 2, a + (kN > 9), kN / 0);
  EXPECT_EQ(e.with_values({{"n", 7}, {"a", 5}}).text(), "5");
  EXPECT_EQ(e.with_values({{"n", 7}}).text(), "a");
  EXPECT_EQ(e.with_values({{"n", 10}, {"a", 5}}).text(), "5 + 1");
  EXPECT_EQ(e.with_values({{"a", 5}}).text(), "if(n > 2, 5 + (n > 9), n / 0)");
}

TEST(Constants, SayWhereTheyComeFrom) {
  const auto e = kN * (2 * constant("additions", Expr(5) * 8 + 4 + 2 + 1, "of warps") + 1);
  EXPECT_EQ(e.value({{"n", 2}}), 190);  // 2 * (2 * 47 + 1)
  EXPECT_EQ(e.simplified().text_with_terms(),
            "n * (2 * additions + 1) where additions = 5 * 8 + 4 + 2 + 1");
  EXPECT_EQ(e.with_values({{"n", 2}}).text(), "2 * (2 * 47 + 1)");
}

TEST(Notations, ForSlidesAndBrowsers) {
  const auto e = ceil(kN / 32) * min(32, 4 * kStrideExpr);
  EXPECT_EQ(latex(e),
            "\\left\\lceil \\frac{n}{32} \\right\\rceil \\cdot \\min(32, 4 \\cdot "
            "\\mathit{stride})");
  EXPECT_EQ(mathml(kN / 2),
            "<math><mfrac><mrow><mi>n</mi></mrow><mrow><mn>2</mn></mrow></mfrac></math>");
}

}  // namespace
}  // namespace lab
