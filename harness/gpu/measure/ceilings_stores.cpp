// Ceilings of stores: lines and sectors that end partly written, in L2 and on their way to DRAM.
#include <algorithm>

#include "harness/gpu/measure/bench.h"

namespace lab::gpu {

namespace {

constexpr std::string_view kStoreKernels = R"cuda(
// Every `step` words 2^shift in a row are stored, one per thread; in each round the next ones.
extern "C" __global__ void lab_store_apart(unsigned* out, u64 count, u64 step, unsigned shift,
                                           int rounds, unsigned value) {
  unsigned last = (1u << shift) - 1;
  u64 threads = (u64)gridDim.x * blockDim.x;
  for (int round = 0; round < rounds; ++round) {
    u64 first = ((u64)round << shift) & (step - 1);
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
      out[(i >> shift) * step + first + (i & last)] = value + (unsigned)i;
    }
  }
}

extern "C" __global__ void lab_store_line(unsigned* out, u64 count, int rounds) {
  u64 threads = (u64)gridDim.x * blockDim.x;
  for (int round = 0; round < rounds; ++round) {
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
      out[i] = (unsigned)i + round;
    }
  }
}

// The first lane of each warp stores its own number to one place.
extern "C" __global__ void lab_store_one(unsigned* out) {
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32 % 8] = blockIdx.x;
}

// All warps load one line. Volatile: else an SM asks once for what its warps load at a time.
extern "C" __global__ void lab_load_one(const unsigned* in, unsigned* out) {
  unsigned v;
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(in + threadIdx.x % 32));
  if (v == 77) *out = v;
}
)cuda";

constexpr std::uint64_t kLineBytes = 128;
constexpr std::uint64_t kLineWords = 32;
constexpr std::uint64_t kSectorWords = 8;
constexpr unsigned kSectorShift = 3;  // 2^3 words

/// `apart` words between places at which 2^shift words in a row are stored.
struct Pattern {
  std::uint64_t apart;
  unsigned shift;
};

// Places per second. Blocks follow each other as those of a kernel with a thread per element do.
double places_per_second(Bench& bench, std::size_t bytes, const Pattern& pattern, int rounds) {
  const Memory memory = bench.rig().context().allocate(bytes);
  CUdeviceptr out = memory.address();
  std::uint64_t step = pattern.apart;
  unsigned shift = pattern.shift;
  std::uint64_t count = (bytes / sizeof(unsigned) / step) << shift;
  unsigned value = 1;
  const auto blocks = static_cast<std::uint32_t>((count + kBenchThreads - 1) / kBenchThreads);
  const Launch all{{rounds == 1 ? blocks : std::min(blocks, bench.sms() * 8)}, {kBenchThreads}};
  const double ns =
      bench.work_ns("lab_store_apart", all, {&out, &count, &step, &shift, &rounds, &value});
  return per_second(static_cast<double>(count >> shift) * rounds, ns);
}

std::size_t in_l2(const Bench& bench) { return bench.l2_bytes() / 4 / kLineBytes * kLineBytes; }

std::size_t far_beyond_l2(Bench& bench) {
  constexpr std::size_t kMost = std::size_t{2} << 30;
  return std::min(bench.rig().context().free_bytes() / 8, kMost) / kLineBytes * kLineBytes;
}

// 32 rounds: each line is whole in the end.
double part_lines(Bench& bench) {
  return places_per_second(bench, in_l2(bench), {kLineWords, 0}, 32);
}

double part_sectors(Bench& bench) {
  return places_per_second(bench, in_l2(bench), {kSectorWords, 0}, 8);
}

double whole_sectors(Bench& bench) {
  return places_per_second(bench, in_l2(bench), {kLineWords, kSectorShift}, 4);
}

double dirty_lines(Bench& bench) {
  return places_per_second(bench, far_beyond_l2(bench), {kLineWords, 0}, 1);
}

double dirty_sectors(Bench& bench) {
  return places_per_second(bench, far_beyond_l2(bench), {kLineWords, kSectorShift}, 1);
}

double l1_store(Bench& bench) {
  const Memory memory = bench.rig().context().allocate(std::size_t{1} << 20);
  CUdeviceptr out = memory.address();
  std::uint64_t count = memory.size() / sizeof(unsigned);
  int rounds = 20;
  const double ns = bench.work_ns("lab_store_line", {{1}, {1024}}, {&out, &count, &rounds});
  const auto lines = static_cast<double>(memory.size()) / kLineBytes;  // a whole number of them
  return lines * rounds / bench.cycles(ns);
}

constexpr Grids kRequests = {2048, 10240};

double store_one(Bench& bench) {
  CUdeviceptr out = bench.sink().address();
  return bench.ns_per_warp("lab_store_one", kRequests, {&out});
}

double load_one(Bench& bench) {
  CUdeviceptr in = bench.sink().address();
  CUdeviceptr out = in + kBenchThreads * sizeof(unsigned);
  return bench.ns_per_warp("lab_load_one", kRequests, {&in, &out});
}

}  // namespace

const CeilingGroup& store_ceilings() {
  static const CeilingGroup kGroup{
      kStoreKernels,
      {"lab_store_apart", "lab_store_line", "lab_store_one", "lab_load_one"},
      {{"part_lines", "line/s", "a quarter of L2: one word of each line, then the next word",
        part_lines},
       {"part_sectors", "sector/s", "the same: one word of each sector, then the next word",
        part_sectors},
       {"whole_sectors", "sector/s", "the same: one whole sector of each line, then the next",
        whole_sectors},
       {"dirty_lines", "line/s", "2 GiB at most: one word of each line", dirty_lines},
       {"dirty_sectors", "line/s", "the same: one whole sector of each line", dirty_sectors},
       {"l1_store", "line/SM/clock", "whole lines that one block stores into L2", l1_store},
       {"store_one", "ns", "all warps store to one sector, per store", store_one},
       {"l2_part", "ns", "all warps load one line past L1: per load, which one part of L2 takes",
        load_one}}};
  return kGroup;
}

}  // namespace lab::gpu
