// Integer arithmetic against the same arithmetic in __int128, in which nothing here overflows.
#include "harness/model/semantics/integer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

#include "tests/unit/model/semantics/samples.h"

namespace lab::model::semantics {
namespace {

using test::integers;

template <typename T>
class IntegerArithmetic : public testing::Test {};
using AllIntegers = testing::Types<std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                   std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(IntegerArithmetic, AllIntegers);

/// value modulo 2^bits, as T: what "wraps" means.
template <typename T>
T wrap(Int128 value) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(static_cast<Uint128>(value)));
}

TYPED_TEST(IntegerArithmetic, WrapsModuloTheWidth) {
  using T = TypeParam;
  for (const T a : integers<T>(60, 1)) {
    EXPECT_EQ(neg(a), wrap<T>(-Int128{a}));
    EXPECT_EQ(abs(a), wrap<T>(a < 0 ? -Int128{a} : Int128{a}));
    for (const T b : integers<T>(60, 2)) {
      EXPECT_EQ(add(a, b), wrap<T>(Int128{a} + b));
      EXPECT_EQ(sub(a, b), wrap<T>(Int128{a} - b));
      EXPECT_EQ(mul_lo(a, b), wrap<T>(static_cast<Int128>(static_cast<Uint128>(Int128{a}) *
                                                          static_cast<Uint128>(Int128{b}))));
      EXPECT_EQ(min(a, b), Int128{a} < Int128{b} ? a : b);
      EXPECT_EQ(max(a, b), Int128{a} < Int128{b} ? b : a);
    }
  }
}

TYPED_TEST(IntegerArithmetic, WideAndHighProductsAreTheWholeProduct) {
  using T = TypeParam;
  for (const T a : integers<T>(60, 3)) {
    for (const T b : integers<T>(60, 4)) {
      // A product of two 64-bit numbers fits in 128 bits of the same signedness.
      const auto product = static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b);
      EXPECT_TRUE(mul_wide(a, b) == product);
      EXPECT_EQ(mul_hi(a, b), static_cast<T>(product >> (8 * sizeof(T))));
      // high * 2^n + low is the product again.
      const auto low = static_cast<std::make_unsigned_t<T>>(mul_lo(a, b));
      EXPECT_TRUE((static_cast<Uint128>(static_cast<Int128>(mul_hi(a, b))) << (8 * sizeof(T))) +
                      low ==
                  static_cast<Uint128>(product));
    }
  }
}

TYPED_TEST(IntegerArithmetic, MultiplyAddAndDistanceWrap) {
  using T = TypeParam;
  const T c = static_cast<T>(0x1234567890abcdefU);
  for (const T a : integers<T>(40, 5)) {
    for (const T b : integers<T>(40, 6)) {
      EXPECT_EQ(mad_lo(a, b, c), wrap<T>(Int128{mul_lo(a, b)} + c));
      EXPECT_EQ(mad_hi(a, b, c), wrap<T>(Int128{mul_hi(a, b)} + c));
      const Int128 distance = Int128{a} - b;
      EXPECT_EQ(sad(a, b, c), wrap<T>(c + (distance < 0 ? -distance : distance)));
    }
  }
}

TYPED_TEST(IntegerArithmetic, DivisionTruncatesAndRemainderTakesTheDividendsSign) {
  using T = TypeParam;
  for (const T a : integers<T>(60, 7)) {
    for (const T b : integers<T>(60, 8)) {
      if (b == 0) {
        EXPECT_EQ(div(a, b), static_cast<T>(~T{0}));
        EXPECT_EQ(rem(a, b), static_cast<T>(~T{0}));
        continue;
      }
      EXPECT_EQ(div(a, b), wrap<T>(Int128{a} / b));  // min / -1 = 2^(n-1) wraps to min
      EXPECT_EQ(rem(a, b), wrap<T>(Int128{a} % b));
    }
  }
}

TEST(Integer, WideMultiplyAdd) {
  // 0xffff * 0xffff = 0xfffe0001; plus 0x0001ffff is 2^32 + 0, which wraps to 0.
  EXPECT_EQ(mad_wide<std::uint16_t>(0xffff, 0xffff, 0x0001ffffU), 0U);
  // -2^31 * 2^31 - 1 = -2^62 - 1
  EXPECT_EQ(mad_wide<std::int32_t>(INT32_MIN, INT32_MIN, -1), (std::int64_t{1} << 62) - 1);
  // (2^32 - 1)^2 = 2^64 - 2^33 + 1; plus 2^33 - 1 wraps to 0.
  EXPECT_EQ(mad_wide<std::uint32_t>(~0U, ~0U, (std::uint64_t{1} << 33U) - 1), 0U);
}

