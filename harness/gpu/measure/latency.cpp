// How long a load takes whose value the next one waits for, level by level.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "harness/gpu/measure/bench.h"

namespace lab::gpu {

namespace {

constexpr std::string_view kLatencyKernels = R"cuda(
// Each word has the address of the one `step` words on, the last that of the first.
extern "C" __global__ void lab_ring(u64* ring, u64 count, u64 step) {
  for (u64 i = threadIdx.x; i < count; i += blockDim.x) {
    ring[i * step] = (u64)(ring + (i + 1) % count * step);
  }
}

// `warm` loads, then `hops` more, each of the address that the one before brought: their cycles.
#define LAB_CHASE(name, load)                            \
  extern "C" __global__ void name(u64 at, int warm, int hops, u64* out) {  \
    for (int i = 0; i < warm; ++i) asm volatile(load " %0, [%0];" : "+l"(at)); \
    long long begin = clock64();                         \
    for (int i = 0; i < hops; ++i) asm volatile(load " %0, [%0];" : "+l"(at)); \
    out[1] = at;                                         \
    out[0] = clock64() - begin;                          \
  }
LAB_CHASE(lab_chase_l1, "ld.global.ca.u64")
LAB_CHASE(lab_chase_l2, "ld.global.cg.u64")

extern "C" __global__ void lab_chase_shared(u64, int, int hops, u64* out) {
  __shared__ unsigned next;
  unsigned at = (unsigned)__cvta_generic_to_shared(&next);
  next = at;
  long long begin = clock64();
  for (int i = 0; i < hops; ++i) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
  out[1] = at;
  out[0] = clock64() - begin;
}

// The first block follows the ring while all others read; they end when it has ended.
extern "C" __global__ void lab_chase_loaded(u64 at, int hops, const uint4* in, u64 count,
                                            volatile u64* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    long long begin = clock64();
    for (int i = 0; i < hops; ++i) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at));
    out[1] = at;
    out[0] = clock64() - begin;
    return;
  }
  u64 threads = (u64)gridDim.x * blockDim.x;
  u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  while (out[0] == 0) {
#pragma unroll 8
    for (int k = 0; k < 64; ++k) {
      uint4 v = load(in + i);
      sum += v.x ^ v.y ^ v.z ^ v.w;
      i += threads;
      if (i >= count) i -= count;
    }
  }
  if (count == 0) out[1] = sum;
}
)cuda";

constexpr int kHops = 8192;
constexpr int kTries = 3;
constexpr std::uint64_t kLine = 128;
// 8 KiB: in every L1. 1 MiB: in no L1, in every L2. Pages of 2 MiB are few in all of them.
constexpr std::uint64_t kNearLines = 64;
constexpr std::uint64_t kFarLines = 8192;
constexpr std::uint64_t kApart = 4096 + kLine;  // places in DRAM: each a line of its own

class Chases {
 public:
  explicit Chases(Bench& bench)
      : bench_(bench),
        ring_(bench.rig().context().allocate(kHops * kApart)),
        out_(bench.rig().context().allocate(2 * sizeof(std::uint64_t))) {}

  // Follows a ring of `count` words, `step` bytes apart: cycles per hop, the fewest of some tries.
  double cycles(const char* kernel, std::uint64_t count, std::uint64_t step, int warm) {
    CUdeviceptr at = ring_.address();
    std::uint64_t words = step / sizeof(std::uint64_t);
    launch("lab_ring", {{1}, {512}}, {&at, &count, &words});
    double best = 0;
    for (int i = 0; i < kTries; ++i) {
      const double once = once_through(kernel, warm);
      best = i == 0 ? once : std::min(best, once);
    }
    return best;
  }

  // The same while all SMs read `bytes` of other memory, over and over.
  double loaded(std::uint64_t count, std::uint64_t step, std::size_t bytes) {
    constexpr int kFew = 1024;
    const Context& context = bench_.rig().context();
    const Memory other = context.allocate(bytes);
    context.fill(other, 1, bytes);
    context.fill(out_, 0, out_.size());
    CUdeviceptr at = ring_.address();
    std::uint64_t words = step / sizeof(std::uint64_t);
    launch("lab_ring", {{1}, {512}}, {&at, &count, &words});
    CUdeviceptr in = other.address();
    CUdeviceptr out = out_.address();
    std::uint64_t loads = bytes / 16;
    int hops = kFew;
    launch("lab_chase_loaded", {{bench_.sms() * 3}, {512}}, {&at, &hops, &in, &loads, &out});
    return counted() / kFew;
  }

 private:
  double once_through(const char* kernel, int warm) {
    if (warm == 0) bench_.rig().flush();
    CUdeviceptr at = ring_.address();
    CUdeviceptr out = out_.address();
    int hops = kHops;
    launch(kernel, {{1}, {1}}, {&at, &warm, &hops, &out});
    return counted() / kHops;
  }

  double counted() const {
    std::array<std::uint64_t, 2> results{};
    out_.download(std::as_writable_bytes(std::span(results)));
    return static_cast<double>(results[0]);
  }

  void launch(const char* kernel, const Launch& launch, const std::vector<void*>& arguments) {
    const Context& context = bench_.rig().context();
    bench_.module().function(kernel).launch(launch, arguments, context.stream());
    context.synchronize(kernel);
  }

  Bench& bench_;
  Memory ring_;
  Memory out_;
};

double shared_latency(Bench& bench) {
  return Chases(bench).cycles("lab_chase_shared", 1, kLine, 1);
}

double l1_latency(Bench& bench) {
  return Chases(bench).cycles("lab_chase_l1", kNearLines, kLine, kHops);
}

double l2_latency(Bench& bench) {
  return Chases(bench).cycles("lab_chase_l2", kFarLines, kLine, kHops);
}

double dram_latency(Bench& bench) { return Chases(bench).cycles("lab_chase_l2", kHops, kApart, 0); }

// Of L2 where the others read that, too; else of DRAM.
double l2_loaded(Bench& bench) {
  return Chases(bench).loaded(kFarLines, kLine, bench.l2_bytes() / 4 / kLine * kLine);
}

double dram_loaded(Bench& bench) {
  constexpr std::size_t kLarge = std::size_t{512} << 20;
  return Chases(bench).loaded(kHops, kApart, kLarge);
}

}  // namespace

const CeilingGroup& latency_ceilings() {
  static const CeilingGroup kGroup{
      kLatencyKernels,
      {"lab_ring", "lab_chase_l1", "lab_chase_l2", "lab_chase_shared", "lab_chase_loaded"},
      {{"shared_latency", "cycle",
        "a load of shared memory from the address that the load before brought", shared_latency},
       {"l1_latency", "cycle", "the same of global memory, 64 lines that L1 holds", l1_latency},
       {"l2_latency", "cycle", "the same past L1, 8192 lines that L2 holds", l2_latency},
       {"dram_latency", "cycle", "the same past L1, 8192 lines that are not in L2", dram_latency},
       {"l2_loaded", "cycle", "as l2_latency, while all SMs read a quarter of L2", l2_loaded},
       {"dram_loaded", "cycle", "as dram_latency, while all SMs read 512 MiB", dram_loaded}}};
  return kGroup;
}

}  // namespace lab::gpu
