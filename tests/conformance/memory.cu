// Kernels of every kind of memory; memory_test.cpp derives each number.
#include <cstdint>

// Every width from one buffer of bytes; the thread's element of each array of that type.
extern "C" __global__ void widths(unsigned long long* out, const void* in) {
  unsigned t = threadIdx.x;
  unsigned long long* mine = out + t * 10;
  mine[0] = static_cast<const std::uint8_t*>(in)[t];
  mine[1] = static_cast<long long>(static_cast<const std::int8_t*>(in)[t]);
  mine[2] = static_cast<const std::uint16_t*>(in)[t];
  mine[3] = static_cast<long long>(static_cast<const std::int16_t*>(in)[t]);
  mine[4] = static_cast<const std::uint32_t*>(in)[t];
  mine[5] = static_cast<const std::uint64_t*>(in)[t];
  uchar4 bytes = static_cast<const uchar4*>(in)[t];
  mine[6] = bytes.x + 1000 * bytes.w;
  ushort2 shorts = static_cast<const ushort2*>(in)[t];
  mine[7] = shorts.y;
  ulonglong2 pair = static_cast<const ulonglong2*>(in)[t];
  mine[8] = pair.y;
  int2 words = static_cast<const int2*>(in)[t];
  mine[9] = words.y;
}

// Loads and stores with every hint that the headers offer.
extern "C" __global__ void hints(float* out, const float* in) {
  unsigned t = threadIdx.x;
  float sum = __ldg(&in[t]) + __ldcg(&in[t + 32]) + __ldca(&in[t + 64]) + __ldcs(&in[t + 96]) +
              __ldlu(&in[t + 128]) + __ldcv(&in[t + 160]);
  __stwb(&out[t], sum);
  __stcg(&out[t + 32], sum + 1);
  __stcs(&out[t + 64], sum + 2);
  __stwt(&out[t + 96], sum + 3);
  volatile float* also = out;
  also[t + 128] = also[t] + 4;
}

__constant__ int table[4] = {10, 20, 30, 40};
__device__ int counters[4] = {1, 2, 3, 4};

// One pointer variable that names another space in each lane; what each is, as the hardware says.
extern "C" __global__ void spaces(int* out, int* in) {
  __shared__ int tile[32];
  int own[4] = {100, 101, 102, 103};
  unsigned t = threadIdx.x;
  tile[t] = 200 + t;
  __syncwarp();
  const int* where = t % 4 == 0   ? &in[t]
                     : t % 4 == 1 ? &tile[t]
                     : t % 4 == 2 ? &own[in[t] % 4]
                                  : &table[t / 8];
  out[t * 2] = *where;
  out[t * 2 + 1] = (__isGlobal(where) ? 1 : 0) + (__isShared(where) ? 2 : 0) +
                   (__isLocal(where) ? 4 : 0) + (__isConstant(where) ? 8 : 0);
}

// Generic stores and atomics to shared and global memory.
__device__ __noinline__ void put(int* where, int value) {
  *where = value;
  atomicAdd(where, 1);
}
extern "C" __global__ void generic_stores(int* out) {
  __shared__ int tile[32];
  unsigned t = threadIdx.x;
  put(t % 2 == 0 ? &tile[t] : &out[t], 10 * t);
  __syncthreads();
  if (t % 2 == 0) out[t] = tile[t];
}

struct __align__(16) Mixed {
  char tag;
  short number;
  float value;
  double wide;
};
__constant__ Mixed records[3] = {{'a', -1, 0.5f, 1e10}, {'b', -2, 1.5f, 2e10}, {'c', -3, 2.5f, 3e10}};
__device__ int* first_counter = &counters[1];
__device__ const char* const words[2] = {"warp", "lane"};
__device__ Mixed state;

extern "C" __global__ void variables(double* out) {
  unsigned t = threadIdx.x;
  const Mixed& r = records[t % 3];
  out[t] = r.tag + r.number + r.value + r.wide;
  if (t != 0) return;
  out[32] = *first_counter;
  out[33] = words[1][2];
  first_counter = &counters[3];
  out[34] = *first_counter;
  state.number = 7;
  state.wide = 0.25;
  Mixed copy = state;
  out[35] = copy.number + copy.wide + copy.value;
}

// A structure by value, as eight bytes.
struct Pair {
  int a;
  short b;
  signed char c[2];
};
extern "C" __global__ void by_value(int* out, Pair pair, const Pair* many) {
  unsigned t = threadIdx.x;
  out[t] = pair.a + pair.b + pair.c[t % 2] + many[t].a;
}

// Static and dynamic shared memory side by side: nobody overwrites anybody.
extern "C" __global__ void both_shared(int* out) {
  extern __shared__ int dynamic[];
  __shared__ int fixed[64];
  __shared__ double wide[64];
  unsigned t = threadIdx.x;
  dynamic[t] = t;
  fixed[t] = 1000 + t;
  wide[t] = 0.5 * t;
  __syncthreads();
  unsigned other = 63 - t;
  out[t] = dynamic[other] + fixed[other] + static_cast<int>(wide[other]);
}

// A stack of each thread's own, in local memory, of bytes.
extern "C" __global__ void digits(int* out, const int* in) {
  char text[16];
  unsigned t = threadIdx.x;
  int n = 0;
  for (int rest = in[t]; rest > 0; rest /= 10) text[n++] = static_cast<char>('0' + rest % 10);
  int value = 0;
  for (int i = 0; i < n; ++i) value = value * 10 + (text[i] - '0');
  out[t] = value;
}

// Thread and block coordinates in all three dimensions.
extern "C" __global__ void coordinates(unsigned* out, unsigned* count) {
  unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned lane, warp;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
  unsigned* mine = out + (block * threads + thread) * 4;
  mine[0] = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z;
  mine[1] = blockIdx.x + 100 * blockIdx.y + 10000 * blockIdx.z;
  mine[2] = lane;
  mine[3] = warp;
  atomicAdd(count, 1u);
}

// A two-word structure, read whole from shared memory.
struct Complex {
  float re;
  float im;
};
extern "C" __global__ void two_words(float* out, const float* in) {
  __shared__ Complex tile[32];
  unsigned t = threadIdx.x;
  tile[t].re = in[t];
  tile[t].im = in[t + 32];
  __syncthreads();
  Complex c = tile[31 - t];
  out[t] = c.re * c.re + c.im;
}
