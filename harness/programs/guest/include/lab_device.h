// What kernels may name, declared so that a program's host part can be compiled around them. Types
// of results are what matters here: no body of a kernel is compiled from this.
#pragma once

extern const uint3 threadIdx;
extern const uint3 blockIdx;
extern const dim3 blockDim;
extern const dim3 gridDim;
constexpr int warpSize = 32;

#define LAB_DEVICE __attribute__((device))

// __expf and some others are glibc's names, too: math.h has declared them.

LAB_DEVICE void __syncthreads();
LAB_DEVICE int __syncthreads_count(int predicate);
LAB_DEVICE int __syncthreads_and(int predicate);
LAB_DEVICE int __syncthreads_or(int predicate);
LAB_DEVICE void __syncwarp(unsigned mask = 0xffffffffu);
LAB_DEVICE void __threadfence();
LAB_DEVICE void __threadfence_block();
LAB_DEVICE void __threadfence_system();
LAB_DEVICE void __trap();
LAB_DEVICE void __brkpt();
LAB_DEVICE void __nanosleep(unsigned ns);
LAB_DEVICE unsigned __activemask();
LAB_DEVICE unsigned __ballot_sync(unsigned mask, int predicate);
LAB_DEVICE int __all_sync(unsigned mask, int predicate);
LAB_DEVICE int __any_sync(unsigned mask, int predicate);
LAB_DEVICE unsigned __ballot(int predicate);
LAB_DEVICE int __all(int predicate);
LAB_DEVICE int __any(int predicate);
LAB_DEVICE unsigned __lane_id();
LAB_DEVICE long long clock64();
LAB_DEVICE unsigned long long globaltimer();
LAB_DEVICE unsigned long long __cvta_generic_to_global(const void* p);
LAB_DEVICE size_t __cvta_generic_to_shared(const void* p);

// Each has forms for one block and for the whole machine beside it.
#define LAB_ATOMIC(name)                          \
  template <class T, class U>                     \
  LAB_DEVICE T name(T* address, U value);         \
  template <class T, class U>                     \
  LAB_DEVICE T name##_block(T* address, U value); \
  template <class T, class U>                     \
  LAB_DEVICE T name##_system(T* address, U value);
