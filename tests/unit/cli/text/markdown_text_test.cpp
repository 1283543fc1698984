// Markdown of handouts on a terminal: read into a page, and printed.
#include <gtest/gtest.h>

#include "harness/page/read_markdown.h"
#include "tools/cli/text/page_text.h"

namespace lab::cli {
namespace {

constexpr Terminal kNarrow{false, false, false, 30};
constexpr Terminal kColour{true, true, false, 30};

std::string markdown_text(std::string_view text, const Terminal& terminal) {
  return page_text(page::read_markdown(text), terminal);
}

TEST(Markdown, MarksVanishAndParagraphsAreFilled) {
  EXPECT_EQ(markdown_text("# Lab 3: banks\n\nA **bank** is `4 bytes`\nwide; see [the lab](lab.md) "
                          "and *this*.\n",
                          kNarrow),
            "Lab 3: banks\n\nA bank is 4 bytes wide; see\nthe lab and this.\n");
}

TEST(Markdown, MarksBecomeTones) {
  EXPECT_EQ(markdown_text("a **b c** `d`.\n", kColour), "a \x1b[1mb c\x1b[0m \x1b[33md\x1b[0m.\n");
}

TEST(Markdown, WhatOnlyLooksLikeAMarkStays) {
  EXPECT_EQ(markdown_text("2 * 3 * 4 and a[i](j", kNarrow), "2 * 3 * 4 and a[i](j\n");
}

TEST(Markdown, ItemsHangAndKeepTheirCode) {
  EXPECT_EQ(markdown_text("1. one two three four five six seven\n2. eight:\n\n       lab run 3\n",
                          kNarrow),
            "1. one two three four five six\n   seven\n2. eight:\n\n       lab run 3\n");
}

TEST(Markdown, PointsWithinAnItemHangBelowIt) {
  EXPECT_EQ(
      markdown_text("1. one:\n   - two three four five six\n     seven\n   - eight\n2. nine\n",
                    kNarrow),
      "1. one:\n   * two three four five six\n     seven\n   * eight\n2. nine\n");
}

TEST(Markdown, CodeStaysAsItIsAndBreaksOnlyWhereItMust) {
  EXPECT_EQ(markdown_text("    a  =  **b**\n    c\n", kNarrow), "    a  =  **b**\n    c\n");
  EXPECT_EQ(markdown_text("    one two three four five six seven\n", kNarrow),
            "    one two three four five\n        six seven\n");
}

TEST(Markdown, TablesAreLaidOut) {
  EXPECT_EQ(markdown_text("| a | b |\n|---|---|\n| `x` | 12 |\n", kNarrow),
            "  a  b\n  -  --\n  x  12\n");
}

TEST(Markdown, TheFirstParagraphTakesTheLinesThatItLeadsTo) {
  const auto first = [](const char* text) {
    return page_text(page::first_paragraph(text), kNarrow);
  };
  EXPECT_EQ(first("# T\n\n**One**.\n\nTwo.\n"), "One.\n");
  EXPECT_EQ(first("# T\n\nSo:\n\n    x\n\nTwo.\n"), "So:\n\n    x\n");
}

TEST(Markdown, WhatActsOnATerminalBecomesVisible) {
  EXPECT_EQ(markdown_text("a\x1b[2Jb\n", kNarrow), "a\\x1b[2Jb\n");
}

}  // namespace
}  // namespace lab::cli
