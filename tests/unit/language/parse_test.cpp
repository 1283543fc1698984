#include "harness/formula/parse.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace lab::language {
namespace {

double at(std::string_view text, const FormulaNames& names = {}) {
  return parse_expression(text).value(names);
}

TEST(ExpressionParse, RanksAreTheUsualOnes) {
  EXPECT_EQ(at("2 + 3 * 4"), 14);
  EXPECT_EQ(at("(2 + 3) * 4"), 20);
  EXPECT_EQ(at("100 - 10 - 1"), 89);  // from the left
  EXPECT_EQ(at("64 / 4 / 2"), 8);
  EXPECT_EQ(at("7 % 4 + 1"), 4);
  EXPECT_EQ(at("1 + 1 == 2"), 1);
  EXPECT_EQ(at("1 + 1 != 2"), 0);
  EXPECT_EQ(at("2 <= 1"), 0);
  EXPECT_EQ(at("0.125 * 8"), 1);
}

TEST(ExpressionParse, NamesAndFunctions) {
  EXPECT_EQ(at("gcd(stride, 32)", {{"stride", 12}}), 4);
  EXPECT_EQ(at("if(stride == 0, 1, gcd(stride, 32))", {{"stride", 0}}), 1);
  EXPECT_EQ(at("min(3, max(1, 2)) + ceil(1 / 3) + floor(5 / 3)"), 4);  // 2 + 1 + 1
  EXPECT_EQ(parse_expression("32 / answer").names(), std::vector<std::string>{"answer"});
}

// Each with the column at which it stops being one.
TEST(ExpressionParse, ErrorsNameThePlace) {
  const std::vector<std::pair<std::string, int>> wrong = {
      {"", 1}, {"1 +", 4}, {"(1", 3}, {"1 2", 3}, {"gcd(4)", 1}, {"1.2.3", 1}, {"a.b", 4}};
  for (const auto& [text, column] : wrong) {
    try {
      static_cast<void>(parse_expression(text));
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kInput);
      ASSERT_TRUE(error.place()) << text;
      EXPECT_EQ(error.place()->column, column) << text;
    }
  }
  EXPECT_THROW(static_cast<void>(parse_expression(std::string(100000, '('))), Error);
}

}  // namespace
}  // namespace lab::language
