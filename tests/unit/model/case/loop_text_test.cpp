// Loops of source texts that are known not to end: which one it is, and why.
#include "harness/model/case/loop_text.h"

#include <gtest/gtest.h>

namespace lab::model {
namespace {

using Why = LoopText::Why;

LoopText at(const std::string& source, int first, int last) {
  const auto found = loop_at_lines(source, first, last);
  EXPECT_TRUE(found.has_value()) << source;
  return found.value_or(LoopText());
}

TEST(EndlessLoop, NamesTheVariableThatNothingChanges) {
  const LoopText loop = at("void f() {\n  for (int k = 0; k < 10; ) {\n    g(k);\n  }\n}\n", 3, 3);
  EXPECT_EQ(loop.why, Why::kUnchanged);
  EXPECT_EQ(loop.line, 2);
  EXPECT_EQ(loop.condition, "k < 10");
  EXPECT_EQ(loop.variable, "k");
  EXPECT_EQ(loop.value, 0);
}

TEST(EndlessLoop, EvaluatesWhatItBeginsWith) {
  const std::string source =
      "constexpr int kThreads = 4 * 64;\nvoid f(int n) {\n"
      "  for (int step = kThreads / 2; step > 0; ) a[step] += 1;\n"
      "  for (int step = n; step > 0; ) a[step] += 1;\n}\n";
  EXPECT_EQ(at(source, 3, 3).value, 128);
  EXPECT_FALSE(at(source, 4, 4).value.has_value());  // an argument
  EXPECT_EQ(at(source, 4, 4).variable, "step");
}

TEST(EndlessLoop, IsTheInnermostThatHasAllLines) {
  const std::string source =
      "for (int i = 0; i < 3; ++i) {\n  while (x) {\n    a();\n  }\n  b();\n}\n";
  EXPECT_EQ(at(source, 3, 3).line, 2);
  EXPECT_EQ(at(source, 3, 5).line, 1);
  EXPECT_FALSE(loop_at_lines(source, 7, 7).has_value());
  EXPECT_FALSE(loop_at_lines("x = 1;\n", 1, 1).has_value());
}

TEST(EndlessLoop, ThatChangesItsVariableHasAConditionThatAlwaysHolds) {
  const LoopText loop = at("for (unsigned i = 9; i >= 0; --i) a[i] = 0;", 1, 1);
  EXPECT_EQ(loop.why, Why::kAlwaysTrue);
  EXPECT_TRUE(loop.is_unsigned);
  EXPECT_FALSE(at("for (int i = 9; i >= 0; i /= 2) a[i] = 0;", 1, 1).is_unsigned);
}

TEST(EndlessLoop, ReadsDoLoopsAndUnconditionalOnes) {
  const LoopText done = at("do {\n  a();\n} while (n > 0 /* yet */);\n", 2, 2);
  EXPECT_EQ(done.why, Why::kUnchanged);
  EXPECT_EQ(done.condition, "n > 0");
  EXPECT_EQ(at("while (true) { a(); }", 1, 1).why, Why::kUnconditional);
  EXPECT_EQ(at("for (;;) a();", 1, 1).why, Why::kUnconditional);
}

TEST(EndlessLoop, ReadsNoCommentsTextsAndDirectives) {
  const std::string source =
      "#define LOOP for (;;)\n// while (x) {\nconst char* s = \"while (y) {\";\n"
      "while (z) {\n  a(); /* z = 0; */\n}\n";
  const LoopText loop = at(source, 5, 5);
  EXPECT_EQ(loop.line, 4);
  EXPECT_EQ(loop.why, Why::kUnchanged);
  EXPECT_FALSE(loop_at_lines(source, 2, 3).has_value());
}

TEST(EndlessLoop, TextsThatEndTooSoonAreRead) {
  for (const char* text : {"for", "for (", "while (", "do", "do {", "for (;;", "while (x) {", "#",
                           "\"", "'\\", "/*", "for (int i = 0; i < 3", "if (", "("}) {
    static_cast<void>(loop_at_lines(text, 1, 1));
  }
}

}  // namespace
}  // namespace lab::model
