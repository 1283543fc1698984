// The .approx instructions: PTX ISA, "Floating Point Instructions" (div.approx, div.full, rcp,
// sqrt, rsqrt, sin, cos, lg2, ex2, tanh). The hardware's results come from tables and interpolation
// and are not reproduced bit for bit: here they are computed in double and rounded once, which is
// within the ISA's stated error of the hardware (at most 2 ulp; for sin, cos, lg2 an absolute 2^-20
// or so). Special operands give exactly what the ISA's tables say. Compare with a tolerance.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "harness/model/semantics/floating.h"

namespace lab::model::semantics {

/// div.approx.f32: a * (1 / b). For 2^126 < |b| < 2^128 the reciprocal underflows: the quotient of
/// a finite a is zero, of an infinite a NaN.
inline float div_approx(float a, float b) noexcept {
  const float magnitude = abs(b);
  if (magnitude > 0x1p126F && is_finite(b)) return canonical(a * copysign(b, 0.0F));
  return canonical(a / b);
}
/// div.full.f32 scales its operands, so it has no such range.
inline float div_full(float a, float b) noexcept { return canonical(a / b); }

inline float rcp_approx(float a) noexcept { return canonical(1.0F / a); }
inline float sqrt_approx(float a) noexcept { return canonical(std::sqrt(a)); }
/// rsqrt: infinity of the operand's sign for zero, NaN below zero.
inline float rsqrt_approx(float a) noexcept {
  return canonical(static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))));
}
inline double rsqrt_approx(double a) noexcept { return 1.0 / std::sqrt(a); }
inline float sin_approx(float a) noexcept {
  return canonical(static_cast<float>(std::sin(static_cast<double>(a))));
}
inline float cos_approx(float a) noexcept {
  return canonical(static_cast<float>(std::cos(static_cast<double>(a))));
}
/// lg2: -infinity for zero of either sign, NaN below zero.
inline float lg2_approx(float a) noexcept {
  return canonical(static_cast<float>(std::log2(static_cast<double>(a))));
}
inline float ex2_approx(float a) noexcept {
  return canonical(static_cast<float>(std::exp2(static_cast<double>(a))));
}
inline float tanh_approx(float a) noexcept {
  return canonical(static_cast<float>(std::tanh(static_cast<double>(a))));
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 work on the upper 32 bits of their operand:
/// subnormal operands and results are zero, the lower 32 bits of the result are zero.
inline double upper_half(double value) noexcept {
  return std::bit_cast<double>(bits_of(value) & 0xffffffff00000000U);
}
inline double flush_f64(double value) noexcept {
  const std::uint64_t bits = bits_of(value);
  return std::bit_cast<double>((bits & F64::kInfinity) == 0 ? bits & F64::kSign : bits);
}
inline double rcp_approx_ftz(double a) noexcept {
  return upper_half(flush_f64(1.0 / flush_f64(upper_half(a))));
}
inline double rsqrt_approx_ftz(double a) noexcept {
  return upper_half(flush_f64(1.0 / std::sqrt(flush_f64(upper_half(a)))));
}

}  // namespace lab::model::semantics
