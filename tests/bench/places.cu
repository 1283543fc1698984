// Accesses of many warps to one place, and copies by few or many blocks: what the numbers of
// metrics/time_rules.h were read from. tests/bench/places runs them.

// ---- stores to one sector ----

extern "C" __global__ void store_first_lane(unsigned* out) {
  if (threadIdx.x % 32 == 0) out[0] = blockIdx.x;
}
extern "C" __global__ void store_lanes(unsigned* out) { out[0] = blockIdx.x * 256 + threadIdx.x; }
extern "C" __global__ void store_equal(unsigned* out, unsigned value) { out[0] = value; }
extern "C" __global__ void store_words(unsigned* out) { out[threadIdx.x % 8] = blockIdx.x; }
// As store_lanes, beside a load of each thread's own word.
extern "C" __global__ void load_store_lanes(const unsigned* in, unsigned* out) {
  out[0] = in[blockIdx.x * 256 + threadIdx.x];
}
// The value that is stored was loaded from the same place.
extern "C" __global__ void bump_first_lane(unsigned* out) {
  if (threadIdx.x % 32 == 0) out[0] += 1;
}
extern "C" __global__ void bump_eight_lanes(unsigned* out) {
  if (threadIdx.x % 4 == 3) out[0] += 1;
}
extern "C" __global__ void load_first_lane(const unsigned* in, unsigned* out) {
  if (threadIdx.x % 32 == 0 && in[0] == 77) out[0] = 1;
}

// ---- loads of a few lines past L1, by all blocks ----

extern "C" __global__ void load_lines(const unsigned* in, unsigned* out, unsigned lines) {
  unsigned v;
  unsigned line = (blockIdx.x + threadIdx.x / 32) % lines;
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(in + line * 32 + threadIdx.x % 32));
  if (v == 77) *out = v;
}

// ---- copies ----

extern "C" __global__ void copy_part(const uint4* in, uint4* out, unsigned last) {
  unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) & last;
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(in + i));
  out[i] = v;
}
