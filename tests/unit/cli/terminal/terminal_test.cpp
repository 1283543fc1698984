#include "tools/cli/terminal/terminal.h"

#include <gtest/gtest.h>

namespace lab::cli {
namespace {

TEST(SafeText, ControlCharactersBecomeVisible) {
  EXPECT_EQ(safe_text("a\x1b[31mred"), "a\\x1b[31mred");
  EXPECT_EQ(safe_text("bell\a, delete\x7f, carriage\rreturn"),
            "bell\\x07, delete\\x7f, carriage\\x0dreturn");
  // U+009B is CSI in C1: as dangerous as ESC [.
  EXPECT_EQ(safe_text("\u009b2J"), "\\u009b2J");
}

TEST(SafeText, DirectionMarksBecomeVisible) {
  EXPECT_EQ(safe_text("a\u202eb\u2066c\ufeff"), "a\\u202eb\\u2066c\\ufeff");
}

TEST(SafeText, BytesThatAreNotUtf8BecomeVisible) {
  EXPECT_EQ(safe_text("\xff"), "\\xff");
  EXPECT_EQ(safe_text("\xc0\xaf"), "\\xc0\\xaf");                    // overlong '/'
  EXPECT_EQ(safe_text("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(safe_text("\xe2\x82"), "\\xe2\\x82");                    // cut short
  EXPECT_EQ(safe_text("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");  // past U+10FFFF
}

TEST(SafeText, TextStays) {
  EXPECT_EQ(safe_text("line\n\tnext \u00fc \u77e9 \U0001f600"),
            "line\n\tnext \u00fc \u77e9 \U0001f600");
}

TEST(SafeLine, LineEndsBecomeVisibleToo) { EXPECT_EQ(safe_line("a\nb\tc"), "a\\x0ab\\x09c"); }

TEST(Width, CountsColumns) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("\u00fc"), 1);
  EXPECT_EQ(display_width("\u77e9"), 2);
  EXPECT_EQ(display_width("e\u0301"), 1);
}

TEST(Wrapped, BreaksAtSpacesAndKeepsLongWords) {
  EXPECT_EQ(wrapped("aa bb cc", 5), (std::vector<std::string>{"aa bb", "cc"}));
  EXPECT_EQ(wrapped("a abcdefgh b", 4), (std::vector<std::string>{"a", "abcdefgh", "b"}));
  EXPECT_EQ(wrapped("", 4), (std::vector<std::string>{""}));
}

TEST(Toned, NoColourNoEscapes) {
  EXPECT_EQ(toned("x", Tone::kBad, {true, false, false, 80}), "x");
  EXPECT_EQ(toned("x", Tone::kBad, {true, true, false, 80}), "\x1b[31mx\x1b[0m");
}

}  // namespace
}  // namespace lab::cli
