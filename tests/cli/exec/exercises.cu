// Ten exercises that every course has, each held against the host.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.h"

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// The walk: divergent, sequential, shuffled.
__global__ void reduce_modulo(const float* in, float* out) {
  __shared__ float part[256];
  const unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (unsigned s = 1; s < 256; s *= 2) {
    if (t % (2 * s) == 0) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
__global__ void reduce_sequential(const float* in, float* out) {
  __shared__ float part[256];
  const unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (unsigned s = 128; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
__global__ void reduce_shuffle(const float* in, float* out) {
  __shared__ float part[8];
  float sum = in[blockIdx.x * 256 + threadIdx.x];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 8) return;
  sum = part[threadIdx.x];
  for (int o = 4; o > 0; o /= 2) sum += __shfl_down_sync(0xff, sum, o, 8);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void histogram(const unsigned* data, unsigned* bins, int n) {
  __shared__ unsigned local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i] / 4 % 64], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void scan(const int* in, int* out) {
  __shared__ int row[2][256];
  const int t = threadIdx.x;
  int now = 0;
  row[0][t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    row[1 - now][t] = row[now][t] + (t >= d ? row[now][t - d] : 0);
    now = 1 - now;
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = row[now][t];
}

__global__ void transpose_naive(const float* in, float* out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[x * n + y + j] = in[(y + j) * n + x];
}
template <int kPad>
__global__ void transpose_tile(const float* in, float* out, int n) {
  __shared__ float tile[32][32 + kPad];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][16], bs[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void stencil(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
  const int i = y * n + x;
  out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

__global__ void bodies(const float4* at, float4* pull, int n) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float4 me = at[i];
  float4 sum = make_float4(0, 0, 0, 0);
  for (int k = 0; k < n; k += 128) {
    tile[threadIdx.x] = at[k + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; ++j) {
      const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float f = tile[j].w * r * r * r;
      sum.x += f * dx, sum.y += f * dy, sum.z += f * dz;
    }
    __syncthreads();
  }
  pull[i] = sum;
}

__global__ void bitonic(int* data) {
  __shared__ int s[512];
  const int t = threadIdx.x;
  s[t] = data[blockIdx.x * 512 + t];
  for (int k = 2; k <= 512; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      const int other = t ^ j;
      if (other <= t) continue;
      const bool up = (t & k) == 0;
      if ((s[t] > s[other]) == up) {
        const int kept = s[t];
        s[t] = s[other];
        s[other] = kept;
      }
    }
  }
  __syncthreads();
  data[blockIdx.x * 512 + t] = s[t];
}

__host__ __device__ inline float normal(float d) { return 0.5f * erfcf(-d * 0.70710678f); }
__host__ __device__ inline float price(float s, float x, float t) {
  const float r = 0.02f, v = 0.3f, root = sqrtf(t);
  const float d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * root);
  return s * normal(d1) - x * expf(-r * t) * normal(d1 - v * root);
}
__global__ void black_scholes(const float* s, const float* x, const float* t, float* call, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    call[i] = price(s[i] + 1, x[i] + 1, t[i] + 1);
}

template <typename T>
T* device(const std::vector<T>& from) {
  T* to;
  CHECK(cudaMalloc(&to, from.size() * sizeof(T)));
  CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  return to;
}
template <typename T>
std::vector<T> host(const T* from, size_t n) {
  std::vector<T> to(n);
  CHECK(cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost));
  return to;
}
template <typename T>
std::vector<T> iota(size_t n) {
  std::vector<T> all(n);
  for (size_t i = 0; i < n; ++i) all[i] = T(i);
  return all;
}

int failures = 0;
void expect(const char* what, bool fine) {
  failures += !fine;
  if (!fine) printf("%s: wrong\n", what);
}

int main() {
  const int n = 4096, side = 64;  // n = side * side
  const std::vector<float> f = iota<float>(n);
  float *a = device(f), *b = device(f), *c = device(std::vector<float>(n));
  vector_add<<<16, 256>>>(a, b, c, n);
  std::vector<float> got = host(c, n);
  for (int i = 0; i < n; ++i) expect("vector_add", got[i] == 2.0f * i);

  float* sums = device(std::vector<float>(16));
  const auto expect_sums = [&](const char* what) {
    const std::vector<float> part = host(sums, 16);
    // Of 256 k + i for i below 256: 65536 k + 32640, exact in a float.
    for (int k = 0; k < 16; ++k) expect(what, part[k] == 65536.0f * k + 32640);
  };
  reduce_modulo<<<16, 256>>>(a, sums);
  expect_sums("reduce_modulo");
  reduce_sequential<<<16, 256>>>(a, sums);
  expect_sums("reduce_sequential");
  reduce_shuffle<<<16, 256>>>(a, sums);
  expect_sums("reduce_shuffle");

  unsigned *data = device(iota<unsigned>(n)), *bins = device(std::vector<unsigned>(64));
  histogram<<<4, 128>>>(data, bins, n);
  for (unsigned count : host(bins, 64)) expect("histogram", count == n / 64);

  int *ints = device(iota<int>(n)), *prefix = device(std::vector<int>(n));
  scan<<<16, 256>>>(ints, prefix);
  const std::vector<int> scanned = host(prefix, n);
  for (int i = 0, sum = 0; i < n; ++i) expect("scan", scanned[i] == (sum = i % 256 ? sum + i : i));

  const auto expect_transposed = [&](const char* what) {
    const std::vector<float> t = host(c, n);
    for (int i = 0; i < n; ++i) expect(what, t[i] == f[i % side * side + i / side]);
  };
  transpose_naive<<<dim3(2, 2), dim3(32, 8)>>>(a, c, side);
  expect_transposed("transpose_naive");
  transpose_tile<0><<<dim3(2, 2), dim3(32, 8)>>>(a, c, side);
  expect_transposed("transpose_tile");
  transpose_tile<1><<<dim3(2, 2), dim3(32, 8)>>>(a, c, side);
  expect_transposed("transpose_tile, padded");

  product<<<dim3(4, 4), dim3(16, 16)>>>(a, b, c, side);
  got = host(c, n);
  for (int r = 0; r < side; ++r) {
    for (int q = 0; q < side; ++q) {
      double sum = 0;
      for (int k = 0; k < side; ++k) sum += double(f[r * side + k]) * f[k * side + q];
      expect("product", fabs(got[r * side + q] - sum) <= 1e-4 * sum);
    }
  }

  stencil<<<dim3(2, 8), dim3(32, 8)>>>(a, c, side);
  got = host(c, n);
  for (int y = 1; y < side - 1; ++y)
    for (int x = 1; x < side - 1; ++x) expect("stencil", got[y * side + x] == y * side + x);

  std::vector<float4> places(256);
  for (int i = 0; i < 256; ++i) places[i] = {4.0f * i, 4.0f * i + 1, 4.0f * i + 2, 4.0f * i + 3};
  float4 *at = device(places), *pull = device(std::vector<float4>(256));
  bodies<<<2, 128>>>(at, pull, 256);
  const std::vector<float4> pulled = host(pull, 256);
  for (int i = 0; i < 256; ++i) {
    double sum = 0;
    for (int j = 0; j < 256; ++j) {
      const double d = 4.0 * (j - i), r = 1 / sqrt(3 * d * d + 0.01);
      sum += places[j].w * r * r * r * d;
    }
    expect("bodies", fabs(pulled[i].x - sum) <= 1e-3 * fabs(sum) + 1e-3);
  }

  bitonic<<<8, 512>>>(ints);
  const std::vector<int> sorted = host(ints, n);
  expect("bitonic", std::is_sorted(sorted.begin(), sorted.end()));

  black_scholes<<<4, 128>>>(a, b, a, c, n);
  got = host(c, n);
  for (int i = 0; i < n; ++i) {
    const float want = price(f[i] + 1, f[i] + 1, f[i] + 1);
    expect("black_scholes", fabsf(got[i] - want) <= 1e-4f * want);
  }

  for (void* one : {(void*)a, (void*)b, (void*)c, (void*)sums, (void*)data, (void*)bins, (void*)ints,
                    (void*)prefix, (void*)at, (void*)pull})
    CHECK(cudaFree(one));
  return verdict(failures == 0);
}
