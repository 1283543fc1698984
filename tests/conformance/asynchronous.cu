// Asynchronous copies and the barriers that wait for them; asynchronous_test.cpp derives the
// numbers. The first half is PTX, as headers of other versions make it; asynchronous_library.cu has
// the library's classes.
__device__ unsigned address_of(const void* shared) {
  return (unsigned)__cvta_generic_to_shared(shared);
}

__device__ void init(unsigned long long* bar, int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address_of(bar)), "r"(count) : "memory");
}
__device__ void wait_parity(unsigned long long* bar, int parity) {
  int done = 0;
  while (!done) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
        : "=r"(done) : "r"(address_of(bar)), "r"(parity) : "memory");
  }
}

// Each thread writes, arrives, waits for all, and reads its neighbour's: three rounds.
extern "C" __global__ void arrivals(int* out) {
  __shared__ unsigned long long bar;
  __shared__ int tile[128];
  int t = threadIdx.x;
  if (t == 0) init(&bar, 128);
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    tile[t] = round * 1000 + t;
    for (int step = 0; step < 2; ++step) {
      unsigned long long state;
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                   : "=l"(state) : "r"(address_of(&bar)) : "memory");
      int done = 0;
      while (!done) {
        asm volatile(
            "{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
            : "=r"(done) : "r"(address_of(&bar)), "l"(state) : "memory");
      }
      if (step == 0) sum += tile[(t + 33) % 128];
    }
  }
  out[t] = sum;
}

// One warp fills a ring of two tiles, the others empty it: full and empty barriers.
extern "C" __global__ void ring(int* out, const int* in, int tiles) {
  __shared__ unsigned long long full[2], empty[2];
  __shared__ int tile[2][96];
  int t = threadIdx.x;
  if (t == 0) {
    for (int i = 0; i < 2; ++i) {
      init(&full[i], 32);
      init(&empty[i], 96);
    }
  }
  __syncthreads();
  if (t < 32) {
    for (int i = 0; i < tiles; ++i) {
      if (i >= 2) wait_parity(&empty[i % 2], (i / 2 - 1) % 2);
      for (int k = t; k < 96; k += 32) tile[i % 2][k] = in[i * 96 + k];
      asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address_of(&full[i % 2])) : "memory");
    }
  } else {
    int sum = 0;
    for (int i = 0; i < tiles; ++i) {
      wait_parity(&full[i % 2], i / 2 % 2);
      sum += (i + 1) * tile[i % 2][95 - (t - 32)];
      asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address_of(&empty[i % 2])) : "memory");
    }
    out[t - 32] = sum;
  }
}

// A bulk copy in, one addition, a bulk copy out.
extern "C" __global__ void bulk(int* out, const int* in) {
  __shared__ __align__(16) int tile[256];
  __shared__ unsigned long long bar;
  int t = threadIdx.x;
  const int* from = in + blockIdx.x * 256;
  if (t == 0) {
    init(&bar, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (t == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(address_of(&bar))
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];"
        ::"r"(address_of(tile)), "l"(from), "r"(address_of(&bar)) : "memory");
  }
  wait_parity(&bar, 0);
  tile[t] = 2 * tile[t] + tile[255 - t] * 0;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;"
                 ::"l"(out + blockIdx.x * 256), "r"(address_of(tile)) : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// Copies of 16 bytes past L1 in two stages, and of 4 bytes through it that arrive at an mbarrier.
extern "C" __global__ void staged(int* out, const int* in, int stages) {
  __shared__ __align__(16) int tile[2][128];
  int t = threadIdx.x;
  auto fetch = [&](int i) {
    if (i < stages) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                   ::"r"(address_of(&tile[i % 2][4 * t])), "l"(in + i * 128 + 4 * t) : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  int sum = 0;
  fetch(0);
  for (int i = 0; i < stages; ++i) {
    fetch(i + 1);
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncwarp();
    for (int k = 0; k < 4; ++k) sum += tile[i % 2][(4 * t + k + 4) % 128];
    __syncwarp();
  }
  out[t] = sum;
}

extern "C" __global__ void copies_arrive(int* out, const int* in) {
  __shared__ int tile[64];
  __shared__ unsigned long long bar;
  int t = threadIdx.x;
  if (t == 0) init(&bar, 64);
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n"
               "cp.async.mbarrier.arrive.noinc.shared.b64 [%2];"
               ::"r"(address_of(&tile[t])), "l"(in + t), "r"(address_of(&bar)) : "memory");
  wait_parity(&bar, 0);
  out[t] = tile[63 - t];
}
