// Half-precision numbers of kernels where no toolkit has this header: CUDA's names and meanings
// (CUDA Math API Reference, "Half Precision Intrinsics"), each as the PTX instruction that does it.
// What PTX has for floats alone is done in floats and rounded, as the toolkit does it.
#pragma once

#define LAB_HALF static __device__ __forceinline__

struct __half_raw {
  unsigned short x;
};
struct alignas(4) __half2_raw {
  unsigned short x;
  unsigned short y;
};

// ---- one number: bits and floats ----

LAB_HALF float lab_float_of(unsigned short bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
LAB_HALF unsigned short lab_half_of(float value) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}
LAB_HALF unsigned short lab_half_of(double value) {
  unsigned short bits;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(value));
  return bits;
}
LAB_HALF unsigned short lab_half_of(int value) {
  unsigned short bits;
  asm("cvt.rn.f16.s32 %0, %1;" : "=h"(bits) : "r"(value));
  return bits;
}
LAB_HALF unsigned short lab_half_of(unsigned value) {
  unsigned short bits;
  asm("cvt.rn.f16.u32 %0, %1;" : "=h"(bits) : "r"(value));
  return bits;
}
LAB_HALF unsigned short lab_half_of(long long value) {
  unsigned short bits;
  asm("cvt.rn.f16.s64 %0, %1;" : "=h"(bits) : "l"(value));
  return bits;
}
LAB_HALF unsigned short lab_half_of(unsigned long long value) {
  unsigned short bits;
  asm("cvt.rn.f16.u64 %0, %1;" : "=h"(bits) : "l"(value));
  return bits;
}

