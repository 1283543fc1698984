// Kernels whose lanes go different ways; control_test.cpp derives each number.

// Dense enough for a table of branches.
extern "C" __global__ void dense_switch(int* out, const int* in) {
  int t = threadIdx.x;
  int value = in[t];
  switch (t % 12) {
    case 0: value += 7; break;
    case 1: value *= 3; break;
    case 2: value = -value; break;
    case 3: value ^= 0x55; break;
    case 4: value -= 11; break;
    case 5: value = value * value; break;  // on to nothing
    case 6: value <<= 2;                   // falls through
    case 7: value |= 1; break;
    case 8: value = value / 3; break;
    case 9: value = value % 5; break;
    default: value = 1000 + value;
  }
  out[t] = value;
}

extern "C" __global__ void loops(int* out) {
  int t = threadIdx.x;
  int sum = 0;
  for (int i = 0; i <= t; ++i) {
    if (i % 3 == 0) continue;
    if (i > 20) break;
    int j = 0;
    while (true) {
      if (++j > i) break;
      if ((j & 1) == 0) continue;
      sum += j;
    }
  }
  out[t] = sum;
}

extern "C" __global__ void jumps(int* out) {
  int t = threadIdx.x;
  int steps = 0;
  int value = t;
again:
  if (value > 5) {
    value -= 5;
    ++steps;
    goto again;
  }
  if (value == 3) goto done;
  steps += 100;
done:
  out[t] = steps;
}

struct Three {
  double x;
  int y;
  char z;
};
__device__ __noinline__ Three make(char c, short s, double d, bool flag) {
  Three result = {d * 2, s + 1, static_cast<char>(c + 1)};
  if (flag) result.y = -result.y;
  return result;
}
__device__ __noinline__ double total(Three t, const Three& other) { return t.x + t.y + t.z + other.x; }
extern "C" __global__ void structures(double* out) {
  int t = threadIdx.x;
  Three a = make(static_cast<char>(t), static_cast<short>(-t), 0.25 * t, t % 2 == 1);
  Three b = make(1, 2, 3, false);
  out[t] = total(a, b);
}

// Lanes leave a called function at different places.
__device__ __noinline__ int classify(int v) {
  if (v < 8) return 1;
  for (int i = 2; i * i <= v; ++i) {
    if (v % i == 0) return 10 + i;
  }
  return 2;
}
extern "C" __global__ void early(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int kind = classify(i);
  if (kind == 1) {
    out[i] = -1;
    return;
  }
  out[i] = kind;
}

// Threads that have left do not count at a barrier.
extern "C" __global__ void left_early(int* out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t >= 48) return;
  tile[t] = t;
  __syncthreads();
  out[t] = tile[47 - t];
}

// && and || decide whether the second side is read at all.
extern "C" __global__ void short_circuit(int* out, const int* in, int n) {
  int t = threadIdx.x;
  bool inside = t < n && in[t] % 2 == 0;
  bool either = t >= n || in[t] > 10;
  out[t] = (inside ? 1 : 0) + (either ? 2 : 0);
}

// The same barrier in a loop whose length is the block's, not the thread's.
extern "C" __global__ void waves(int* out, int rounds) {
  __shared__ int tile[96];
  int t = threadIdx.x;
  tile[t] = t;
  for (int r = 0; r < rounds; ++r) {
    __syncthreads();
    int next = tile[(t + 1) % 96];
    __syncthreads();
    tile[t] = next;
  }
  out[t] = tile[t];
}

// Inline assembly that predicates instructions other than branches.
extern "C" __global__ void predicated(int* out, const int* in) {
  int t = threadIdx.x;
  int value = -1;
  asm volatile(
      "{\n.reg .pred p, q;\n"
      "setp.lt.s32 p, %1, 16;\n"
      "setp.eq.s32 q, %1, 20;\n"
      "@p ld.global.s32 %0, [%2];\n"
      "@!p add.s32 %0, %1, 1000;\n"
      "@q mov.s32 %0, 5;\n}\n"
      : "+r"(value)
      : "r"(t), "l"(in + t * (t < 16 ? 1 : 1000)));
  out[t] = value;
}

// What printf stores is in the machine code alone.
extern "C" __global__ void speaks(float* out) {
  printf("%d\n", (int)threadIdx.x);
  out[threadIdx.x] = 1;
}

// The block's sum is needed behind the branch alone, and the machine code loads it there.
extern "C" __global__ void sunk(unsigned* out, const unsigned* in, const unsigned* sums,
                                unsigned long long n) {
  const unsigned sum = sums[blockIdx.x];
  const unsigned i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[i] + sum;
    if (i + blockDim.x < n) out[i + blockDim.x] = in[i + blockDim.x] + sum;
  }
}

// An array that no register can hold, since its index is known at run time alone.
extern "C" __global__ void local_table(float* out, int shift) {
  volatile float table[4];
  for (int i = 0; i < 4; ++i) table[(i + shift) & 3] = static_cast<float>(i + threadIdx.x);
  out[threadIdx.x] = table[threadIdx.x & 3];
}

// Each warp takes places from a counter, with 16 of its lanes.
extern "C" __global__ void places(unsigned* out, unsigned* next) {
  const unsigned lane = threadIdx.x % 32;
  unsigned first = 0;
  if (lane == 0) first = atomicAdd(next, threadIdx.x / 32 % 2 == 0 ? 16U : 17U);
  first = __shfl_sync(0xffffffff, first, 0);
  if (lane < 16) out[first + lane] = threadIdx.x;
}
