#include "harness/kernel/cubin/sass.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/unit/cubin/support.h"

namespace lab::cubin {
namespace {

struct Row {
  std::uint64_t opcode;
  std::uint64_t width;
  int sm;
  const char* name;
  int bytes;
};

TEST(Sass, DecodesMemoryInstructions) {
  // Opcodes and width codes as ptxas 13.0 makes them for accesses of known width.
  constexpr Row kRows[] = {
      {0x981, 0, 90, "LDG", 1},      {0x981, 3, 90, "LDG", 2},     {0x981, 4, 75, "LDG", 4},
      {0x381, 5, 90, "LDG", 8},      {0x981, 6, 120, "LDG", 16},   {0x97e, 4, 100, "LDG", 32},
      {0x97f, 4, 100, "STG", 32},    {0x986, 6, 90, "STG", 16},    {0x386, 4, 90, "STG", 4},
      {0x984, 4, 90, "LDS", 4},      {0x984, 6, 90, "LDS", 16},    {0x988, 5, 90, "STS", 8},
      {0x388, 2, 90, "STS", 2},      {0x983, 4, 90, "LDL", 4},     {0x387, 6, 90, "STL", 16},
      {0x980, 4, 90, "LD", 4},       {0x985, 4, 90, "ST", 4},      {0xb82, 5, 90, "LDC", 8},
      {0x3a8, 2, 75, "ATOMG", 8},    {0x9a8, 0, 90, "ATOMG", 4},   {0x9a3, 1, 90, "ATOMG", 4},
      {0x9a3, 7, 90, "ATOMG", 8},    {0x3a9, 2, 90, "ATOMG", 8},   {0x98c, 0, 90, "ATOMS", 4},
      {0x38d, 2, 90, "ATOMS", 8},    {0x58d, 0, 120, "ATOMS", 4},  {0x98e, 6, 75, "RED", 8},
      {0x9a6, 1, 90, "RED", 4},      {0x98a, 0, 90, "ATOM", 4},    {0x38b, 2, 90, "ATOM", 8},
      {0x9a2, 7, 90, "ATOM", 8},     {0x83b, 1, 90, "LDSM", 16},   {0xfae, 4, 90, "LDGSTS", 4},
      {0xfae, 6, 80, "LDGSTS", 16},  {0xfae, 0, 100, "LDGSTS", 4}, {0xfae, 2, 120, "LDGSTS", 8},
      {0xfae, 4, 120, "LDGSTS", 16}, {0x981, 7, 90, "LDG", 0},
  };
  for (const Row& row : kRows) {
    const auto access = decode(word(row.opcode, row.width), row.sm);
    ASSERT_TRUE(access.has_value()) << std::hex << row.opcode;
    EXPECT_EQ(name_of(access->kind), row.name) << std::hex << row.opcode;
    EXPECT_EQ(access->bytes, row.bytes) << std::hex << row.opcode << " " << row.width;
  }
  // FADD, BRA, IMAD, MEMBAR, CCTL touch no memory of a lane.
  for (const std::uint64_t opcode : {0x221U, 0x947U, 0x224U, 0x992U, 0x98fU}) {
    EXPECT_FALSE(decode(word(opcode, 4), 90).has_value()) << std::hex << opcode;
  }
}

// ldmatrix with .x1, .x2 and .x4, as ptxas 13.0 encodes it for sm_80 to sm_100.
TEST(Sass, MatrixLoadsSayHowManyMatricesTheyBring) {
  constexpr std::array<int, 4> kBytes{4, 8, 16, 0};
  for (std::uint8_t code = 0; code < kBytes.size(); ++code) {
    File bits = word(0x83b, 0);
    bits.at(9) = code;  // bits 72 to 79
    EXPECT_EQ(decode(bits, 90)->bytes, kBytes.at(code)) << int{code};
  }
}

TEST(Sass, DecodesPredicateAndOffset) {
  const auto always = decode(word(0x984, 4, 7, 0x10), 90);
  EXPECT_FALSE(always->predicated);
  EXPECT_EQ(always->offset, 16);
  EXPECT_EQ(always->address_register, 2);
  EXPECT_TRUE(decode(word(0x984, 4, 0), 90)->predicated);
  EXPECT_TRUE(decode(word(0x984, 4, 15), 90)->predicated);  // never: the negation of "always"
  EXPECT_EQ(decode(word(0x984, 4, 7, 0xfffff8), 90)->offset, -8);
}

TEST(Sass, KnowsHowLanesAgree) {
  for (const std::uint64_t vote : {0x806U, 0x886U, 0x3c4U, 0x3a1U, 0x2ccU}) {
    EXPECT_TRUE(is_warp_vote(word(vote, 0))) << std::hex << vote;
  }
  EXPECT_FALSE(is_warp_vote(word(0x984, 4)));
  EXPECT_TRUE(decode(word(0xf8c, 0), 90)->combines);
  EXPECT_FALSE(decode(word(0x98c, 0), 90)->combines);
}

TEST(Sass, SortsKinds) {
  EXPECT_TRUE(is_atomic(Kind::kAtomicShared));
  EXPECT_TRUE(is_atomic(Kind::kReduction));
  EXPECT_FALSE(is_atomic(Kind::kCopyAsync) || is_atomic(Kind::kLoadGlobal));
}

}  // namespace
}  // namespace lab::cubin