struct __half {
  unsigned short __x;
  __half() = default;
  __device__ __half(const __half_raw& raw) : __x(raw.x) {}
  __device__ __half(float value) : __x(lab_half_of(value)) {}
  __device__ __half(double value) : __x(lab_half_of(value)) {}
  __device__ __half(short value) : __x(lab_half_of((int)value)) {}
  __device__ __half(unsigned short value) : __x(lab_half_of((unsigned)value)) {}
  __device__ __half(int value) : __x(lab_half_of(value)) {}
  __device__ __half(unsigned value) : __x(lab_half_of(value)) {}
  __device__ __half(long value) : __x(lab_half_of((long long)value)) {}
  __device__ __half(unsigned long value) : __x(lab_half_of((unsigned long long)value)) {}
  __device__ __half(long long value) : __x(lab_half_of(value)) {}
  __device__ __half(unsigned long long value) : __x(lab_half_of(value)) {}
  __device__ operator float() const { return lab_float_of(__x); }
  __device__ operator __half_raw() const { return {__x}; }
  __device__ explicit operator bool() const { return (__x & 0x7fffU) != 0; }
  __device__ explicit operator short() const { return (short)lab_float_of(__x); }
  __device__ explicit operator unsigned short() const { return (unsigned short)lab_float_of(__x); }
  __device__ explicit operator int() const { return (int)lab_float_of(__x); }
  __device__ explicit operator unsigned() const { return (unsigned)lab_float_of(__x); }
  __device__ explicit operator long long() const { return (long long)lab_float_of(__x); }
};
typedef __half half;
typedef __half __nv_half;
typedef __half nv_half;
struct alignas(4) __half2 {
  __half x;
  __half y;
  __half2() = default;
  __device__ __half2(const __half& first, const __half& second) : x(first), y(second) {}
  __device__ __half2(const __half2_raw& raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
  __device__ operator __half2_raw() const { return {x.__x, y.__x}; }
};
typedef __half2 half2;
typedef __half2 __nv_half2;
typedef __half2 nv_half2;

LAB_HALF __half lab_half(unsigned short bits) { return __half(__half_raw{bits}); }
LAB_HALF unsigned lab_bits(const __half2& pair) { return pair.x.__x | (unsigned)pair.y.__x << 16; }
LAB_HALF __half2 lab_pair(unsigned bits) {
  return {lab_half((unsigned short)bits), lab_half((unsigned short)(bits >> 16))};
}

// ---- conversions ----

LAB_HALF __half __float2half(float value) { return value; }
LAB_HALF __half __double2half(double value) { return value; }
LAB_HALF float __half2float(__half value) { return value; }
LAB_HALF unsigned short __half_as_ushort(__half value) { return value.__x; }
LAB_HALF short __half_as_short(__half value) { return (short)value.__x; }
LAB_HALF __half __ushort_as_half(unsigned short bits) { return lab_half(bits); }
LAB_HALF __half __short_as_half(short bits) { return lab_half((unsigned short)bits); }

#define LAB_TO_HALF(name, from, type, letter, way)                        \
  LAB_HALF __half name(type value) {                                      \
    unsigned short bits;                                                  \
    asm("cvt." way ".f16." from " %0, %1;" : "=h"(bits) : letter(value)); \
    return lab_half(bits);                                                \
  }
#define LAB_FROM_HALF(name, to, type, letter, way)                         \
  LAB_HALF type name(__half value) {                                       \
    type made;                                                             \
    asm("cvt." way "." to ".f16 %0, %1;" : letter(made) : "h"(value.__x)); \
    return made;                                                           \
  }
#define LAB_BOTH_WAYS(word, ptx, type, letter)                    \
  LAB_TO_HALF(__##word##2half_rn, ptx, type, letter, "rn")        \
  LAB_TO_HALF(__##word##2half_rz, ptx, type, letter, "rz")        \
  LAB_TO_HALF(__##word##2half_rd, ptx, type, letter, "rm")        \
  LAB_TO_HALF(__##word##2half_ru, ptx, type, letter, "rp")        \
  LAB_FROM_HALF(__half2##word##_rn, ptx, type, "=" letter, "rni") \
  LAB_FROM_HALF(__half2##word##_rz, ptx, type, "=" letter, "rzi") \
  LAB_FROM_HALF(__half2##word##_rd, ptx, type, "=" letter, "rmi") \
  LAB_FROM_HALF(__half2##word##_ru, ptx, type, "=" letter, "rpi")
LAB_TO_HALF(__float2half_rn, "f32", float, "f", "rn")
LAB_TO_HALF(__float2half_rz, "f32", float, "f", "rz")
LAB_TO_HALF(__float2half_rd, "f32", float, "f", "rm")
LAB_TO_HALF(__float2half_ru, "f32", float, "f", "rp")
LAB_BOTH_WAYS(int, "s32", int, "r")
LAB_BOTH_WAYS(uint, "u32", unsigned, "r")
LAB_BOTH_WAYS(short, "s16", short, "h")
LAB_BOTH_WAYS(ushort, "u16", unsigned short, "h")
LAB_BOTH_WAYS(ll, "s64", long long, "l")
LAB_BOTH_WAYS(ull, "u64", unsigned long long, "l")

LAB_HALF __half2 __float2half2_rn(float value) { return {value, value}; }
LAB_HALF __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
LAB_HALF __half2 __float22half2_rn(float2 value) { return {value.x, value.y}; }
LAB_HALF float2 __half22float2(__half2 value) { return {value.x, value.y}; }
LAB_HALF __half2 __half2half2(__half value) { return {value, value}; }
LAB_HALF __half2 __halves2half2(__half x, __half y) { return {x, y}; }
LAB_HALF __half2 make_half2(__half x, __half y) { return {x, y}; }
LAB_HALF float __low2float(__half2 value) { return value.x; }
LAB_HALF float __high2float(__half2 value) { return value.y; }
LAB_HALF __half __low2half(__half2 value) { return value.x; }
LAB_HALF __half __high2half(__half2 value) { return value.y; }
LAB_HALF __half2 __low2half2(__half2 value) { return {value.x, value.x}; }
LAB_HALF __half2 __high2half2(__half2 value) { return {value.y, value.y}; }
LAB_HALF __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
LAB_HALF __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
LAB_HALF __half2 __lowhigh2highlow(__half2 value) { return {value.y, value.x}; }

// ---- arithmetic ----

#define LAB_HALF_1(name, op)                                  \
  LAB_HALF __half name(__half a) {                            \
    unsigned short made;                                      \
    asm(op ".f16 %0, %1;" : "=h"(made) : "h"(a.__x));         \
    return lab_half(made);                                    \
  }                                                           \
  LAB_HALF __half2 name##2(__half2 a) {                       \
    unsigned made;                                            \
    asm(op ".f16x2 %0, %1;" : "=r"(made) : "r"(lab_bits(a))); \
    return lab_pair(made);                                    \
  }
#define LAB_HALF_2(one, two, op)                                                    \
  LAB_HALF __half one(__half a, __half b) {                                         \
    unsigned short made;                                                            \
    asm(op ".f16 %0, %1, %2;" : "=h"(made) : "h"(a.__x), "h"(b.__x));               \
    return lab_half(made);                                                          \
  }                                                                                 \
  LAB_HALF __half2 two(__half2 a, __half2 b) {                                      \
    unsigned made;                                                                  \
    asm(op ".f16x2 %0, %1, %2;" : "=r"(made) : "r"(lab_bits(a)), "r"(lab_bits(b))); \
    return lab_pair(made);                                                          \
  }
#define LAB_HALF_3(one, two, op)                                                      \
  LAB_HALF __half one(__half a, __half b, __half c) {                                 \
    unsigned short made;                                                              \
    asm(op ".f16 %0, %1, %2, %3;" : "=h"(made) : "h"(a.__x), "h"(b.__x), "h"(c.__x)); \
    return lab_half(made);                                                            \
  }                                                                                   \
  LAB_HALF __half2 two(__half2 a, __half2 b, __half2 c) {                             \
    unsigned made;                                                                    \
    asm(op ".f16x2 %0, %1, %2, %3;"                                                   \
        : "=r"(made)                                                                  \
        : "r"(lab_bits(a)), "r"(lab_bits(b)), "r"(lab_bits(c)));                      \
    return lab_pair(made);                                                            \
  }
LAB_HALF_1(__hneg, "neg")
LAB_HALF_1(__habs, "abs")
LAB_HALF_2(__hadd, __hadd2, "add")
LAB_HALF_2(__hsub, __hsub2, "sub")
LAB_HALF_2(__hmul, __hmul2, "mul")
LAB_HALF_2(__hadd_rn, __hadd2_rn, "add.rn")
LAB_HALF_2(__hsub_rn, __hsub2_rn, "sub.rn")
LAB_HALF_2(__hmul_rn, __hmul2_rn, "mul.rn")
LAB_HALF_2(__hadd_sat, __hadd2_sat, "add.sat")
LAB_HALF_2(__hsub_sat, __hsub2_sat, "sub.sat")
LAB_HALF_2(__hmul_sat, __hmul2_sat, "mul.sat")
LAB_HALF_3(__hfma, __hfma2, "fma.rn")
LAB_HALF_3(__hfma_sat, __hfma2_sat, "fma.rn.sat")
#if __CUDA_ARCH__ >= 800
LAB_HALF_3(__hfma_relu, __hfma2_relu, "fma.rn.relu")
LAB_HALF_2(__hmax, __hmax2, "max")
LAB_HALF_2(__hmin, __hmin2, "min")
LAB_HALF_2(__hmax_nan, __hmax2_nan, "max.NaN")
LAB_HALF_2(__hmin_nan, __hmin2_nan, "min.NaN")
#else
LAB_HALF __half __hmax(__half a, __half b) { return fmaxf(a, b); }
LAB_HALF __half __hmin(__half a, __half b) { return fminf(a, b); }
LAB_HALF __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
LAB_HALF __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
#endif
// A quotient of two halves that was rounded to a float rounds to the same half as the quotient.
LAB_HALF __half __hdiv(__half a, __half b) { return __fdiv_rn(a, b); }
LAB_HALF __half2 __h2div(__half2 a, __half2 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }

// ---- comparisons: false where one is not a number; with u, true ----

#define LAB_HALF_COMPARE(op)                                                                   \
  LAB_HALF bool __h##op(__half a, __half b) {                                                  \
    unsigned short made;                                                                       \
    asm("{ .reg .pred p; setp." #op ".f16 p, %1, %2; selp.u16 %0, 1, 0, p; }"                  \
        : "=h"(made)                                                                           \
        : "h"(a.__x), "h"(b.__x));                                                             \
    return made != 0;                                                                          \
  }                                                                                            \
  LAB_HALF __half2 __h##op##2(__half2 a, __half2 b) {                                          \
    return {__half(__h##op(a.x, b.x) ? 1.0f : 0.0f), __half(__h##op(a.y, b.y) ? 1.0f : 0.0f)}; \
  }                                                                                            \
  LAB_HALF bool __hb##op##2(__half2 a, __half2 b) { return __h##op(a.x, b.x) && __h##op(a.y, b.y); }
LAB_HALF_COMPARE(eq)
LAB_HALF_COMPARE(ne)
LAB_HALF_COMPARE(lt)
LAB_HALF_COMPARE(le)
LAB_HALF_COMPARE(gt)
LAB_HALF_COMPARE(ge)
LAB_HALF_COMPARE(equ)
LAB_HALF_COMPARE(neu)
LAB_HALF_COMPARE(ltu)
LAB_HALF_COMPARE(leu)
LAB_HALF_COMPARE(gtu)
LAB_HALF_COMPARE(geu)
LAB_HALF bool __hisnan(__half a) { return (a.__x & 0x7fffU) > 0x7c00U; }
LAB_HALF int __hisinf(__half a) { return a.__x == 0x7c00U ? 1 : a.__x == 0xfc00U ? -1 : 0; }

// ---- functions ----

#define LAB_HALF_MATH(name, value)    \
  LAB_HALF __half h##name(__half a) { \
    const float x = a;                \
    return value;                     \
  }                                   \
  LAB_HALF __half2 h2##name(__half2 a) { return {h##name(a.x), h##name(a.y)}; }
LAB_HALF_MATH(sqrt, __fsqrt_rn(x))
LAB_HALF_MATH(rsqrt, rsqrtf(x))
LAB_HALF_MATH(rcp, __frcp_rn(x))
LAB_HALF_MATH(exp, expf(x))
LAB_HALF_MATH(exp2, exp2f(x))
LAB_HALF_MATH(exp10, exp10f(x))
LAB_HALF_MATH(log, logf(x))
LAB_HALF_MATH(log2, log2f(x))
LAB_HALF_MATH(log10, log10f(x))
LAB_HALF_MATH(sin, sinf(x))
LAB_HALF_MATH(cos, cosf(x))
LAB_HALF_MATH(floor, floorf(x))
LAB_HALF_MATH(ceil, ceilf(x))
LAB_HALF_MATH(trunc, truncf(x))
LAB_HALF_MATH(rint, rintf(x))

// ---- operators ----

#define LAB_HALF_OPERATOR(type, op, name)                                        \
  LAB_HALF type operator op(const type& a, const type& b) { return name(a, b); } \
  LAB_HALF type& operator op##=(type& a, const type& b) { return a = name(a, b); }
LAB_HALF_OPERATOR(__half, +, __hadd)
LAB_HALF_OPERATOR(__half, -, __hsub)
LAB_HALF_OPERATOR(__half, *, __hmul)
LAB_HALF_OPERATOR(__half, /, __hdiv)
LAB_HALF_OPERATOR(__half2, +, __hadd2)
LAB_HALF_OPERATOR(__half2, -, __hsub2)
LAB_HALF_OPERATOR(__half2, *, __hmul2)
LAB_HALF_OPERATOR(__half2, /, __h2div)
LAB_HALF __half operator-(const __half& a) { return __hneg(a); }
LAB_HALF __half operator+(const __half& a) { return a; }
LAB_HALF __half2 operator-(const __half2& a) { return __hneg2(a); }
LAB_HALF bool operator==(const __half& a, const __half& b) { return __heq(a, b); }
LAB_HALF bool operator!=(const __half& a, const __half& b) { return __hneu(a, b); }
LAB_HALF bool operator<(const __half& a, const __half& b) { return __hlt(a, b); }
LAB_HALF bool operator<=(const __half& a, const __half& b) { return __hle(a, b); }
LAB_HALF bool operator>(const __half& a, const __half& b) { return __hgt(a, b); }
LAB_HALF bool operator>=(const __half& a, const __half& b) { return __hge(a, b); }

// ---- memory and lanes ----

LAB_HALF __half __ldg(const __half* from) { return lab_half(__ldg(&from->__x)); }
LAB_HALF __half2 __ldg(const __half2* from) { return lab_pair(__ldg((const unsigned*)from)); }
#if __CUDA_ARCH__ >= 700
LAB_HALF __half atomicAdd(__half* to, __half value) {
  unsigned short before;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;"
               : "=h"(before)
               : "l"(to), "h"(value.__x)
               : "memory");
  return lab_half(before);
}
#endif
LAB_HALF __half2 atomicAdd(__half2* to, __half2 value) {
  unsigned before;
  asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
               : "=r"(before)
               : "l"(to), "r"(lab_bits(value))
               : "memory");
  return lab_pair(before);
}
#define LAB_HALF_SHUFFLE(name, type)                                                     \
  LAB_HALF __half name(unsigned mask, __half value, type lane, int width = warpSize) {   \
    return lab_half((unsigned short)name(mask, (unsigned)value.__x, lane, width));       \
  }                                                                                      \
  LAB_HALF __half2 name(unsigned mask, __half2 value, type lane, int width = warpSize) { \
    return lab_pair(name(mask, lab_bits(value), lane, width));                           \
  }
LAB_HALF_SHUFFLE(__shfl_sync, int)
LAB_HALF_SHUFFLE(__shfl_up_sync, unsigned)
LAB_HALF_SHUFFLE(__shfl_down_sync, unsigned)
LAB_HALF_SHUFFLE(__shfl_xor_sync, int)