TEST(Integer, SaturationStopsAtTheEnds) {
  EXPECT_EQ(add_sat(INT32_MAX, 1), INT32_MAX);
  EXPECT_EQ(add_sat(INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(add_sat(INT32_MAX, INT32_MIN), -1);
  EXPECT_EQ(sub_sat(INT32_MIN, 1), INT32_MIN);
  EXPECT_EQ(sub_sat(0, INT32_MIN), INT32_MAX);  // 2^31 does not fit
  // 2^31 * 2^31 >> 32 = 2^30, added to 2^31 - 1.
  EXPECT_EQ(mad_hi_sat(INT32_MIN, INT32_MIN, INT32_MAX), INT32_MAX);
  EXPECT_EQ(mad_hi_sat(INT32_MIN, INT32_MIN, 5), (1 << 30) + 5);
}

TEST(Integer, TwentyFourBitProducts) {
  for (const auto a : integers<std::int32_t>(60, 9)) {
    for (const auto b : integers<std::int32_t>(60, 10)) {
      // Sign extension from bit 23 by arithmetic: subtract 2^24 where bit 23 is set.
      const auto low = [](std::int32_t v) {
        const std::int64_t field = v & 0xffffff;
        return field >= 0x800000 ? field - 0x1000000 : field;
      };
      const std::int64_t product = low(a) * low(b);
      EXPECT_EQ(mul24_lo(a, b), static_cast<std::int32_t>(product & 0xffffffff));
      EXPECT_EQ(mul24_hi(a, b), static_cast<std::int32_t>((product >> 16) & 0xffffffff));
      const auto ua = static_cast<std::uint32_t>(a);
      const auto ub = static_cast<std::uint32_t>(b);
      const std::uint64_t unsigned_product = std::uint64_t{ua & 0xffffffU} * (ub & 0xffffffU);
      EXPECT_EQ(mul24_lo(ua, ub), static_cast<std::uint32_t>(unsigned_product));
      EXPECT_EQ(mul24_hi(ua, ub), static_cast<std::uint32_t>(unsigned_product >> 16U));
      EXPECT_EQ(mad24_lo(ua, ub, 7U), static_cast<std::uint32_t>(unsigned_product) + 7U);
      EXPECT_EQ(mad24_hi(ua, ub, 7U), static_cast<std::uint32_t>(unsigned_product >> 16U) + 7U);
    }
  }
  // (-2^23)^2 = 2^46; its bits 47..16 are 2^30; 2^30 + (2^31 - 1) saturates.
  EXPECT_EQ(mad24_hi_sat(-0x800000, -0x800000, INT32_MAX), INT32_MAX);
}

TEST(Integer, CarryChainsAddSubtractAndMultiplyWiderNumbers) {
  for (const auto a : integers<std::uint64_t>(60, 11)) {
    for (const auto b : integers<std::uint64_t>(60, 12)) {
      const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
      const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32U); };
      const auto join = [](std::uint32_t h, std::uint32_t l) {
        return (std::uint64_t{h} << 32U) | l;
      };
      const auto s0 = add_carry(low(a), low(b));
      const auto s1 = add_carry(high(a), high(b), s0.carry);
      EXPECT_EQ(join(s1.value, s0.value), a + b);
      EXPECT_EQ(s1.carry, Uint128{a} + b > Uint128{~std::uint64_t{0}});
      const auto d0 = sub_carry(low(a), low(b));
      const auto d1 = sub_carry(high(a), high(b), d0.carry);
      EXPECT_EQ(join(d1.value, d0.value), a - b);
      EXPECT_EQ(d1.carry, a >= b);
      // The low 64 bits of a product as nvcc writes it: low.low, then the crossed terms on top.
      const auto p0 = mad_lo_carry(low(a), low(b), 0U);
      const auto p1 = mad_hi_carry(low(a), low(b), 0U, p0.carry);
      const auto p2 = mad_lo_carry(low(a), high(b), p1.value);
      const auto p3 = mad_lo_carry(high(a), low(b), p2.value);
      EXPECT_EQ(join(p3.value, p0.value), a * b);
    }
  }
}

TEST(Integer, CarryLooksAtUnsignedSumsOfSignedTypes) {
  using C = WithCarry<std::int32_t>;
  EXPECT_EQ(add_carry<std::int32_t>(-1, 1), (C{0, true}));
  EXPECT_EQ(add_carry<std::int32_t>(INT32_MAX, 1), (C{INT32_MIN, false}));
  EXPECT_EQ(add_carry<std::int32_t>(-1, -1, true), (C{-1, true}));  // 2^32-1 twice and one
  // A difference without a carry in has borrowed: 0 - (2^32-1) - 1 borrows again.
  EXPECT_EQ(sub_carry<std::int32_t>(0, -1, false), (C{0, false}));
  EXPECT_EQ(sub_carry<std::int32_t>(5, 3), (C{2, true}));
}

TEST(Integer, DotProductsOfBytes) {
  // Bytes of a from the lowest: 0x80, 0xff, 1, 2; of b: 3, 4, 0x81, 0xfe.
  const std::uint32_t a = 0x0201ff80U;
  const std::uint32_t b = 0xfe810403U;
  // signed: -128*3 - 1*4 + 1*-127 + 2*-2 = -519
  EXPECT_EQ((dp4a<std::int8_t, std::int8_t>(a, b, 0)), static_cast<std::uint32_t>(-519));
  // unsigned: 128*3 + 255*4 + 129 + 508 = 2041; plus 1
  EXPECT_EQ((dp4a<std::uint8_t, std::uint8_t>(a, b, 1)), 2042U);
  // a signed, b unsigned: -384 - 4 + 129 + 508 = 249
  EXPECT_EQ((dp4a<std::int8_t, std::uint8_t>(a, b, 0)), 249U);
  // a unsigned, b signed: 384 + 1020 - 127 - 4 = 1273
  EXPECT_EQ((dp4a<std::uint8_t, std::int8_t>(a, b, 0)), 1273U);
  // Halves of a: 0xff80 = -128, 0x0201 = 513.
  // lo, signed: -128*3 + 513*4 = 1668; hi, signed: -128*-127 + 513*-2 = 15230
  EXPECT_EQ((dp2a<std::int16_t, std::int8_t, false>(a, b, 0)), 1668U);
  EXPECT_EQ((dp2a<std::int16_t, std::int8_t, true>(a, b, 0)), 15230U);
  // hi, unsigned: 65408*129 + 513*254 = 8437632 + 130302 = 8567934
  EXPECT_EQ((dp2a<std::uint16_t, std::uint8_t, true>(a, b, 0)), 8567934U);
  // The sum wraps.
  EXPECT_EQ((dp4a<std::uint8_t, std::uint8_t>(1, 1, ~0U)), 0U);
}

}  // namespace
}  // namespace lab::model::semantics
