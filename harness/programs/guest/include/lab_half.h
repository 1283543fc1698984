// What a half-precision number is, for both sides and for our library.
#pragma once

#ifndef LAB_BOTH_SIDES
#define LAB_BOTH_SIDES
#endif

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
