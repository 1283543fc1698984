// Ceilings of an SM: instructions of each kind, shared memory, L1.
#include "harness/gpu/measure/bench.h"

namespace lab::gpu {

namespace {

constexpr std::string_view kSmKernels = R"cuda(
extern "C" __global__ void lab_shared(int rounds, unsigned* out) {
  __shared__ unsigned words[1024];
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  volatile unsigned* mine = words + threadIdx.x;
  unsigned sum = 0;
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int k = 0; k < 32; ++k) sum += *mine;
  }
  if (rounds == 0) *out = sum;
}

// Four chains per thread, 64 operations each and round.
#define LAB_CHAINS(name, type, operation)                                        \
  extern "C" __global__ void name(int rounds, unsigned seed, type* out) {        \
    type a = (type)seed, b = a + 1, c = a + 2, d = a + 3, s = a;                 \
    for (int i = 0; i < rounds; ++i) {                                           \
      _Pragma("unroll") for (int k = 0; k < 64; ++k) {                           \
        operation(a); operation(b); operation(c); operation(d);                  \
      }                                                                          \
    }                                                                            \
    if (rounds == 0) *out = a + b + c + d;                                       \
  }
#define LAB_MULTIPLY_ADD(x) x = x * s + 1
#define LAB_LOGIC(x) x = __funnelshift_l(x ^ s, x ^ s, 1)
#define LAB_SPECIAL(x) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x))
LAB_CHAINS(lab_issue, float, LAB_MULTIPLY_ADD)
LAB_CHAINS(lab_issue_double, double, LAB_MULTIPLY_ADD)
LAB_CHAINS(lab_issue_logic, unsigned, LAB_LOGIC)
LAB_CHAINS(lab_issue_product, unsigned, LAB_MULTIPLY_ADD)
LAB_CHAINS(lab_issue_special, float, LAB_SPECIAL)

// Products of 16 x 16 and 16 x 8 half numbers, four sums per warp.
extern "C" __global__ void lab_issue_tensor(int rounds, unsigned seed, float* out) {
#if __CUDA_ARCH__ >= 800
  float sums[4][4] = {};
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float* c = sums[k % 4];
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                   "{%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
                   : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(seed));
    }
  }
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += sums[k / 4][k % 4];
  if (rounds == 0) *out = sum;
#endif
}

// Each lane loads from a line of its own, of eight times 32: `slant` words further on than the lane
// before.
extern "C" __global__ void lab_l1(const unsigned* in, int slant, int rounds, unsigned* out) {
  unsigned lane = threadIdx.x % 32;
  const unsigned* at = in + lane * 32 + lane * slant;
  unsigned sum = 0;
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      unsigned v;
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(at + ((i + k) & 7) * 1056));
      sum += v;
    }
  }
  if (rounds == 0) *out = sum;
}

extern "C" __global__ void lab_barriers(int rounds, u64* out) {
  __syncthreads();
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i) __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = clock64() - begin;
}
)cuda";

constexpr std::uint32_t kSmThreads = 1024;
constexpr int kSmRounds = 2000;
constexpr double kSharedPerRound = 32;
constexpr double kIssuePerRound = 256;
constexpr double kTensorPerRound = 16;
constexpr double kL1PerRound = 8;

// Of what each warp does `per_warp` times: per SM and clock.
double per_clock(Bench& bench, const char* kernel, double per_warp,
                 const Bench::Arguments& arguments) {
  const Launch launch{{bench.sms() * 2}, {kSmThreads}};
  const double ns = bench.best_ns(kernel, launch, arguments);
  const double warps = static_cast<double>(launch.grid.count() * launch.block.count()) / 32;
  return per_warp * warps / (bench.cycles(ns) * bench.sms());
}

double chains(Bench& bench, const char* kernel, double per_round, int rounds) {
  unsigned seed = 1;
  CUdeviceptr sink = bench.sink().address();
  return per_clock(bench, kernel, rounds * per_round, {&rounds, &seed, &sink});
}

double shared_wavefronts(Bench& bench) {
  int rounds = kSmRounds;
  CUdeviceptr sink = bench.sink().address();
  return per_clock(bench, "lab_shared", kSmRounds * kSharedPerRound, {&rounds, &sink});
}

double issued(Bench& bench) { return chains(bench, "lab_issue", kIssuePerRound, kSmRounds); }
// These are as slow as a sixty-fourth of the others on some GPUs.
double doubles(Bench& bench) {
  return chains(bench, "lab_issue_double", kIssuePerRound, kSmRounds / 10);
}
double logic(Bench& bench) {
  return chains(bench, "lab_issue_logic", 2 * kIssuePerRound, kSmRounds / 4);
}
double products(Bench& bench) {
  return chains(bench, "lab_issue_product", kIssuePerRound, kSmRounds / 4);
}
double specials(Bench& bench) {
  return chains(bench, "lab_issue_special", kIssuePerRound, kSmRounds / 10);
}
double matrices(Bench& bench) {
  constexpr int kAmpere = 80;
  if (bench.capability() < kAmpere) return 0;
  return chains(bench, "lab_issue_tensor", kTensorPerRound, kSmRounds);
}

double l1_lines(Bench& bench, int slant) {
  constexpr double kLines = 32;
  const Memory memory = bench.rig().context().allocate(std::size_t{64} << 10);
  bench.rig().context().fill(memory, 0, memory.size());
  CUdeviceptr in = memory.address();
  CUdeviceptr sink = bench.sink().address();
  int rounds = kSmRounds / 10;
  return per_clock(bench, "lab_l1", rounds * kL1PerRound * kLines, {&in, &slant, &rounds, &sink});
}

double l1_tags(Bench& bench) { return l1_lines(bench, 1); }
double l1_column(Bench& bench) { return l1_lines(bench, 0); }

double barrier_cycles(Bench& bench) {
  int rounds = kSmRounds;
  const Memory memory = bench.rig().context().allocate(sizeof(std::uint64_t));
  CUdeviceptr out = memory.address();
  (void)bench.best_ns("lab_barriers", {{1}, {256}}, {&rounds, &out});
  std::uint64_t cycles = 0;
  memory.download(std::as_writable_bytes(std::span(&cycles, 1)));
  return static_cast<double>(cycles) / rounds;
}

}  // namespace

const CeilingGroup& sm_ceilings() {
  static const CeilingGroup kGroup{
      kSmKernels,
      {"lab_shared", "lab_issue", "lab_issue_double", "lab_issue_logic", "lab_issue_product",
       "lab_issue_special", "lab_issue_tensor", "lab_l1", "lab_barriers"},
      {{"shared_wavefronts", "wavefront/SM/clock", "loads of 4 bytes per lane without conflicts",
        shared_wavefronts},
       {"instructions", "instruction/SM/clock",
        "independent float multiply-adds, four chains per thread", issued},
       {"doubles", "instruction/SM/clock", "the same of doubles", doubles},
       {"logic", "instruction/SM/clock", "the same of integers: exclusive or, shift", logic},
       {"products", "instruction/SM/clock", "the same of integers, multiplied and added", products},
       {"special", "instruction/SM/clock", "the same, powers of two", specials},
       {"tensor", "instruction/SM/clock", "products of 16 x 16 and 16 x 8 half numbers", matrices},
       {"l1_tags", "line/SM/clock", "loads of 32 lines each that L1 holds, of words in 32 banks",
        l1_tags},
       {"l1_column", "line/SM/clock", "the same, of words in one bank", l1_column},
       {"barrier", "cycle", "barriers in a row, of one block of 256 threads", barrier_cycles}}};
  return kGroup;
}

}  // namespace lab::gpu
