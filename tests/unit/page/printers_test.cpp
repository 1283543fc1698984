// One page, printed four ways.
#include <gtest/gtest.h>

#include "harness/page/make.h"
#include "harness/page/markdown.h"
#include "harness/page/numbers.h"
#include "tools/cli/json/json_page.h"
#include "tools/cli/text/page_text.h"
#include "tools/report/page_html.h"

namespace lab::page {
namespace {

using cli::Json;
using cli::page_json;
using cli::page_text;
using cli::Terminal;

constexpr Terminal kPlain{false, false, false, 60};
constexpr Terminal kColour{true, true, false, 60};

Remark mistake(const std::string& text) {
  Remark remark;
  remark.key = "out_of_bounds";
  remark.at = {text, 14, text};
  remark.of = text;
  remark.says = text;
  remark.seen = 32;
  remark.cure = text;
  return remark;
}

// A block of each kind, with `text` wherever there is a text.
Page of_all_kinds(const std::string& text) {
  Table table{{{text}, {text, true, false, text}, {text, false, true}}};
  Row row;
  row.cells = {{text}, number_cell(4, 32), number_cell({}, Digits::kExact, text)};
  row.below = {{text, Tone::kNote}};
  table.rows = {row};
  const Source change{
      {{text, 7, text}, {text, 8, text, Sign::kGoes}, {text, 8, text, Sign::kComes}}};
  Formula formula{text, "", Expr("n") + Expr(1), Expr("n"), text, Expr(3) + Expr(1), text, text};
  const std::vector<Point> points = {{0, 1, 1}, {1, 8, 8}, {2, 2, 2}};
  Grid squares{text, text, text, text, {text, text}, 1, {{text, {{3, true}, {}}, {3, 4}}}};
  Grid marks = squares;
  marks.columns.clear();
  return {{{Heading{1, text, {text}}},
           {Heading{2, text, {text, text}}},
           sentence(text),
           sentence(text, Role::kItem, Tone::kBad),
           sentence(text, Role::kBeside),
           {table},
           {change},
           {mistake(text)},
           {Code{text}},
           {squares},
           {marks},
           {Steps{{{text, text}}}},
           {formula},
           {Chart{ChartKind::kSteps, text, text, text, {text}, {text}, {{text, points}}}},
           {Fold{text, text, text, text, {sentence(text)}}, Rank::kDetail, true}}};
}

std::string as_json(const Page& page) { return cli::printed({{"page", page_json(page)}}); }

TEST(Page, EachKindInTheTerminal) {
  EXPECT_EQ(page_text(of_all_kinds("words"), kPlain),
            // Flush with column 60: 60 - 5 - 5 blanks.
            "words" + std::string(50, ' ') +
                "words\n"
                "words  words  words\n"
                "words\n"
                "  words\n"
                "      words\n"
                "         words\n"
                "  words  words  words\n"
                "  -----  -----  -----\n"
                "  words  4..32  -\n"
                "      words\n"
                "    words:7: words\n"
                "  words:8\n"
                "  - words\n"
                "  + words\n"
                "  words:14   words\n"
                "    words: words\n"
                "    Seen 32 times; this is the first.\n"
                "    words\n"
                "  words\n"
                // A square is as wide as its column's name and a blank, a label by four wider.
                "words     words words\n"
                "   words     3+     .\n"
                "         words  #.  wordss 3-4\n"
                "words: words\n"
                "  words = n + 1\n"
                "    as written: n\n"
                "    words: 3 + 1 = words\n"
                // Heights 1, 8 and 2: at 8, 4, 2 and 1.
                "     8 | #\n"
                "     4 | #\n"
                "     2 | ##\n"
                "     1 +### words 0..2\n"
                "\n"
                "words\n");
}

TEST(Page, EachKindInMarkdown) {
  EXPECT_EQ(markdown_of(of_all_kinds("words")),
            "# words, words\n\n"
            "## words, words, words\n\n"
            "words\n\n"
            "* words\n\n"
            "words\n\n"
            "| words | words words | words |\n"
            "| --- | ---: | --- |\n"
            "| words | 4..32 | - (words)<br>words |\n\n"
            "    words:7: words\n"
            "    words:8\n"
            "    - words\n"
            "    + words\n\n"
            "* **words:14** words words: words Seen 32 times; this is the first. words\n\n"
            "    words\n\n"
            "    words\n"
            "       words   3+   .\n\n"
            "    words\n"
            "       words   3+   .\n\n"
            "* words: `words`\n"
            "* words = `n + 1`; as written: `n`; words: `3 + 1` = words: words\n\n"
            "words\n\n"
            "### words\n\n"
            "words\n");
}

TEST(Page, EachKindInHtml) {
  const std::string html = report::page_html(of_all_kinds("words"));
  for (const char* part :
       {"<h1>words</h1><p class=\"facts\">words</p>", "<p class=\"fixed\">words</p>",
        "<th colspan=\"1\">words</th>", "<td class=\"interval\">4..<wbr>32</td>",
        "<td class=\"missing\" title=\"words\">-</td>", "<tr class=\"below\"><td colspan=\"3\">",
        "<pre>words:7: words\nwords:8\n<del>- words</del>\n<ins>+ words</ins>\n</pre>",
        "<div class=\"remark mistake\"><b>words:14</b> <code>words</code>",
        "<p class=\"cure\">words</p>", "<pre>words</pre>", "fill=\"#555\">words</text>",
        "font-size=\"11\">3+</text>", "<li>words: <code>words</code></li>",
        "<dl><dt>words</dt><dd><math>", "<br>as written: <math>",
        "<canvas id=\"words\" role=\"img\" aria-label=\"words\">",
        "<details class=\"variant\"><summary><b>words</b>: words</summary>"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part << "\n" << html;
  }
}

TEST(Page, EachKindInJson) {
  const Json json = page_json(of_all_kinds("words"));
  ASSERT_EQ(json.size(), 15U);
  EXPECT_EQ(json[5]["kind"], "table");
  EXPECT_EQ(json[5]["rows"][0]["cells"][1], Json({{"low", 4}, {"high", 32}}));
  EXPECT_EQ(json[5]["rows"][0]["cells"][2]["missing"], "words");
  EXPECT_EQ(json[6]["lines"][1],
            Json({{"file", "words"}, {"number", 8}, {"text", "words"}, {"sign", "-"}}));
  EXPECT_EQ(json[7]["about"], "mistake");
  EXPECT_EQ(json[7]["at"]["number"], 14);
  EXPECT_EQ(json[9]["rows"][0]["squares"], Json::array({{{"who", 3}, {"shared", true}}, nullptr}));
  EXPECT_EQ(json[11]["items"][0]["command"], "words");
  EXPECT_EQ(json[12]["kind"], "formula");
  EXPECT_EQ(json[12]["as_written"], "n");
  EXPECT_EQ(json[13]["drawn"], "steps");
  EXPECT_EQ(json[13]["series"][0]["points"][1]["y"], 8);
  EXPECT_EQ(json[14]["blocks"][0]["kind"], "text");
}

// Each printer makes text of others safe: no escape sequence, no change of direction, no
// tag, no line of its own.
TEST(Page, WhatOthersWroteCanDoNothing) {
  const Page page = of_all_kinds("a\x1b[31m\u202e<script>|`x`\nb");
  for (const std::string& text :
       {page_text(page, kPlain), report::page_html(page), markdown_of(page), as_json(page)}) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find("\u202e"), std::string::npos) << text;
  }
  EXPECT_EQ(report::page_html(page).find("<script"), std::string::npos);
  // In code a tag is text; elsewhere it is none.
  const std::string markdown = markdown_of(page);
  EXPECT_EQ(markdown.find("<script", 0), markdown.find("    a\\x1b[31m") + 19) << markdown;
  EXPECT_EQ(markdown.find("\nb"), std::string::npos) << markdown;
}

TEST(Page, TonesSurviveLineBreaks) {
  Page page;
  page.blocks.push_back({Text{{{"what to ", Tone::kPlain}, {"say of this", Tone::kBad}}}});
  Terminal narrow = kColour;
  narrow.width = 12;
  EXPECT_EQ(page_text(page, narrow), "what to " + cli::toned("say", Tone::kBad, narrow) + "\n" +
                                         cli::toned("of this", Tone::kBad, narrow) + "\n");
}

Table measured(Rank last) {
  Table table{{{"metric"}, {"model", true}, {"H200", true, false, "", last}, {"why", false, true}}};
  Row row;
  row.cells = {{"sectors"}, number_cell(4096), number_cell(4100), {"rounding of the counter"}};
  table.rows = {row};
  return table;
}

std::string at(int width, Rank last) {
  Terminal terminal = kPlain;
  terminal.width = width;
  return page_text({{{measured(last)}}}, terminal);
}

// Its columns take 2 + 7 + 2 + 5 + 2 + 5 + 2 + 23 = 48 characters, and 32 where the last is broken
// into words of at most 7 ("counter").
TEST(Page, ATableWrapsFirst) {
  EXPECT_NE(at(48, Rank::kMore).find("rounding of the counter"), std::string::npos);
  EXPECT_EQ(at(47, Rank::kMore),
            "  metric   model   H200  why\n"
            "  -------  -----  -----  ----------------------\n"
            "  sectors  4,096  4,100  rounding of the\n"
            "                         counter\n");
}

TEST(Page, ThenItLosesTheColumnOfTheGreatestRank) {
  EXPECT_EQ(at(31, Rank::kMore),
            "  metric   model  why\n"
            "  -------  -----  -------------\n"
            "  sectors  4,096  rounding of\n"
            "                  the counter\n");
}

TEST(Page, AndThenEachNumberHasARow) {
  EXPECT_EQ(at(31, Rank::kAlways),
            "  metric   of     value\n"
            "  -------  -----  -----\n"
            "  sectors  model  4,096\n"
            "           H200   4,100\n"
            "  sectors: rounding of the\n"
            "    counter\n");
}

// 2 + 4 + 2 + 5 + 2 + 4 + 2 + 6 = 27 characters. In 26 there is room for DRAM and the share of the
// bound, 2 + 4 + 2 + 5 + 2 + 5 + 2 + 4, but a part of the shares would look like all of them.
TEST(Page, AColumnStandsInForThoseThatGoTogether) {
  Table table{{{"case"},
               {"bound"},
               {"of it", true},
               {"DRAM", true, false, "all", Rank::kMore},
               {"shared", true, false, "all", Rank::kMore}}};
  table.columns[2].instead = true;
  table.rows = {{{{"copy"}, {"DRAM"}, number_cell(9), number_cell(9), number_cell(4)}}};
  const Page page{{{table}}};
  Terminal terminal = kPlain;
  terminal.width = 27;
  EXPECT_EQ(page_text(page, terminal),
            "                        all\n"
            "  case  bound  DRAM  shared\n"
            "  ----  -----  ----  ------\n"
            "  copy  DRAM      9       4\n");
  terminal.width = 26;
  EXPECT_EQ(page_text(page, terminal),
            "  case  bound  of it\n"
            "  ----  -----  -----\n"
            "  copy  DRAM       9\n");
  EXPECT_EQ(markdown_of(page).find("of it"), std::string::npos);
  EXPECT_EQ(report::page_html(page).find("of it"), std::string::npos);
  EXPECT_EQ(page_json(page)[0]["columns"].size(), 5U);
}

// Four lines, twice three of a fold with its blank, and two: twelve. First goes the row, then the
// folds, the last first, which share a sentence of one line with a blank; what always stands stays.
TEST(Page, WhatMayGoGoesFromTheEnd) {
  const auto fold = [](const char* name) {
    return Block{Fold{name, "", "Also: ", ".", {sentence(name), sentence("more")}}, Rank::kDetail,
                 true};
  };
  Table table{{{"case"}}};
  table.rows = {{{{"first"}}}, {{{"second"}}, {}, Rank::kDetail}};
  const Page page{{{table, Rank::kAlways}, fold("a"), fold("b"), paragraph("end")}};
  EXPECT_EQ(page_text(page, kPlain, 12), page_text(page, kPlain));
  EXPECT_EQ(page_text(page, kPlain, 11), "  case\n  -----\n  first\n\na\nmore\n\nb\nmore\n\nend\n");
  EXPECT_EQ(page_text(page, kPlain, 10),
            "  case\n  -----\n  first\n\na\nmore\n\nAlso: b.\n\nend\n");
  EXPECT_EQ(page_text(page, kPlain, 7), "  case\n  -----\n  first\n\nAlso: a, b.\n\nend\n");
  EXPECT_EQ(page_text(page, kPlain, 1), "  case\n  -----\n  first\nAlso: a, b.\nend\n");
}

// 2 + 4 + 3 * (2 + 1) = 15 characters side by side.
TEST(Page, RowsStandSideBySideWhereThereIsRoom) {
  Table table{{{"n", true}, {"ways", true}, {"us", true, false, "", Rank::kMore}}};
  table.columns[0].names = true;
  for (const int i : {1, 2, 3}) {
    table.rows.push_back({{number_cell(i), number_cell(i), number_cell(1000 * i)}});
  }
  table.may_turn = true;
  Terminal terminal = kPlain;
  terminal.width = 15;
  EXPECT_EQ(page_text({{{table}}}, terminal), "  n     1  2  3\n  ways  1  2  3\n");
  terminal.width = 27;
  EXPECT_EQ(page_text({{{table}}}, terminal),
            "  n         1      2      3\n  ways      1      2      3\n"
            "  us    1,000  2,000  3,000\n");
  terminal.width = 14;
  EXPECT_NE(page_text({{{table}}}, terminal).find("  n  ways\n"), std::string::npos);
}

TEST(Numbers, OneAndManyAreCounted) {
  EXPECT_EQ(counted(1, "case"), "1 case");
  EXPECT_EQ(counted(0, "case"), "0 cases");
  EXPECT_EQ(counted(1286, "case"), "1,286 cases");
  EXPECT_EQ(counted(1, "launch", "launches"), "1 launch");
  EXPECT_EQ(counted(2, "launch", "launches"), "2 launches");
}

// Within a list an item hangs behind its mark, in every form.
TEST(Page, AnItemHasItsMark) {
  Text item{{{"one two three"}}, Role::kItem};
  item.mark = "12.";
  item.indent = 2;
  const Page page{{{item}}};
  EXPECT_EQ(page_text(page, {false, false, false, 14}), "  12. one two\n      three\n");
  EXPECT_EQ(markdown_of(page), "  12. one two three\n");
}

}  // namespace
}  // namespace lab::page
