// Rubrics of whole programs, and outputs held against what is wanted.
#include "harness/grade/assignment.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace lab::grade {
namespace {

TEST(DifferenceOf, WordsAreEqualAndNumbersWithinTheTolerance) {
  EXPECT_EQ(difference_of("sum 1.0001\nPASSED\n", "sum 1\nPASSED", 1e-3), "");
  EXPECT_EQ(difference_of("sum  1.5\t\n\n", "sum 1.5", 0), "");
  // Relative where the number is large: 1e6 may be off by 1000, and no more.
  EXPECT_EQ(difference_of("1001000", "1000000", 1e-3), "");
  EXPECT_NE(difference_of("1001001", "1000000", 1e-3), "");
  EXPECT_NE(difference_of("nan", "1", 1e9), "");
  EXPECT_EQ(difference_of("sum 2", "sum 1", 0), "line 1 of its output is 'sum 2', wanted 'sum 1'");
  EXPECT_EQ(difference_of("a\nb", "a", 0), "line 2 of its output is too many: b");
  EXPECT_EQ(difference_of("a", "a\nb", 0), "its output ends before line 2: b");
  EXPECT_EQ(difference_of(" \n", "a", 0), "it prints nothing");
  EXPECT_EQ(difference_of("", "", 0), "");
}

std::string wrong(const std::string& text) {
  try {
    static_cast<void>(read_assignment("r.toml", text));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Assignment, IsReadAndItsFaultsAreTold) {
  EXPECT_FALSE(read_assignment("r.toml", "lab = 3\n").has_value());
  const std::string run = "program = 'p'\n[[run]]\nname = 'r'\noutput = 'x'\n";
  const std::string head = run + "[[criterion]]\nname = 'c'\npoints = 1\nrun = 'r'\n";
  const auto rubric = read_assignment("r.toml", head + "status = 'ok'\n");
  ASSERT_TRUE(rubric.has_value());
  EXPECT_EQ(rubric->lab->called(), "p");
  EXPECT_EQ(rubric->runs.at(0).output, "x");
  EXPECT_EQ(wrong(run), "r.toml has no criterion");
  EXPECT_EQ(wrong("program = '3'"),
            "a name has letters, digits, - and _, and begins with a letter");
  EXPECT_EQ(wrong("program = 'p'\n[[run]]\nname = 'r'\n"), "what has the program to print?");
  EXPECT_EQ(wrong(head + "metric = 'registers_per_thread'\nat_most = 1\n"), "which kernel's?");
  EXPECT_EQ(wrong(run + "[[criterion]]\nname = 'c'\npoints = 1\nrun = 's'\nstatus = 'ok'\n"),
            "there is no run 's'");
  EXPECT_EQ(wrong("program = 'p'\n[[run]]\nname = 'r'\nscript = '../x.py'\n"),
            "a script lies beside this file");
}

}  // namespace
}  // namespace lab::grade
