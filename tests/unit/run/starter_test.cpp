// A starter and its answer are cut from kernels.cu at marks.
#include "harness/run/starter.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace lab::run {
namespace {

TEST(Starter, IsWhatStandsBetweenMarksAndTheAnswerWhatIsYours) {
  const Starter cut = cut_starter("kernels.cu",
                                  "int other;\n"
                                  "//@ starter\n"
                                  "constexpr int kTile = 32;\n"
                                  "//@ end\n"
                                  "int another;\n"
                                  "//@ starter\n"
                                  "void sums() {\n"
                                  "  //@ yours\n"
                                  "  sum += a;\n"
                                  "  //@ instead // Yours to write:\n"
                                  "  //@ instead   sum;\n"
                                  "  //@ end\n"
                                  "  //@ yours\n"
                                  "  fold(sum);\n"
                                  "  //@ end\n"
                                  "}\n"
                                  "//@ end\n");
  EXPECT_EQ(cut.text,
            "constexpr int kTile = 32;\n\nvoid sums() {\n  // Yours to write:\n    sum;\n}\n");
  EXPECT_EQ(cut.answer, "  sum += a;\n  fold(sum);\n");
}

TEST(Starter, AFileWithoutMarksHasNone) {
  EXPECT_EQ(cut_starter("kernels.cu", "void sums() {}\n").text, "");
}

std::string message_of(const std::string& text) {
  try {
    static_cast<void>(cut_starter("kernels.cu", text));
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    return render(error);
  }
  return "no error";
}

TEST(Starter, WrongMarksAreToldWithTheirLine) {
  EXPECT_EQ(message_of("a\n//@ starter\nb\n"),
            "kernels.cu:2:1: error: the mark is not closed\n  //@ starter\n  ^\n"
            "hint: close it with '//@ end'\n");
  EXPECT_EQ(message_of("//@ starter\n  //@ yours\n//@ end\n"),
            "kernels.cu:1:1: error: the mark is not closed\n  //@ starter\n  ^\n"
            "hint: close it with '//@ end'\n");
  EXPECT_EQ(message_of("//@ starter\n  //@ your\n"),
            "kernels.cu:2:3: error: there is no mark 'your'\n    //@ your\n    ^\n"
            "hint: did you mean 'yours'?\n");
  EXPECT_EQ(message_of("//@ end\n"),
            "kernels.cu:1:1: error: there is nothing to end\n  //@ end\n  ^\n");
  EXPECT_EQ(message_of("//@ yours\n"),
            "kernels.cu:1:1: error: 'yours' stands outside of a starter\n  //@ yours\n  ^\n"
            "hint: write '//@ starter' above it\n");
  EXPECT_EQ(message_of("//@ starter\n//@ instead x\n"),
            "kernels.cu:2:1: error: 'instead' stands outside of 'yours'\n  //@ instead x\n  ^\n"
            "hint: write '//@ yours' above it\n");
  EXPECT_EQ(message_of("//@ starter\n//@ starter\n"),
            "kernels.cu:2:1: error: a starter within a starter\n  //@ starter\n  ^\n"
            "hint: close it with '//@ end'\n");
}

TEST(Starter, HeadingsAreLinesOfAHundredColumns) {
  // "//" and 24 words of four columns with a blank each: 122 columns, so that the 20th is the next
  // line's: 2 + 5 * 19 = 97, and 102 with one more.
  std::string words = "word";
  for (int i = 1; i < 24; ++i) words += " word";
  const std::string comment = as_comment(words);
  EXPECT_EQ(comment.find('\n'), 97U);
  EXPECT_EQ(comment.substr(98), "// word word word word word\n");
}

}  // namespace
}  // namespace lab::run
