// Lab 9's patterns as text, and what wrong ones are told.
#include "harness/reading/generations/pattern.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "harness/reading/generations/tables.h"

namespace lab::labs {
namespace {

std::string thirty_two(const std::string& word) {
  std::string text = word;
  for (int i = 1; i < 32; ++i) text += ' ' + word;
  return text;
}

TEST(ReadPattern, TakesNumbersOffLanesRangesAndComments) {
  const auto pattern =
      read_pattern("# half a warp\n0x10, 8 -\n100..156+4 # 15 lanes\n0..52+4", "warp.txt");
  EXPECT_EQ(pattern[0], 16U);
  EXPECT_EQ(pattern[1], 8U);
  EXPECT_FALSE(pattern[2].has_value());
  EXPECT_EQ(pattern[3], 100U);
  EXPECT_EQ(pattern[17], 156U);  // 100 + 14 * 4
  EXPECT_EQ(pattern[18], 0U);
  EXPECT_EQ(pattern[31], 52U);  // 13 steps of 4
}

TEST(TextOf, IsShortAndReadsBack) {
  const auto round = [](const std::string& text) { return text_of(read_pattern(text, "")); };
  EXPECT_EQ(round("0..124+4"), "0..124+4");
  EXPECT_EQ(round("4 0 - 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 104 "
                  "108 112 116 5 5"),
            "4 0 - 12..116+4 5 5");
  // Two lanes are not a range: the two words are as short.
  EXPECT_EQ(round("0 4 - 8 - 0..104+4"), "0 4 - 8 - 0..104+4");
  EXPECT_EQ(round(thirty_two("7")), thirty_two("7"));
}

std::string refusal(const std::string& text) {
  try {
    (void)read_pattern(text, "warp.txt");
  } catch (const Error& error) {
    return render(error);
  }
  return "accepted";
}

TEST(ReadPattern, SaysWhereATextIsWrong) {
  EXPECT_EQ(refusal("0 4\n8 twelve"),
            "warp.txt:2:3: error: 'twelve' is not an address\n"
            "  8 twelve\n"
            "    ^\n"
            "hint: an address is 128, 0x80, - for a lane that is off, or 0..124+4 for several\n");
  EXPECT_EQ(refusal("0 8192"),
            "warp.txt:1:3: error: address 8192 is out of range\n"
            "  0 8192\n"
            "    ^\n"
            "hint: addresses count bytes, from 0 to 8191\n");
  EXPECT_EQ(refusal("0..124"),
            "warp.txt:1:7: error: a range needs a step\n"
            "  0..124\n"
            "        ^\n"
            "hint: write 0..124+4\n");
  EXPECT_EQ(refusal("0..124+4\n\n128"),
            "warp.txt:3:1: error: more than 32 addresses\n"
            "  128\n"
            "  ^\n"
            "hint: a warp has 32 lanes, one address for each\n");
}

TEST(ReadPattern, SaysWhatIsMissing) {
  EXPECT_EQ(refusal("0\n4\n"),
            "warp.txt:3: error: 2 addresses, where a warp has 32 lanes\n"
            "hint: write - for each lane that is off\n");
  EXPECT_EQ(refusal(""),
            "warp.txt:1: error: 0 addresses, where a warp has 32 lanes\n"
            "hint: write - for each lane that is off\n");
  EXPECT_EQ(refusal(thirty_two("-")).substr(0, 44), "warp.txt:1: error: no lane of the pattern is");
  EXPECT_NE(refusal("0..124+0"), "accepted");
  EXPECT_NE(refusal("124..0+4"), "accepted");
  EXPECT_NE(refusal("0x"), "accepted");
  EXPECT_NE(refusal("99999999999999999999"), "accepted");
}

TEST(RequireAligned, NamesTheLane) {
  const auto pattern = read_pattern("0..248+8", "");
  EXPECT_NO_THROW(require_aligned(pattern, 8));
  try {
    require_aligned(pattern, 16);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "lane 1 reads 16 bytes at address 8, which is not a multiple of 16");
  }
}

CaseRecord case_of(const std::string& variant, Params params) {
  CaseRecord record;
  record.variant = variant;
  record.params = std::move(params);
  return record;
}

// Figure 3 at 4 bytes per lane: 16 lone lanes of each half-warp, or a segment, or three sectors.
// What ran stands in the last row: 24 sectors of 4 blocks are 6 each.
TEST(GenerationTables, SetTheRunBesideTheRules) {
  auto record = case_of(
      "figure",
      {{"figure", std::int64_t{3}}, {"bytes", std::int64_t{4}}, {"blocks", std::int64_t{4}}});
  record.observations.push_back({"global_load_sectors", SourceOf::kModel, 24.0});
  const auto tables = generation_tables({record});
  ASSERT_EQ(tables.size(), 2U);
  const auto& rows = tables[0].rows;
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"1.0, 1.1", "32x32 (896)"}));  // 1024 - 128 asked
  EXPECT_EQ(rows[1], (std::vector<std::string>{"1.2, 1.3", "2x128 (128)"}));
  EXPECT_EQ(rows[5], (std::vector<std::string>{"7.x and later", "6x32 (64)"}));
  EXPECT_EQ(rows[6], (std::vector<std::string>{"this run, model", "6x32"}));
  EXPECT_EQ(tables[1].rows.size(), 5U);  // nothing read shared memory
}

}  // namespace
}  // namespace lab::labs
