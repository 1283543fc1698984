// One element of D = A B + C as tensor cores compute it.
//
// Products of 8-, 16- and 19-bit floats are exact. They and the element of C are aligned to the
// largest exponent among them, cut off below 25 bits of fraction, added exactly, and the sum is
// rounded once: towards zero to f32, to nearest even to f16. All of an instruction's k products are
// added at once. That is compute capability 9.0 (Khattak and Mikaitis, "Accurate Models of NVIDIA
// Tensor Cores", arXiv:2512.07004: 16 products of 16-bit floats, 8 of tf32, two bits beyond f32's
// fraction); older chips add fewer products at once and keep fewer bits. f64 is a chain of fused
// multiply-adds in the order of k, and integers wrap around.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "harness/model/semantics/format.h"

namespace lab::model::semantics {

/// f32's bits of which 13 are not read.
struct TF32 : F32 {
  static constexpr int kFractionBits = 10;
};

/// significand * 2^(exponent - fraction bits of its format). `special`: NaN or infinite.
struct Factor {
  std::int32_t significand = 0;
  std::int32_t exponent = 0;
  bool special = false;
};

template <typename Format>
constexpr Factor factor(std::uint32_t bits) noexcept {
  constexpr int kUnread = std::is_same_v<Format, TF32> ? 13 : 0;
  const std::uint32_t magnitude = (bits & (std::uint32_t{Format::kSign} - 1U)) >> kUnread;
  const auto biased = static_cast<std::int32_t>(magnitude >> Format::kFractionBits);
  const std::uint32_t hidden = std::uint32_t{1} << Format::kFractionBits;
  const auto significand =
      static_cast<std::int32_t>((magnitude & (hidden - 1)) | (biased != 0 ? hidden : 0));
  Factor f;
  f.significand = (bits & Format::kSign) != 0 ? -significand : significand;
  f.exponent = (biased != 0 ? biased : 1) - Format::kBias;
  f.special = magnitude >= (std::uint32_t{Format::kInfinity} >> kUnread);
  return f;
}

inline constexpr int kAlignedBits = 25;  ///< of fraction, below the largest exponent
inline constexpr std::size_t kMostProducts = 16;

/// The sum of k products and c, exact but for what is cut off: total * 2^unit.
struct AlignedSum {
  std::int64_t total = 0;
  int unit = 0;
};

/// `a` and `b` have k elements of a format with kFraction bits of fraction, c has kFractionOfC.
template <int kFraction, int kFractionOfC>
constexpr AlignedSum aligned_sum(const Factor* a, const Factor* b, std::size_t k,
                                 Factor c) noexcept {
  std::array<std::int32_t, kMostProducts> significand{};
  std::array<std::int32_t, kMostProducts> exponent{};
  constexpr std::int32_t kNothing = -4096;  // zeros align nothing
  std::int32_t most = c.significand != 0 ? c.exponent : kNothing;
  for (std::size_t i = 0; i < k; ++i) {
    significand[i] = a[i].significand * b[i].significand;
    exponent[i] = significand[i] != 0 ? a[i].exponent + b[i].exponent : kNothing;
    most = std::max(most, exponent[i]);
  }
  const auto aligned = [&](std::int32_t value, std::int32_t of, int fraction) {
    const std::int64_t magnitude = std::int64_t{value < 0 ? -value : value}
                                   << (kAlignedBits - fraction);
    // A zero may lie above all others.
    const std::int64_t cut = magnitude >> std::clamp(most - of, 0, 62);
    return value < 0 ? -cut : cut;
  };
  AlignedSum sum{aligned(c.significand, c.exponent, kFractionOfC), most - kAlignedBits};
  for (std::size_t i = 0; i < k; ++i) {
    sum.total += aligned(significand[i], exponent[i], 2 * kFraction);
  }
  return sum;
}

/// To is F32 or F16.
template <typename To>
typename To::Bits round_sum(const AlignedSum& sum) noexcept {
  constexpr auto kRound =
      To::kFractionBits == F32::kFractionBits ? ptx::Round::kRz : ptx::Round::kRn;
  if (sum.total == 0) return 0;
  // The total has fewer than 53 bits.
  return narrow<To, kRound>(std::ldexp(static_cast<double>(sum.total), sum.unit));
}

/// The sum where a NaN or an infinity takes part: only which of them is left matters.
template <typename To>
typename To::Bits special_sum(const double* a, const double* b, std::size_t k, double c) noexcept {
  double sum = c;
  for (std::size_t i = 0; i < k; ++i) {
    const double product = a[i] * b[i];
    // Products that are finite do not change the outcome, however large.
    if (!(std::fabs(product) <= std::numeric_limits<double>::max())) sum += product;
  }
  return narrow<To, ptx::Round::kRn>(sum);
}

constexpr std::int32_t saturate_s32(std::int64_t value) noexcept {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, -kMost - 1, kMost));
}

}  // namespace lab::model::semantics
