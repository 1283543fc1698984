#include "harness/core/text.h"

#include <gtest/gtest.h>

#include <set>

namespace lab {
namespace {

const std::vector<std::string> kNames = {"stride", "broadcast", "column"};

TEST(Text, NearestForgivesTypingErrorsOnly) {
  EXPECT_EQ(nearest("strid", kNames), "stride");   // one letter missing
  EXPECT_EQ(nearest("stirde", kNames), "stride");  // two neighbours swapped
  EXPECT_EQ(nearest("boradcast", kNames), "broadcast");
  EXPECT_EQ(nearest("col", kNames), "column");  // a beginning
  EXPECT_EQ(nearest("matmul", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
}

TEST(Text, NearestOfAVeryLongNameIsNothing) {
  EXPECT_EQ(nearest(std::string(100000, 'a'), kNames), "");
}

TEST(Text, SuggestionListsWhatThereIsWhereNothingIsNear) {
  EXPECT_EQ(suggestion("strid", kNames), "did you mean 'stride'?");
  EXPECT_EQ(suggestion("xyzzy", kNames), "there are: stride, broadcast, column");
  EXPECT_EQ(suggestion("x", {}), "there are none");
}

TEST(Text, SymbolsHaveTheNamesThatTheirSourceHas) {
  EXPECT_EQ(symbol_name("plain"), "plain");
  EXPECT_EQ(symbol_name("f"), "f") << "a lone f would demangle to the type float";
  EXPECT_EQ(symbol_name("_Z1kILi32EEvPf"), "k<32>");
  EXPECT_EQ(symbol_name("_Z7mangledPf"), "mangled");
  EXPECT_EQ(symbol_name("_Z1kIfLi8EEvPT_"), "k<float, 8>");
}

TEST(Text, CountsPrintAsIntegersUpTo2To53) {
  EXPECT_EQ(number_text(16777216), "16777216");
  EXPECT_EQ(number_text(9007199254740992.0), "9007199254740992");
  EXPECT_EQ(number_text(-3), "-3");
  EXPECT_EQ(number_text(1.0 / 3), "0.333333");
}

TEST(Text, Sha256OfTheStandardsExamples) {
  // FIPS 180-4 examples published by NIST: empty, one block, two blocks.
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  // One million times the letter a.
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Text, JsonQuoteEscapesControlCharacters) {
  EXPECT_EQ(json_quote("a\"b\\c\nd\x1b"), R"("a\"b\\c\nd\u001b")");
  EXPECT_EQ(json_quote("\xff"), "\"\xEF\xBF\xBD\"");  // not UTF-8: a reader would refuse it
}

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

TEST(Text, LinesCountFromOneAndLoseTheirEnds) {
  EXPECT_EQ(line_of("one\r\ntwo\nthree", 1), "one");
  EXPECT_EQ(line_of("one\r\ntwo\nthree", 3), "three");
  EXPECT_EQ(line_of("one\ntwo", 3), "");
  EXPECT_EQ(line_of("one", 0), "");
  EXPECT_EQ(trim(" \ta b \n"), "a b");
}

TEST(Text, UuidsAreVersion4AndDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string uuid = new_uuid();
    ASSERT_EQ(uuid.size(), 36U);
    EXPECT_EQ(uuid[14], '4');
    EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
    seen.insert(uuid);
  }
  EXPECT_EQ(seen.size(), 100U);
}

TEST(Text, TimeIsIso8601InUtc) {
  const std::string now = utc_now();
  ASSERT_EQ(now.size(), 20U);
  EXPECT_EQ(now[10], 'T');
  EXPECT_EQ(now.back(), 'Z');
}

}  // namespace
}  // namespace lab
