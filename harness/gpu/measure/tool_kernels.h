// Kernels of our own that run beside the measured ones.
#pragma once

#include <string_view>

namespace lab::gpu {

/// lab_flush reads more than L2 holds, so that nothing of what was in it remains, not even written
/// lines. A memset would leave lines that are written back during the measured kernel.
/// lab_delay keeps the GPU busy while the host queues what is to be timed, and counts its own
/// clock cycles and nanoseconds, which gives the SM clock without asking anything else.
inline constexpr std::string_view kToolKernels = R"cuda(
extern "C" __global__ void lab_flush(const uint4* data, unsigned long long count, unsigned* out) {
  unsigned sum = 0;
  unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += step) {
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(data + i));
    sum += v.x ^ v.y ^ v.z ^ v.w;
  }
  // Never true of a launch below (count is never 0); the compiler cannot know, so it keeps the loads.
  if (count == 0) *out = sum;
}

static __device__ unsigned long long global_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

extern "C" __global__ void lab_delay(unsigned long long ns, unsigned long long* cycles_and_ns) {
  unsigned long long begin_ns = global_ns();
  long long begin = clock64();
  unsigned long long now = begin_ns;
  while (now - begin_ns < ns) now = global_ns();
  cycles_and_ns[0] = (unsigned long long)(clock64() - begin);
  cycles_and_ns[1] = now - begin_ns;
}
)cuda";

}  // namespace lab::gpu
