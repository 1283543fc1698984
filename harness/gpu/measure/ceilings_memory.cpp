// Ceilings of DRAM and of what L2 sends.
#include <algorithm>

#include "harness/gpu/measure/bench.h"

namespace lab::gpu {

namespace {

// The loads are volatile and their sums may be written, so the compiler keeps them.
constexpr std::string_view kMemoryKernels = R"cuda(
typedef unsigned long long u64;

static __device__ uint4 load(const uint4* p) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}

extern "C" __global__ void lab_read(const uint4* in, u64 count, int rounds, unsigned* out) {
  unsigned sum = 0;
  u64 step = (u64)gridDim.x * blockDim.x;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll 4
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
      uint4 v = load(in + i);
      sum += v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  if (count == 0) *out = sum;
}

extern "C" __global__ void lab_write(uint4* out, u64 count, unsigned value) {
  u64 step = (u64)gridDim.x * blockDim.x;
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    out[i] = make_uint4(value, value, value, value);
  }
}

extern "C" __global__ void lab_copy(const uint4* in, uint4* out, u64 count) {
  u64 step = (u64)gridDim.x * blockDim.x;
#pragma unroll 4
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) out[i] = load(in + i);
}

// Each thread has one access of each kind: the blocks' order keeps the streams closer together.
extern "C" __global__ void lab_copy_once(const uint4* in, uint4* out, u64 count) {
  u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = load(in + i);
}

// One word of each `step`.
extern "C" __global__ void lab_read_apart(const unsigned* in, u64 count, u64 step, int rounds,
                                          unsigned* out) {
  unsigned sum = 0;
  u64 threads = (u64)gridDim.x * blockDim.x;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll 4
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
      unsigned v;
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(in + i * step));
      sum += v;
    }
  }
  if (count == 0) *out = sum;
}
)cuda";

constexpr std::size_t kBytesPerLoad = 16;
constexpr std::uint32_t kStreamThreads = 512;

Launch streaming(const Bench& bench) { return {{bench.sms() * 4}, {kStreamThreads}}; }

Launch each_once(std::uint64_t count) {
  return {{static_cast<std::uint32_t>((count + kStreamThreads - 1) / kStreamThreads)},
          {kStreamThreads}};
}

// Far beyond any L2.
std::size_t beyond_l2(Bench& bench) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  return std::min(bench.rig().context().free_bytes() / 16, kMost) / 256 * 256;
}

/// Memory of `bytes` with something in it.
Memory filled(Bench& bench, std::size_t bytes) {
  Memory memory = bench.rig().context().allocate(bytes);
  bench.rig().context().fill(memory, 1, bytes);
  return memory;
}

double read_ns(Bench& bench, const Memory& memory, int rounds, const Launch& launch) {
  CUdeviceptr in = memory.address();
  CUdeviceptr sink = bench.sink().address();
  std::uint64_t count = memory.size() / kBytesPerLoad;
  return bench.best_ns("lab_read", launch, {&in, &count, &rounds, &sink});
}

double copy_ns(Bench& bench, const char* kernel, const Launch& launch, const Memory& from,
               const Memory& to, std::size_t bytes) {
  CUdeviceptr in = from.address();
  CUdeviceptr out = to.address();
  std::uint64_t count = bytes / kBytesPerLoad;
  return bench.best_ns(kernel, launch, {&in, &out, &count});
}

double dram_read(Bench& bench) {
  const Memory memory = filled(bench, beyond_l2(bench));
  return per_second(static_cast<double>(memory.size()),
                    read_ns(bench, memory, 1, streaming(bench)));
}

double dram_write(Bench& bench) {
  const Memory memory = filled(bench, beyond_l2(bench));
  CUdeviceptr out = memory.address();
  std::uint64_t count = memory.size() / kBytesPerLoad;
  unsigned value = 7;
  return per_second(static_cast<double>(memory.size()),
                    bench.best_ns("lab_write", streaming(bench), {&out, &count, &value}));
}

