// Half-precision numbers, as far as a program's host part has them. Kernels get the toolkit's own,
// or that of harness/kernel/compile/for_kernels.
#pragma once

#include "cuda_runtime.h"
#include "lab_half.h"

struct __half_raw {
  unsigned short x;
};
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
