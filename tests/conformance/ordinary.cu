// What students write, one thing a kernel; ordinary_test.cpp derives each number.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
namespace cg = cooperative_groups;

extern "C" __global__ void tiles(int* out, const int* in) {
  int t = threadIdx.x;
  auto eight = cg::tiled_partition<8>(cg::this_thread_block());
  auto sixteen = cg::tiled_partition<16>(cg::this_thread_block());
  out[4 * t] = cg::reduce(eight, in[t], cg::plus<int>());
  out[4 * t + 1] = cg::reduce(sixteen, in[t] ^ 5, cg::greater<int>());
  out[4 * t + 2] = cg::inclusive_scan(sixteen, in[t]);
  out[4 * t + 3] = cg::exclusive_scan(eight, in[t], cg::plus<int>()) * 100 + eight.meta_group_rank();
}

// Lanes that found something take places behind each other.
extern "C" __global__ void compacted(int* out, int* count, const int* in) {
  int t = threadIdx.x;
  if (in[t] % 3 == 0) {
    auto group = cg::coalesced_threads();
    int base = 0;
    if (group.thread_rank() == 0) base = atomicAdd(count, group.size());
    out[group.shfl(base, 0) + group.thread_rank()] = in[t];
  }
}

extern "C" __global__ void partitions(int* out, const int* in) {
  int t = threadIdx.x;
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto odd = cg::binary_partition(warp, in[t] % 2 == 1);
  auto same = cg::labeled_partition(warp, in[t] % 4);
  out[2 * t] = odd.size() * 100 + odd.thread_rank();
  out[2 * t + 1] = same.size() * 100 + same.thread_rank();
}

extern "C" __global__ void group_copy(float* out, const float* in) {
  __shared__ float tile[64];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in + blockIdx.x * 64, sizeof tile);
  cg::wait(block);
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

// The second stage copies 12 of 16 bytes and fills the rest with zeros.
extern "C" __global__ void pipeline(float4* out, const float4* in) {
  __shared__ float4 stage[2][32];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&stage[0][t], in + t, 16);
  __pipeline_commit();
  __pipeline_memcpy_async(&stage[1][t], in + 32 + t, 16, 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  out[t] = stage[0][31 - t];
  __pipeline_wait_prior(0);
  __syncthreads();
  out[32 + t] = stage[1][31 - t];
}

extern "C" __global__ void wide_shuffles(double* out, const double* in) {
  int t = threadIdx.x;
  double sum = in[t];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  out[t] = sum + __shfl_down_sync(0xffffffff, in[t], 3, 8) / 1024;
}

extern "C" __global__ void half_atomics(__half* a, __half2* b, __nv_bfloat162* c, float* old) {
  int t = threadIdx.x;
  old[t] = __half2float(atomicAdd(a, __float2half(1.0f)));
  atomicAdd(b, __floats2half2_rn(1.0f, 0.5f));
  atomicAdd(c, __floats2bfloat162_rn(0.25f, 2.0f));
}

// A switch of forty cases, which is a table.
extern "C" __global__ void forty(int* out, const int* in) {
  int v = in[threadIdx.x];
#define CASE(n) \
  case n:       \
    v = v * (n) + 3; \
    break;
#define FIVE(n) CASE(n) CASE(n + 1) CASE(n + 2) CASE(n + 3) CASE(n + 4)
  switch (v) {
    FIVE(0) FIVE(5) FIVE(10) FIVE(15) FIVE(20) FIVE(25) FIVE(30) FIVE(35)
    default:
      v = -1;
  }
  out[threadIdx.x] = v;
}

struct alignas(16) Packet {
  float x, y;
  int z;
  unsigned short a, b;
};
extern "C" __global__ void packets(Packet* out, const Packet* in) {
  Packet p = in[threadIdx.x];
  p.x += p.y;
  p.z ^= p.a;
  p.b = 7;
  out[threadIdx.x] = p;
}

extern "C" __global__ void long_division(long long* out, const long long* in) {
  long long a = in[2 * threadIdx.x];
  long long b = in[2 * threadIdx.x + 1];
  long long* mine = out + 8 * threadIdx.x;
  mine[0] = a / b;
  mine[1] = a % b;
  mine[2] = (unsigned long long)a / (unsigned long long)b;
  mine[3] = (unsigned long long)a % 10;
  __int128 product = (__int128)a * b;
  mine[4] = (long long)(product >> 64);
  mine[5] = (long long)product;
  mine[6] = (long long)(product / 1000000007);
  mine[7] = (long long)((unsigned __int128)product % 97);
}

