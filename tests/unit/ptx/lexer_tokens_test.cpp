// Every kind of token, where it starts and where it ends.
#include <gtest/gtest.h>

#include "harness/kernel/ptx/cursor.h"
#include "harness/kernel/ptx/lexer.h"
#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

using Kind = Token::Kind;

struct Cut {
  Kind kind;
  std::string text;
  friend bool operator==(const Cut& a, const Cut& b) {
    return a.kind == b.kind && a.text == b.text;
  }
};
std::ostream& operator<<(std::ostream& out, const Cut& cut) {
  return out << static_cast<int>(cut.kind) << ":" << cut.text;
}

// The tokens without the last, which is always the end.
std::vector<Cut> cuts(std::string_view text) {
  const Source source = make_source(text, "x.ptx");
  std::vector<Cut> out;
  for (const Token& token : lex(source)) out.push_back({token.kind, std::string(token.text)});
  EXPECT_EQ(out.back().kind, Kind::kEnd);
  out.pop_back();
  return out;
}

std::vector<Cut> words(const std::vector<const char*>& list) {
  std::vector<Cut> out;
  for (const char* word : list) out.push_back({Kind::kWord, word});
  return out;
}

TEST(Tokens, WordsStartWithALetterOrAMark) {
  // PTX ISA, "Identifiers": [a-zA-Z][a-zA-Z0-9_$]* or [_$%][a-zA-Z0-9_$]+; `_` alone is the sink.
  EXPECT_EQ(cuts("a Z9 _ $L %r1 _Z1kPf __x$y$1 %p$ x_"),
            words({"a", "Z9", "_", "$L", "%r1", "_Z1kPf", "__x$y$1", "%p$", "x_"}));
  // A second mark starts the next word.
  EXPECT_EQ(cuts("%a%b"), words({"%a", "%b"}));
}

TEST(Tokens, DotsBelongToTheirName) {
  EXPECT_EQ(cuts("add.rn.f32"),
            (std::vector<Cut>{{Kind::kWord, "add"}, {Kind::kDot, "rn"}, {Kind::kDot, "f32"}}));
  // Names in two and three parts; a digit may come first in the second.
  for (const char* name : {"shared::cta", "L2::128B", "mbarrier::complete_tx::bytes",
                           "param::entry", "L1::no_allocate"}) {
    EXPECT_EQ(cuts("." + std::string(name)), (std::vector<Cut>{{Kind::kDot, name}})) << name;
  }
  // One colon ends a name: a label before it, or nothing behind two.
  EXPECT_EQ(cuts(".a:b"),
            (std::vector<Cut>{{Kind::kDot, "a"}, {Kind::kPunct, ":"}, {Kind::kWord, "b"}}));
  EXPECT_EQ(cuts(".a::;"),
            (std::vector<Cut>{
                {Kind::kDot, "a"}, {Kind::kPunct, ":"}, {Kind::kPunct, ":"}, {Kind::kPunct, ";"}}));
  // A dot before a blank is a character of its own; .v2 and .2d are names.
  EXPECT_EQ(cuts(". x"), (std::vector<Cut>{{Kind::kPunct, "."}, {Kind::kWord, "x"}}));
  EXPECT_EQ(cuts(".2d.v4"), (std::vector<Cut>{{Kind::kDot, "2d"}, {Kind::kDot, "v4"}}));
  EXPECT_EQ(cuts(".%a"), (std::vector<Cut>{{Kind::kDot, ""}, {Kind::kWord, "%a"}}));
}

TEST(Tokens, NumbersEndWhereTheirFormDoes) {
  const std::vector<const char*> numbers = {
      "0",   "7",     "0123",       "42U",  "0x1f",   "0XABCDEF", "0x12U", "0b1011",
      "0B1", "0b11U", "0f3F800000", "0F0",  "0d3ff0", "0Dabc",    "1.5",   "0.25",
      "1e3", "1E+3",  "2e-3",       "9.0U", "3.0e10", "1.25E-07", "0e0"};
  for (const char* number : numbers) {
    EXPECT_EQ(cuts(number), (std::vector<Cut>{{Kind::kNumber, number}})) << number;
  }
  // A sign is not part of a number, nor is a point with no digit behind it.
  EXPECT_EQ(cuts("-4"), (std::vector<Cut>{{Kind::kPunct, "-"}, {Kind::kNumber, "4"}}));
  EXPECT_EQ(cuts("1.x"), (std::vector<Cut>{{Kind::kNumber, "1"}, {Kind::kDot, "x"}}));
  EXPECT_EQ(cuts("[8+4]").size(), 5U);
  EXPECT_EQ(cuts("sm_90"), words({"sm_90"}));
}

