// Half-precision numbers, as far as a program's host part has them. Kernels get the toolkit's own,
// or that of harness/compile/for_kernels.
#pragma once

#include "cuda_runtime.h"

struct __half_raw {
  unsigned short x;
};
// Rounds to nearest, ties to even.
LAB_BOTH_SIDES inline unsigned short lab_half_bits(float value) {
  unsigned int bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  const unsigned int sign = bits >> 16U & 0x8000U;
  const unsigned int rest = bits & 0x7fffffffU;
  if (rest > 0x7f800000U) return 0x7fff;
  if (rest >= 0x477ff000U) return static_cast<unsigned short>(sign | 0x7c00U);
  if (rest < 0x33000001U) return static_cast<unsigned short>(sign);
  const int exponent = static_cast<int>(rest >> 23U) - 112;
  unsigned int digits = (rest & 0x7fffffU) | (exponent > 0 ? 0U : 0x800000U);
  const int shift = exponent > 0 ? 13 : 14 - exponent;
  const unsigned int half = 1U << (shift - 1);
  const unsigned int left = digits & ((1U << shift) - 1U);
  digits >>= shift;
  if (exponent > 0) digits |= static_cast<unsigned int>(exponent) << 10U;
  digits += left > half || (left == half && (digits & 1U) != 0) ? 1U : 0U;
  return static_cast<unsigned short>(sign | digits);
}
LAB_BOTH_SIDES inline float lab_half_value(unsigned short bits) {
  const unsigned int sign = (bits & 0x8000U) << 16U;
  const unsigned int exponent = bits >> 10U & 31U;
  const unsigned int digits = bits & 0x3ffU;
  unsigned int made = sign | (exponent + 112U) << 23U | digits << 13U;
  if (exponent == 31) made = sign | 0x7f800000U | digits << 13U;
  if (exponent == 0) {
    const float small = static_cast<float>(digits) * 5.9604644775390625e-8F;
    return sign != 0 ? -small : small;
  }
  float value;
  __builtin_memcpy(&value, &made, sizeof value);
  return value;
}

#define LAB_HALF LAB_BOTH_SIDES inline
struct __half {
  unsigned short __x;
  __half() = default;
  LAB_BOTH_SIDES __half(__half_raw raw) : __x(raw.x) {}
  LAB_BOTH_SIDES __half(float value) : __x(lab_half_bits(value)) {}
  LAB_BOTH_SIDES __half(double value) : __x(lab_half_bits(static_cast<float>(value))) {}
  LAB_BOTH_SIDES __half(int value) : __x(lab_half_bits(static_cast<float>(value))) {}
  LAB_BOTH_SIDES operator float() const { return lab_half_value(__x); }
  LAB_BOTH_SIDES operator __half_raw() const { return {__x}; }
};
typedef __half half;
typedef __half __nv_half;
struct alignas(4) __half2 {
  __half x;
  __half y;
  __half2() = default;
  LAB_BOTH_SIDES __half2(const __half& first, const __half& second) : x(first), y(second) {}
};
typedef __half2 half2;
LAB_HALF __half __float2half(float value) { return __half(value); }
LAB_HALF __half __float2half_rn(float value) { return __half(value); }
LAB_HALF __half __double2half(double value) { return __half(value); }
LAB_HALF __half __int2half_rn(int value) { return __half(value); }
LAB_HALF float __half2float(__half value) { return value; }
LAB_HALF __half2 __float2half2_rn(float value) { return {__half(value), __half(value)}; }
LAB_HALF __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
LAB_HALF __half2 __half2half2(__half value) { return {value, value}; }
LAB_HALF __half2 __halves2half2(__half x, __half y) { return {x, y}; }
LAB_HALF __half2 make_half2(__half x, __half y) { return {x, y}; }
LAB_HALF float __low2float(__half2 value) { return value.x; }
LAB_HALF float __high2float(__half2 value) { return value.y; }
LAB_HALF __half __low2half(__half2 value) { return value.x; }
LAB_HALF __half __high2half(__half2 value) { return value.y; }
LAB_HALF float2 __half22float2(__half2 value) { return {value.x, value.y}; }
LAB_HALF __half2 __float22half2_rn(float2 value) { return {__half(value.x), __half(value.y)}; }
LAB_HALF unsigned short __half_as_ushort(__half value) { return value.__x; }
LAB_HALF __half __ushort_as_half(unsigned short bits) { return __half(__half_raw{bits}); }
#undef LAB_HALF