// Which of the two is faster depends on the GPU.
double dram_copy(Bench& bench) {
  const std::size_t bytes = beyond_l2(bench);
  const Memory from = filled(bench, bytes);
  const Memory to = filled(bench, bytes);
  const double in_loops = copy_ns(bench, "lab_copy", streaming(bench), from, to, bytes);
  const double once =
      copy_ns(bench, "lab_copy_once", each_once(bytes / kBytesPerLoad), from, to, bytes);
  return per_second(2 * static_cast<double>(bytes), std::min(in_loops, once));
}

double l2_read(Bench& bench) {
  constexpr int kRounds = 50;
  const Memory memory = filled(bench, bench.l2_bytes() / 4 / 256 * 256);
  return per_second(static_cast<double>(memory.size()) * kRounds,
                    read_ns(bench, memory, kRounds, streaming(bench)));
}

double l2_lines(Bench& bench) {
  constexpr std::uint64_t kLineWords = 32;
  const Memory memory = filled(bench, bench.l2_bytes() / 4 / 256 * 256);
  CUdeviceptr in = memory.address();
  CUdeviceptr sink = bench.sink().address();
  std::uint64_t count = memory.size() / 128;
  std::uint64_t step = kLineWords;
  int rounds = 50;
  const double ns =
      bench.work_ns("lab_read_apart", streaming(bench), {&in, &count, &step, &rounds, &sink});
  return per_second(static_cast<double>(count) * rounds, ns);
}

// One block has its SM, and more than its share of L2.
double l1_fill(Bench& bench) {
  constexpr int kRounds = 20;
  constexpr double kSector = 32;
  const Memory memory = filled(bench, std::size_t{1} << 20);
  const double ns = read_ns(bench, memory, kRounds, {{1}, {1024}});
  return static_cast<double>(memory.size()) * kRounds / kSector / bench.cycles(ns);
}

// Where the time per byte has gone half the way from what L2 holds to what it does not.
double l2_kept(Bench& bench) {
  constexpr int kSteps = 17;
  constexpr double kFirst = 0.4;
  constexpr double kStep = 0.05;
  const Memory from = filled(bench, bench.l2_bytes());
  const Memory to = filled(bench, bench.l2_bytes());
  const auto ns_per_byte = [&](double share) {
    const auto wanted = static_cast<std::size_t>(share / 2 * static_cast<double>(bench.l2_bytes()));
    const std::size_t bytes = wanted / 4096 * 4096;
    return copy_ns(bench, "lab_copy_once", each_once(bytes / kBytesPerLoad), from, to, bytes) /
           static_cast<double>(bytes);
  };
  const auto share_of = [](int step) { return kFirst + kStep * step; };
  const double half = (ns_per_byte(share_of(0)) + ns_per_byte(share_of(kSteps - 1))) / 2;
  int step = 1;
  while (step < kSteps - 1 && ns_per_byte(share_of(step)) < half) ++step;
  return share_of(step) - kStep / 2;
}

}  // namespace

const CeilingGroup& memory_ceilings() {
  static const CeilingGroup kGroup{
      kMemoryKernels,
      {"lab_read", "lab_write", "lab_copy", "lab_copy_once", "lab_read_apart"},
      {{"dram_read", "byte/s", "1 GiB at most, 16 bytes per thread and access", dram_read},
       {"dram_write", "byte/s", "the same, stored", dram_write},
       {"dram_copy", "byte/s", "the same, loaded and stored elsewhere", dram_copy},
       {"l2_read", "byte/s", "a quarter of L2, read 50 times past L1", l2_read},
       {"l2_lines", "line/s", "the same, one word of each line", l2_lines},
       {"l1_fill", "sector/SM/clock", "1 MiB that L2 holds, read past L1 by one block", l1_fill},
       {"l2_kept", "of L2", "copies of 0.4 to 1.2 of L2, one after the other: the largest fast one",
        l2_kept}}};
  return kGroup;
}

}  // namespace lab::gpu