LAB_ATOMIC(atomicAdd)
LAB_ATOMIC(atomicSub)
LAB_ATOMIC(atomicExch)
LAB_ATOMIC(atomicMin)
LAB_ATOMIC(atomicMax)
LAB_ATOMIC(atomicInc)
LAB_ATOMIC(atomicDec)
LAB_ATOMIC(atomicAnd)
LAB_ATOMIC(atomicOr)
LAB_ATOMIC(atomicXor)
#undef LAB_ATOMIC
template <class T, class U, class V>
LAB_DEVICE T atomicCAS(T* address, U compare, V value);
template <class T, class U, class V>
LAB_DEVICE T atomicCAS_block(T* address, U compare, V value);
template <class T, class U, class V>
LAB_DEVICE T atomicCAS_system(T* address, U compare, V value);
template <class T>
LAB_DEVICE T __shfl_sync(unsigned mask, T value, int lane, int width = 32);
template <class T>
LAB_DEVICE T __shfl(T value, int lane, int width = 32);
template <class T>
LAB_DEVICE T __shfl_up_sync(unsigned mask, T value, int lane, int width = 32);
template <class T>
LAB_DEVICE T __shfl_up(T value, int lane, int width = 32);
template <class T>
LAB_DEVICE T __shfl_down_sync(unsigned mask, T value, int lane, int width = 32);
template <class T>
LAB_DEVICE T __shfl_down(T value, int lane, int width = 32);
template <class T>
LAB_DEVICE T __shfl_xor_sync(unsigned mask, T value, int lane, int width = 32);
template <class T>
LAB_DEVICE T __shfl_xor(T value, int lane, int width = 32);
template <class T>
LAB_DEVICE unsigned __match_any_sync(unsigned mask, T value);
template <class T>
LAB_DEVICE unsigned __match_all_sync(unsigned mask, T value, int* predicate);
template <class T>
LAB_DEVICE T __reduce_add_sync(unsigned mask, T value);
template <class T>
LAB_DEVICE T __reduce_min_sync(unsigned mask, T value);
template <class T>
LAB_DEVICE T __reduce_max_sync(unsigned mask, T value);
template <class T>
LAB_DEVICE T __reduce_and_sync(unsigned mask, T value);
template <class T>
LAB_DEVICE T __reduce_or_sync(unsigned mask, T value);
template <class T>
LAB_DEVICE T __reduce_xor_sync(unsigned mask, T value);
template <class T>
LAB_DEVICE T __ldg(const T* address);
template <class T>
LAB_DEVICE T __ldca(const T* address);
template <class T>
LAB_DEVICE T __ldcg(const T* address);
template <class T>
LAB_DEVICE T __ldcs(const T* address);
template <class T>
LAB_DEVICE T __ldlu(const T* address);
template <class T>
LAB_DEVICE T __ldcv(const T* address);
template <class T, class U>
LAB_DEVICE void __stwb(T* address, U value);
template <class T, class U>
LAB_DEVICE void __stcg(T* address, U value);
template <class T, class U>
LAB_DEVICE void __stcs(T* address, U value);
template <class T, class U>
LAB_DEVICE void __stwt(T* address, U value);
LAB_DEVICE float __saturatef(float x);
// For each way to round.
#define LAB_ROUNDED(mode)                                       \
  LAB_DEVICE float __frcp_##mode(float x);                      \
  LAB_DEVICE float __fsqrt_##mode(float x);                     \
  LAB_DEVICE float __fadd_##mode(float x, float y);             \
  LAB_DEVICE float __fsub_##mode(float x, float y);             \
  LAB_DEVICE float __fmul_##mode(float x, float y);             \
  LAB_DEVICE float __fdiv_##mode(float x, float y);             \
  LAB_DEVICE float __fmaf_##mode(float x, float y, float z);    \
  LAB_DEVICE double __fma_##mode(double x, double y, double z); \
  LAB_DEVICE double __dadd_##mode(double x, double y);          \
  LAB_DEVICE double __dsub_##mode(double x, double y);          \
  LAB_DEVICE double __dmul_##mode(double x, double y);          \
  LAB_DEVICE double __ddiv_##mode(double x, double y);          \
  LAB_DEVICE double __drcp_##mode(double x);                    \
  LAB_DEVICE double __dsqrt_##mode(double x);                   \
  LAB_DEVICE int __float2int_##mode(float x);                   \
  LAB_DEVICE float __int2float_##mode(int x);                   \
  LAB_DEVICE unsigned __float2uint_##mode(float x);             \
  LAB_DEVICE float __uint2float_##mode(unsigned x);             \
  LAB_DEVICE long long __float2ll_##mode(float x);              \
  LAB_DEVICE float __ll2float_##mode(long long x);              \
  LAB_DEVICE unsigned long long __float2ull_##mode(float x);    \
  LAB_DEVICE float __ull2float_##mode(unsigned long long x);    \
  LAB_DEVICE int __double2int_##mode(double x);                 \
  LAB_DEVICE double __int2double_##mode(int x);                 \
  LAB_DEVICE unsigned __double2uint_##mode(double x);           \
  LAB_DEVICE double __uint2double_##mode(unsigned x);           \
  LAB_DEVICE long long __double2ll_##mode(double x);            \
  LAB_DEVICE double __ll2double_##mode(long long x);            \
  LAB_DEVICE unsigned long long __double2ull_##mode(double x);  \
  LAB_DEVICE double __ull2double_##mode(unsigned long long x);  \
  LAB_DEVICE float __double2float_##mode(double x);
