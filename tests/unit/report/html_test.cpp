#include "tools/report/html.h"

#include <gtest/gtest.h>

namespace lab::report {
namespace {

TEST(Escaped, MarkupBecomesText) {
  EXPECT_EQ(escaped("<b a=\"1\" c='2'>&</b>"),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;&lt;/b&gt;");
}

TEST(Escaped, WhatIsNoTextIsMadeVisible) {
  EXPECT_EQ(escaped("a\x1b[2J\tb\n"), "a\\x1b[2J\tb\n");
  EXPECT_EQ(escaped("\xff<"), "\\xff&lt;");
  EXPECT_EQ(escaped("\xe2\x82"), "\\xe2\\x82");           // cut short: two bytes alone
  EXPECT_EQ(escaped("\xc0\xbc"), "\\xc0\\xbc");           // an overlong '<'
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(escaped("\u009b31m\u202e>"), "\\u009b31m\\u202e&gt;");
  EXPECT_EQ(escaped("\u00fc\u77e9\U0001f600"), "\u00fc\u77e9\U0001f600");
}

TEST(Script, AStringCannotEndItsScript) {
  EXPECT_EQ(script_json(R"("</script><!--&")"), "\"\\u003c/script\\u003e\\u003c!--\\u0026\"");
}

TEST(Prose, BackticksAreCode) {
  EXPECT_EQ(prose("rows of `a<b>` and `n`."),
            "rows of <code>a&lt;b&gt;</code> and <code>n</code>.");
  EXPECT_EQ(prose("one ` alone"), "one ` alone");
  EXPECT_EQ(prose(""), "");
}

TEST(Element, HasItsClass) {
  EXPECT_EQ(element("td", "1"), "<td>1</td>");
  EXPECT_EQ(element("td", "1", "good"), "<td class=\"good\">1</td>");
}

}  // namespace
}  // namespace lab::report
