#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {
namespace {

Command run_like() {
  return {"go",
          "Goes",
          {"LAB", "which", 1, 2},
          {{"variant", "NAME", "which variant"},
           {"param", "NAME=VALUES", "what", true},
           {"check", "HOW", "checkers", false, {"auto", "full", "off"}},
           {"sass", "", "machine code"}},
          "  lab go 3",
          nullptr};
}

std::string failure(const std::vector<std::string>& words) {
  try {
    static_cast<void>(parse(run_like(), words));
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    return render(error);
  }
  return "no error";
}

TEST(Parse, ReadsOptionsWhereverTheyStand) {
  const Arguments got =
      parse(run_like(), {"--param", "a=1", "3", "--variant=stride", "--param", "b=-2", "-vv"});
  EXPECT_EQ(got.positionals(), std::vector<std::string>{"3"});
  EXPECT_EQ(got.value("variant"), "stride");
  EXPECT_EQ(got.values("param"), (std::vector<std::string>{"a=1", "b=-2"}));
  EXPECT_EQ(got.values("v").size(), 2U);
  EXPECT_FALSE(got.has("sass"));
}

TEST(Parse, OptionsTakeOneValueOnly) {
  EXPECT_EQ(parse(run_like(), {"--variant", "stride", "3"}).positionals(),
            std::vector<std::string>{"3"});
}

TEST(Parse, AfterTwoDashesNothingIsAnOption) {
  EXPECT_EQ(parse(run_like(), {"--", "--sass"}).positionals(), std::vector<std::string>{"--sass"});
}

TEST(Parse, UnknownOptionsAreNamedWithTheNearest) {
  EXPECT_EQ(failure({"3", "--varient", "x"}),
            "error: lab go has no option '--varient'\n"
            "hint: did you mean '--variant'?\n");
  EXPECT_EQ(failure({"3", "--qqqqqqqqqq=1"}),
            "error: lab go has no option '--qqqqqqqqqq'\n"
            "hint: lab go --help lists them\n");
}

TEST(Parse, MissingAndRepeatedValues) {
  EXPECT_EQ(failure({"3", "--variant"}), "error: --variant needs a value: --variant NAME\n");
  EXPECT_EQ(failure({"3", "--variant", "a", "--variant", "b"}),
            "error: --variant is given twice\n");
}

TEST(Parse, ChoicesAreHeld) {
  EXPECT_EQ(failure({"3", "--check", "ful"}),
            "error: --check cannot be 'ful'\n"
            "hint: did you mean 'full'?\n");
}

TEST(Parse, TooFewAndTooManyWords) {
  EXPECT_EQ(failure({}),
            "error: lab go needs LAB\n"
            "hint: lab go --help shows what it takes\n");
  EXPECT_EQ(failure({"1", "2", "3"}),
            "error: lab go does not take '3' as well\n"
            "hint: lab go --help shows what it takes\n");
}

TEST(Parse, HelpNeedsNothingElse) { EXPECT_TRUE(parse(run_like(), {"--help"}).has("help")); }

TEST(Arguments, NumbersAreHeldToTheirRange) {
  const Arguments got = parse(run_like(), {"3", "--variant", "7x"});
  try {
    static_cast<void>(got.number("variant", 1, 9));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "--variant takes a whole number from 1 to 9, not '7x'");
  }
  EXPECT_EQ(parse(run_like(), {"3", "--variant", "7"}).number("variant", 1, 9), 7);
}

TEST(Arguments, NamesMayStandTogether) {
  const Arguments got = parse(run_like(), {"3", "--param", "a, b,", "--param", "c"});
  EXPECT_EQ(got.names("param"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(got.names("sass").empty());
}

TEST(Arguments, AskingForAnOptionThatIsNoneIsOurFault) {
  const Arguments got = parse(run_like(), {"3"});
  EXPECT_THROW(static_cast<void>(got.has("nonesuch")), Error);
}

TEST(Help, NamesOptionsChoicesAndExample) {
  EXPECT_EQ(help_text(run_like(), 60),
            "Goes\n"
            "\n"
            "Usage: lab go LAB... [options]\n"
            "\n"
            "  LAB                     which\n"
            "\n"
            "Options:\n"
            "  --variant NAME          which variant\n"
            "  --param NAME=VALUES     what\n"
            "  --check HOW             checkers: auto, full, off\n"
            "  --sass                  machine code\n"
            "  --json                  Print JSON instead of a table\n"
            "  -v                      Say what is being done (-vv: in\n"
            "                          detail)\n"
            "  --no-pager              Print what is longer than the\n"
            "                          screen without a pager, too\n"
            "  --log FILE              Write the log to FILE instead of\n"
            "                          standard error\n"
            "  --help                  Print this help\n"
            "\n"
            "Example:\n"
            "  lab go 3\n");
}

}  // namespace
}  // namespace lab::cli
