#include "harness/kernel/compile/source/tokens.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lab::source {
namespace {

std::vector<std::string> texts(std::string_view source) {
  std::vector<std::string> out;
  for (const Token& token : tokens_of(source)) out.emplace_back(token.text);
  return out;
}

using Texts = std::vector<std::string>;

TEST(Tokens, CommentsAndBlanksAreNone) {
  EXPECT_EQ(texts("a /* b } */ c // d {\ne"), (Texts{"a", "c", "e"}));
  // A comment goes on behind a backslash, with either end of line.
  EXPECT_EQ(texts("// a \\\n b\nc"), Texts{"c"});
  EXPECT_EQ(texts("// a \\\r\n b\r\nc"), Texts{"c"});
  EXPECT_EQ(texts("a /* open"), Texts{"a"});
}

TEST(Tokens, LiteralsAreOneEach) {
  EXPECT_EQ(
      texts(R"(f("} // \" {", '"', '\'', L"x"))"),
      (Texts{"f", "(", R"("} // \" {")", ",", R"('"')", ",", R"('\'')", ",", R"(L"x")", ")"}));
  // A raw literal ends at its own delimiter: neither the quote nor the other bracket ends it.
  EXPECT_EQ(texts("R\"x(a \" )\" \n } )x\" b"), (Texts{"R\"x(a \" )\" \n } )x\"", "b"}));
  // Not closed: it ends with the line, and the next line is read again.
  EXPECT_EQ(texts("\"open\nnext"), (Texts{"\"open", "next"}));
}

TEST(Tokens, NumbersKeepSeparatorsAndExponents) {
  EXPECT_EQ(texts("1'000 1e-3f 0x1p+4 .5 1..2"), (Texts{"1'000", "1e-3f", "0x1p+4", ".5", "1..2"}));
  EXPECT_EQ(texts("a-1"), (Texts{"a", "-", "1"}));
}

TEST(Tokens, DirectivesAreWholeLines) {
  EXPECT_EQ(texts("#define A(x) \\\n  { x\nint b;"),
            (Texts{"#define A(x) \\\n  { x", "int", "b", ";"}));
  EXPECT_EQ(texts("#define B /* on\ntwo lines */ 3\nc"),
            (Texts{"#define B /* on\ntwo lines */ 3", "c"}));
  // Only at the beginning of a line.
  EXPECT_EQ(texts("a # b"), (Texts{"a", "#", "b"}));
  const Directive directive = directive_of("#  include <a.h>");
  EXPECT_EQ(directive.name, "include");
  EXPECT_EQ(directive.rest, "<a.h>");
}

TEST(Tokens, BranchesThatNobodyCompilesAreNone) {
  EXPECT_EQ(texts("#if 0\n{ don't\n#else\na\n#endif"), (Texts{"#if 0", "#else", "a", "#endif"}));
  EXPECT_EQ(texts("#ifndef __CUDACC_RTC__\nint main;\n#endif\nb"),
            (Texts{"#ifndef __CUDACC_RTC__", "#endif", "b"}));
  EXPECT_EQ(texts("#if !defined(__CUDACC_RTC__)\na\n#elif 1\nb\n#else\nc\n#endif"),
            (Texts{"#if !defined(__CUDACC_RTC__)", "#elif 1", "b", "#else", "#endif"}));
  // A branch within one that is left out goes with it.
  EXPECT_EQ(texts("#if 0\n#ifdef X\na\n#else\nb\n#endif\n#endif\nc"),
            (Texts{"#if 0", "#endif", "c"}));
  // A condition that is not known may be either.
  EXPECT_EQ(texts("#ifdef X\na\n#else\nb\n#endif"),
            (Texts{"#ifdef X", "a", "#else", "b", "#endif"}));
}

}  // namespace
}  // namespace lab::source
