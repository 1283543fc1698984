// Bit instructions against definitions that look at one bit at a time.
#include "harness/model/semantics/bits.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/unit/model/semantics/samples.h"

namespace lab::model::semantics {
namespace {

using test::integers;
using test::Random;

template <typename U>
bool bit(U value, std::uint32_t at) {
  return at < 8 * sizeof(U) && ((static_cast<std::uint64_t>(value) >> at) & 1U) != 0;
}

/// The ISA's own loop for bfe: bit i is a's bit pos + i where the field has it, else the sign.
template <typename T>
T slow_bfe(T a, std::uint32_t pos, std::uint32_t len) {
  const std::uint32_t msb = 8 * sizeof(T) - 1;
  bool sign = false;
  if (std::is_signed_v<T> && len != 0) sign = bit(a, pos + len - 1 < msb ? pos + len - 1 : msb);
  std::uint64_t d = 0;
  for (std::uint32_t i = 0; i <= msb; ++i) {
    const bool set = i < len && pos + i <= msb ? bit(a, pos + i) : sign;
    d |= std::uint64_t{set} << i;
  }
  return static_cast<T>(d);
}
template <typename U>
U slow_bfi(U a, U b, std::uint32_t pos, std::uint32_t len) {
  const std::uint32_t msb = 8 * sizeof(U) - 1;
  std::uint64_t d = b;
  for (std::uint32_t i = 0; i < len && pos + i <= msb; ++i) {
    d = (d & ~(std::uint64_t{1} << (pos + i))) | (std::uint64_t{bit(a, i)} << (pos + i));
  }
  return static_cast<U>(d);
}

template <typename T>
void check_bit_fields() {
  using U = std::make_unsigned_t<T>;
  const U background = static_cast<U>(0xa5c3f00d12345678U);
  for (const T a : integers<T>(10, 1)) {
    for (const std::uint32_t pos : {0U, 1U, 7U, 31U, 32U, 33U, 63U, 64U, 65U, 255U, 256U, 300U}) {
      for (const std::uint32_t len : {0U, 1U, 5U, 31U, 32U, 33U, 63U, 64U, 65U, 255U, 257U}) {
        // Only the low 8 bits of position and length count.
        EXPECT_EQ(bfe(a, pos, len), slow_bfe(a, pos & 255U, len & 255U)) << pos << ' ' << len;
        EXPECT_EQ(bfi<U>(static_cast<U>(a), background, pos, len),
                  slow_bfi<U>(static_cast<U>(a), background, pos & 255U, len & 255U))
            << pos << ' ' << len;
      }
    }
  }
}
TEST(Bits, FieldsAreExtractedAndInsertedBitByBit) {
  check_bit_fields<std::uint32_t>();
  check_bit_fields<std::int32_t>();
  check_bit_fields<std::uint64_t>();
  check_bit_fields<std::int64_t>();
}

template <typename T>
void check_shifts() {
  const std::uint32_t width = 8 * sizeof(T);
  for (const T a : integers<T>(20, 2)) {
    for (const std::uint32_t n :
         {0U, 1U, 7U, 15U, 16U, 17U, 31U, 32U, 33U, 63U, 64U, 65U, 1000U, 0x80000000U, ~0U}) {
      std::uint64_t left = 0;
      std::uint64_t right = 0;
      for (std::uint32_t i = 0; i < width; ++i) {
        if (n <= i) left |= std::uint64_t{bit(a, i - n)} << i;
        const bool from = n < width && i + n < width ? bit(a, i + n) : (a < 0);
        right |= std::uint64_t{from} << i;
      }
      EXPECT_EQ(shl(static_cast<std::make_unsigned_t<T>>(a), n),
                static_cast<std::make_unsigned_t<T>>(left))
          << n;
      EXPECT_EQ(shr(a, n), static_cast<T>(right)) << n;
    }
  }
}
TEST(Bits, ShiftsPastTheWidthGiveZeroOrTheSign) {
  check_shifts<std::uint16_t>();
  check_shifts<std::int16_t>();
  check_shifts<std::uint32_t>();
  check_shifts<std::int32_t>();
  check_shifts<std::uint64_t>();
  check_shifts<std::int64_t>();
}

TEST(Bits, FunnelShiftsTakeAWindowOfSixtyFourBits) {
  const std::uint32_t low = 0x89abcdefU;
  const std::uint32_t high = 0x01234567U;
  // Left by 8: the window starts 8 bits lower: 23 45 67 89. Right by 8: 67 89 ab cd.
  EXPECT_EQ((shf<true, true>(low, high, 8)), 0x23456789U);
  EXPECT_EQ((shf<false, true>(low, high, 8)), 0x6789abcdU);
  EXPECT_EQ((shf<true, true>(low, high, 40)), 0x23456789U);  // 40 modulo 32
  EXPECT_EQ((shf<true, true>(low, high, 32)), high);         // 32 modulo 32 = 0
  EXPECT_EQ((shf<false, true>(low, high, 32)), low);
  EXPECT_EQ((shf<true, false>(low, high, 32)), low);  // all of `low` moved up
  EXPECT_EQ((shf<false, false>(low, high, 32)), high);
  EXPECT_EQ((shf<true, false>(low, high, 1000)), low);  // clamped to 32
  EXPECT_EQ((shf<false, false>(low, high, ~0U)), high);
  EXPECT_EQ((shf<true, false>(low, high, 0)), high);
  EXPECT_EQ((shf<false, false>(low, high, 0)), low);
}

TEST(Bits, CountsAndPositions) {
  EXPECT_EQ(popc(0U), 0U);
  EXPECT_EQ(popc(0xf0f0f0f1U), 17U);
  EXPECT_EQ(popc(~std::uint64_t{0}), 64U);
  EXPECT_EQ(clz(0U), 32U);
  EXPECT_EQ(clz(std::uint64_t{0}), 64U);
  EXPECT_EQ(clz(1U), 31U);
  EXPECT_EQ(clz(std::uint64_t{1} << 40U), 23U);
  EXPECT_EQ(bfind(std::uint32_t{0}), ~0U);
  EXPECT_EQ(bfind(std::uint32_t{0x80000000U}), 31U);
  EXPECT_EQ(bfind(std::uint64_t{1} << 40U), 40U);
  EXPECT_EQ(bfind(std::int32_t{-1}), ~0U);  // no bit differs from the sign
  EXPECT_EQ(bfind(std::int32_t{-2}), 0U);   // ...1110: bit 0 is the highest zero
  EXPECT_EQ(bfind(std::int32_t{INT32_MIN}), 30U);
  EXPECT_EQ(bfind(std::int64_t{INT64_MAX}), 62U);
  EXPECT_EQ((bfind<std::uint32_t, true>(0x00ffffffU)), 8U);  // shift by 31 - 23
  EXPECT_EQ((bfind<std::uint32_t, true>(0)), ~0U);
  EXPECT_EQ((bfind<std::uint64_t, true>(1)), 63U);
}

TEST(Bits, ReversalSwapsBitIAndBitWidthMinusOneMinusI) {
  for (const auto a : integers<std::uint64_t>(50, 3)) {
    const std::uint64_t wide = brev(a);
    const auto narrow = static_cast<std::uint32_t>(a);
    const std::uint32_t reversed = brev(narrow);
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(bit(wide, i), bit(a, 63 - i));
    for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(bit(reversed, i), bit(narrow, 31 - i));
  }
}

TEST(Bits, FindNthSetBit) {
  // Bits 1, 4, 5, 9.
  const std::uint32_t mask = 0x232U;
  EXPECT_EQ(fns(mask, 0, 1), 1U);
  EXPECT_EQ(fns(mask, 1, 1), 1U);  // the base itself counts
  EXPECT_EQ(fns(mask, 2, 1), 4U);
  EXPECT_EQ(fns(mask, 0, 4), 9U);
  EXPECT_EQ(fns(mask, 0, 5), ~0U);
  EXPECT_EQ(fns(mask, 31, -1), 9U);
  EXPECT_EQ(fns(mask, 5, -2), 4U);
  EXPECT_EQ(fns(mask, 0, -1), ~0U);
  EXPECT_EQ(fns(mask, 4, 0), 4U);
  EXPECT_EQ(fns(mask, 3, 0), ~0U);
  EXPECT_EQ(fns(mask, 0, INT32_MIN), ~0U);
}

TEST(Bits, Masks) {
  EXPECT_EQ(bmsk<false>(4, 8), 0xff0U);
  EXPECT_EQ(bmsk<false>(28, 8), 0xf0000000U);  // cut off at the top
  EXPECT_EQ(bmsk<false>(0, 32), ~0U);
  EXPECT_EQ(bmsk<false>(4, 100), 0xfffffff0U);
  EXPECT_EQ(bmsk<false>(32, 4), 0U);
  EXPECT_EQ(bmsk<false>(4, 0), 0U);
  EXPECT_EQ(bmsk<true>(36, 8), 0xff0U);  // 36 modulo 32 = 4
  EXPECT_EQ(bmsk<true>(4, 32), 0U);      // 32 modulo 32 = 0
  EXPECT_EQ(bmsk<true>(4, 40), 0xff0U);
}

TEST(Bits, ExtensionFromAnyWidth) {
  EXPECT_EQ((szext<std::int32_t, false>(0x12345680, 8)), -128);
  EXPECT_EQ((szext<std::uint32_t, false>(0x12345680U, 8)), 0x80U);
  EXPECT_EQ((szext<std::int32_t, false>(5, 32)), 5);
  EXPECT_EQ((szext<std::int32_t, false>(-5, 77)), -5);
  EXPECT_EQ((szext<std::int32_t, false>(-5, 0)), 0);
  EXPECT_EQ((szext<std::int32_t, true>(-5, 32)), 0);  // 32 modulo 32 = 0
  EXPECT_EQ((szext<std::int32_t, true>(0xf8, 36)), -8);
}

TEST(Bits, LogicTablesGiveEveryFunctionOfThreeInputs) {
  const std::uint32_t a = 0xf0f0f0f0U;
  const std::uint32_t b = 0xccccccccU;
  const std::uint32_t c = 0xaaaaaaaaU;
  // With these inputs bit i of the result is the table's own bit i.
  for (std::uint32_t table = 0; table < 256; ++table) {
    EXPECT_EQ(lop3(a, b, c, table), table * 0x01010101U);
  }
  EXPECT_EQ(
      lop3(0x12345678U, 0x0f0f0f0fU, 0x55555555U, 0xe8),  // majority
      (0x12345678U & 0x0f0f0f0fU) | (0x12345678U & 0x55555555U) | (0x0f0f0f0fU & 0x55555555U));
}

TEST(Bits, LogicalNot) {
  EXPECT_EQ(cnot(std::uint16_t{0}), 1);
  EXPECT_EQ(cnot(0U), 1U);
  EXPECT_EQ(cnot(std::uint64_t{1} << 63U), 0U);
}

TEST(Bits, PermuteTakesBytesOfTheOperandPair) {
  const std::uint32_t a = 0x83828180U;  // bytes 0..3 are 80..83
  const std::uint32_t b = 0x07060504U;  // bytes 4..7 are 04..07
  EXPECT_EQ(prmt(a, b, 0x3210), a);
  EXPECT_EQ(prmt(a, b, 0x7654), b);
  EXPECT_EQ(prmt(a, b, 0x0123), 0x80818283U);
  EXPECT_EQ(prmt(a, b, 0x6420), 0x06048280U);
  // Bit 3 of a nibble replicates the sign: byte 0 (80) gives ff, byte 4 (04) gives 00.
  EXPECT_EQ(prmt(a, b, 0xc8c8), 0x00ff00ffU);
  EXPECT_EQ(prmt(a, b, 0xffff3210U), a);  // bits above 15 do not count
}

TEST(Bits, PermuteModes) {
  using ptx::Sub;
  // Bytes named by their index, so that a result reads as the ISA's table.
  const std::uint32_t a = 0x03020100U;
  const std::uint32_t b = 0x07060504U;
  const auto mode = [&](auto selector, std::uint32_t c) { return prmt(a, b, selector(c)); };
  EXPECT_EQ(mode(prmt_selector<Sub::kF4e>, 1), 0x04030201U);
  EXPECT_EQ(mode(prmt_selector<Sub::kF4e>, 3), 0x06050403U);
  EXPECT_EQ(mode(prmt_selector<Sub::kB4e>, 0), 0x05060700U);
  EXPECT_EQ(mode(prmt_selector<Sub::kB4e>, 2), 0x07000102U);
  EXPECT_EQ(mode(prmt_selector<Sub::kRc8>, 2), 0x02020202U);
  EXPECT_EQ(mode(prmt_selector<Sub::kEcl>, 1), 0x03020101U);
  EXPECT_EQ(mode(prmt_selector<Sub::kEcr>, 2), 0x02020100U);
  EXPECT_EQ(mode(prmt_selector<Sub::kRc16>, 1), 0x03020302U);
  EXPECT_EQ(mode(prmt_selector<Sub::kRc16>, 2), 0x01000100U);  // bit 1 of c does not count
  EXPECT_EQ(mode(prmt_selector<Sub::kF4e>, 5), 0x04030201U);   // only two bits count
}

}  // namespace
}  // namespace lab::model::semantics