TEST(Tokens, StringsKeepWhatIsQuoted) {
  EXPECT_EQ(cuts("\"\""), (std::vector<Cut>{{Kind::kString, ""}}));
  EXPECT_EQ(cuts("\"a // b /* c */\""), (std::vector<Cut>{{Kind::kString, "a // b /* c */"}}));
  EXPECT_EQ(cuts("\"C:\\\\k.cu\\\"x\" 1"),
            (std::vector<Cut>{{Kind::kString, "C:\\\\k.cu\\\"x"}, {Kind::kNumber, "1"}}));
  // Bytes above 127 stand in names of files.
  EXPECT_EQ(cuts("\"\xc3\xa4\""), (std::vector<Cut>{{Kind::kString, "\xc3\xa4"}}));
}

TEST(Tokens, PunctuationIsOneCharacter) {
  const std::string all = "{}()[]<>,;:+-*/|!~@=&^?";
  const std::vector<Cut> found = cuts(all);
  ASSERT_EQ(found.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(found[i], (Cut{Kind::kPunct, std::string(1, all[i])}));
  }
}

TEST(Tokens, BlanksAndCommentsSeparate) {
  EXPECT_EQ(cuts("a/**/b//c\nd\t\v\f e/* x\n * y\n */f"), words({"a", "b", "d", "e", "f"}));
  EXPECT_EQ(cuts("/***/a/*/ b */c"), words({"a", "c"}));  // "/*/" does not end itself
  EXPECT_EQ(cuts("a / b").at(1), (Cut{Kind::kPunct, "/"}));
  EXPECT_EQ(cuts(""), std::vector<Cut>{});
  EXPECT_EQ(cuts(" \n\t\n// only this"), std::vector<Cut>{});
}

TEST(Tokens, PreprocessorLinesAreSkippedFromTheirFirstColumn) {
  EXPECT_EQ(cuts("#line 3 \"a.cu\"\na\n# 7 \"b.cu\" 2\nb"), words({"a", "b"}));
  EXPECT_EQ(cuts("# last"), std::vector<Cut>{});
  const Source source = make_source(" # 1", "x.ptx");
  EXPECT_THROW((void)lex(source), Error);
}

TEST(Tokens, KnowTheirPlace) {
  const Source source = make_source("a\n  b /*\n*/ c\r\n\td \"s\" 0x1 .x", "x.ptx");
  struct Row {
    const char* text;
    std::uint32_t line;
    std::uint32_t column;
  };
  // A tab is one column, as in an editor's byte count; a string's column is that of its quote.
  constexpr Row kRows[] = {{"a", 1, 1}, {"b", 2, 3},   {"c", 3, 4},  {"d", 4, 2},
                           {"s", 4, 4}, {"0x1", 4, 8}, {"x", 4, 12}, {"", 4, 14}};
  const auto tokens = lex(source);
  ASSERT_EQ(tokens.size(), std::size(kRows));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(tokens[i].text, kRows[i].text) << i;
    EXPECT_EQ(tokens[i].line, kRows[i].line) << i;
    EXPECT_EQ(tokens[i].column, kRows[i].column) << i;
  }
  EXPECT_EQ(source.lines,
            (std::vector<std::string_view>{"a", "  b /*", "*/ c", "\td \"s\" 0x1 .x"}));
}

TEST(Tokens, AreDescribedInMessages) {
  const auto described = [](std::string_view text) {
    const Source source = make_source(text, "x.ptx");
    return describe(lex(source).front());
  };
  EXPECT_EQ(described(";"), "';'");
  EXPECT_EQ(described("%r1"), "'%r1'");
  EXPECT_EQ(described(".u32"), "'.u32'");
  EXPECT_EQ(described("0x10"), "'0x10'");
  EXPECT_EQ(described("\"a.cu\""), "a string");
  EXPECT_EQ(described(""), "the end of the text");
}

TEST(Cursor, StaysAtTheEnd) {
  const Source source = make_source("a b", "x.ptx");
  Cursor cursor(source);
  EXPECT_EQ(cursor.peek(1).text, "b");
  EXPECT_EQ(cursor.peek(9).kind, Kind::kEnd);
  cursor.next();
  cursor.next();
  EXPECT_TRUE(cursor.at_end());
  EXPECT_EQ(cursor.next().kind, Kind::kEnd);
  EXPECT_TRUE(cursor.at_end());
}

TEST(Cursor, SkipsStatementsWithWhatTheyNest) {
  const Source source = make_source("a {;} b; c } d", "x.ptx");
  Cursor cursor(source);
  cursor.skip_statement();
  EXPECT_EQ(cursor.peek().text, "c");  // the ';' in braces ends nothing
  cursor.skip_statement();
  EXPECT_TRUE(cursor.is('}'));  // a closing brace is left for whoever opened it
}

}  // namespace
}  // namespace lab::ptx