LAB_ROUNDED(rn)
LAB_ROUNDED(rz)
LAB_ROUNDED(ru)
LAB_ROUNDED(rd)
#undef LAB_ROUNDED
LAB_DEVICE float __frsqrt_rn(float x);
LAB_DEVICE float __fdividef(float x, float y);
LAB_DEVICE int __float_as_int(float x);
LAB_DEVICE unsigned __float_as_uint(float x);
LAB_DEVICE float __int_as_float(int x);
LAB_DEVICE float __uint_as_float(unsigned x);
LAB_DEVICE long long __double_as_longlong(double x);
LAB_DEVICE double __longlong_as_double(long long x);
LAB_DEVICE int __double2hiint(double x);
LAB_DEVICE int __double2loint(double x);
LAB_DEVICE double __hiloint2double(int hi, int lo);
LAB_DEVICE int __mul24(int x, int y);
LAB_DEVICE unsigned __umul24(unsigned x, unsigned y);
LAB_DEVICE int __mulhi(int x, int y);
LAB_DEVICE unsigned __umulhi(unsigned x, unsigned y);
LAB_DEVICE long long __mul64hi(long long x, long long y);
LAB_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y);
LAB_DEVICE unsigned __sad(int x, int y, unsigned z);
LAB_DEVICE unsigned __usad(unsigned x, unsigned y, unsigned z);
LAB_DEVICE int __popc(unsigned x);
LAB_DEVICE int __popcll(unsigned long long x);
LAB_DEVICE int __clz(int x);
LAB_DEVICE int __clzll(long long x);
LAB_DEVICE int __ffs(int x);
LAB_DEVICE int __ffsll(long long x);
LAB_DEVICE unsigned __brev(unsigned x);
LAB_DEVICE unsigned long long __brevll(unsigned long long x);
LAB_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned s);
LAB_DEVICE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift);
LAB_DEVICE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift);
LAB_DEVICE int __hadd(int x, int y);
LAB_DEVICE int __rhadd(int x, int y);
LAB_DEVICE int __dp4a(int a, int b, int c);
LAB_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c);
LAB_DEVICE unsigned __isGlobal(const void* p);
LAB_DEVICE unsigned __isShared(const void* p);
LAB_DEVICE float normcdff(float x);
LAB_DEVICE double normcdf(double x);
LAB_DEVICE float erfinvf(float x);
LAB_DEVICE double erfinv(double x);
LAB_DEVICE float erfcinvf(float x);
LAB_DEVICE float erfcxf(float x);
LAB_DEVICE double erfcx(double x);
LAB_DEVICE float normf(int n, const float* x);
LAB_DEVICE float norm3df(float x, float y, float z);
LAB_DEVICE float rnorm3df(float x, float y, float z);
LAB_DEVICE float norm4df(float x, float y, float z, float w);
LAB_DEVICE float rhypotf(float x, float y);
LAB_DEVICE double rhypot(double x, double y);
LAB_DEVICE float fdividef(float x, float y);
LAB_DEVICE float __fdivide(float x, float y);

