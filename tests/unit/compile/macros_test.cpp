// Macros put in as the preprocessor does (C++ standard, [cpp.replace]); what is expected is written
// out by hand.
#include "harness/kernel/compile/source/macros.h"

#include <gtest/gtest.h>

namespace lab::source {
namespace {

std::string put_in(const std::string& definitions, const std::string& text,
                   std::size_t budget = 10'000) {
  Macros macros;
  add_macros(tokens_of(definitions), macros);
  return expanded(text, macros, budget).value_or("grows without end");
}

TEST(Macros, ArgumentsAndOtherMacrosArePutIn) {
  EXPECT_EQ(put_in("#define N 32\n#define TWICE(x) (2 * x)\n", "int a[TWICE(N)];"),
            "int a[(2 * 32)];");
  EXPECT_EQ(put_in("#define F(a, b) a b\n", "F((1, 2), x[3]) y"), "(1, 2) x[3] y");
  EXPECT_EQ(put_in("#define F(x) x\n", "F + F (1)"), "F + 1") << "without brackets it is a name";
}

TEST(Macros, TextsAreGluedAndQuoted) {
  EXPECT_EQ(put_in("#define NAME(x) x##_kernel\n", "NAME(add) NAME( mul )"),
            "add_kernel mul_kernel");
  EXPECT_EQ(put_in("#define A b\n#define GLUE(x, y) x ## y\n", "GLUE(A, 1)"), "A1")
      << "what is glued is not looked at before";
  EXPECT_EQ(put_in("#define S(x) #x\n", "S(a \"b\")"), "\"a \\\"b\\\"\"");
  EXPECT_EQ(put_in("#define P(f, ...) printf(f, ##__VA_ARGS__)\n", "P(\"x\") P(\"x\", 1, 2)"),
            "printf(\"x\") printf(\"x\",1, 2)");
}

TEST(Macros, LinesThatGoOnAreOne) {
  EXPECT_EQ(put_in("#define K(n) \\\n  void n() { \\\n    f(); }\n", "K(a)"), "void a() { f(); }");
}

TEST(Macros, OneThatNamesItselfEnds) {
  EXPECT_EQ(put_in("#define A A + B\n#define B A\n", "A"), "A + A");
}

// Doubled 30 times it has 2^30 letters.
TEST(Macros, GrowthEnds) {
  std::string definitions = "#define A0 x\n";
  for (int i = 1; i <= 30; ++i) {
    const std::string before = "A" + std::to_string(i - 1);
    definitions += "#define A" + std::to_string(i) + " " + before + " " + before + "\n";
  }
  EXPECT_EQ(put_in(definitions, "A30"), "grows without end");
  EXPECT_EQ(put_in("#define E\n#define X(a) a\n", "X(E)"), "");
  // Arguments within arguments are as deep as the text says; these would cost 17 of the budget
  // each.
  std::string nested = "1";
  for (int i = 0; i < 2'000; ++i) nested = "X(" + nested + ")";
  EXPECT_EQ(put_in("#define X(a) a\n", nested, 1'000'000), "grows without end");
}

TEST(Macros, OfSeveralTheOneThatMakesAKernelCounts) {
  EXPECT_EQ(put_in("#ifdef A\n#define G\n#else\n#define G __global__\n#endif\n", "G void k()"),
            "__global__ void k()");
}

}  // namespace
}  // namespace lab::source
