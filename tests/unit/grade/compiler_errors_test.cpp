// Of a compiler's half a megabyte a screen is left.
#include "harness/classes/grade/compiler_errors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace lab::grade {
namespace {

TEST(CompilerErrors, TheFirstAreKeptWithTheirLines) {
  const std::string log =
      "mine.cu(2): warning #177-D: variable \"i\" was declared but never referenced\n"
      "    int i;\n        ^\n\n"
      "mine.cu(3): error: identifier \"imt\" is undefined\n    imt x = 1;\n    ^\n\n"
      "mine.cu(4): error: expected a \";\"\n    }\n    ^\n\n"
      "mine.cu(9): note: here\n    somewhere\n\n"
      "2 errors detected in the compilation of \"mine.cu\".\n";
  EXPECT_EQ(first_errors(log),
            "mine.cu(3): error: identifier \"imt\" is undefined\n    imt x = 1;\n    ^\n\n"
            "mine.cu(4): error: expected a \";\"\n    }\n    ^");
}

// As it is after the word that begins every error's text was taken away.
TEST(CompilerErrors, TheFirstLineIsOne) {
  EXPECT_EQ(first_errors("mine.cu(3): identifier \"imt\" is undefined\n    imt x = 1;\n"),
            "mine.cu(3): identifier \"imt\" is undefined\n    imt x = 1;");
  EXPECT_EQ(first_errors("mine.cu:3:7: error: no such thing\n  imt x\n"),
            "mine.cu:3:7: error: no such thing\n  imt x");
  EXPECT_EQ(first_errors(""), "");
}

TEST(CompilerErrors, HowATemplateCameToBeIsLeftOut) {
  std::string log;
  for (int i = 1; i <= 1000; ++i) {
    log +=
        fmt::format("mine.cu({}): error: class \"S<{}>\" is too deep\n  S<N + 1> s;\n  ^\n", i, i);
    for (int k = 0; k < 100; ++k) log += fmt::format("  instantiation of class \"S<{}>\"\n", k);
    log += "\n";
  }
  ASSERT_GT(log.size(), 500000u);
  const std::string text = first_errors(log);
  EXPECT_LT(text.size(), 1000u);
  EXPECT_NE(text.find("mine.cu(3)"), std::string::npos);
  EXPECT_EQ(text.find("mine.cu(4)"), std::string::npos);
  EXPECT_TRUE(text.ends_with("and 997 errors more")) << text;  // of 1000, three are shown
  // One endless line is cut.
  EXPECT_LT(first_errors(std::string(500000, 'x')).size(), 1000u);
}

}  // namespace
}  // namespace lab::grade
