#include "harness/reading/map_page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/cli/sample_run.h"
#include "tools/cli/text/page_text.h"

namespace lab::cli {
namespace {

constexpr Terminal kPlain{false, false, false, 100};

// The pictures of an access alone.
std::string drawn(const Access& access, const Terminal& terminal) {
  page::Page page;
  for (const page::Grid& grid : reading::grids_of(access, "title")) page.blocks.push_back({grid});
  return page_text(page, terminal);
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(BankMap, StrideTwoTakesEvenBanksTwice) {
  // Lane l reads word 2 l: bank 2 l mod 32. Lanes 0 and 16 share bank 0 with different words.
  const std::string map = drawn(access_at(Space::kShared, 4, 0, 8), kPlain);
  EXPECT_EQ(
      map,
      "bank  0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 "
      "27 28 29 30 31\n"
      "lane  0  .  1  .  2  .  3  .  4  .  5  .  6  .  7  .  8  .  9  . 10  . 11  . 12  . 13  "
      ". 14  . 15  .\n"
      "     16  . 17  . 18  . 19  . 20  . 21  . 22  . 23  . 24  . 25  . 26  . 27  . 28  . 29  "
      ". 30  . 31  .\n");
}

TEST(BankMap, ABroadcastIsOneWordOfManyLanes) {
  const std::string map = drawn(access_at(Space::kShared, 4, 128, 0), kPlain);
  EXPECT_NE(map.find("\nlane 0+  .  .  ."), std::string::npos) << map;
  EXPECT_EQ(lines_of(map), 2U);  // one word, so one row below the heading
}

TEST(BankMap, EightBytesGoInTwoGroupsOfSixteenLanes) {
  CaseRecord record;
  record.accesses = {access_at(Space::kShared, 8, 0, 8)};
  const std::string map = page_text(reading::map_page({}, record, "warp 0", ""), kPlain);
  EXPECT_NE(map.find("lanes 0 to 15\n"), std::string::npos);
  EXPECT_NE(map.find("lanes 16 to 31\n"), std::string::npos);
  // Lane 0 takes banks 0 and 1 of the first group, lane 16 those of the second.
  EXPECT_NE(map.find("lane  0  0  1  1"), std::string::npos) << map;
  EXPECT_NE(map.find("lane 16 16 17 17"), std::string::npos) << map;
}

TEST(BankMap, ANarrowTerminalGetsTwoHalves) {
  const std::string map = drawn(access_at(Space::kShared, 4, 0, 4), {false, false, false, 80});
  EXPECT_NE(map.find("\nbank 16 17"), std::string::npos) << map;
}

TEST(SectorMap, NamesWordsAndLanesOfEachSector) {
  // Four bytes every 16: two words of each sector, 16 sectors of 2 lanes. The third to the 15th
  // look like the first two and the last.
  EXPECT_EQ(drawn(access_at(Space::kGlobal, 4, 32, 16), kPlain),
            "           +32  #...#...  lanes 0-1\n"
            "           +64  #...#...  lanes 2-3\n"
            "    ... 13 more like these\n"
            "          +512  #...#...  lanes 30-31\n");
}

TEST(SectorMap, InactiveLanesAreLeftOut) {
  Access access = access_at(Space::kGlobal, 4, 0, 4);
  for (std::size_t lane = 2; lane < 32; ++lane) access.address[lane] = -1;
  access.address[7] = 28;
  EXPECT_EQ(drawn(access, kPlain), "            +0  ##.....#  lanes 0-1, 7\n");
}

// A column of 32-word rows: 32 words of bank 0. The upper half of the banks has nothing to give.
TEST(BankMap, WordsOfOneBankAreFoldedAndIdleBanksNamed) {
  EXPECT_EQ(drawn(access_at(Space::kShared, 4, 0, 128), {false, false, false, 80}),
            "bank  0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15\n"
            "lane  0  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .\n"
            "      1  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .\n"
            "    ... 29 more like these\n"
            "     31  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .\n"
            "banks 16 to 31: none\n");
}

// Four columns, 4 bytes apart: 32 sectors each. The store of another line looks the same.
TEST(Map, OnePicturePerPattern) {
  CaseRecord record = sample_case(1, 1, 1);
  for (const std::int64_t first : {0, 4, 8, 12, 4}) {
    record.accesses.push_back(access_at(Space::kGlobal, 4, first, 1024));
    record.accesses.back().sectors = 32;
  }
  record.accesses.back().line = 3;
  record.accesses.back().op = AccessOp::kStore;
  RunRecord run;
  run.source_name = "k.cu";
  run.source_text = "\nfor (;;)\nout\n";
  const std::string text = page_text(reading::map_page(run, record, "warp 0", ""), kPlain);
  EXPECT_EQ(text.substr(text.find("k.cu")),
            "k.cu:2  global load, 4 bytes per lane: 32 sectors\n"
            "    for (;;)\n"
            "            +0  #.......  lane 0\n"
            "         +1024  #.......  lane 1\n"
            "    ... 29 more like these\n"
            "        +31744  #.......  lane 31\n"
            "      and 3 times more, shifted\n"
            "\n"
            "k.cu:3  global store, 4 bytes per lane: 32 sectors\n"
            "    out\n"
            "      drawn above, at line 2\n");
}

}  // namespace
}  // namespace lab::cli
