// Ceilings of launches and of blocks, whose threads do nothing.
#include "harness/gpu/measure/bench.h"

namespace lab::gpu {

namespace {

constexpr std::string_view kBlockKernels = R"cuda(
extern "C" __global__ void lab_empty() {}

// One load and one store per thread.
extern "C" __global__ void lab_wave(const unsigned* in, unsigned* out) {
  u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(in + i));
  out[i] = v;
}
)cuda";

constexpr std::uint32_t kBlocksPerSm = 8;  // of 256 threads: all that some GPUs hold
constexpr int kEmptyLaunches = 1000;

double launch_ns(Bench& bench) {
  const Function empty = bench.module().function("lab_empty");
  const Context& context = bench.rig().context();
  const Event start(context);
  const Event stop(context);
  start.record();
  for (int i = 0; i < kEmptyLaunches; ++i) empty.launch({}, {}, context.stream());
  stop.record();
  context.synchronize("lab_empty");
  return stop.ns_since(start) / kEmptyLaunches;
}

double empty_launch_ns(Bench& bench) { return bench.median_ns("lab_empty", {{1}, {32}}, {}); }

/// Cycles per block of an SM, of grids with `few` and `many` blocks per SM.
double per_block(Bench& bench, std::uint32_t few, std::uint32_t many, std::size_t shared) {
  const auto ns = [&](std::uint32_t blocks) {
    Launch launch{{bench.sms() * blocks}, {kBenchThreads}};
    launch.dynamic_shared_bytes = static_cast<std::uint32_t>(shared);
    return bench.best_ns("lab_empty", launch, {});
  };
  return bench.cycles(ns(many) - ns(few)) / (many - few);
}

double block_start(Bench& bench) { return per_block(bench, 2000, 6000, 0); }
double block_life(Bench& bench) { return per_block(bench, 200, 1000, bench.most_shared()); }

// Each SM's places filled once: 2 MiB that L2 holds, loaded and stored.
double wave_ns(Bench& bench) {
  const std::size_t threads = std::size_t{bench.sms()} * kBlocksPerSm * kBenchThreads;
  const Memory from = bench.rig().context().allocate(threads * sizeof(unsigned));
  const Memory to = bench.rig().context().allocate(threads * sizeof(unsigned));
  bench.rig().context().fill(from, 0, from.size());
  CUdeviceptr in = from.address();
  CUdeviceptr out = to.address();
  return bench.median_ns("lab_wave", {{bench.sms() * kBlocksPerSm}, {kBenchThreads}}, {&in, &out});
}

}  // namespace

const CeilingGroup& block_ceilings() {
  static const CeilingGroup kGroup{
      kBlockKernels,
      {"lab_empty", "lab_wave"},
      {{"launch", "ns", "1000 empty kernels in a row", launch_ns},
       {"empty_launch", "ns", "one empty kernel between two events", empty_launch_ns},
       {"block_start", "cycle", "empty blocks of 256 threads, per block of an SM", block_start},
       {"block_life", "cycle", "the same, each with the whole shared memory of its SM", block_life},
       {"wave", "ns", "eight blocks of 256 threads per SM, each thread loads a word and stores it",
        wave_ns}}};
  return kGroup;
}

}  // namespace lab::gpu
