// Numbers of 8 bits against their definition (Micikevicius et al., "FP8 Formats for Deep Learning",
// 2022; PTX ISA, "cvt"): every code on its way up, every f16 on its way down.
#include <cmath>

#include "tests/unit/model/instructions/property.h"

namespace lab::model {
namespace {

using property::expect_always;
using property::expect_each;
using property::Operands;

struct Tiny {
  const char* name;
  int fraction;
  int bias;
  unsigned infinity;  ///< its code; 0: none
  unsigned most;      ///< the code of its largest number
  /// A code's value, from its fields.
  [[nodiscard]] double value(unsigned code) const {
    const unsigned magnitude = code & 0x7fU;
    const double sign = (code & 0x80U) != 0 ? -1 : 1;
    if (infinity != 0 && magnitude == infinity) return sign * HUGE_VAL;
    if (magnitude > most) return std::nan("");
    const int field = static_cast<int>(magnitude >> static_cast<unsigned>(fraction));
    const double whole = magnitude % (1U << static_cast<unsigned>(fraction)) +
                         (field > 0 ? 1U << static_cast<unsigned>(fraction) : 0U);
    return sign * std::ldexp(whole, std::max(field, 1) - bias - fraction);
  }
  /// .rn.satfinite: the nearest code, the even one of two; beyond the largest number that one.
  [[nodiscard]] unsigned nearest(double v) const {
    if (std::isnan(v)) return 0x7f;
    const unsigned sign = std::signbit(v) ? 0x80 : 0;
    const double size = std::fabs(v);
    if (size >= value(most)) return sign | most;
    unsigned low = 0;
    while (value(low + 1) <= size) ++low;
    const double down = size - value(low);
    const double up = value(low + 1) - size;
    return sign | (up < down || (up == down && low % 2 != 0) ? low + 1 : low);
  }
  [[nodiscard]] unsigned nearest_above_zero(double v) const {
    const unsigned code = nearest(v);
    return (code & 0x80U) != 0 ? 0 : code;
  }
};
// 1.75 * 2^8 = 448; 1.75 * 2^15 = 57344.
constexpr Tiny kTinies[] = {{"e4m3x2", 3, 7, 0, 0x7e}, {"e5m2x2", 2, 15, 0x7c, 0x7b}};

TEST(TinyFloats, TheDefinitionsOfThisTest) {
  EXPECT_EQ(kTinies[0].value(0x7e), 448);
  EXPECT_EQ(kTinies[0].value(0x01), 0x1p-9);
  EXPECT_EQ(kTinies[0].value(0x08), 0x1p-6);
  EXPECT_EQ(kTinies[1].value(0x7b), 57344);
  EXPECT_EQ(kTinies[1].value(0x01), 0x1p-16);
  EXPECT_EQ(kTinies[1].value(0x84), -0x1p-14);
}

/// An f16's value and bits.
double half_value(unsigned bits) {
  const int field = static_cast<int>((bits >> 10U) & 31U);
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const double fraction = bits & 1023U;
  if (field == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  return sign * std::ldexp(fraction + (field > 0 ? 1024 : 0), std::max(field, 1) - 25);
}
/// Every number of 8 bits is an f16.
unsigned half_of(double v) {
  if (std::isnan(v)) return 0x7fff;
  const unsigned sign = std::signbit(v) ? 0x8000 : 0;
  const double size = std::fabs(v);
  for (unsigned bits = 0; bits <= 0x7c00; ++bits) {
    if (half_value(bits) == size) return sign | bits;
  }
  ADD_FAILURE() << v << " is not an f16";
  return 0;
}

// Each code in both places of a pair.
TEST(TinyFloats, AllCodesUp) {
  for (const Tiny& tiny : kTinies) {
    std::vector<unsigned> halves;
    std::vector<Operands> all;
    for (unsigned code = 0; code < 256; ++code) {
      halves.push_back(half_of(tiny.value(code)));
      all.push_back({code << 8U | (255 - code)});
    }
    const std::string tail = std::string("f16x2.") + tiny.name + " %r0, %h1";
    expect_each<std::uint16_t>("cvt.rn." + tail, all, [&](std::uint16_t pair) {
      return halves[pair >> 8U] << 16U | halves[pair & 255U];
    });
    const auto above_zero = [](unsigned half) { return (half & 0x8000U) != 0 ? 0 : half; };
    expect_each<std::uint16_t>("cvt.rn.relu." + tail, all, [&](std::uint16_t pair) {
      return above_zero(halves[pair >> 8U]) << 16U | above_zero(halves[pair & 255U]);
    });
  }
}

TEST(TinyFloats, AllHalvesDown) {
  std::vector<Operands> all;
  for (std::uint64_t half = 0; half < 0x10000; ++half)
    all.push_back({half << 16U | (0xffff - half)});
  for (const Tiny& tiny : kTinies) {
    const std::string tail = std::string(tiny.name) + ".f16x2 %h0, %r1";
    expect_each<std::uint32_t>("cvt.rn.satfinite." + tail, all, [&](std::uint32_t pair) {
      return static_cast<std::uint16_t>(tiny.nearest(half_value(pair >> 16U)) << 8U |
                                        tiny.nearest(half_value(pair & 0xffffU)));
    });
    expect_each<std::uint32_t>("cvt.rn.satfinite.relu." + tail, all, [&](std::uint32_t pair) {
      return static_cast<std::uint16_t>(tiny.nearest_above_zero(half_value(pair >> 16U)) << 8U |
                                        tiny.nearest_above_zero(half_value(pair & 0xffffU)));
    });
  }
}

// Beside the types' own edges: each number of 8 bits, the ties between two of them, and the floats
// next to those.
TEST(TinyFloats, FloatsDown) {
  for (const Tiny& tiny : kTinies) {
    std::vector<Operands> all = property::tuples<float, float>();
    for (unsigned code = 0; code < tiny.most; ++code) {
      const double tie = (tiny.value(code) + tiny.value(code + 1)) / 2;
      for (const double v : {tiny.value(code), tie}) {
        const auto at = static_cast<float>(v);
        for (const float f : {at, std::nextafter(at, 0.0F), std::nextafter(at, HUGE_VALF)}) {
          all.push_back({property::bits_of(f), property::bits_of(-f)});
        }
      }
    }
    const std::string tail = std::string(tiny.name) + ".f32 %h0, %r1, %r2";
    expect_each<float, float>("cvt.rn.satfinite." + tail, all, [&](float a, float b) {
      return static_cast<std::uint16_t>(tiny.nearest(a) << 8U | tiny.nearest(b));
    });
    expect_each<float, float>("cvt.rn.satfinite.relu." + tail, all, [&](float a, float b) {
      return static_cast<std::uint16_t>(tiny.nearest_above_zero(a) << 8U |
                                        tiny.nearest_above_zero(b));
    });
  }
}

// .satfinite of halves: what would be infinite is the largest number, 65504, and 0x7f7f of bf16.
TEST(TinyFloats, FiniteHalves) {
  const Operands in[] = {{property::bits_of(1e30F)},
                         {property::bits_of(-HUGE_VALF)},
                         {property::bits_of(65519.0F)},
                         {property::bits_of(std::nanf(""))},
                         {property::bits_of(-2.0F)}};
  const std::vector<Operands> all(std::begin(in), std::end(in));
  const auto f16 = [](float v) -> std::uint16_t {
    if (std::isnan(v)) return 0x7fff;
    if (std::fabs(v) > 65504) return v < 0 ? 0xfbff : 0x7bff;
    return v == -2 ? 0xc000 : 0x7bff;
  };
  expect_each<float>("cvt.rn.satfinite.f16.f32 %h0, %r1", all, f16);
  expect_each<float>("cvt.rn.satfinite.relu.f16.f32 %h0, %r1", all, [&](float v) {
    return std::signbit(v) && !std::isnan(v) ? std::uint16_t{0} : f16(v);
  });
  std::vector<Operands> pairs;
  for (const Operands& a : all) {
    for (const Operands& b : all) pairs.push_back({a[0], b[0]});
  }
  expect_each<float, float>(
      "cvt.rn.satfinite.f16x2.f32 %r0, %r1, %r2", pairs,
      [&](float a, float b) { return std::uint32_t{f16(a)} << 16U | f16(b); });
  expect_each<float>("cvt.rn.satfinite.bf16.f32 %h0, %r1", {{property::bits_of(-HUGE_VALF)}},
                     [](float) { return std::uint16_t{0xff7f}; });
}

}  // namespace
}  // namespace lab::model