// Functions that CUDA has on both sides. Some of them came into C with C23: where the C library has
// them for the host, they are declared for kernels alone.
#define LAB_BOTH __attribute__((host)) __attribute__((device)) inline
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 42)
LAB_DEVICE double rsqrt(double x);
LAB_DEVICE float rsqrtf(float x);
#else
LAB_BOTH double rsqrt(double x) { return 1 / sqrt(x); }
LAB_BOTH float rsqrtf(float x) { return static_cast<float>(rsqrt(static_cast<double>(x))); }
#endif
LAB_BOTH double rcbrt(double x) { return 1 / cbrt(x); }
LAB_BOTH float rcbrtf(float x) { return static_cast<float>(rcbrt(static_cast<double>(x))); }
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 41)
LAB_DEVICE double sinpi(double x);
LAB_DEVICE float sinpif(float x);
LAB_DEVICE double cospi(double x);
LAB_DEVICE float cospif(float x);
#else
LAB_BOTH double sinpi(double x) { return sin(3.14159265358979323846 * x); }
LAB_BOTH float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
LAB_BOTH double cospi(double x) { return cos(3.14159265358979323846 * x); }
LAB_BOTH float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
#endif
LAB_BOTH float rsqrt(float x) { return rsqrtf(x); }
LAB_BOTH float saturate(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
LAB_BOTH int min(int a, int b) { return a < b ? a : b; }
LAB_BOTH unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
LAB_BOTH long min(long a, long b) { return a < b ? a : b; }
LAB_BOTH unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
LAB_BOTH long long min(long long a, long long b) { return a < b ? a : b; }
LAB_BOTH unsigned long long min(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
LAB_BOTH float min(float a, float b) { return a < b ? a : b; }
LAB_BOTH double min(double a, double b) { return a < b ? a : b; }
LAB_BOTH unsigned min(int a, unsigned b) {
  return static_cast<unsigned>(a) < static_cast<unsigned>(b) ? static_cast<unsigned>(a)
                                                             : static_cast<unsigned>(b);
}
LAB_BOTH unsigned min(unsigned a, int b) {
  return static_cast<unsigned>(a) < static_cast<unsigned>(b) ? static_cast<unsigned>(a)
                                                             : static_cast<unsigned>(b);
}
LAB_BOTH unsigned long min(long a, unsigned long b) {
  return static_cast<unsigned long>(a) < static_cast<unsigned long>(b)
             ? static_cast<unsigned long>(a)
             : static_cast<unsigned long>(b);
}
LAB_BOTH unsigned long min(unsigned long a, long b) {
  return static_cast<unsigned long>(a) < static_cast<unsigned long>(b)
             ? static_cast<unsigned long>(a)
             : static_cast<unsigned long>(b);
}
LAB_BOTH unsigned long long min(long long a, unsigned long long b) {
  return static_cast<unsigned long long>(a) < static_cast<unsigned long long>(b)
             ? static_cast<unsigned long long>(a)
             : static_cast<unsigned long long>(b);
}
LAB_BOTH unsigned long long min(unsigned long long a, long long b) {
  return static_cast<unsigned long long>(a) < static_cast<unsigned long long>(b)
             ? static_cast<unsigned long long>(a)
             : static_cast<unsigned long long>(b);
}
LAB_BOTH double min(float a, double b) {
  return static_cast<double>(a) < static_cast<double>(b) ? static_cast<double>(a)
                                                         : static_cast<double>(b);
}
LAB_BOTH double min(double a, float b) {
  return static_cast<double>(a) < static_cast<double>(b) ? static_cast<double>(a)
                                                         : static_cast<double>(b);
}
LAB_BOTH int max(int a, int b) { return a > b ? a : b; }
LAB_BOTH unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
LAB_BOTH long max(long a, long b) { return a > b ? a : b; }
LAB_BOTH unsigned long max(unsigned long a, unsigned long b) { return a > b ? a : b; }
LAB_BOTH long long max(long long a, long long b) { return a > b ? a : b; }
LAB_BOTH unsigned long long max(unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}
LAB_BOTH float max(float a, float b) { return a > b ? a : b; }
LAB_BOTH double max(double a, double b) { return a > b ? a : b; }
LAB_BOTH unsigned max(int a, unsigned b) {
  return static_cast<unsigned>(a) > static_cast<unsigned>(b) ? static_cast<unsigned>(a)
                                                             : static_cast<unsigned>(b);
}
LAB_BOTH unsigned max(unsigned a, int b) {
  return static_cast<unsigned>(a) > static_cast<unsigned>(b) ? static_cast<unsigned>(a)
                                                             : static_cast<unsigned>(b);
}
LAB_BOTH unsigned long max(long a, unsigned long b) {
  return static_cast<unsigned long>(a) > static_cast<unsigned long>(b)
             ? static_cast<unsigned long>(a)
             : static_cast<unsigned long>(b);
}
LAB_BOTH unsigned long max(unsigned long a, long b) {
  return static_cast<unsigned long>(a) > static_cast<unsigned long>(b)
             ? static_cast<unsigned long>(a)
             : static_cast<unsigned long>(b);
}
LAB_BOTH unsigned long long max(long long a, unsigned long long b) {
  return static_cast<unsigned long long>(a) > static_cast<unsigned long long>(b)
             ? static_cast<unsigned long long>(a)
             : static_cast<unsigned long long>(b);
}
LAB_BOTH unsigned long long max(unsigned long long a, long long b) {
  return static_cast<unsigned long long>(a) > static_cast<unsigned long long>(b)
             ? static_cast<unsigned long long>(a)
             : static_cast<unsigned long long>(b);
}
LAB_BOTH double max(float a, double b) {
  return static_cast<double>(a) > static_cast<double>(b) ? static_cast<double>(a)
                                                         : static_cast<double>(b);
}
LAB_BOTH double max(double a, float b) {
  return static_cast<double>(a) > static_cast<double>(b) ? static_cast<double>(a)
                                                         : static_cast<double>(b);
}
#undef LAB_BOTH
#undef LAB_DEVICE
