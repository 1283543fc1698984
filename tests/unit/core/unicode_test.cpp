// Characters that may be printed, in each of the ways that text of others is shown.
#include "harness/core/unicode.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/core/markup.h"
#include "harness/core/text.h"

namespace lab {
namespace {

// ESC and its form of one character in C1; an override of the direction and an isolate; marks of no
// width; a line separator; an annotation; a tag (U+E0041).
const std::vector<std::string> kHarmful = {"\x1b",   "\x7f",   "\u0085", "\u009b",
                                           "\u200b", "\u200f", "\u2028", "\u202e",
                                           "\u2066", "\ufeff", "\ufff9", "\U000e0041"};

TEST(Printable, NoWayOfShowingLetsHarmThrough) {
  for (const std::string& one : kHarmful) {
    const std::string text = "a" + one + "b";
    EXPECT_EQ(safe_text(text).find(one), std::string::npos);
    EXPECT_EQ(safe_line(text).find(one), std::string::npos);
    EXPECT_EQ(escaped(text).find(one), std::string::npos);
    const std::string json = safe_json(json_quote(text));
    EXPECT_EQ(json.find(one), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(json).get<std::string>(), text);  // and nothing is lost
  }
}

TEST(Printable, WhatPeopleWriteStays) {
  const std::string text = "\u00fc \u77e9 \u03bcs \U0001f600\n\tnext";
  EXPECT_EQ(safe_text(text), text);
  EXPECT_EQ(safe_json(json_quote(text)), json_quote(text));
  EXPECT_EQ(safe_json("{\n  \"a\": 1\n}"), "{\n  \"a\": 1\n}");
}

TEST(Printable, ALineMayEndInTwoCharacters) {
  EXPECT_EQ(safe_text("one\r\ntwo\rthree\r"), "one\r\ntwo\\x0dthree\\x0d");
  EXPECT_EQ(safe_line("one\r\n"), "one\\x0d\\x0a");
}

TEST(Printable, CodesAreThoseOfTheStandards) {
  EXPECT_EQ(safe_text("\x1b\u009b\u202e"), "\\x1b\\u009b\\u202e");
  EXPECT_EQ(safe_text("\U000e0041"), "\\U000e0041");
  // RFC 8259, 7: U+E0041 - U+10000 = 0xd0041 = 0b1101000000'0001000001.
  EXPECT_EQ(safe_json("\"\U000e0041\""), R"("\udb40\udc41")");
}

}  // namespace
}  // namespace lab
