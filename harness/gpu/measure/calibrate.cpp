#include "harness/gpu/measure/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "harness/gpu/measure/kernels.h"
#include "harness/gpu/measure/latency.h"
#include "harness/gpu/measure/rig.h"
#include "harness/gpu/measure/timing.h"

namespace lab::gpu {

namespace {

// The loads are volatile and their sums may be written, so the compiler keeps them.
constexpr std::string_view kCeilingKernels = R"cuda(
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

extern "C" __global__ void lab_issue(int rounds, float seed, float* out) {
  float a = seed, b = seed + 1, c = seed + 2, d = seed + 3;
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int k = 0; k < 64; ++k) {
      a = a * seed + 1; b = b * seed + 1; c = c * seed + 1; d = d * seed + 1;
    }
  }
  if (rounds == 0) *out = a + b + c + d;
}

extern "C" __global__ void lab_empty() {}
)cuda";

constexpr std::size_t kBytesPerLoad = 16;
constexpr std::uint32_t kThreads = 512;
constexpr std::uint32_t kSharedThreads = 1024;
constexpr int kRounds = 2000;
constexpr int kSharedPerRound = 32;
constexpr int kIssuePerRound = 256;
constexpr int kL2Rounds = 50;
constexpr int kEmptyLaunches = 1000;
constexpr std::uint64_t kEmptyDelayNs = 100000;

CompileRequest ceiling_request(const std::string& arch) {
  CompileRequest request;
  request.source = {"lab_ceilings.cu", std::string(kCeilingKernels) + std::string(kLatencyKernels)};
  request.kernels = {"lab_read",   "lab_write", "lab_copy", "lab_copy_once",
                     "lab_shared", "lab_issue", "lab_empty"};
  request.kernels.insert(request.kernels.end(), kLatencyNames.begin(), kLatencyNames.end());
  request.arch = arch;
  return request;
}

// One measurement after another on one GPU.
class Calibration {
 public:
  Calibration(const Machine& machine, const Compiled& kernels)
      : sms_(static_cast<std::uint32_t>(machine.facts.sm.sms)),
        l2_bytes_(static_cast<std::size_t>(machine.facts.l2_bytes)),
        rig_(machine.driver, machine.device, machine.facts, machine.tools),
        module_(machine.driver, kernels.cubin),
        out_(rig_.context().allocate(64)) {}

  std::vector<Ceiling> run() {
    memory();
    l2();
    shared();
    issue();
    launches();
    for (Ceiling& one : latencies(rig_, module_)) ceilings_.push_back(std::move(one));
    ceilings_.push_back({"sm_clock", rig_.clock_mhz(), "MHz", "clock64 against globaltimer"});
    return ceilings_;
  }

 private:
  using Arguments = std::vector<void*>;

  // Takes the shortest of ten launches: a ceiling is the best time seen.
  double best_ns(const char* name, const Launch& launch, const Arguments& arguments) {
    const Function function = module_.function(name);
    const Event start(rig_.context());
    const Event stop(rig_.context());
    double best = 0;
    for (int i = 0; i < 12; ++i) {
      rig_.delay(kEmptyDelayNs);
      start.record();
      function.launch(launch, arguments, rig_.context().stream());
      stop.record();
      rig_.context().synchronize(name);
      const double ns = stop.ns_since(start);
      if (i >= 2 && (best == 0 || ns < best)) best = ns;
    }
    return best;
  }

  void add_rate(const char* name, double bytes, double ns, const std::string& method) {
    ceilings_.push_back({name, bytes / ns * 1e9, "byte/s", method});
  }

  Launch streaming() const { return {{sms_ * 4}, {kThreads}}; }

