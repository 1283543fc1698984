#include "harness/gpu/measure/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace lab::gpu {

const std::string_view kLatencyKernels = R"cuda(
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
)cuda";

const std::vector<std::string_view> kLatencyNames = {"lab_ring", "lab_chase_l1", "lab_chase_l2",
                                                     "lab_chase_shared"};

namespace {

constexpr int kHops = 8192;
constexpr int kTries = 3;
constexpr std::uint64_t kLine = 128;
// 8 KiB: in every L1. 1 MiB: in no L1, in every L2. Pages of 2 MiB are few in all of them.
constexpr std::uint64_t kNearLines = 64;
constexpr std::uint64_t kFarLines = 8192;
constexpr std::uint64_t kApart = 4096 + kLine;  // places in DRAM: each a line of its own

class Chases {
 public:
  Chases(Rig& rig, const Module& module)
      : rig_(rig),
        module_(module),
        ring_(rig.context().allocate(kHops * kApart)),
        out_(rig.context().allocate(2 * sizeof(std::uint64_t))) {}

  // Follows a ring of `count` words, `step` bytes apart: cycles per hop, the fewest of some tries.
  double cycles(const char* kernel, std::uint64_t count, std::uint64_t step, int warm) {
    CUdeviceptr at = ring_.address();
    std::uint64_t words = step / sizeof(std::uint64_t);
    launch("lab_ring", 512, {&at, &count, &words});
    double best = 0;
    for (int i = 0; i < kTries; ++i) {
      const double once = once_through(kernel, warm);
      best = i == 0 ? once : std::min(best, once);
    }
    return best;
  }

 private:
  double once_through(const char* kernel, int warm) {
    if (warm == 0) rig_.flush();
    CUdeviceptr at = ring_.address();
    CUdeviceptr out = out_.address();
    int hops = kHops;
    launch(kernel, 1, {&at, &warm, &hops, &out});
    std::array<std::uint64_t, 2> results{};
    out_.download(std::as_writable_bytes(std::span(results)));
    return static_cast<double>(results[0]) / kHops;
  }

  void launch(const char* kernel, std::uint32_t threads, const std::vector<void*>& arguments) {
    module_.function(kernel).launch({{1}, {threads}}, arguments, rig_.context().stream());
    rig_.context().synchronize(kernel);
  }

  Rig& rig_;
  const Module& module_;
  Memory ring_;
  Memory out_;
};

}  // namespace

std::vector<Ceiling> latencies(Rig& rig, const Module& module) {
  constexpr const char* kUnit = "cycle";
  Chases chases(rig, module);
  return {{"shared_latency", chases.cycles("lab_chase_shared", 1, kLine, 1), kUnit,
           "a load of shared memory from the address that the load before brought"},
          {"l1_latency", chases.cycles("lab_chase_l1", kNearLines, kLine, kHops), kUnit,
           fmt::format("the same of global memory, {} lines that L1 holds", kNearLines)},
          {"l2_latency", chases.cycles("lab_chase_l2", kFarLines, kLine, kHops), kUnit,
           fmt::format("the same past L1, {} lines that L2 holds", kFarLines)},
          {"dram_latency", chases.cycles("lab_chase_l2", kHops, kApart, 0), kUnit,
           fmt::format("the same past L1, {} lines that are not in L2", kHops)}};
}

}  // namespace lab::gpu
