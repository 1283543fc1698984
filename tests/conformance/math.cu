// Kernels of numbers; math_test.cpp derives each.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

extern "C" __global__ void functions(float* out, const float* in) {
  int t = threadIdx.x;
  float x = in[t];
  float* mine = out + t * 24;
  mine[0] = sinf(x);
  mine[1] = cosf(x);
  mine[2] = tanf(x);
  mine[3] = expf(x / 8);
  mine[4] = exp2f(x / 8);
  mine[5] = logf(x);
  mine[6] = log2f(x);
  mine[7] = log10f(x);
  mine[8] = sqrtf(x);
  mine[9] = rsqrtf(x);
  mine[10] = cbrtf(x);
  mine[11] = powf(x, 1.7f);
  mine[12] = atanf(x);
  mine[13] = atan2f(x, 3.0f);
  mine[14] = asinf(1 / (x + 1));
  mine[15] = sinhf(x / 16);
  mine[16] = tanhf(x / 4);
  mine[17] = erff(x / 4);
  mine[18] = hypotf(x, 2.0f);
  mine[19] = fmodf(x, 0.75f);
  mine[20] = log1pf(x);
  mine[21] = expm1f(x / 32);
  mine[22] = 1.0f / x;
  mine[23] = x / 3.0f;
}

extern "C" __global__ void far_angles(float* out, const float* in) {
  int t = threadIdx.x;
  out[2 * t] = sinf(in[t]);
  out[2 * t + 1] = cosf(in[t]);
}

extern "C" __global__ void fast(float* out, const float* in) {
  int t = threadIdx.x;
  float x = in[t];
  float* mine = out + t * 6;
  mine[0] = __sinf(x);
  mine[1] = __expf(x);
  mine[2] = __logf(x + 1);
  mine[3] = __fdividef(x, 3.0f);
  mine[4] = __powf(x + 1, 2.0f);
  mine[5] = __frsqrt_rn(x + 1);
}

extern "C" __global__ void rounded(float* out, float a, float b) {
  out[0] = __fadd_rn(a, b);
  out[1] = __fadd_rz(a, b);
  out[2] = __fadd_ru(a, b);
  out[3] = __fadd_rd(a, b);
  out[4] = __fmul_ru(b, b);
  out[5] = __fmaf_rd(a, a, -b);
  out[6] = floorf(-2.5f);
  out[7] = ceilf(-2.5f);
  out[8] = truncf(-2.5f);
  out[9] = rintf(2.5f);
  out[10] = roundf(2.5f);
  out[11] = __saturatef(a + 0.5f);
  out[12] = fmaxf(a, nanf(""));
  out[13] = copysignf(2.0f, -0.0f);
  out[14] = __int2float_rz(0x7fffffff);
  out[15] = __uint2float_ru(0xffffff01u);
}

extern "C" __global__ void doubles(double* out, const double* in) {
  int t = threadIdx.x;
  double x = in[t];
  double* mine = out + t * 8;
  mine[0] = sin(x);
  mine[1] = exp(x / 8);
  mine[2] = log(x);
  mine[3] = pow(x, 1.7);
  mine[4] = 1 / x;
  mine[5] = sqrt(x);
  mine[6] = fmod(x, 0.75);
  mine[7] = rsqrt(x);
}

// Division by constants, which becomes multiplication, and by variables, which does not.
extern "C" __global__ void divisions(long long* out, const int* a, const int* b) {
  int t = threadIdx.x;
  int x = a[t];
  int y = b[t];
  unsigned u = x;
  long long l = static_cast<long long>(x) * 1000003;
  unsigned long long v = l;
  long long* mine = out + t * 12;
  mine[0] = x / 7;
  mine[1] = x % 10;
  mine[2] = u / 641u;
  mine[3] = x / y;
  mine[4] = x % y;
  mine[5] = u / static_cast<unsigned>(y);
  mine[6] = u % static_cast<unsigned>(y);
  mine[7] = l / y;
  mine[8] = l % y;
  mine[9] = v / 1000000007ull;
  mine[10] = v % (static_cast<unsigned long long>(y) | 1u << 31);
  mine[11] = x / 16 + x % 16 * 1000;
}

extern "C" __global__ void integers(unsigned long long* out, int a, int b) {
  unsigned u = a;
  unsigned v = b;
  unsigned long long w = static_cast<unsigned long long>(u) << 32 | v;
  out[0] = static_cast<unsigned>(__mulhi(a, b));
  out[1] = __umulhi(u, v);
  out[2] = __umul64hi(w, w);
  out[3] = static_cast<unsigned>(__mul24(a, b));
  out[4] = __brev(u);
  out[5] = __clz(a) + 100 * __ffs(b) + 10000 * __popc(u) + 1000000 * __clzll(w >> 20);
  out[6] = __byte_perm(u, v, 0x6240);
  out[7] = __funnelshift_l(u, v, 12);
  out[8] = __funnelshift_rc(u, v, 40);
  out[9] = __sad(a, b, 5u);
  out[10] = static_cast<unsigned>(__hadd(a, b));
  out[11] = static_cast<unsigned>(__rhadd(a, b));
  out[12] = static_cast<unsigned>(__dp4a(a, b, 1000));
  out[13] = static_cast<unsigned>(__dp2a_lo(a, b, 0));
  out[14] = __vadd4(u, v);
  out[15] = __vsub4(u, v);
  out[16] = __usad(u, v, 0u);
  out[17] = __vcmpgtu4(u, v);
  out[18] = __vminu4(u, v);
  out[19] = __vavgu4(u, v);
}

extern "C" __global__ void halves(float* out, const float* in) {
  int t = threadIdx.x;
  __half a = __float2half(in[t]);
  __half b = __float2half(0.5f);
  float* mine = out + t * 10;
  mine[0] = __half2float(__hadd(a, b));
  mine[1] = __half2float(__hsub(a, b));
  mine[2] = __half2float(__hfma(a, a, b));
  mine[3] = __half2float(__hdiv(a, __float2half(4.0f)));
  mine[4] = __half2float(hsqrt(__hmul(a, a)));
  mine[5] = __hlt(a, b) + 2 * __hge(a, b) + 4 * __hisnan(a);
  mine[6] = __half2int_rd(__hneg(a)) + 1000.0f * __half2uint_rn(__habs(a));
  __half2 pair = __hfma2(__halves2half2(a, b), __float2half2_rn(2.0f), __half2half2(b));
  mine[7] = __low2float(pair) + 1000 * __high2float(pair);
  __nv_bfloat16 c = __float2bfloat16(in[t]);
  mine[8] = __bfloat162float(__hfma(c, c, __float2bfloat16(1.0f)));
  __nv_bfloat162 two = __hmul2(__bfloat162bfloat162(c), __floats2bfloat162_rn(2.0f, 4.0f));
  mine[9] = __low2float(two) + __high2float(two);
}
