// Conversions against exact references: long double holds every f64, s64 and u64.
#include "harness/model/semantics/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "harness/model/semantics/integer.h"
#include "tests/unit/model/semantics/samples.h"

namespace lab::model::semantics {
namespace {

using ptx::Round;
using test::HostRounding;
using test::integers;
using test::numbers;
using test::same;

template <Round kRound>
long double reference_integral(long double v) {
  if (kRound == Round::kRzi) return std::trunc(v);
  if (kRound == Round::kRmi) return std::floor(v);
  if (kRound == Round::kRpi) return std::ceil(v);
  return std::nearbyint(v);  // the tests run in round-to-nearest-even
}

template <typename D, Round kRound, typename T>
void check_to_integer(T v) {
  const D got = to_integer<D>(round_to_integral<kRound>(v));
  if (std::isnan(v)) {
    // cvt: zero, but where either side has 64 bits the destination's top bit.
    const bool wide = sizeof(D) == 8 || sizeof(T) == 8;
    EXPECT_EQ(static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<D>>(got)),
              wide ? std::uint64_t{1} << (8 * sizeof(D) - 1) : 0U);
    return;
  }
  const long double want = reference_integral<kRound>(v);
  const long double low = std::numeric_limits<D>::min();
  const long double high = std::numeric_limits<D>::max();
  const D clamped = want <= low    ? std::numeric_limits<D>::min()
                    : want >= high ? std::numeric_limits<D>::max()
                                   : static_cast<D>(want);
  EXPECT_EQ(got, clamped) << v;
}
template <typename D, typename T>
void check_float_to_integer() {
  auto values = numbers<T>(150, 1);
  for (const D edge : integers<D>(30, 2)) {
    const T near = static_cast<T>(edge);
    for (const T v : {near, std::nextafter(near, T{0}), std::nextafter(near, near * 2),
                      near + T(0.5), near - T(0.5)}) {
      values.push_back(v);
    }
  }
  for (const T v : values) {
    check_to_integer<D, Round::kRzi>(v);
    check_to_integer<D, Round::kRni>(v);
    check_to_integer<D, Round::kRmi>(v);
    check_to_integer<D, Round::kRpi>(v);
  }
}
template <typename T>
void check_float_to_integers() {
  check_float_to_integer<std::int8_t, T>();
  check_float_to_integer<std::uint8_t, T>();
  check_float_to_integer<std::int16_t, T>();
  check_float_to_integer<std::uint16_t, T>();
  check_float_to_integer<std::int32_t, T>();
  check_float_to_integer<std::uint32_t, T>();
  check_float_to_integer<std::int64_t, T>();
  check_float_to_integer<std::uint64_t, T>();
}
TEST(Convert, FloatToIntegerRoundsThenClamps) {
  check_float_to_integers<float>();
  check_float_to_integers<double>();
}

TEST(Convert, RoundingToIntegralKeepsTheSignOfZeroAndTheFormat) {
  EXPECT_TRUE(std::signbit(round_to_integral<Round::kRni>(-0.25F)));
  EXPECT_TRUE(std::signbit(round_to_integral<Round::kRpi>(-0.25)));
  EXPECT_EQ(round_to_integral<Round::kRni>(2.5F), 2.0F);  // to even
  EXPECT_EQ(round_to_integral<Round::kRni>(3.5), 4.0);
  EXPECT_EQ(round_to_integral<Round::kRni>(-0x1p60), -0x1p60);
  EXPECT_EQ(round_to_integral<Round::kRni>(8388607.5F), 8388608.0F);
  EXPECT_TRUE(std::isnan(round_to_integral<Round::kRni>(std::nanf(""))));
  EXPECT_TRUE(std::isinf(round_to_integral<Round::kRni>(HUGE_VALF)));
}

/// static_cast with the host's rounding set: the instruction rounds as MXCSR says.
template <typename F, Round kRound, typename S>
F host_cast(S value) {
  volatile S in = value;
  volatile F out = 0;
  const HostRounding scope(kRound);
  if constexpr (std::is_same_v<S, std::uint64_t>) {
    // No such instruction before AVX-512: a long double holds the integer, and its store rounds.
    volatile long double wide = static_cast<long double>(in);
    out = static_cast<F>(wide);
  } else {
    out = static_cast<F>(in);
  }
  return out;
}
template <typename F, typename S>
void check_integer_to_float() {
  for (const S v : integers<S>(400, 3)) {
    EXPECT_TRUE(same((from_integer<F, Round::kRn>(v)), (host_cast<F, Round::kRn>(v)))) << +v;
    EXPECT_TRUE(same((from_integer<F, Round::kRz>(v)), (host_cast<F, Round::kRz>(v)))) << +v;
    EXPECT_TRUE(same((from_integer<F, Round::kRm>(v)), (host_cast<F, Round::kRm>(v)))) << +v;
    EXPECT_TRUE(same((from_integer<F, Round::kRp>(v)), (host_cast<F, Round::kRp>(v)))) << +v;
  }
}
TEST(Convert, IntegerToFloatInEveryRounding) {
  check_integer_to_float<float, std::int16_t>();
  check_integer_to_float<float, std::int32_t>();
  check_integer_to_float<float, std::uint32_t>();
  check_integer_to_float<float, std::int64_t>();
  check_integer_to_float<float, std::uint64_t>();
  check_integer_to_float<double, std::int32_t>();
  check_integer_to_float<double, std::int64_t>();
  check_integer_to_float<double, std::uint64_t>();
}

TEST(Convert, IntegersReachNarrowFormatsWithOneRounding) {
  // 2^63 + 2^52 + 1 is just above the tie of f32 (ulp 2^40: tie at 2^39) only if the last bit
  // counts: take 2^63 + 2^39 + 1. A double would drop the 1 and round the tie down to 2^63.
  const std::uint64_t v = (std::uint64_t{1} << 63U) + (std::uint64_t{1} << 39U) + 1;
  EXPECT_EQ(to_f32<Round::kRn>(carried_integer(v)), 0x1p63F + 0x1p40F);
  // bf16 has 8 bits: the tie of 2^40 is at 2^32.
  const std::int64_t w = -((std::int64_t{1} << 40) + (std::int64_t{1} << 32) + 1);
  EXPECT_EQ((to_half<BF16, Round::kRn>(carried_integer(w))), 0xd381);
  EXPECT_EQ((to_half<BF16, Round::kRn>(carried_integer(w + 1))), 0xd380);  // exact tie, to even
  EXPECT_EQ((to_half<F16, Round::kRn>(carried_integer(std::int32_t{2049}))), 0x6800);
  EXPECT_EQ((to_half<F16, Round::kRp>(carried_integer(std::int32_t{2049}))), 0x6801);
  EXPECT_EQ((to_half<F16, Round::kRz>(carried_integer(std::int32_t{100000}))), 0x7bff);
  for (const auto x : integers<std::int64_t>(300, 4)) {
    EXPECT_TRUE(same(to_f32<Round::kRn>(carried_integer(x)), static_cast<float>(x)));
    EXPECT_TRUE(same(to_f32<Round::kRm>(carried_integer(x)), (from_integer<float, Round::kRm>(x))));
  }
}

template <Round kRound>
void check_narrowing() {
  for (const double v : numbers<double>(2000, 5)) {
    volatile double in = v;
    volatile float out = 0;
    {
      const HostRounding scope(kRound);
      out = static_cast<float>(in);
    }
    EXPECT_TRUE(same<float>(to_f32<kRound>(v), out)) << v;
  }
}
TEST(Convert, DoubleToFloatInEveryRounding) {
  check_narrowing<Round::kRn>();
  check_narrowing<Round::kRz>();
  check_narrowing<Round::kRm>();
  check_narrowing<Round::kRp>();
}

TEST(Convert, DoubleToHalfRoundsOnce) {
  // 1 + 2^-11 + 2^-40: by way of f32 (24 bits) it would become the tie 1 + 2^-11 and round to 1.
  EXPECT_EQ((to_half<F16, Round::kRn>(1.0 + 0x1p-11 + 0x1p-40)), 0x3c01);
  EXPECT_EQ((to_half<F16, Round::kRn, true>(-2.0)), 0x0000);         // .sat
  EXPECT_EQ((to_half<F16, Round::kRn, false, true>(-2.0)), 0x0000);  // .relu
  EXPECT_EQ((to_half<F16, Round::kRn, false, true>(std::nan(""))), 0x7fff);
  EXPECT_EQ((to_half<F16, Round::kRn, true>(std::nan(""))), 0x0000);
}

template <typename D, typename S>
void check_saturation() {
  for (const S v : integers<S>(60, 6)) {
    const Int128 wide = v;
    const Int128 low = std::numeric_limits<D>::min();
    const Int128 high = std::numeric_limits<D>::max();
    EXPECT_EQ(saturate_integer<D>(v),
              static_cast<D>(wide < low ? low : (wide > high ? high : wide)));
  }
}
template <typename D>
void check_saturation_from_all() {
  check_saturation<D, std::int16_t>();
  check_saturation<D, std::uint16_t>();
  check_saturation<D, std::int32_t>();
  check_saturation<D, std::uint32_t>();
  check_saturation<D, std::int64_t>();
  check_saturation<D, std::uint64_t>();
}
TEST(Convert, IntegersSaturate) {
  check_saturation_from_all<std::int8_t>();
  check_saturation_from_all<std::uint8_t>();
  check_saturation_from_all<std::int16_t>();
  check_saturation_from_all<std::uint16_t>();
  check_saturation_from_all<std::int32_t>();
  check_saturation_from_all<std::uint32_t>();
  check_saturation_from_all<std::int64_t>();
  check_saturation_from_all<std::uint64_t>();
}

/// Value of the low `bits` of raw, by arithmetic: subtract 2^bits where the top bit is set.
Int128 value_in(std::uint64_t raw, IntegerFormat format) {
  const Int128 modulus = Int128{1} << format.bits;
  const Int128 low = Int128{raw} % modulus;
  return format.is_signed && low >= modulus / 2 ? low - modulus : low;
}
TEST(Convert, IntegersOfEveryWidthInWideRegisters) {
  std::vector<IntegerFormat> formats;
  for (const unsigned bits : {8U, 16U, 32U, 64U}) {
    formats.push_back({bits, false});
    formats.push_back({bits, true});
  }
  for (const auto raw : integers<std::uint64_t>(100, 7)) {
    for (const auto from : formats) {
      for (const auto to : formats) {
        const Int128 value = value_in(raw, from);
        const auto wrapped = static_cast<std::uint64_t>(value);
        EXPECT_EQ(convert_integer(raw, from, to, false),
                  static_cast<std::uint64_t>(value_in(wrapped, to)));
        const Int128 high = (Int128{1} << (to.bits - (to.is_signed ? 1U : 0U))) - 1;
        const Int128 low = to.is_signed ? -high - 1 : 0;
        EXPECT_EQ(convert_integer(raw, from, to, true),
                  static_cast<std::uint64_t>(value < low ? low : (value > high ? high : value)))
            << raw << ' ' << from.bits << from.is_signed << ' ' << to.bits << to.is_signed;
      }
    }
  }
}

TEST(Convert, Pack) {
  EXPECT_EQ((cvt_pack<std::int16_t>(-40000, 40000)), 0x80007fffU);
  EXPECT_EQ((cvt_pack<std::uint16_t>(-1, 70000)), 0x0000ffffU);
  EXPECT_EQ((cvt_pack<std::uint8_t>(300, -5, 0xaabbccddU)), 0xccddff00U);
  EXPECT_EQ((cvt_pack<std::int8_t>(-200, 5, 0x11223344U)), 0x33448005U);
}

}  // namespace
}  // namespace lab::model::semantics
