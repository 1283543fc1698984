#include "tools/cli/text/table.h"

#include <gtest/gtest.h>

namespace lab::cli {
namespace {

Terminal plain(int width) { return {false, false, false, width}; }

TEST(Table, NumbersStandRightAndNamesLeft) {
  const Table table{{{"name"}, {"value", Align::kRight}}, {{{"a"}, {"1"}}, {{"long"}, {"12345"}}}};
  EXPECT_EQ(table_text(table, plain(80)),
            "name  value\n"
            "----  -----\n"
            "a         1\n"
            "long  12345\n");
}

TEST(Table, WideCharactersTakeTwoColumnsAndCombiningMarksNone) {
  // Two Han characters are four columns wide; e with a combining acute is one.
  const Table table{{{"n"}, {"v"}}, {{{"\u77e9\u9635"}, {"1"}}, {{"e\u0301"}, {"2"}}}};
  EXPECT_EQ(table_text(table, plain(80)),
            "n     v\n"
            "----  -\n"
            "\u77e9\u9635  1\n"
            "e\u0301     2\n");
}

TEST(Table, HeadingsStandOverTheirColumnsBrokenAtUnderscores) {
  // The two columns of the group are 2 + 2 + 2 = 6 wide; "ab_cd_" has 6 characters and fits,
  // "ab_cd_ef" does not.
  const Table table{
      {{"p"}, {"t", Align::kRight, false, "ab_cd_ef"}, {"m", Align::kRight, false, "ab_cd_ef"}},
      {{{"x"}, {"10"}, {"20"}}}};
  EXPECT_EQ(table_text(table, plain(80)),
            "   ab_cd_\n"
            "       ef\n"
            "p   t   m\n"
            "-  --  --\n"
            "x  10  20\n");
}

TEST(Table, AWideHeadingWidensItsColumns) {
  const Table table{{{"t", Align::kRight, false, "heading"}, {"v"}}, {{{"1"}, {"2"}}}};
  EXPECT_EQ(table_text(table, plain(80)),
            "heading\n"
            "      t  v\n"
            "-------  -\n"
            "      1  2\n");
}

TEST(Table, OnlyWrappingColumnsGiveWay) {
  const Table table{{{"metric"}, {"why", Align::kLeft, true}},
                    {{{"global_load"}, {"eight 4-byte sectors"}}}};
  // 11 + 2 + 20 = 33 columns; at 27 the second has 14 left: "eight 4-byte" is 12.
  EXPECT_EQ(natural_width(table), 33);
  EXPECT_EQ(table_text(table, plain(27)),
            "metric       why\n"
            "-----------  --------------\n"
            "global_load  eight 4-byte\n"
            "             sectors\n");
}

TEST(Table, NumbersAreNeverCut) {
  const Table table{{{"n", Align::kRight}}, {{{"1234567890123456789012345"}}}};
  EXPECT_NE(table_text(table, plain(20)).find("1234567890123456789012345"), std::string::npos);
}

TEST(Table, ColourLeavesWidthsAlone) {
  const Terminal coloured{true, true, false, 80};
  const Table table{{{"n"}, {"v"}}, {{{"a", Tone::kGood}, {"1"}}}};
  EXPECT_NE(table_text(table, coloured).find("\x1b[32ma\x1b[0m  1\n"), std::string::npos);
}

}  // namespace
}  // namespace lab::cli