extern "C" __global__ void prints() {
  if (threadIdx.x != 0) return;
  printf("%d %i %u %x %X %o %c %s|", -5, 7, 9u, 255, 255, 8, 'c', "str");
  printf("%f %e %g %5.2f|%-6d|%08.3f|%+d|%#x|%%|", 1.5, 1e10, 0.0001, 3.14159, 42, 2.5, 3, 255);
  printf("%lld %llu %hd %zu %5s|%-5s|%.2s\n", -1ll, 1ull << 60, (short)-3, (size_t)9, "ab", "ab",
         "abc");
}

union Bits {
  float f;
  unsigned u;
  unsigned char bytes[4];
};
struct Fields {
  unsigned a : 5;
  int b : 7;
  unsigned c : 20;
};
extern "C" __global__ void unions_and_fields(unsigned* out, Fields* fields, const int* in) {
  int t = threadIdx.x;
  Bits bits;
  bits.f = (float)in[t];
  bits.bytes[0] = 7;
  out[t] = bits.u;
  Fields f;
  f.a = in[t];
  f.b = -in[t];
  f.c = in[t] * 1000;
  fields[t] = f;
  fields[t].b += 3;
}

extern "C" __global__ void complex(cuFloatComplex* out, const cuFloatComplex* in) {
  cuFloatComplex a = in[threadIdx.x];
  out[2 * threadIdx.x] = cuCmulf(a, cuConjf(a));
  out[2 * threadIdx.x + 1] = cuCdivf(a, make_cuFloatComplex(0, 2));
}

__constant__ int3 steps[2] = {{1, 2, 3}, {4, 5, 6}};
__device__ float weights[4] = {0.5f, 1.5f, 2.5f, 3.5f};
__device__ const char* const names[3] = {"one", "two", "three"};
extern "C" __global__ void tables(float* out, int* lengths) {
  int t = threadIdx.x;
  out[t] = steps[t % 2].z + weights[t % 4];
  const char* name = names[t % 3];
  int length = 0;
  while (name[length] != 0) ++length;
  lengths[t] = name[0] * 10 + length;
}

// PCG: a 64-bit state, its upper bits xored down and rotated.
extern "C" __global__ void random_numbers(unsigned* out, unsigned seed) {
  unsigned long long state = seed + threadIdx.x;
  for (int k = 0; k < 10; ++k) state = state * 6364136223846793005ull + 1442695040888963407ull;
  unsigned word = (unsigned)(((state >> 18u) ^ state) >> 27u);
  unsigned turn = (unsigned)(state >> 59u);
  out[threadIdx.x] = word >> turn | word << (-turn & 31);
}

extern "C" __global__ void grey(uchar4* out, const uchar4* in, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  uchar4 p = in[y * width + x];
  unsigned char g = (unsigned char)((p.x * 77 + p.y * 150 + p.z * 29) >> 8);
  out[y * width + x] = make_uchar4(g, min(255, p.y + 20), max(0, p.z - 20), 255);
}

template <int N, typename F>
__device__ void unrolled(F f) {
  if constexpr (N > 0) {
    unrolled<N - 1>(f);
    f(N - 1);
  }
}
extern "C" __global__ void templates(int* out) {
  int t = threadIdx.x;
  int values[8];
  unrolled<8>([&](int k) { values[k] = k * t; });
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += values[(k * t) & 7];
  auto all = [](auto... x) { return (x + ... + 0); };
  out[t] = all(sum, 1, t);
}

extern "C" __global__ void bitonic(int* data) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  for (int k = 2; k <= 64; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      int x = t ^ j;
      if (x > t && (s[t] > s[x]) == ((t & k) == 0)) {
        int y = s[t];
        s[t] = s[x];
        s[x] = y;
      }
      __syncthreads();
    }
  }
  data[t] = s[t];
}

__device__ __noinline__ void exchange(int& a, int& b) {
  int c = a;
  a = b;
  b = c;
}
extern "C" __global__ void references(int* out) {
  int t = threadIdx.x;
  int a = t;
  int b = 2 * t;
  exchange(a, b);
  out[t] = 100 * a + b;
  exchange(out[t], out[t + 32]);
}

// The bytes of a struct, moved where they do not fit words.
extern "C" __global__ void odd_copies(unsigned char* out, const unsigned char* in) {
  int t = threadIdx.x;
  struct Odd {
    unsigned char bytes[13];
  } odd;
  memcpy(&odd, in + t * 13, 13);
  memset(odd.bytes + 3, 7, 5);
  memcpy(out + t * 13, &odd, 13);
}
