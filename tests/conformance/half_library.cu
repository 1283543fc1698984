// 16-bit floating point: its functions, one and two at a time, and conversions; half_library_test.cpp
// has what each gives.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename Half, typename Pair>
__device__ void all(Half* single, Pair* pairs, Half x, Half y, Pair p, Pair q) {
  single[0] = hsin(x);
  single[1] = hcos(x);
  single[2] = hexp(x);
  single[3] = hexp2(x);
  single[4] = hexp10(x);
  single[5] = hlog(x);
  single[6] = hlog2(x);
  single[7] = hlog10(x);
  single[8] = hsqrt(x);
  single[9] = hrsqrt(x);
  single[10] = hrcp(x);
  single[11] = hfloor(x);
  single[12] = hceil(x);
  single[13] = htrunc(x);
  single[14] = hrint(x);
  single[15] = __hadd(x, x);
  single[16] = __hsub(x, y);
  single[17] = __hmul(x, y);
  single[18] = __hdiv(x, y);
  single[19] = __hfma(x, y, x);
  single[20] = __hfma_relu(x, __hneg(y), x);
  single[21] = __hadd_sat(x, y);
  single[22] = __hmax(x, y);
  single[23] = __hmin_nan(x, y);
  single[24] = __habs(__hneg(x));
  single[25] = x * y - x / y;
  pairs[0] = h2exp2(p);
  pairs[1] = h2log(p);
  pairs[2] = h2sqrt(p);
  pairs[3] = __hmul2(p, p);
  pairs[4] = __hfma2(p, p, q);
  pairs[5] = __h2div(p, q);
  pairs[6] = __hmax2(p, q);
  pairs[7] = __lowhigh2highlow(p);
  pairs[8] = __hsub2(p, q);
}

extern "C" __global__ void halves(__half* out, __half2* pairs, const float* in) {
  int t = threadIdx.x;
  __half x = __float2half(in[2 * t]);
  __half y = __float2half(in[2 * t + 1]);
  all(out + 26 * t, pairs + 9 * t, x, y, __halves2half2(x, y), __halves2half2(y, x));
}
#if __CUDA_ARCH__ >= 800
extern "C" __global__ void bfloats(__nv_bfloat16* out, __nv_bfloat162* pairs, const float* in) {
  int t = threadIdx.x;
  __nv_bfloat16 x = __float2bfloat16(in[2 * t]);
  __nv_bfloat16 y = __float2bfloat16(in[2 * t + 1]);
  all(out + 26 * t, pairs + 9 * t, x, y, __halves2bfloat162(x, y), __halves2bfloat162(y, x));
}
#endif

extern "C" __global__ void conversions(int* out, const float* in) {
  int t = threadIdx.x;
  __half x = __float2half(in[2 * t]);
  __half y = __float2half(in[2 * t + 1]);
  int* mine = out + 13 * t;
  mine[0] = __half2int_rn(x);
  mine[1] = __half2int_rz(__hneg(x));
  mine[2] = __half2uint_ru(x);
  mine[3] = __half2short_rd(x);
  mine[4] = __half2ll_rn(x);
  mine[5] = (int)(float)x;
  mine[6] = __heq(x, x);
  mine[7] = __hlt(x, y);
  mine[8] = __hgt(x, y);
  mine[9] = __hisnan(x);
  mine[10] = __half_as_ushort(__int2half_rn(t + 2047));
  mine[11] = __half_as_ushort(__double2half(1.0 / (t + 1)));
  mine[12] = __half_as_ushort(__float2half_rz(1.0f / (t + 1)));
}
