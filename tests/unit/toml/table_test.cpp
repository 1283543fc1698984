// What is wrong in a TOML text is told with line and caret.
#include "harness/labs/toml/table.h"

#include <gtest/gtest.h>

namespace lab {
namespace {

template <typename Body>
std::string error_text(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return render(error);
  }
  return "no error";
}

TEST(Toml, ValuesByKey) {
  const TomlTable table =
      read_toml("a.toml",
                "text = \"x\"\nwhole = 3\nreal = 0.5\nflag = true\nlist = [1, \"2..4\"]\n"
                "[inner]\nkey = \"v\"\n[[rows]]\nn = 1\n[[rows]]\nn = 2\n");
  EXPECT_EQ(table.text("text"), "x");
  EXPECT_EQ(table.number("whole"), 3);
  EXPECT_EQ(table.number("real"), 0.5);
  EXPECT_EQ(table.flag("flag"), true);
  EXPECT_EQ(table.list("list"), "1,2..4");
  EXPECT_EQ(table.table("inner")->text("key"), "v");
  EXPECT_EQ(table.tables("rows").at(1).whole("n", 0, 9), 2);
  EXPECT_EQ(table.tables("rows").at(1).line(), 10);
  EXPECT_FALSE(table.text("none").has_value());
}

TEST(Toml, FaultsHaveTheirPlace) {
  EXPECT_EQ(error_text([] { (void)read_toml("a.toml", "x = \n"); }).substr(0, 11), "a.toml:1:5:");
  const TomlTable table = read_toml("a.toml", "points = \"ten\"\npionts = 3\n");
  EXPECT_EQ(error_text([&] { (void)table.number("points"); }),
            "a.toml:1:10: error: 'points' is a number\n  points = \"ten\"\n           ^\n");
  EXPECT_EQ(error_text([&] { table.expect_only({"points"}); }),
            "a.toml:2:1: error: there is no key 'pionts' here\n  pionts = 3\n  ^\n"
            "hint: did you mean 'points'?\n");
}

// The library asserts that a name begins there, where it was built with assertions.
TEST(Toml, ATableWithoutANameIsAnError) {
  EXPECT_EQ(error_text([] { (void)read_toml("a.toml", "[# Lab 6\n"); }).substr(0, 11),
            "a.toml:1:2:");
  EXPECT_EQ(error_text([] { (void)read_toml("a.toml", "[[# Lab 6\n"); }).substr(0, 11),
            "a.toml:1:3:");
}

TEST(Toml, QuotesReadBack) {
  const std::string text = "a \"b\" \\ \n\t\x01 é";
  EXPECT_EQ(read_toml("a.toml", "x = " + toml_quote(text)).text("x"), text);
}

}  // namespace
}  // namespace lab
