// Operands for property tests: the edges of a type, and pseudo-random bits between them.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "harness/kernel/ptx/opcode.h"

namespace lab::model::semantics::test {

/// SplitMix64, so that a failure repeats.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

/// 0, 1, 2, 3, -1, ..., the ends of the range and their neighbours, single bits, and random numbers
/// of every length.
template <typename T>
std::vector<T> integers(int random_count, std::uint64_t seed = 1) {
  std::vector<T> out;
  for (int i = -3; i <= 3; ++i) {
    out.push_back(static_cast<T>(i));
    out.push_back(static_cast<T>(static_cast<std::uint64_t>(std::numeric_limits<T>::max()) +
                                 static_cast<std::uint64_t>(i)));
    out.push_back(static_cast<T>(static_cast<std::uint64_t>(std::numeric_limits<T>::min()) +
                                 static_cast<std::uint64_t>(i)));
  }
  for (unsigned bit = 2; bit < 8 * sizeof(T); bit += 5) {
    out.push_back(static_cast<T>(std::uint64_t{1} << bit));
  }
  Random random(seed);
  for (int i = 0; i < random_count; ++i) {
    const std::uint64_t bits = random.next();
    out.push_back(static_cast<T>(bits >> (random.next() % (8 * sizeof(T)))));
  }
  return out;
}

/// Zeros, subnormals, the ends of the range, infinities, NaN, numbers next to 1, halves and
/// integers, and random bit patterns of which half have exponents near 0, so that pairs of them
/// interact.
template <typename T>
std::vector<T> numbers(int random_count, std::uint64_t seed = 1) {
  using L = std::numeric_limits<T>;
  std::vector<T> out;
  for (const T v : {T{0}, L::denorm_min(), L::min() - L::denorm_min(), L::min(), T{1},
                    T{1} + L::epsilon(), T{1} - L::epsilon() / 2, T(0.5), T(1.5), T(2.5), T{3},
                    T(65504), T(65520), T(2147483648.0), L::max(), L::infinity()}) {
    out.push_back(v);
    out.push_back(-v);
  }
  out.push_back(L::quiet_NaN());
  Random random(seed);
  for (int i = 0; i < random_count; ++i) {
    const std::uint64_t bits = random.next();
    if constexpr (std::is_same_v<T, float>) {
      out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    } else {
      out.push_back(std::bit_cast<double>(bits));
    }
    const T mantissa = T{1} + static_cast<T>(random.next() >> 12U) * T(0x1p-52);
    const T scaled = std::ldexp(mantissa, static_cast<int>(random.next() % 80) - 40);
    out.push_back((random.next() & 1U) != 0 ? -scaled : scaled);
  }
  return out;
}

/// Sets the host's rounding mode while it lives. Only tests do so.
class HostRounding {
 public:
  explicit HostRounding(ptx::Round round) : before_(std::fegetround()) {
    std::fesetround(round == ptx::Round::kRz   ? FE_TOWARDZERO
                    : round == ptx::Round::kRm ? FE_DOWNWARD
                    : round == ptx::Round::kRp ? FE_UPWARD
                                               : FE_TONEAREST);
  }
  ~HostRounding() { std::fesetround(before_); }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;

 private:
  int before_;
};

/// Equal bits, or both NaN where NaNs need not agree.
template <typename T>
bool same(T a, T b) {
  using U = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<U>(a) == std::bit_cast<U>(b) || (a != a && b != b);
}

}  // namespace lab::model::semantics::test