  void memory() {
    const std::size_t most = rig_.context().free_bytes() / 16;
    const std::size_t bytes = std::min(most, std::size_t{1} << 30) / 256 * 256;
    const Memory from = rig_.context().allocate(bytes);
    const Memory to = rig_.context().allocate(bytes);
    rig_.context().fill(from, 1, bytes);
    CUdeviceptr in = from.address();
    CUdeviceptr out = to.address();
    CUdeviceptr sink = out_.address();
    std::uint64_t count = bytes / kBytesPerLoad;
    int once = 1;
    unsigned value = 7;
    const std::string size = fmt::format("{} MiB, 16 bytes per thread and access", bytes >> 20);
    const auto total = static_cast<double>(bytes);
    add_rate("dram_read", total, best_ns("lab_read", streaming(), {&in, &count, &once, &sink}),
             size);
    add_rate("dram_write", total, best_ns("lab_write", streaming(), {&out, &count, &value}), size);
    // Which of the two is faster depends on the GPU.
    const Launch each_once{{static_cast<std::uint32_t>((count + kThreads - 1) / kThreads)},
                           {kThreads}};
    const double copy_ns = std::min(best_ns("lab_copy", streaming(), {&in, &out, &count}),
                                    best_ns("lab_copy_once", each_once, {&in, &out, &count}));
    add_rate("dram_copy", 2 * total, copy_ns, size);
  }

  void l2() {
    const std::size_t bytes = l2_bytes_ / 4 / 256 * 256;
    const Memory from = rig_.context().allocate(bytes);
    rig_.context().fill(from, 1, bytes);
    CUdeviceptr in = from.address();
    CUdeviceptr sink = out_.address();
    std::uint64_t count = bytes / kBytesPerLoad;
    int rounds = kL2Rounds;
    const double ns = best_ns("lab_read", streaming(), {&in, &count, &rounds, &sink});
    add_rate("l2_read", static_cast<double>(bytes) * kL2Rounds, ns,
             fmt::format("{} MiB read {} times past L1", bytes >> 20, kL2Rounds));
  }

  // Per SM and clock, of `count` events that each warp of the launch has.
  void add_per_clock(const char* name, const char* unit, double per_warp, const Launch& launch,
                     double ns, const std::string& method) {
    const double warps = static_cast<double>(launch.grid.count() * launch.block.count()) / 32;
    const double clocks = ns * rig_.clock_mhz() / 1e3;
    ceilings_.push_back({name, per_warp * warps / (clocks * sms_), unit, method});
  }

  void shared() {
    int rounds = kRounds;
    CUdeviceptr sink = out_.address();
    const Launch launch{{sms_ * 2}, {kSharedThreads}};
    const double ns = best_ns("lab_shared", launch, {&rounds, &sink});
    add_per_clock("shared_wavefronts", "wavefront/SM/clock",
                  static_cast<double>(kRounds) * kSharedPerRound, launch, ns,
                  "loads of 4 bytes per lane without conflicts");
  }

  void issue() {
    int rounds = kRounds;
    float seed = 0.5F;
    CUdeviceptr sink = out_.address();
    const Launch launch{{sms_ * 2}, {kSharedThreads}};
    const double ns = best_ns("lab_issue", launch, {&rounds, &seed, &sink});
    add_per_clock("instructions", "instruction/SM/clock",
                  static_cast<double>(kRounds) * kIssuePerRound, launch, ns,
                  "independent float multiply-adds, four chains per thread");
  }

  void launches() {
    const Function empty = module_.function("lab_empty");
    const Event start(rig_.context());
    const Event stop(rig_.context());
    start.record();
    for (int i = 0; i < kEmptyLaunches; ++i) empty.launch({}, {}, rig_.context().stream());
    stop.record();
    rig_.context().synchronize("lab_empty");
    ceilings_.push_back({"launch", stop.ns_since(start) / kEmptyLaunches, "ns",
                         fmt::format("{} empty kernels in a row", kEmptyLaunches)});
  }

  std::uint32_t sms_;
  std::size_t l2_bytes_;
  Rig rig_;
  Module module_;
  Memory out_;
  std::vector<Ceiling> ceilings_;
};

}  // namespace

std::vector<Ceiling> calibrate(const Compiler& compiler, const Machine& machine) {
  return Calibration(machine, compiler(ceiling_request(machine.facts.arch()))).run();
}

}  // namespace lab::gpu
