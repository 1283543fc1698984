#include "harness/run/element_map.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "harness/reading/generations/other_generations.h"
#include "harness/reading/map_page.h"
#include "tools/cli/text/page_text.h"
#include "tools/report/grid_svg.h"

namespace lab::cli {
namespace {

constexpr Terminal kPlain{false, false, false, 80};

// Two warps store a tile of 32 rows and 2 columns by columns: thread t takes row t % 32 of column
// t / 32.
CaseOutcome columns_stored() {
  CaseOutcome outcome;
  outcome.arrays = {{"tile", Space::kShared, 256}};
  for (std::uint32_t warp = 0; warp < 2; ++warp) {
    TracedAccess traced;
    traced.array = 0;
    traced.warp = warp;
    traced.unit_bytes = 4;
    traced.access.line = 7;
    traced.access.op = AccessOp::kStore;
    traced.access.space = Space::kShared;
    traced.access.bytes_per_lane = 4;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      traced.access.address[lane] = static_cast<std::int64_t>(lane * 8 + warp * 4);
    }
    outcome.traced.push_back(traced);
  }
  return outcome;
}

using run::element_maps;

// The maps without the case's heading and the blank line below it.
std::string matrix_text(const std::vector<run::ElementMap>& maps) {
  const std::string text = page_text(run::matrix_page({}, 0, maps), kPlain);
  return text.substr(text.find("\n\n") + 2);
}

std::vector<run::ArrayFix> tile_of(std::uint64_t columns) {
  run::ArrayFix fix;
  fix.array = {"tile", Space::kShared, 256};
  fix.name = "tile";
  fix.problem.element = 4;
  fix.problem.columns = {columns};
  return {fix};
}

TEST(Matrix, HasTheThreadAtEachElement) {
  const auto maps = element_maps(columns_stored(), tile_of(2), {});
  ASSERT_EQ(maps.size(), 1U);
  const std::string text = matrix_text(maps);
  EXPECT_EQ(text.substr(0, text.find("    2 ")),
            "tile, line 7, store\n"
            "row     0  1\n"
            "    0   0 32\n"
            "    1   1 33\n");
  EXPECT_NE(text.find("   31  31 63\n"), std::string::npos) << text;
}

TEST(Matrix, RowsThatNobodyTouchesAreThreePoints) {
  CaseOutcome outcome = columns_stored();
  outcome.traced.resize(1);
  outcome.traced[0].access.address.fill(-1);
  outcome.traced[0].access.address[3] = 0;
  outcome.traced[0].access.address[5] = 0;
  outcome.traced[0].access.address[9] = 80;  // element 20
  const auto maps = element_maps(outcome, tile_of(4), {});
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_EQ(matrix_text(maps),
            "tile, line 7, store\n"
            "row    0\n"
            "   0  3+\n"  // lanes 3 and 5
            " ...\n"
            "   5   9\n");
}

TEST(Matrix, OptionsChoose) {
  const CaseOutcome outcome = columns_stored();
  EXPECT_TRUE(element_maps(outcome, tile_of(2), {.op = AccessOp::kLoad}).empty());
  EXPECT_TRUE(element_maps(outcome, tile_of(2), {.line = 8}).empty());
  EXPECT_TRUE(element_maps(outcome, tile_of(2), {.array = "other"}).empty());
  EXPECT_TRUE(element_maps(outcome, tile_of(2), {.nth = 2}).empty());
  EXPECT_EQ(element_maps(outcome, tile_of(2), {"tile", AccessOp::kStore, 7, 1}).size(), 1U);
}

std::size_t times(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Matrix, ThePictureHasASquareForEachElement) {
  const std::string svg =
      report::grid_svg({run::grid_of(element_maps(columns_stored(), tile_of(2), {}).front())});
  EXPECT_EQ(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0), 0U);
  EXPECT_EQ(times(svg, "<rect x="), 64U);
  EXPECT_EQ(times(svg, ">63</text>"), 1U);
  EXPECT_EQ(svg.find("href"), std::string::npos);  // it names no other file
}

Access strided(Space space, std::int64_t step) {
  Access access;
  access.space = space;
  access.op = AccessOp::kLoad;
  access.bytes_per_lane = 4;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    access.address[lane] = step * static_cast<std::int64_t>(lane);
  }
  return access;
}

std::string generations_text(const Access& access, const char* capability) {
  return page_text({{labs::other_generations(access, capability)}}, kPlain);
}

// Every second word: 256 bytes. Half-warps of 1.2 take a segment of 128 bytes each, lines of 2.x
// the same two; from 5.x on 8 sectors. 128 of them are asked for.
TEST(Generations, HaveRulesOfTheirOwn) {
  EXPECT_EQ(generations_text(strided(Space::kGlobal, 8), "1.3"),
            "  1.2, 1.3  2 x 128 bytes, 128 bytes wasted\n");
  EXPECT_EQ(generations_text(strided(Space::kGlobal, 8), "2.1"),
            "  2.x  2 x 128 bytes, 128 bytes wasted\n");
  EXPECT_EQ(generations_text(strided(Space::kGlobal, 8), "9.0"),
            "  7.x and later  8 x 32 bytes, 128 bytes wasted\n");
  EXPECT_EQ(generations_text(strided(Space::kShared, 8), "12.0"), "  5.x and later  2 passes\n");
  EXPECT_EQ(times(generations_text(strided(Space::kShared, 8), "3.5"), "3.x"), 2U);  // both modes
  EXPECT_EQ(times(generations_text(strided(Space::kGlobal, 8), "all"), "\n"), 6U);
}

TEST(Generations, WhatIsNoneIsRefused) {
  for (const char* text : {"x", "", "4.0", "13", "3.x", "0.9", "3.55"}) {
    EXPECT_THROW(labs::require_capability(text), Error) << text;
  }
  for (const char* text : {"all", "1.0", "3", "9.0", "12.1"}) labs::require_capability(text);
}

TEST(MapPicture, HasTheBanksOfASharedAccess) {
  CaseRecord record;
  record.accesses = {strided(Space::kShared, 8)};
  // Two words of each even bank: two rows of 32 squares, of which half have a lane.
  const std::string svg = report::grid_svg(reading::pictures_of(record));
  EXPECT_EQ(times(svg, "<rect x="), 64U);
  EXPECT_EQ(times(svg, "fill=\"none\""), 32U);
}

}  // namespace
}  // namespace lab::cli
