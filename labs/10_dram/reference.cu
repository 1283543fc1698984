// What lab 10's kernels should leave: a thread for each sum.

// Part l is added to part l - 16, then l - 8, ...: the order in which a warp's shuffles add.
__device__ float folded(float (&part)[32]) {
  for (int step = 16; step > 0; step /= 2) {
    for (int l = 0; l < step; ++l) part[l] += part[l + step];
  }
  return part[0];
}

// Where element i is read: run r of them all is at place r * scatter, modulo their number.
__device__ int place_of(int i, int runs, int run, int scatter) {
  return (static_cast<unsigned>(i / run) * scatter & (runs - 1)) * run + i % run;
}

extern "C" __global__ void sums_of_runs(const float* in, float* sums, int runs, int run,
                                        int scatter, int count) {
  const int warp = blockIdx.x * blockDim.x + threadIdx.x;
  if (warp >= count) return;
  float part[32];
  for (int l = 0; l < 32; ++l) part[l] = in[place_of(32 * warp + l, runs, run, scatter)];
  sums[warp] = folded(part);
}

// Each lane adds up four times four neighbours, 1024 elements apart.
extern "C" __global__ void sums_of_fours(const float* in, float* sums, int runs, int run,
                                         int scatter, int count) {
  const int warp = blockIdx.x * blockDim.x + threadIdx.x;
  if (warp >= count) return;
  float part[32] = {};
  for (int l = 0; l < 32; ++l) {
    const int thread = 32 * warp + l;
    for (int k = 0; k < 4; ++k) {
      const int four = thread / 256 * 1024 + k * 256 + thread % 256;
      const float* v = in + place_of(4 * four, runs, run, scatter);
      part[l] += v[0] + v[1] + v[2] + v[3];
    }
  }
  sums[warp] = folded(part);
}

extern "C" __global__ void sums_of_strides(const float* in, float* sums, int n, int stride,
                                           int count) {
  const int warp = blockIdx.x * blockDim.x + threadIdx.x;
  if (warp >= count) return;
  float part[32];
  for (int l = 0; l < 32; ++l) {
    const int i = 32 * warp + l;
    part[l] = i < n ? in[i * stride] : 0;
  }
  sums[warp] = folded(part);
}

// Where `hops` steps lead from the first place.
extern "C" __global__ void end_of_walk(const unsigned* next, unsigned* last, int hops) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 1) return;
  unsigned at = 0;
  for (int step = 0; step < hops; ++step) at = next[at];
  last[0] = at;
}

// Where `hops` steps of 389 places lead from the first of `places`.
extern "C" __global__ void end_of_steps(unsigned* last, int hops, int places) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 1) return;
  last[0] = hops % places * 389LL % places;
}
