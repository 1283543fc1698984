// Measures the time that a block takes beside its instructions and waits, and how far times hide
// behind each other. Both are fitted together, with the rules that use them, to copies of which few
// or many blocks share an SM.
#include <algorithm>
#include <cmath>

#include "harness/gpu/measure/bench.h"
#include "harness/gpu/measure/overlap.h"

namespace lab::gpu {

namespace {

constexpr std::string_view kOverlapKernels = R"cuda(
// 16 bytes per thread, of as many as are there.
extern "C" __global__ void lab_copy_part(const uint4* in, uint4* out, unsigned last) {
  unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) & last;
  out[i] = load(in + i);
}
)cuda";

constexpr const char* kCopy = "lab_copy_part";
constexpr double kBytes = 16;  // per thread
constexpr double kWarps = kBenchThreads / 32.0;

// Of the kernel's machine code for sm_90, as lab probe has it: a load that nothing hides, a store.
KernelFacts facts_of_copy() {
  KernelFacts facts;
  facts.warp.instructions = 15;
  facts.warp.issue_cycles = 55;
  facts.warp.other_cycles = 19;
  facts.warp.global_rounds = 1;
  facts.warp.global_hidden = 14;
  facts.past_l1 = 1;
  return facts;
}

metrics::TimeCounts counts_of(double threads, double bytes) {
  metrics::TimeCounts counts;
  counts.dram_read_bytes = bytes;
  counts.dram_write_bytes = bytes;
  counts.load_requests = threads / 32;
  counts.load_lines = threads * kBytes / 128;
  counts.load_sectors = threads * kBytes / 32;
  counts.l2_read_sectors = counts.load_sectors;
  counts.store_requests = counts.load_requests;
  counts.store_lines = counts.load_lines;
  counts.store_sectors = counts.load_sectors;
  counts.store_bytes = threads * kBytes;
  return counts;
}

/// Memory of 2^n pieces of 16 bytes, copied by so many blocks.
struct Size {
  std::uint64_t pieces;
  std::uint32_t blocks;
};

// The most shared memory of which `blocks` fit on an SM: what the driver keeps of it per block is
// the difference between what an SM has and what a block may have.
std::uint32_t shared_for(const Bench& bench, std::uint32_t blocks) {
  constexpr std::size_t kKept = 1024;
  constexpr std::size_t kUnit = 128;
  const std::size_t each = (bench.most_shared() + kKept) / blocks;
  return static_cast<std::uint32_t>((std::max(each, kKept) - kKept) / kUnit * kUnit);
}

void add_copies(Bench& bench, const Size& size, std::vector<Copy>& copies) {
  const Context& context = bench.rig().context();
  const double bytes = static_cast<double>(size.pieces) * kBytes;
  const Memory from = context.allocate(static_cast<std::size_t>(bytes));
  const Memory to = context.allocate(static_cast<std::size_t>(bytes));
  context.fill(from, 1, from.size());
  CUdeviceptr in = from.address();
  CUdeviceptr out = to.address();
  auto last = static_cast<std::uint32_t>(size.pieces - 1);
  const Function copy = bench.module().function(kCopy);
  for (const std::uint32_t wanted : {1U, 2U, 3U, 4U, 6U, 8U}) {
    Launch launch{{size.blocks}, {kBenchThreads}, shared_for(bench, wanted)};
    Copy one;
    one.ns = bench.best_ns(kCopy, launch, {&in, &out, &last});
    one.shape = {
        static_cast<double>(size.blocks), kWarps,
        static_cast<double>(copy.blocks_per_sm(kBenchThreads, launch.dynamic_shared_bytes))};
    one.counts = counts_of(static_cast<double>(launch.grid.count() * kBenchThreads), bytes);
    copies.push_back(one);
  }
}

std::uint64_t power_of_two_below(std::uint64_t most) {
  std::uint64_t power = 1;
  while (2 * power <= most) power *= 2;
  return power;
}

// Half of them from and to L2, half of them from and to DRAM.
std::vector<Copy> timed_copies(Bench& bench) {
  constexpr auto kPiece = static_cast<std::size_t>(kBytes);
  constexpr std::size_t kMost = std::size_t{128} << 20;
  const std::size_t far = std::min(bench.rig().context().free_bytes() / 8, kMost);
  const std::uint64_t pieces = power_of_two_below(far / kPiece);
  std::vector<Copy> copies;
  add_copies(bench, {power_of_two_below(bench.l2_bytes() / 8 / kPiece), bench.sms() * 48}, copies);
  add_copies(bench, {pieces, static_cast<std::uint32_t>(pieces / kBenchThreads)}, copies);
  return copies;
}

double misfit(const std::vector<Copy>& copies, const metrics::Rates& rates) {
  double sum = 0;
  for (const Copy& one : copies) {
    const double ns = expected_ns(one, rates);
    sum += std::pow(std::log(ns / one.ns), 2);
  }
  return sum;
}

}  // namespace

double expected_ns(const Copy& copy, const metrics::Rates& rates) {
  return metrics::kernel_time(copy.counts, facts_of_copy(), copy.shape, rates).ns;
}

// All of them are tried: some ten thousand, of a millisecond together.
Overlap fit_overlap(const std::vector<Copy>& copies, metrics::Rates rates) {
  constexpr int kMostBegin = 1500;
  constexpr int kMostExponent = 100;
  Overlap best;
  double least = 0;
  for (int begin = 100; begin <= kMostBegin; begin += 10) {
    for (int tenths = 10; tenths <= kMostExponent; ++tenths) {
      rates.block_begin = begin;
      rates.overlap = tenths / 10.0;
      const double off = misfit(copies, rates);
      if (best.exponent > 0 && off >= least) continue;
      best = {rates.block_begin, rates.overlap};
      least = off;
    }
  }
  return best;
}

const CeilingGroup& overlap_ceilings() {
  static const CeilingGroup kGroup{kOverlapKernels, {kCopy}, {}};
  return kGroup;
}

std::vector<Ceiling> fitted_ceilings(Bench& bench, const std::vector<Ceiling>& measured) {
  metrics::Machine machine;
  machine.ceilings = measured;
  machine.size = {static_cast<double>(bench.sms()), static_cast<double>(bench.l2_bytes()), 0};
  const auto rates = metrics::rates_of(machine);
  if (!rates) return {};
  const Overlap found = fit_overlap(timed_copies(bench), *rates);
  const std::string copies =
      "of copies in L2 and DRAM by 1 to 8 blocks of 256 threads per SM, as the rules of time fit "
      "best: ";
  return {{"block_begin", found.begin, "cycle", copies + "a block beside its load and its store"},
          {"overlap", found.exponent, "", copies + "the exponent by which times add up"}};
}

}  // namespace lab::gpu
