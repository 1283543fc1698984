// Kernels whose lanes speak to each other, atomics, barriers; warps_test.cpp derives each number.
constexpr unsigned kAll = 0xffffffffu;

extern "C" __global__ void shuffles(double* out, const int* in) {
  unsigned t = threadIdx.x;
  int v = in[t];
  double* mine = out + t * 8;
  mine[0] = __shfl_sync(kAll, v, 5);
  mine[1] = __shfl_sync(kAll, v, t + 1, 8);
  mine[2] = __shfl_up_sync(kAll, v, 3);
  mine[3] = __shfl_up_sync(kAll, v, 2, 4);
  mine[4] = __shfl_down_sync(kAll, v, 20);
  mine[5] = __shfl_xor_sync(kAll, 0.5 * v, 17);
  mine[6] = static_cast<double>(__shfl_xor_sync(kAll, static_cast<long long>(v) << 40, 1));
  mine[7] = t < 10 ? __shfl_sync(0x3ffu, v, 9) : -1;
}

extern "C" __global__ void votes(unsigned* out) {
  unsigned t = threadIdx.x;
  unsigned* mine = out + t * 8;
  for (int i = 0; i < 8; ++i) mine[i] = 0;
  if (t % 4 == 1) {
    mine[0] = __activemask();
    mine[1] = __ballot_sync(0x22222222u, t > 12);
    mine[2] = __any_sync(0x22222222u, t == 29) + 2 * __all_sync(0x22222222u, t % 2 == 1);
  }
  __syncwarp();
  int all_same;
  mine[3] = __match_any_sync(kAll, 0x100000000ull * (t % 3));
  mine[4] = __match_all_sync(kAll, t / 32, &all_same) + all_same;
  mine[5] = __match_all_sync(kAll, t / 31, &all_same) + all_same;
  mine[6] = __reduce_min_sync(kAll, static_cast<int>(t) - 16);
  mine[7] = __reduce_max_sync(kAll, t ^ 9) + 1000 * __reduce_and_sync(kAll, t | 4) +
            100000 * __reduce_or_sync(kAll, t & 6) + 10000000 * __reduce_xor_sync(kAll, t < 3 ? t + 4 : 0u);
}

// Every atomic operation, by all threads of the grid on one word each.
extern "C" __global__ void atomics(unsigned* u, int* s, unsigned long long* l, double* d, float* f) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&u[0], t);
  atomicSub(&u[1], 1u);
  atomicMin(&u[2], 1000u - t);
  atomicMax(&u[3], t * 3);
  atomicInc(&u[4], 9u);
  atomicDec(&u[5], 9u);
  atomicAnd(&u[6], ~(1u << (t % 8)));
  atomicOr(&u[7], 1u << (t % 20));
  atomicXor(&u[8], t);
  atomicExch(&u[9], 77u);
  atomicCAS(&u[10], t, t + 1);
  atomicAdd_block(&u[11], 2u);
  atomicAdd_system(&u[12], 3u);
  atomicAdd(&s[0], -static_cast<int>(t));
  atomicMin(&s[1], 5 - static_cast<int>(t));
  atomicMax(&s[2], static_cast<int>(t) - 500);
  atomicAdd(&l[0], 0x100000000ull);
  atomicMax(&l[1], static_cast<unsigned long long>(t) << 33);
  atomicMin(reinterpret_cast<long long*>(&l[2]), -static_cast<long long>(t) << 32);
  atomicOr(&l[3], 1ull << (t % 64));
  atomicExch(&l[4], 5ull << 40);
  atomicAdd(d, 0.5 * t);
  atomicAdd(&f[0], 0.25f);
  atomicExch(&f[1], 1.5f);
  // The largest float by compare and swap.
  int* word = reinterpret_cast<int*>(&f[2]);
  int seen = *static_cast<volatile int*>(word);
  while (__int_as_float(seen) < 0.5f * t) {
    int before = atomicCAS(word, seen, __float_as_int(0.5f * t));
    if (before == seen) break;
    seen = before;
  }
}

extern "C" __global__ void sixteen_bits(unsigned short* out) {
  unsigned short* mine = &out[threadIdx.x % 2];
  unsigned short seen = *static_cast<volatile unsigned short*>(mine);
  while (true) {
    unsigned short before = atomicCAS(mine, seen, static_cast<unsigned short>(seen + 3));
    if (before == seen) break;
    seen = before;
  }
}

// What an atomic returns: each thread a place of its own, in shared memory and in global memory.
extern "C" __global__ void places(int* out, unsigned* next) {
  __shared__ unsigned mine;
  if (threadIdx.x == 0) mine = 0;
  __syncthreads();
  if (threadIdx.x % 3 == 0) {
    out[blockIdx.x * 32 + atomicAdd(&mine, 1u)] = 1;
  }
  atomicAdd(&out[128 + atomicInc(next, 1000u)], 1);
}

// The block that comes last adds what all have left.
__device__ unsigned arrived = 0;
extern "C" __global__ void last_block(int* out, int* partial) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = blockIdx.x * blockIdx.x;
    __threadfence();
    last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += static_cast<volatile int*>(partial)[b];
    *out = sum;
  }
}

extern "C" __global__ void counted_barriers(int* out) {
  int t = threadIdx.x;
  int count = __syncthreads_count(t % 3 == 0);
  int all = __syncthreads_and(t < 96);
  int any = __syncthreads_or(t == 95);
  int none = __syncthreads_or(t == 96);
  out[t] = count + 1000 * (all != 0) + 2000 * (any != 0) + 4000 * (none != 0);
}

// Two halves of a block, each with a barrier of its own; then a hand-over with arrive.
extern "C" __global__ void named_barriers(int* out) {
  __shared__ int tile[128];
  int t = threadIdx.x;
  int half = t / 64;
  tile[t] = t;
  asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
  int other = tile[half * 64 + 63 - t % 64];
  __syncthreads();
  if (half == 0) {
    tile[t] = 1000 + other;
    __threadfence_block();
    asm volatile("bar.arrive 3, 128;" ::: "memory");
    out[t] = other;
  } else {
    asm volatile("bar.sync 3, 128;" ::: "memory");
    out[t] = tile[t - 64] + other;
  }
}

extern "C" __global__ void copied_ahead(int* out, const int* in) {
  __shared__ __align__(16) int tile[2][128];
  unsigned t = threadIdx.x;
  for (int s = 0; s < 2; ++s) {
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[s][t * 4]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + s * 128 + t * 4));
    asm volatile("cp.async.commit_group;");
  }
  asm volatile("cp.async.wait_group 1;" ::: "memory");
  __syncthreads();
  int first = tile[0][127 - t];
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[t] = first * 1000 + tile[1][127 - t];
}
