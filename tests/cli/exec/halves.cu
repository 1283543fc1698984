// Half-precision arithmetic: 11 bits, rounded to nearest, ties to even.
#include <cuda_fp16.h>

#include <cstdio>

__global__ void compute(float* out, __half* sum, __half2* pair) {
  __half one = __float2half(1.0f);
  __half big = __float2half(2048.0f);       // from here on halves are 2 apart
  out[0] = __half2float(__hadd(big, one));  // 2049 lies between 2048 and 2050: even
  out[1] = big + __half(3.0f);              // 2051, between 2050 and 2052: even
  out[2] = __hfma(__half(1.5f), __half(1.5f), __half(0.25f));  // 2.5
  out[3] = __half_as_ushort(one / __half(3.0f));               // 0x3555: 1.33325 / 4
  __half none = __half(0.0f) / __half(0.0f);
  out[4] = __heq(none, none) + 2 * __hneu(none, none) + 4 * __hisnan(none);  // 6
  out[5] = __half2int_rz(__half(-2.75f));                                    // -2
  out[6] = hsqrt(__half(2.25f));                                             // 1.5
  __half2 two = __hmul2(__floats2half2_rn(3.0f, 5.0f), __half2half2(__half(0.5f)));
  out[7] = __low2float(two) * 10 + __high2float(two);  // 1.5 and 2.5
  atomicAdd(sum, one);
  atomicAdd(pair, __halves2half2(one, __half(2.0f)));
}

int main() {
  float* out;
  __half* sum;
  __half2* pair;
  cudaMalloc(&out, 8 * sizeof(float));
  cudaMalloc(&sum, sizeof(__half));
  cudaMalloc(&pair, sizeof(__half2));
  cudaMemset(sum, 0, sizeof(__half));
  cudaMemset(pair, 0, sizeof(__half2));
  compute<<<1, 1>>>(out, sum, pair);
  float got[8];
  __half total;
  __half2 totals;
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost);
  cudaMemcpy(&totals, pair, sizeof totals, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 8; ++i) printf("%g ", got[i]);
  printf("%g %g %g\n", __half2float(total), __low2float(totals), __high2float(totals));
  cudaFree(out);
  cudaFree(sum);
  cudaFree(pair);
}
