#include "harness/model/layout/layout.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/model/layout/search.h"
#include "harness/model/layout/shapes.h"

namespace lab::layout {
namespace {

Problem tile(std::uint32_t element, std::uint64_t rows, std::uint64_t columns,
             std::initializer_list<const char*> accesses) {
  Problem problem;
  problem.element = element;
  problem.bytes = rows * columns * element;
  problem.columns = {columns};
  int site = 0;
  for (const char* text : accesses) {
    for (const Use& use : uses_of(text, {element, rows, columns}, site))
      problem.uses.push_back(use);
    ++site;
  }
  return problem;
}

TEST(Layout, EveryCandidateIsOneToOneAndInItsBounds) {
  Problem problem = tile(4, 24, 32, {"column"});
  for (const bool global : {false, true}) {
    problem.global = global;
    for (const std::uint64_t columns : {std::uint64_t{32}, std::uint64_t{48}, std::uint64_t{7}}) {
      for (const Layout& layout : candidates(problem, columns)) {
        std::set<std::uint64_t> places;
        for (std::uint64_t i = 0; i < 24 * 32; ++i) places.insert(layout.place(i));
        EXPECT_EQ(places.size(), 24U * 32) << written(layout, "a");
        EXPECT_LT(*places.rbegin(), layout.elements()) << written(layout, "a");
      }
    }
  }
}

TEST(Layout, IsWrittenAsAPersonWritesIt) {
  Layout layout{Family::kPadded, 32, 32, 1};
  EXPECT_EQ(written(layout, "tile"), "tile[32][33]");
  EXPECT_EQ(written_flat(layout, "s"), "s[i + i / 32]");
  layout = {Family::kPermuted, 32, 32, 0, 0, 0, 5, 0};
  EXPECT_EQ(written(layout, "tile"), "tile[r][c ^ r]");
  layout = {Family::kPermuted, 32, 64, 0, 0, 1, 2, 3};
  EXPECT_EQ(written(layout, "tile"), "tile[r][c ^ r / 2 % 4 * 8]");
  layout = {Family::kRotated, 48, 32, 0, 1};
  EXPECT_EQ(written(layout, "tile"), "tile[r][(c + r) % 48]");
  layout = {Family::kTransposed, 4, 64};
  EXPECT_EQ(written(layout, "p"), "p[c][r] of [4][64]");
  EXPECT_EQ(written_flat(layout, "p"), "p[i % 4 * 64 + i / 4]");
}

// A column of 32 rows of 32 words is one bank: 32 wavefronts, 32 columns. With 33 words a row, one.
TEST(Search, AColumnIsPadded) {
  const Solution solution = solve(tile(4, 32, 32, {"store:row", "column"}));
  EXPECT_EQ(solution.now.cost, 32U + 32 * 32);
  EXPECT_EQ(solution.least, 32U + 32);
  ASSERT_FALSE(solution.better.empty());
  EXPECT_EQ(solution.better[0].layout, (Layout{Family::kPadded, 32, 32, 1}));
  EXPECT_EQ(solution.better[0].cost, 64U);
  EXPECT_EQ(solution.better[0].bytes, 32U * 33 * 4);
}

// Contiguous float4: 8 lanes take 128 bytes, one wavefront; four groups make four, none wasted.
// A calculator that takes all 32 lanes for one group says four-way conflict.
TEST(Search, ContiguousFloat4HasNoConflicts) {
  const Solution solution = solve(tile(16, 32, 8, {"row"}));
  EXPECT_EQ(solution.now.cost, 8U * 4);
  EXPECT_EQ(solution.least, 8U * 4);
  EXPECT_TRUE(solution.better.empty());
}

// Eight rows of 128 bytes begin in one bank: eight wavefronts a matrix, as the H200 measured for a
// pitch of 128 bytes; permuted by row % 8, one (32 and 4 for ldmatrix.x4).
TEST(Search, MatrixRowsArePermutedOrPaddedBySixteenBytes) {
  Problem problem = tile(2, 64, 64, {"matrix"});
  Solution solution = solve(problem);
  EXPECT_EQ(solution.now.cost, 4U * 4 * 32);  // 16 x4 loads: 4 bands of 16 rows, 4 pairs of columns
  EXPECT_EQ(solution.least, 4U * 4 * 4);
  ASSERT_GE(solution.better.size(), 2U);
  EXPECT_TRUE(solution.padding_breaks_vectors);
  EXPECT_EQ(solution.better[0].layout, (Layout{Family::kPadded, 64, 64, 8}));  // 144 bytes
  EXPECT_EQ(solution.better[0].cost, solution.least);
  EXPECT_EQ(solution.better[1].layout, (Layout{Family::kPermuted, 64, 64, 0, 0, 0, 3, 3}));
  EXPECT_EQ(solution.better[1].cost, solution.least);
  // Rows of 64 bytes: measured 16 for a pitch of 64, 8 where the row permutes by row % 4; by
  // row / 2 % 4 there is no conflict.
  solution = solve(tile(2, 64, 32, {"matrix"}));
  EXPECT_EQ(solution.now.cost, 4U * 2 * 16);
  ASSERT_GE(solution.better.size(), 2U);
  EXPECT_EQ(solution.better[1].layout, (Layout{Family::kPermuted, 32, 64, 0, 0, 1, 2, 3}));
  EXPECT_EQ(solution.better[1].cost, 4U * 2 * 4);
}

// An H200's counts: rows of 16 bytes `pitch` bytes apart, their place in the pitch permuted by row
// % `permuted` where that is not 0; .x1, .x2 and .x4 take the rows of 8, 16 and 32 lanes.
TEST(Cost, OfMatrixRowsIsWhatTheHardwareCounted) {
  std::ifstream file(LAB_SOURCE_DIR "/tests/fixtures/reference/h200_matrix_and_async_copies.csv");
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    const std::size_t kind = line.find("matrix.x");
    if (kind == std::string::npos) continue;
    std::vector<std::string> cells;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    ASSERT_GE(cells.size(), 7U) << line;
    const std::int64_t pitch = std::stoll(cells[1]);
    const std::int64_t permuted = std::stoll(cells[2]);
    Use use;
    use.rule = CostRule::kSharedRows;
    use.unit = use.bytes = kMatrixRowBytes;
    use.offset.fill(-1);
    for (std::int64_t row = 0; row < 8 * (line[kind + 8] - '0'); ++row) {
      use.offset[static_cast<std::size_t>(row)] =
          row * pitch + (permuted > 0 ? row % permuted * kMatrixRowBytes : 0);
    }
    const std::string measured = line.starts_with("st") ? cells[6] : cells[4];
    EXPECT_EQ(cost({use}, 2, {}), std::stoull(measured)) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 30);
}

// Where memory is short, what needs none of it is best.
TEST(Search, PaddingKeepsToTheBoundOfMemory) {
  Problem problem = tile(4, 32, 32, {"column"});
  problem.most_bytes = problem.bytes;
  const Solution solution = solve(problem);
  ASSERT_FALSE(solution.better.empty());
  EXPECT_EQ(solution.better[0].layout.family, Family::kPermuted);
  EXPECT_EQ(solution.better[0].cost, solution.least);
}

// Neighbouring words that the compiler merged into one access of 16 bytes stay one only where they
// lie together: padding by a word makes them four accesses.
TEST(Search, MergedAccessesMayFallApart) {
  Use use;
  use.bytes = 16;
  use.unit = 4;
  for (int lane = 0; lane < 32; ++lane) use.offset[static_cast<std::size_t>(lane)] = lane * 128;
  // As it is: a quarter's 8 rows are 8 words of each of four banks, 8 wavefronts, 32 in all.
  EXPECT_EQ(cost({use}, 4, {Family::kAsIs, 32, 32}), 32U);
  // One by one: words of rows 33 apart, one wavefront each.
  EXPECT_EQ(cost({use}, 4, {Family::kPadded, 32, 32, 1}), 4U);
  use.unit = 16;
  EXPECT_EQ(cost({use}, 4, {Family::kPadded, 32, 32, 1}), std::nullopt);
  EXPECT_EQ(cost({use}, 4, {Family::kPadded, 32, 32, 4}), 4U);
}

// Structures of four floats, of which a warp reads one: 32 lanes 16 bytes apart touch 16 sectors.
// An array for each field: 32 * 4 / 32 = 4.
TEST(Search, StructuresBecomeArrays) {
  Problem problem;
  problem.global = true;
  problem.bytes = 4096 * 16;
  Use use;
  use.rule = CostRule::kGlobal;
  for (std::int64_t lane = 0; lane < 32; ++lane) {
    use.offset[static_cast<std::size_t>(lane)] = lane * 16;
  }
  problem.uses = {use};
  problem.columns = suggested_columns(problem);
  ASSERT_EQ(problem.columns, std::vector<std::uint64_t>{4});
  const Solution solution = solve(problem);
  EXPECT_EQ(solution.now.cost, 16U);
  ASSERT_FALSE(solution.better.empty());
  EXPECT_EQ(solution.better[0].layout, (Layout{Family::kTransposed, 4, 4096}));
  EXPECT_EQ(solution.better[0].cost, 4U);
}

TEST(Shapes, WhatIsNotKnownIsRefused) {
  const Tile tile{2, 64, 64};
  for (const char* text : {"", "diagonal", "column:3", "matrix:8", "row:16:x", "store", "16:row"}) {
    EXPECT_THROW(static_cast<void>(uses_of(text, tile, 0)), Error) << text;
  }
  EXPECT_THROW(static_cast<void>(uses_of("matrix", {2, 8, 64}, 0)), Error);
  EXPECT_THROW(static_cast<void>(uses_of("column:16", {4, 32, 3}, 0)), Error);
}

}  // namespace
}  // namespace lab::layout
