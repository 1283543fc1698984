#include "harness/core/error.h"

#include <gtest/gtest.h>

namespace lab {
namespace {

TEST(Error, RendersPlaceCaretAndHint) {
  const Error error =
      input_error("no such thing", "try another", Place{"mine.cu", 3, 5, "int x = y;"});
  // Column 5 is the `x`: four blanks after the two of the margin.
  EXPECT_EQ(render(error),
            "mine.cu:3:5: error: no such thing\n"
            "  int x = y;\n"
            "      ^\n"
            "hint: try another\n");
}

TEST(Error, CaretStandsBelowItsCharacterAfterATab) {
  const Error error = input_error("bad", {}, Place{"a.cu", 1, 3, "\tab"});
  EXPECT_EQ(render(error), "a.cu:1:3: error: bad\n  \tab\n  \t ^\n");
}

TEST(Error, WithoutPlaceIsOneLine) {
  EXPECT_EQ(render(machine_error("no GPU")), "error: no GPU\n");
  EXPECT_EQ(machine_error("no GPU").fault(), Fault::kMachine);
}

TEST(Error, AFaultOfOursAsksForAReport) {
  EXPECT_EQ(render(internal_error("lost")),
            "error: lost\n"
            "hint: this is a fault of lab itself; please report it with the command you ran\n");
}

}  // namespace
}  // namespace lab
