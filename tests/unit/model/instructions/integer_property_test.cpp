// Integer instructions against host arithmetic in 128 bits.
#include <algorithm>

#include "tests/unit/model/instructions/property.h"

namespace lab::model {
namespace {

using property::expect_always;
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UWide;

/// ".s32 %r0, %r1, %r2" and so on.
std::string operands(const std::string& type, int sources) {
  const char* const file = type[1] == '1' ? "%h" : (type[1] == '3' ? "%r" : "%d");
  std::string text = "." + type;
  for (int i = 0; i <= sources; ++i) {
    text += (i == 0 ? " " : ", ") + std::string(file) + std::to_string(i);
  }
  return text;
}

template <typename T>
Wide clamp_to(Wide value) {
  const Wide low = std::numeric_limits<T>::min();
  const Wide high = std::numeric_limits<T>::max();
  return value < low ? low : (value > high ? high : value);
}
/// A number in two's complement of 128 bits, where sums and products are the same with a sign and
/// without. A product of two 64-bit numbers without sign needs them all.
template <typename T>
UWide bits(T value) {
  return static_cast<UWide>(Wide{value});
}
template <typename T>
UWide product(T a, T b) {
  return bits(a) * bits(b);
}
/// The upper half of a product of T.
template <typename T>
UWide upper(UWide product) {
  return product >> (8 * sizeof(T));
}

template <typename T>
void check_sums(const std::string& type) {
  const std::string two = operands(type, 2);
  expect_always<T, T>("add" + two, [](T a, T b) { return static_cast<T>(Wide{a} + b); });
  expect_always<T, T>("sub" + two, [](T a, T b) { return static_cast<T>(Wide{a} - b); });
  expect_always<T, T>("min" + two, [](T a, T b) { return b < a ? b : a; });
  expect_always<T, T>("max" + two, [](T a, T b) { return a < b ? b : a; });
  expect_always<T, T, T>("sad" + operands(type, 3), [](T a, T b, T c) {
    const Wide apart = a < b ? Wide{b} - a : Wide{a} - b;
    return static_cast<T>(apart + c);
  });
  if constexpr (std::is_signed_v<T>) {
    expect_always<T>("neg" + operands(type, 1), [](T a) { return static_cast<T>(-Wide{a}); });
    expect_always<T>("abs" + operands(type, 1),
                     [](T a) { return static_cast<T>(a < 0 ? -Wide{a} : Wide{a}); });
  }
}
TEST(IntegerProperty, SumsDifferencesAndOrder) {
  check_sums<std::uint16_t>("u16");
  check_sums<std::int16_t>("s16");
  check_sums<std::uint32_t>("u32");
  check_sums<std::int32_t>("s32");
  check_sums<std::uint64_t>("u64");
  check_sums<std::int64_t>("s64");
}

template <typename T>
void check_products(const std::string& type) {
  const std::string two = operands(type, 2);
  const std::string three = operands(type, 3);
  expect_always<T, T>("mul.lo" + two, [](T a, T b) { return static_cast<T>(product(a, b)); });
  expect_always<T, T>("mul.hi" + two,
                      [](T a, T b) { return static_cast<T>(upper<T>(product(a, b))); });
  expect_always<T, T, T>("mad.lo" + three,
                         [](T a, T b, T c) { return static_cast<T>(product(a, b) + bits(c)); });
  expect_always<T, T, T>("mad.hi" + three, [](T a, T b, T c) {
    return static_cast<T>(upper<T>(product(a, b)) + bits(c));
  });
}
TEST(IntegerProperty, LowAndHighHalvesOfProducts) {
  check_products<std::uint16_t>("u16");
  check_products<std::int16_t>("s16");
  check_products<std::uint32_t>("u32");
  check_products<std::int32_t>("s32");
  check_products<std::uint64_t>("u64");
  check_products<std::int64_t>("s64");
}

template <typename T, typename W>
void check_wide(const std::string& type, const std::string& from, const std::string& to) {
  const std::string sources = from + "1, " + from + "2";
  expect_always<T, T>("mul.wide." + type + " " + to + "0, " + sources,
                      [](T a, T b) { return static_cast<W>(W{a} * W{b}); });
  expect_always<T, T, W>("mad.wide." + type + " " + to + "0, " + sources + ", " + to + "3",
                         [](T a, T b, W c) { return static_cast<W>(Wide{a} * b + c); });
}
TEST(IntegerProperty, WideProductsLoseNothing) {
  check_wide<std::uint16_t, std::uint32_t>("u16", "%h", "%r");
  check_wide<std::int16_t, std::int32_t>("s16", "%h", "%r");
  check_wide<std::uint32_t, std::uint64_t>("u32", "%r", "%d");
  check_wide<std::int32_t, std::int64_t>("s32", "%r", "%d");
}

/// Division by zero gives all ones, quotient and remainder, as the code that ptxas makes of it
/// does; PTX leaves it open.
template <typename T>
void check_division(const std::string& type) {
  expect_always<T, T>("div" + operands(type, 2), [](T a, T b) {
    return b == 0 ? static_cast<T>(~std::uint64_t{0}) : static_cast<T>(Wide{a} / b);
  });
  expect_always<T, T>("rem" + operands(type, 2), [](T a, T b) {
    return b == 0 ? static_cast<T>(~std::uint64_t{0}) : static_cast<T>(Wide{a} % b);
  });
}
TEST(IntegerProperty, QuotientsAndRemainders) {
  check_division<std::uint16_t>("u16");
  check_division<std::int16_t>("s16");
  check_division<std::uint32_t>("u32");
  check_division<std::int32_t>("s32");
  check_division<std::uint64_t>("u64");
  check_division<std::int64_t>("s64");
}

TEST(IntegerProperty, SaturatedSumsClampTheExactOne) {
  using T = std::int32_t;
  expect_always<T, T>("add.sat.s32 %r0, %r1, %r2",
                      [](T a, T b) { return static_cast<T>(clamp_to<T>(Wide{a} + b)); });
  expect_always<T, T>("sub.sat.s32 %r0, %r1, %r2",
                      [](T a, T b) { return static_cast<T>(clamp_to<T>(Wide{a} - b)); });
  expect_always<T, T, T>("mad.hi.sat.s32 %r0, %r1, %r2, %r3", [](T a, T b, T c) {
    return static_cast<T>(clamp_to<T>(((Wide{a} * b) >> 32U) + c));
  });
}

TEST(IntegerProperty, TwentyFourBitProductsTakeTheLowBits) {
  using U = std::uint32_t;
  using S = std::int32_t;
  const auto low = [](U a) { return std::uint64_t{a & 0xffffffU}; };
  const auto signed_low = [](S a) {
    const std::int64_t value = a & 0xffffff;
    return value >= 0x800000 ? value - 0x1000000 : value;
  };
  expect_always<U, U>("mul24.lo.u32 %r0, %r1, %r2",
                      [&](U a, U b) { return static_cast<U>(low(a) * low(b)); });
  expect_always<U, U>("mul24.hi.u32 %r0, %r1, %r2",
                      [&](U a, U b) { return static_cast<U>((low(a) * low(b)) >> 16U); });
  expect_always<S, S>("mul24.lo.s32 %r0, %r1, %r2",
                      [&](S a, S b) { return static_cast<S>(signed_low(a) * signed_low(b)); });
  expect_always<S, S>("mul24.hi.s32 %r0, %r1, %r2", [&](S a, S b) {
    return static_cast<S>((signed_low(a) * signed_low(b)) >> 16);
  });
  expect_always<U, U, U>("mad24.lo.u32 %r0, %r1, %r2, %r3",
                         [&](U a, U b, U c) { return static_cast<U>(low(a) * low(b) + c); });
  expect_always<S, S, S>("mad24.hi.s32 %r0, %r1, %r2, %r3", [&](S a, S b, S c) {
    return static_cast<S>(((signed_low(a) * signed_low(b)) >> 16) + c);
  });
}

TEST(IntegerProperty, DotProductsAddWhatTheirPartsGive) {
  using U = std::uint32_t;
  const auto part = [](U word, unsigned at, unsigned width, bool is_signed) {
    const std::int64_t low = (word >> (at * width)) & ((1U << width) - 1U);
    return is_signed && low >> (width - 1) != 0 ? low - (std::int64_t{1} << width) : low;
  };
  for (const bool sa : {false, true}) {
    for (const bool sb : {false, true}) {
      const std::string types = std::string(sa ? "s32" : "u32") + (sb ? ".s32" : ".u32");
      expect_always<U, U, U>("dp4a." + types + " %r0, %r1, %r2, %r3", [&](U a, U b, U c) {
        std::int64_t sum = c;
        for (unsigned i = 0; i < 4; ++i) sum += part(a, i, 8, sa) * part(b, i, 8, sb);
        return static_cast<U>(sum);
      });
      for (const unsigned first : {0U, 2U}) {
        const std::string half = first == 0 ? "lo." : "hi.";
        expect_always<U, U, U>("dp2a." + half + types + " %r0, %r1, %r2, %r3", [&](U a, U b, U c) {
          std::int64_t sum = c;
          for (unsigned i = 0; i < 2; ++i) {
            sum += part(a, i, 16, sa) * part(b, first + i, 8, sb);
          }
          return static_cast<U>(sum);
        });
      }
    }
  }
}

}  // namespace
}  // namespace lab::model
