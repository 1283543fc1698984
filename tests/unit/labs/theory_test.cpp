// Theory values at points worked out by hand.
#include <gtest/gtest.h>

#include <map>

#include "harness/core/formula.h"
#include "labs/registry.h"

namespace lab {
namespace {

double theory(const Lab& lab, const std::string& variant_name, const std::string& metric,
              const Params& params) {
  const auto& variant = find_variant(lab, variant_name);
  for (const auto& row : variant.theory) {
    if (row.metric == metric) {
      return Formula(row.formula).value(formula_names(variant, params, variant.launch(params)));
    }
  }
  ADD_FAILURE() << variant_name << " has no row for " << metric;
  return -1;
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
  // Words 0 .. 255 * 4: 1021 of them, 32 store instructions a block (31 full, one of 29 lanes),
  // and ceil(1021 / 8) = 128 sectors read.
  EXPECT_EQ(theory(lab, "stride", "shared_store_requests", stride(4)), 64);
  EXPECT_EQ(theory(lab, "stride", "global_load_requests", stride(4)), 64);
  EXPECT_EQ(theory(lab, "stride", "global_load_sectors", stride(4)), 256);
  // 4 * 1021 bytes of 32 * 128.
  EXPECT_DOUBLE_EQ(theory(lab, "stride", "global_load_efficiency", stride(4)), 4084.0 / 4096.0);
  // Stride 0: one word a block.
  EXPECT_EQ(theory(lab, "stride", "global_load_sectors", stride(0)), 2);
  EXPECT_DOUBLE_EQ(theory(lab, "stride", "global_load_efficiency", stride(0)), 4.0 / 32.0);
  // 256 floats a block out: 8 requests of 4 sectors.
  EXPECT_EQ(theory(lab, "stride", "global_store_sectors", stride(4)), 64);
}

// 256 x 256 floats are 16384 times 16 bytes, 512 instructions of a warp, whatever the tile's shape.
TEST(Lab4, BestMovesSixteenBytesALaneOnEverySide) {
  const auto& lab = find_lab("4");
  const Params point = {{"big_rows", 2},       {"big_cols", 2}, {"tile_height", 32},
                        {"tile_width", 128},   {"stream", 0},   {"order", 1},
                        {"block_threads", 128}};
  EXPECT_EQ(theory(lab, "best", "global_load_requests", point), 512);
  EXPECT_EQ(theory(lab, "best", "global_store_sectors", point), 512 * 16);
  EXPECT_EQ(theory(lab, "best", "shared_load_wavefronts", point), 512 * 4);
}

// One tile of 128 x 128, one step of 16. Of A and of B 2048 numbers come, 16 warps' loads each. A's
// are stored word by word, 64 instructions, and meet in pairs where a warp holds four columns; B's
// by 16 bytes, 16 instructions of four wavefronts. Eight warps read four times 16 bytes a lane for
// each of 16 columns: 512 loads of two wavefronts.
TEST(Lab7, BestCountsOfOneTile) {
  const auto& lab = find_lab("7");
  const auto at = [&](const std::string& metric, std::int64_t depth) {
    return theory(
        lab, "best", metric,
        {{"tile_rows", 1}, {"tile_cols", 1}, {"steps", 1}, {"depth", depth}, {"resident", 2}});
  };
  EXPECT_EQ(at("global_load_requests", 8), 32);
  EXPECT_EQ(at("global_load_sectors", 16), 512);
  EXPECT_EQ(at("shared_store_requests", 8), 80);
  EXPECT_EQ(at("shared_store_wavefronts", 8), 64 + 64);
  EXPECT_EQ(at("shared_store_wavefronts", 16), 128 + 64);
  EXPECT_EQ(at("shared_bank_conflicts", 8), 0);
  EXPECT_EQ(at("shared_bank_conflicts", 16), 64);
  EXPECT_EQ(at("shared_load_wavefronts", 8), 1024);
}

}  // namespace
}  // namespace lab
