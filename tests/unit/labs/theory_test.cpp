// Theory values at points worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/core/error.h"
#include "harness/labs/registry.h"

namespace lab {
namespace {

double theory(const Lab& lab, const std::string& variant_name, const std::string& metric,
              const Params& params) {
  const auto& variant = find_variant(lab, variant_name);
  for (const auto& row : variant.theory) {
    if (row.metric == metric) {
      return row.formula.value(formula_names(variant, params, variant.launch(params)));
    }
  }
  ADD_FAILURE() << variant_name << " has no row for " << metric;
  return -1;
}

// The least value of a parameter and the two greatest.
std::vector<ParamValue> ends(const ParamSpec& spec) {
  if (spec.accepts) return {std::string("0..496+16")};
  if (!spec.choices.empty()) return {spec.choices.front(), spec.choices.back()};
  if (!spec.only.empty()) return {spec.only.front(), spec.only.back()};
  return {spec.min, std::max(spec.min, spec.max - 1), spec.max};
}

// Whether the kind of access that `metric` is about (global_load_...) does not happen at a point.
bool is_of_nothing(const Variant& variant, const std::string& metric, const FormulaNames& names) {
  const auto requests = metric.substr(0, metric.find('_', metric.find('_') + 1)) + "_requests";
  return std::any_of(variant.theory.begin(), variant.theory.end(), [&](const TheoryRow& row) {
    return row.metric == requests && row.formula.value(names) == 0;
  });
}

// Sizes that a model would take hours for have a theory too, and a count is a whole number.
TEST(Theory, HasAValueAtTheEndsOfAllRanges) {
  for (const auto& lab : all_labs()) {
    for (const auto& variant : lab.variants) {
      std::vector<std::pair<std::string, std::vector<ParamValue>>> axes;
      for (const auto& name : variant.reads) {
        axes.emplace_back(name, ends(find_param(lab, name)));
      }
      const auto points = product(axes);
      for (const auto& row : variant.theory) {
        const Expr& low = row.formula;
        const Expr& high = row.high ? *row.high : row.formula;
        const bool ratio = row.metric.find("efficiency") != std::string::npos ||
                           row.metric.find("ways") != std::string::npos ||
                           row.metric.find("per_request") != std::string::npos;
        for (const auto& point : points) {
          SCOPED_TRACE(lab.id + " " + variant.name + " " + row.metric + " " + point.text());
          const auto names = formula_names(variant, point, variant.launch(point));
          if (ratio && is_of_nothing(variant, row.metric, names)) {
            EXPECT_THROW((void)low.value(names), Error);  // lab 5's branch with one thread
            continue;
          }
          const double value = low.value(names);
          EXPECT_GE(value, 0);
          EXPECT_LE(value, high.value(names));
          if (!ratio && !row.metric.ends_with("_rate")) {
            EXPECT_EQ(value, std::floor(value));
          }
        }
      }
    }
  }
}

Params stride(std::int64_t value) { return {{"stride", value}, {"loads", 10}, {"blocks", 2}}; }

TEST(Lab3, WaysOfAStrideAreItsCommonDivisorWith32) {
  const auto& lab = find_lab("3");
  // Lanes 0..31 at stride s, written out: 0 reads one word; 1 reads 32 banks; 2 reads the 16 even
  // banks twice; 12 = 4 * 3 reads every fourth bank four times; 32 reads bank 0 with 32 words;
  // 33 steps one bank further each time.
  const std::map<std::int64_t, double> ways = {{0, 1},   {1, 1},  {2, 2},  {3, 1},   {12, 4},
                                               {16, 16}, {24, 8}, {31, 1}, {32, 32}, {33, 1}};
  for (const auto& [s, expected] : ways) {
    EXPECT_EQ(theory(lab, "stride", "shared_load_ways", stride(s)), expected) << "stride " << s;
  }
}

TEST(Lab3, StrideCountsOfTwoBlocks) {
  const auto& lab = find_lab("3");
  // 2 blocks x 8 warps x 10 loads = 160 requests, 4 ways each = 640 wavefronts, 480 conflicts.
  EXPECT_EQ(theory(lab, "stride", "shared_load_requests", stride(4)), 160);
  EXPECT_EQ(theory(lab, "stride", "shared_load_wavefronts", stride(4)), 640);
  EXPECT_EQ(theory(lab, "stride", "shared_bank_conflicts", stride(4)), 480);
  // Words 0 .. 255 * 4: 1021 of them, 32 store instructions per block (31 full, one of 29 lanes),
  // and ceil(1021 / 8) = 128 sectors read.
  EXPECT_EQ(theory(lab, "stride", "shared_store_requests", stride(4)), 64);
  EXPECT_EQ(theory(lab, "stride", "global_load_requests", stride(4)), 64);
  EXPECT_EQ(theory(lab, "stride", "global_load_sectors", stride(4)), 256);
  // 4 * 1021 bytes of 32 * 128.
  EXPECT_DOUBLE_EQ(theory(lab, "stride", "global_load_efficiency", stride(4)), 4084.0 / 4096.0);
  // Stride 0: one word a block.
  EXPECT_EQ(theory(lab, "stride", "global_load_sectors", stride(0)), 2);
  EXPECT_DOUBLE_EQ(theory(lab, "stride", "global_load_efficiency", stride(0)), 4.0 / 32.0);
  // 256 floats per block out: 8 requests of 4 sectors.
  EXPECT_EQ(theory(lab, "stride", "global_store_sectors", stride(4)), 64);
}

// 3M elements, 98,304 warps: each side of the branch is a request of its own, four sectors for the
// three of four lanes and one for the others. Nothing is saved where they idle.
TEST(Lab5, BranchesAreTwoRequests) {
  const auto at = [](const std::string& variant, const std::string& metric, std::int64_t n) {
    return theory(find_lab("5"), variant, metric, {{"n", n}});
  };
  EXPECT_EQ(at("branch_first", "global_load_requests", 3 << 20), 196608);
  EXPECT_EQ(at("branch_first", "global_load_sectors", 3 << 20), 98304 * 4 + 98304);
  EXPECT_EQ(at("branch_block", "global_store_sectors", 3 << 20), 491520);
  EXPECT_EQ(at("branch_idle", "global_load_requests", 3 << 20), 98304);
  // 33 elements: lanes 1..31 without every fourth, and the others of two warps; lane 0 of the
  // second warp is alone there.
  EXPECT_EQ(at("branch_first", "global_load_requests", 33), 1 + 2);
  EXPECT_EQ(at("branch_first", "global_load_sectors", 33), 4 + 2);
}

// The exercise as printed, 12,288 blocks of eight warps. Case 2 has two requests per warp, of four
// sectors and of one. Case 3 has one request: the block's first element is a fifth sector in all
// warps but the block's first, 8 * 4 + 7 = 39 per block.
TEST(Lab5, AsPrintedTheCompilerJoinsTheSidesOfTheLastBranch) {
  const auto at = [](const std::string& variant, const std::string& metric) {
    return theory(find_lab("5"), variant, metric, {{"blocks", 12288}});
  };
  EXPECT_EQ(at("printed_idle", "global_load_requests"), 98304);
  EXPECT_EQ(at("printed_idle", "global_load_sectors"), 98304 * 4);
  EXPECT_EQ(at("printed_first", "global_load_requests"), 2 * 98304);
  EXPECT_EQ(at("printed_first", "global_store_sectors"), 98304 * 5);
  EXPECT_EQ(at("printed_block", "global_load_requests"), 98304);
  EXPECT_EQ(at("printed_block", "global_load_sectors"), 479232);
  // 24 elements of its own and the block's first, 4 bytes each, of 39 sectors of 32 bytes.
  EXPECT_DOUBLE_EQ(at("printed_block", "global_load_efficiency"), 8 * 25 * 4 / (39 * 32.0));
}

// One warp: x is read again for each of 32 powers, four sectors each time; stores of a sector per
// lane, or of four.
TEST(Lab6, AsPrintedXIsReadAgain) {
  const auto at = [](const std::string& variant, const std::string& metric) {
    return theory(find_lab("6"), variant, metric, {{"threads", 32}, {"blocks", 1}});
  };
  EXPECT_EQ(at("thread_major_printed", "global_load_sectors"), 128);
  EXPECT_EQ(at("power_major_printed", "global_load_sectors"), 128);
  EXPECT_EQ(at("thread_major_printed", "global_store_sectors"), 32 * 32);
  EXPECT_EQ(at("power_major_printed", "global_store_sectors"), 32 * 4);
}

// 32,768 floats at 16 bytes per lane are 256 requests of 16 sectors. Scattered runs of 8 floats are
// 16 of a request, each on a line of its own; in order, and in runs of a line, 4 lines.
TEST(Lab10, WideBurstsMoveTheSameSectors) {
  const auto at = [](const std::string& metric, std::int64_t run, std::int64_t scatter) {
    return theory(find_lab("10"), "bursts_wide", metric,
                  {{"elements", 32768}, {"run", run}, {"scatter", scatter}});
  };
  EXPECT_EQ(at("global_load_requests", 16, 1), 256);
  EXPECT_EQ(at("global_load_sectors", 16, 1), 256 * 16);
  EXPECT_EQ(at("global_load_lines", 8, 1), 256 * 16);
  EXPECT_EQ(at("global_load_lines", 32, 1), 256 * 4);
  EXPECT_EQ(at("global_load_lines", 8, 0), 256 * 4);
  EXPECT_EQ(at("global_store_requests", 8, 0), 32768 / 512);
}

// 36 floats backwards: the full warp reads elements 4 to 35, bytes 16 to 143, five sectors, and the
// four lanes of the other one sector. So do all sizes that are not whole sectors, odd or even.
TEST(Lab1, ReverseCostsASectorMoreWhereTheSizeIsNotWholeSectors) {
  const auto& lab = find_lab("1");
  EXPECT_EQ(theory(lab, "reverse", "global_load_sectors", {{"n", 36}, {"bytes", 4}}), 5 + 1);
  EXPECT_EQ(theory(lab, "reverse", "global_load_sectors", {{"n", 40}, {"bytes", 4}}), 4 + 1);
  for (const auto& row : find_variant(lab, "reverse").theory) {
    if (row.metric != "global_load_sectors") continue;
    EXPECT_NE(row.why.find("n not a multiple of 8"), std::string::npos) << row.why;
  }
}

double of_best_transpose(const std::string& metric, std::int64_t rows, std::int64_t cols) {
  return theory(find_lab("4"), "best", metric,
                {{"rows", rows},
                 {"cols", cols},
                 {"tile_height", 32},
                 {"tile_width", 128},
                 {"stream", 0},
                 {"order", 1},
                 {"block_threads", 128}});
}

// 256 x 256 floats are 16384 times 16 bytes, 512 instructions of a warp, whatever the tile's shape.
TEST(Lab4, BestMovesSixteenBytesALaneOnEverySide) {
  EXPECT_EQ(of_best_transpose("global_load_requests", 256, 256), 512);
  EXPECT_EQ(of_best_transpose("global_store_sectors", 256, 256), 512 * 16);
  EXPECT_EQ(of_best_transpose("shared_load_wavefronts", 256, 256), 512 * 4);
}

// 3 x 40 floats. A row of 40 is a warp of 32 and one of 8; rows begin at bytes 0, 160, 320, all
// whole sectors: 4 + 1 each. Turned, 40 rows of 3: a request each; row r begins at byte 12 r and
// ends 11 further on, in another sector where 12 r % 32 > 20: of 8 rows (96 bytes) those that begin
// at 0 12 24 4 16 28 8 20, two.
TEST(Lab4, BestOfSizesThatAreNoTiles) {
  EXPECT_EQ(of_best_transpose("global_load_requests", 3, 40), 6);
  EXPECT_EQ(of_best_transpose("global_load_sectors", 3, 40), 15);
  EXPECT_EQ(of_best_transpose("global_store_requests", 3, 40), 40);
  EXPECT_EQ(of_best_transpose("global_store_sectors", 3, 40), 50);
  EXPECT_EQ(of_best_transpose("shared_store_wavefronts", 3, 40), 6);
  EXPECT_EQ(of_best_transpose("shared_load_requests", 3, 40), 40);
}

// 3 x 331 = 993 floats are 248 times 16 bytes and one float: 8 requests, the last of 24 lanes, and
// one more. 248 * 16 = 3968 bytes are 124 sectors and 31 lines; the last float begins another.
TEST(Lab4, WideCopyOfAnOddSize) {
  const Params point = {{"rows", 3}, {"cols", 331}, {"stream", 0}};
  const auto at = [&](const std::string& metric) {
    return theory(find_lab("4"), "copy_wide", metric, point);
  };
  EXPECT_EQ(at("global_load_requests"), 9);
  EXPECT_EQ(at("global_store_sectors"), 125);
  EXPECT_EQ(at("global_load_lines"), 32);
}

double of_best_product(const std::string& metric, std::int64_t n, std::int64_t m, std::int64_t p,
                       std::int64_t depth) {
  return theory(find_lab("7"), "best", metric,
                {{"n", n}, {"m", m}, {"p", p}, {"depth", depth}, {"resident", 2}});
}

// One tile of 128 x 128, one step of 16. Of A and of B 2048 numbers come, 16 warps' loads each. A's
// are stored word by word, 64 instructions, and meet in pairs where a warp holds four columns; B's
// by 16 bytes, 16 instructions of four wavefronts. Eight warps read four times 16 bytes per lane
// for each of 16 columns: 512 loads of two wavefronts.
TEST(Lab7, BestCountsOfOneTile) {
  const auto at = [](const std::string& metric, std::int64_t depth) {
    return of_best_product(metric, 128, 16, 128, depth);
  };
  EXPECT_EQ(at("global_load_requests", 8), 32);
  EXPECT_EQ(at("global_load_sectors", 16), 512);
  EXPECT_EQ(at("shared_store_requests", 8), 80);
  EXPECT_EQ(at("shared_store_wavefronts", 8), 64 + 64);
  EXPECT_EQ(at("shared_store_wavefronts", 16), 128 + 64);
  EXPECT_EQ(at("shared_bank_conflicts", 8), 0);
  EXPECT_EQ(at("shared_bank_conflicts", 16), 64);
  EXPECT_EQ(at("shared_load_wavefronts", 8), 1024);
  // A row of A is 64 bytes. At depth 8 a request has 16 rows' halves: 8 lines, and 16 requests; at
  // depth 16 it has 8 whole rows: 4 lines. Of B each of 16 requests has a row's 4 lines.
  EXPECT_EQ(at("global_load_lines", 8), 16 * 8 + 16 * 4);
  EXPECT_EQ(at("global_load_lines", 16), 16 * 4 + 16 * 4);
}

// 5 x 9 times 9 x 33 at depth 8: one tile, two steps. Of A a request takes four rows of eight: rows
// 0 to 3 and row 4, for columns 0 to 7 and for column 8: 4. They are 36 bytes apart, less than a
// sector lies between: columns 0 to 7 span bytes 0..139, 144..175: 5 and 2 sectors (4, 5); column 8
// bytes 32..35, 68.., 104.., 140..143: 4 and 176..179: 1. Of B 9 rows of 33: 2 requests each; row k
// begins at byte 132 k, 4 k into a sector: 4 sectors where k is 0 or 8, else 5, and a last float
// at byte 132 k + 128: 1.
TEST(Lab7, BestOfSizesThatAreNoTiles) {
  const auto at = [](const std::string& metric) { return of_best_product(metric, 5, 9, 33, 8); };
  EXPECT_EQ(at("global_load_requests"), 4 + 18);
  EXPECT_EQ(at("global_load_sectors"), 5 + 2 + 4 + 1 + 2 * 4 + 7 * 5 + 9);
  EXPECT_EQ(at("global_store_requests"), 5 * 2);
  // Zeros are kept like numbers: 16 columns of 128 numbers of A and of B, a word a lane.
  EXPECT_EQ(at("shared_store_requests"), 16 * 8);
  EXPECT_EQ(at("shared_store_wavefronts"), 16 * 8);
  // Eight warps read 16 numbers of A and four rows of B for each of 16 columns.
  EXPECT_EQ(at("shared_load_requests"), 8 * 16 * 8);
  EXPECT_EQ(at("shared_load_wavefronts"), 8 * 16 * 12);
}

}  // namespace
}  // namespace lab
