#include "harness/kernel/ptx/lexer.h"

#include <gtest/gtest.h>

#include "harness/kernel/ptx/cursor.h"
#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

using Kind = Token::Kind;

std::vector<Token> tokens_of(const Source& source) { return lex(source); }

std::string lex_error(std::string_view text) {
  const Source source = make_source(text, "x.ptx");
  try {
    (void)lex(source);
  } catch (const Error& error) {
    return render(error);
  }
  return "";
}

TEST(Lexer, CutsAnInstructionIntoItsParts) {
  const Source source = make_source("@!%p1 ld.shared::cta.u32\t%r1, [%rd2+-4]; // done", "x");
  const auto tokens = tokens_of(source);
  struct Row {
    Kind kind;
    const char* text;
    std::uint32_t column;
  };
  constexpr Row kRows[] = {
      {Kind::kPunct, "@", 1},    {Kind::kPunct, "!", 2},         {Kind::kWord, "%p1", 3},
      {Kind::kWord, "ld", 7},    {Kind::kDot, "shared::cta", 9}, {Kind::kDot, "u32", 21},
      {Kind::kWord, "%r1", 26},  {Kind::kPunct, ",", 29},        {Kind::kPunct, "[", 31},
      {Kind::kWord, "%rd2", 32}, {Kind::kPunct, "+", 36},        {Kind::kPunct, "-", 37},
      {Kind::kNumber, "4", 38},  {Kind::kPunct, "]", 39},        {Kind::kPunct, ";", 40},
  };
  ASSERT_EQ(tokens.size(), std::size(kRows) + 1);
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    EXPECT_EQ(tokens[i].kind, kRows[i].kind) << i;
    EXPECT_EQ(tokens[i].text, kRows[i].text) << i;
    EXPECT_EQ(tokens[i].column, kRows[i].column) << i;
  }
  EXPECT_EQ(tokens.back().kind, Kind::kEnd);
}

TEST(Lexer, CountsLinesThroughCommentsAndCarriageReturns) {
  const Source source = make_source("a\r\n/* b\n\n*/ c\n# 1 \"f.cu\"\nd", "x");
  const auto tokens = tokens_of(source);
  ASSERT_EQ(tokens.size(), 4U);
  EXPECT_EQ(tokens[0].line, 1U);
  EXPECT_EQ(tokens[1].text, "c");
  EXPECT_EQ(tokens[1].line, 4U);  // the comment takes lines 2 to 4
  EXPECT_EQ(tokens[1].column, 4U);
  EXPECT_EQ(tokens[2].line, 6U);  // line 5 is the preprocessor's
}

TEST(Lexer, ReadsNumbersStringsAndNamesOfCompilers) {
  const Source source =
      make_source("0X1F79U 1.5e-3 9.0 0f3F800000 $L__BB0_2 _ \"a\\\"b\" $str$1", "x");
  const auto tokens = tokens_of(source);
  const char* expected[] = {"0X1F79U",   "1.5e-3", "9.0",    "0f3F800000",
                            "$L__BB0_2", "_",      "a\\\"b", "$str$1"};
  ASSERT_EQ(tokens.size(), std::size(expected) + 1);
  for (std::size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(tokens[i].text, expected[i]);
}

TEST(Lexer, RefusesWhatStartsNoToken) {
  EXPECT_EQ(lex_error("add `x;"),
            "x.ptx:1:5: error: unexpected character '`'\n  add `x;\n      ^\n");
  EXPECT_EQ(lex_error("\x01"), "x.ptx:1:1: error: unexpected byte 0x01\n  \x01\n  ^\n");
  EXPECT_EQ(lex_error("a /* b"), "x.ptx:1:3: error: this comment has no end\n  a /* b\n    ^\n");
  EXPECT_EQ(lex_error(".file 1 \"a\n"),
            "x.ptx:1:9: error: this string has no end\n  .file 1 \"a\n          ^\n");
  EXPECT_EQ(lex_error("mov 12ab"),
            "x.ptx:1:5: error: '12ab' is not a number\n  mov 12ab\n      ^\n");
}

TEST(Literals, AreIntegersOrFloatBits) {
  struct Row {
    const char* text;
    std::uint64_t bits;
    int float_bits;
  };
  constexpr Row kRows[] = {
      {"42", 42, 0},
      {"-1", 0xffffffffffffffffU, 0},
      {"017", 15, 0},  // a leading zero means octal
      {"0", 0, 0},
      {"0x1F", 31, 0},
      {"0b101", 5, 0},
      {"4294967295U", 4294967295U, 0},
      {"18446744073709551615", 0xffffffffffffffffU, 0},
      {"0f3F800000", 0x3f800000U, 32},   // 1.0f
      {"-0f3F800000", 0xbf800000U, 32},  // -1.0f
      {"0d3FF0000000000000", 0x3ff0000000000000U, 64},
      {"1.5", 0x3ff8000000000000U, 64},  // 1.5 = 1.1b * 2^0
      {"-2.0", 0xc000000000000000U, 64},
      {"1e2", 0x4059000000000000U, 64},  // 100 = 1.5625 * 2^6
  };
  for (const Row& row : kRows) {
    const Source source = make_source(row.text, "x");
    Cursor cursor(source);
    const Literal literal = parse_constant(cursor);
    EXPECT_EQ(literal.bits, row.bits) << row.text;
    EXPECT_EQ(literal.float_bits, row.float_bits) << row.text;
    EXPECT_TRUE(cursor.at_end()) << row.text;
  }
}

TEST(Literals, TooWideOnesAreErrors) {
  const std::string at = ": error: '";
  for (const char* text : {"18446744073709551616", "0f3F80", "0d3F80000000000000F", "08", "0b2"}) {
    const Source source = make_source(text, "x.ptx");
    Cursor cursor(source);
    try {
      (void)parse_constant(cursor);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), "'" + std::string(text) + "' is not a number of 64 bits or less");
    }
  }
}

}  // namespace
}  // namespace lab::ptx
