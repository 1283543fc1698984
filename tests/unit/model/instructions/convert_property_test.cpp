// Every cvt between two kinds of numbers against the host: integers in 128 bits, floats in long
// double, which holds every f64, s64 and u64 exactly.
#include <cmath>
#include <limits>

#include "tests/unit/model/instructions/property.h"

namespace lab::model {
namespace {

using property::expect_always;
using ptx::Round;
using semantics::test::HostRounding;
__extension__ typedef __int128 Wide;

struct Kind {
  const char* name;
  unsigned bits;
  bool is_signed;
  [[nodiscard]] Wide low() const { return is_signed ? -(Wide{1} << (bits - 1)) : 0; }
  [[nodiscard]] Wide high() const { return (Wide{1} << (bits - (is_signed ? 1 : 0))) - 1; }
  /// The value of a register's low bits.
  [[nodiscard]] Wide value(std::uint64_t raw) const {
    const Wide cut = static_cast<Wide>(bits == 64 ? raw : raw & ((1ULL << bits) - 1));
    return is_signed && cut > high() ? cut - (Wide{1} << bits) : cut;
  }
};
constexpr Kind kKinds[] = {{"u8", 8, false},   {"s8", 8, true},    {"u16", 16, false},
                           {"s16", 16, true},  {"u32", 32, false}, {"s32", 32, true},
                           {"u64", 64, false}, {"s64", 64, true}};

/// The register of a kind: bytes live in 16-bit ones.
std::string reg(const Kind& kind, int number) {
  return std::string(kind.bits == 64 ? "%d" : (kind.bits == 32 ? "%r" : "%h")) +
         std::to_string(number);
}
/// A value as a register of `kind` holds it: sign or zero extended to 16, 32 or 64 bits.
std::uint64_t held(const Kind& kind, Wide value) {
  const Wide whole = kind.value(static_cast<std::uint64_t>(value));
  const unsigned width = kind.bits < 16 ? 16 : kind.bits;
  const auto raw = static_cast<std::uint64_t>(whole);
  return width == 64 ? raw : raw & ((1ULL << width) - 1);
}
Wide clamp(const Kind& kind, Wide value) {
  return value < kind.low() ? kind.low() : (value > kind.high() ? kind.high() : value);
}

template <typename From>
void check_integers(const Kind& to, const Kind& from) {
  const std::string text =
      std::string(to.name) + "." + from.name + " " + reg(to, 0) + ", " + reg(from, 1);
  expect_always<From>("cvt." + text, [&](From raw) {
    return held(to, from.value(static_cast<std::uint64_t>(raw)));
  });
  expect_always<From>("cvt.sat." + text, [&](From raw) {
    return held(to, clamp(to, from.value(static_cast<std::uint64_t>(raw))));
  });
}
TEST(ConvertProperty, AllPairsOfWholeNumbers) {
  for (const Kind& to : kKinds) {
    for (const Kind& from : kKinds) {
      if (from.bits == 64) {
        check_integers<std::uint64_t>(to, from);
      } else if (from.bits == 32) {
        check_integers<std::uint32_t>(to, from);
      } else {
        check_integers<std::uint16_t>(to, from);
      }
    }
  }
}

struct Integral {
  const char* name;
  long double (*round)(long double);
};
constexpr Integral kIntegral[] = {
    {"rni", [](long double v) { return std::nearbyint(v); }},
    {"rzi", [](long double v) { return std::trunc(v); }},
    {"rmi", [](long double v) { return std::floor(v); }},
    {"rpi", [](long double v) { return std::ceil(v); }},
};

/// Of a rounded value: clamped; NaN is 0, or the top bit where either side has 64 bits.
std::uint64_t to_kind(const Kind& to, long double whole, bool from_64) {
  if (std::isnan(whole)) {
    return to.bits == 64 || from_64 ? held(to, Wide{1} << (to.bits - 1)) : 0;
  }
  if (whole <= static_cast<long double>(to.low())) return held(to, to.low());
  if (whole >= static_cast<long double>(to.high())) return held(to, to.high());
  return held(to, static_cast<Wide>(whole));
}
TEST(ConvertProperty, FloatsToEveryWholeNumberInFourDirections) {
  for (const Kind& to : kKinds) {
    for (const Integral& way : kIntegral) {
      const std::string head = std::string("cvt.") + way.name;
      const std::string tail = std::string(".") + to.name;
      expect_always<float>(head + tail + ".f32 " + reg(to, 0) + ", %r1",
                           [&](float v) { return to_kind(to, way.round(v), false); });
      expect_always<double>(head + tail + ".f64 " + reg(to, 0) + ", %d1",
                            [&](double v) { return to_kind(to, way.round(v), true); });
      expect_always<float>(head + ".ftz" + tail + ".f32 " + reg(to, 0) + ", %r1", [&](float v) {
        const bool tiny = std::fpclassify(v) == FP_SUBNORMAL;
        return to_kind(to, way.round(tiny ? std::copysign(0.0F, v) : v), false);
      });
    }
  }
}

template <typename F>
F rounded(Round round, long double value) {
  volatile long double in = value;
  volatile F out = 0;
  const HostRounding scope(round);
  out = static_cast<F>(in);
  return out;
}
struct Mode {
  const char* name;
  Round round;
};
constexpr Mode kModes[] = {
    {"rn", Round::kRn}, {"rz", Round::kRz}, {"rm", Round::kRm}, {"rp", Round::kRp}};

template <typename From>
void check_from(const Kind& from, const Mode& mode) {
  const std::string head = std::string("cvt.") + mode.name;
  const std::string source = std::string(from.name);
  const auto exact = [&](From raw) {
    return static_cast<long double>(from.value(static_cast<std::uint64_t>(raw)));
  };
  expect_always<From>(head + ".f32." + source + " %r0, " + reg(from, 1),
                      [&](From raw) { return rounded<float>(mode.round, exact(raw)); });
  expect_always<From>(head + ".f64." + source + " %d0, " + reg(from, 1),
                      [&](From raw) { return rounded<double>(mode.round, exact(raw)); });
}
TEST(ConvertProperty, WholeNumbersToFloatsInEveryRounding) {
  for (const Mode& mode : kModes) {
    for (const Kind& from : kKinds) {
      if (from.bits == 64) {
        check_from<std::uint64_t>(from, mode);
      } else if (from.bits == 32) {
        check_from<std::uint32_t>(from, mode);
      } else {
        check_from<std::uint16_t>(from, mode);
      }
    }
  }
}

TEST(ConvertProperty, DoublesToSinglesInEveryRounding) {
  for (const Mode& mode : kModes) {
    const std::string head = std::string("cvt.") + mode.name;
    const auto narrow = [&](double v) {
      const auto value = rounded<float>(mode.round, v);
      return std::isnan(value) ? std::bit_cast<float>(0x7fffffffU) : value;
    };
    expect_always<double>(head + ".f32.f64 %r0, %d1", narrow);
    expect_always<double>(head + ".sat.f32.f64 %r0, %d1", [&](double v) {
      const float value = narrow(v);
      return value > 0 ? std::min(value, 1.0F) : 0.0F;
    });
  }
  // A NaN keeps what it carries, as the host's does.
  expect_always<float>("cvt.f64.f32 %d0, %r1", [](float v) { return static_cast<double>(v); });
}

/// A half's value from its definition.
template <int kFraction>
double half_value(std::uint16_t raw) {
  constexpr int kBias = kFraction == 10 ? 15 : 127;
  const int field = (raw & 0x7fff) >> kFraction;
  const double fraction = raw & ((1 << kFraction) - 1);
  const double sign = (raw & 0x8000) != 0 ? -1 : 1;
  if (field == (1 << (15 - kFraction)) - 1) {
    return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  }
  const double whole = fraction + (field > 0 ? 1 << kFraction : 0);
  return sign * std::ldexp(whole, std::max(field, 1) - kBias - kFraction);
}
TEST(ConvertProperty, HalvesToEverything) {
  const auto single = [](double v) {
    return std::isnan(v) ? std::bit_cast<float>(0x7fffffffU) : static_cast<float>(v);
  };
  using Raw = std::uint16_t;
  expect_always<Raw>("cvt.f32.f16 %r0, %h1", [&](Raw raw) { return single(half_value<10>(raw)); });
  expect_always<Raw>("cvt.f32.bf16 %r0, %h1", [&](Raw raw) { return single(half_value<7>(raw)); });
  for (const Kind& to : kKinds) {
    for (const Integral& way : kIntegral) {
      const std::string head = std::string("cvt.") + way.name + "." + to.name;
      expect_always<Raw>(head + ".f16 " + reg(to, 0) + ", %h1", [&](Raw raw) {
        return to_kind(to, way.round(half_value<10>(raw)), false);
      });
    }
  }
}

/// The half nearest to v, ties to even, found among all of them.
template <int kFraction>
std::uint16_t nearest_half(double v) {
  constexpr std::uint32_t kInfinity = ((1U << (15 - kFraction)) - 1U) << kFraction;
  if (std::isnan(v)) return 0x7fff;
  const std::uint32_t sign = std::signbit(v) ? 0x8000U : 0U;
  const double size = std::fabs(v);
  const auto value = [](std::uint32_t bits) {
    // The step past the largest counts as if the format went on.
    if (bits < kInfinity) return half_value<kFraction>(static_cast<std::uint16_t>(bits));
    return 2 * half_value<kFraction>(static_cast<std::uint16_t>(kInfinity - (1U << kFraction)));
  };
  std::uint32_t low = 0;
  std::uint32_t high = kInfinity;
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    (value(middle) <= size ? low : high) = middle;
  }
  const double down = size - value(low);
  const double up = value(high) - size;
  const bool upper = up < down || (up == down && (high & 1U) == 0) || size >= value(high);
  return static_cast<std::uint16_t>(sign | (upper ? high : low));
}
TEST(ConvertProperty, EverythingToTheNearestHalf) {
  expect_always<float>("cvt.rn.f16.f32 %h0, %r1", [](float v) { return nearest_half<10>(v); });
  expect_always<float>("cvt.rn.bf16.f32 %h0, %r1", [](float v) { return nearest_half<7>(v); });
  expect_always<double>("cvt.rn.f16.f64 %h0, %d1", [](double v) { return nearest_half<10>(v); });
  expect_always<std::int16_t>("cvt.rn.f16.s16 %h0, %h1",
                              [](std::int16_t v) { return nearest_half<10>(v); });
  expect_always<std::int32_t>("cvt.rn.f16.s32 %h0, %r1",
                              [](std::int32_t v) { return nearest_half<10>(v); });
  expect_always<std::uint32_t>("cvt.rn.bf16.u32 %h0, %r1",
                               [](std::uint32_t v) { return nearest_half<7>(v); });
  expect_always<float, float>("cvt.rn.f16x2.f32 %r0, %r1, %r2", [](float a, float b) {
    return (std::uint32_t{nearest_half<10>(a)} << 16U) | nearest_half<10>(b);
  });
}

}  // namespace
}  // namespace lab::model
