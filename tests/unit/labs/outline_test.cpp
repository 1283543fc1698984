#include "harness/labs/outline.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/core/lab.h"

namespace lab::labs {
namespace {

Outline of_a_lab() {
  Outline outline;
  outline.head.title = "A \"title\"";
  outline.head.summary = "one line, of \xce\xb1";
  outline.variants = 3;
  outline.cases = 40;
  return outline;
}

TEST(Outline, ComesBackAsItWasKept) {
  const auto read = decode_outline(encode(of_a_lab()), Lab());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->head.title, "A \"title\"");
  EXPECT_EQ(read->head.summary, "one line, of \xce\xb1");
  EXPECT_EQ(read->variants, 3U);
  EXPECT_EQ(read->cases, 40U);
}

TEST(Outline, WhatIsNotOneIsEmpty) {
  const std::string whole = encode(of_a_lab());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(decode_outline(whole.substr(0, length), Lab())) << length;
  }
  EXPECT_FALSE(decode_outline(whole + "\n", Lab()));
  EXPECT_FALSE(decode_outline("t\ns\n-1\n4\n", Lab()));
  EXPECT_FALSE(decode_outline("t\ns\n3\n4x\n", Lab()));
  EXPECT_FALSE(decode_outline("{\"title\": \"t\"}", Lab()));  // as an older program kept it
}

}  // namespace
}  // namespace lab::labs
