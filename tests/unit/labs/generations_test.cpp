// Rules of the generations at the patterns of the CUDA guide's figures. Lanes 16 to 31 repeat what
// lanes 0 to 15 do, so every count is twice that of a half-warp.
#include "harness/reading/generations/generations.h"

#include <gtest/gtest.h>

namespace lab::labs {
namespace {

// Sizes of the transactions of one half-warp, in order.
std::vector<std::uint32_t> sizes(std::size_t rule, int number, std::uint32_t width) {
  const auto all = global_rules()[rule].transactions(figure(number, width), width);
  std::vector<std::uint32_t> half;
  for (std::size_t i = 0; i < all.size() / 2; ++i) half.push_back(all[i].bytes);
  return half;
}

using Sizes = std::vector<std::uint32_t>;

// In order, lanes off or not: one transaction. Anything else: one of 32 bytes per lane.
TEST(Capability10, CoalescesInOrderOnly) {
  EXPECT_EQ(sizes(0, 1, 4), (Sizes{64}));
  for (const int figure_number : {2, 3, 4, 5, 6}) {
    EXPECT_EQ(sizes(0, figure_number, 4), Sizes(16, 32)) << figure_number;
  }
  EXPECT_EQ(sizes(0, 1, 8), (Sizes{128}));
  EXPECT_EQ(sizes(0, 1, 16), (Sizes{128, 128}));
}

// 2 and 4: within 64 bytes. 3 and 6: bytes 4 to 67 lie in both halves of 128. 5: bytes 88 to 151
// are in one segment 88 to 127, more than its last quarter, and in the next 128 to 151, its first.
TEST(Capability12, ShrinksSegments) {
  EXPECT_EQ(sizes(1, 1, 4), (Sizes{64}));
  EXPECT_EQ(sizes(1, 2, 4), (Sizes{64}));
  EXPECT_EQ(sizes(1, 3, 4), (Sizes{128}));
  EXPECT_EQ(sizes(1, 4, 4), (Sizes{64}));
  EXPECT_EQ(sizes(1, 5, 4), (Sizes{64, 32}));
  EXPECT_EQ(sizes(1, 6, 4), (Sizes{128}));
}

TEST(Capability20, MovesLines) {
  EXPECT_EQ(sizes(2, 1, 4), (Sizes{128}));
  EXPECT_EQ(sizes(2, 5, 4), (Sizes{128, 128}));
  // 16 bytes per lane: four quarter-warps of 128 bytes, one line each in order.
  EXPECT_EQ(sizes(2, 1, 16), (Sizes{128, 128}));
}

// Bytes 4 to 67: sectors 0, 1, 2. Bytes 88 to 151: 2, 3, 4.
TEST(Capability70, MovesSectors) {
  EXPECT_EQ(sizes(5, 1, 4), Sizes(2, 32));
  EXPECT_EQ(sizes(5, 2, 4), Sizes(2, 32));
  EXPECT_EQ(sizes(5, 3, 4), Sizes(3, 32));
  EXPECT_EQ(sizes(5, 5, 4), Sizes(3, 32));
  EXPECT_EQ(sizes(5, 6, 4), Sizes(3, 32));
  EXPECT_EQ(sizes(5, 1, 16), Sizes(8, 32));
}

// 16 bytes per lane, one element too far: eight lanes use bytes 16 to 143, five sectors, and the
// next eight 144 to 271, of which sector 4 has been asked for already. A whole warp asks for it
// once.
TEST(Capability50, AsksForASectorOncePerPart) {
  EXPECT_EQ(sizes(4, 3, 16), Sizes(10, 32));
  EXPECT_EQ(sizes(5, 3, 16), Sizes(9, 32));
}

// As old guides print them, for floats.
TEST(Figures, HaveTheAddressesOfTheirSources) {
  const auto addresses = [](int number) {
    std::vector<int> all;
    for (std::size_t l = 0; l < 16; ++l) {
      const auto at = figure(number, 4)[l];
      all.push_back(at ? static_cast<int>(*at) : -1);
    }
    return all;
  };
  EXPECT_EQ(addresses(1),
            (std::vector{0, 4, 8, -1, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60}));
  EXPECT_EQ(addresses(5).front(), 88);
  EXPECT_EQ(addresses(5).back() + 4, 152);
  EXPECT_EQ(addresses(6).front(), 4);
  EXPECT_EQ(addresses(6).back(), 64);
}

// A lane off leaves 4 of 64 bytes unused; 16 lone lanes use 64 of 512.
TEST(Wasted, CountsWhatNobodyAskedFor) {
  const auto pattern = figure(1, 4);
  EXPECT_EQ(wasted(global_rules()[0].transactions(pattern, 4), pattern, 4), 2U * 4);
  const auto swapped = figure(2, 4);
  EXPECT_EQ(wasted(global_rules()[0].transactions(swapped, 4), swapped, 4), 2U * (512 - 64));
  EXPECT_EQ(wasted(global_rules()[5].transactions(swapped, 4), swapped, 4), 0U);
}

Pattern strided(std::uint64_t step) {
  Pattern pattern;
  for (std::uint64_t l = 0; l < 32; ++l) pattern[l] = l * step;
  return pattern;
}

std::vector<int> passes(const Pattern& pattern, std::uint32_t width) {
  std::vector<int> all;
  for (const auto& rule : shared_rules()) all.push_back(rule.passes(pattern, width));
  return all;
}

using Passes = std::vector<int>;

// Order: 1.x, 2.x, 3.x with 4 bytes, 3.x with 8 bytes, 5.x.
TEST(Banks, InOrderEachGenerationTakesItsLeast) {
  EXPECT_EQ(passes(strided(4), 4), (Passes{2, 1, 1, 1, 1}));  // two half-warps on 1.x
  // Doubles: words twice as long go twice on 1.x, by half-warps on 2.x and 5.x, at once on 3.x.
  EXPECT_EQ(passes(strided(8), 8), (Passes{8, 2, 1, 1, 2}));
}

// A stride of two words: 16 banks meet themselves twice in 16 lanes, 32 banks in 32. On 3.x words i
// and i + 32 come together, and in 8-byte mode 32 lanes use 32 double words.
TEST(Banks, AStrideOfTwo) { EXPECT_EQ(passes(strided(8), 4), (Passes{4, 2, 1, 1, 2})); }

TEST(Banks, AStrideOf32) { EXPECT_EQ(passes(strided(128), 4), (Passes{32, 32, 16, 16, 32})); }

TEST(Banks, ABroadcastIsFree) {
  EXPECT_EQ(passes(strided(0), 4), (Passes{2, 1, 1, 1, 1}));
  EXPECT_EQ(passes(strided(0), 8).back(), 1);   // both groups merge
  EXPECT_EQ(passes(strided(0), 16).back(), 2);  // four groups merge in pairs
}

// 16 bytes per lane on 2.x: four quarter-warps of two passes, one of them the width's.
TEST(Banks, WideAccessesOfFermiTakeOneMore) { EXPECT_EQ(passes(strided(16), 16)[1], 8); }

// Lanes agree in pairs, so groups of 8 merge to 16 lanes: 8 addresses of 16 bytes, 32 words each,
// one wavefront for each of two groups. At a step of 256 bytes the 8 addresses share four banks:
// merged 8 a group, and counters by patching see the groups by themselves, 4 lanes' worth each.
TEST(BankCost, MergesWhereLanesAgreeInPairs) {
  Pattern pairs;
  for (std::uint64_t l = 0; l < 32; ++l) pairs[l] = l / 2 * 16;
  const auto free = bank_cost(pairs, 16);
  EXPECT_EQ(free.wavefronts, 2);
  EXPECT_EQ(free.wavefronts_sass, 2);
  EXPECT_EQ(free.groups, 2);
  for (std::uint64_t l = 0; l < 32; ++l) pairs[l] = l / 2 * 256;
  const auto hot = bank_cost(pairs, 16);
  EXPECT_EQ(hot.wavefronts, 16);
  EXPECT_EQ(hot.wavefronts_sass, 16);
  EXPECT_EQ(hot.groups, 2);
}

}  // namespace
}  // namespace lab::labs
