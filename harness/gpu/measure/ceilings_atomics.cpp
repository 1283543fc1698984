// Ceilings of atomic operations in L2.
#include "harness/gpu/measure/bench.h"

namespace lab::gpu {

namespace {

constexpr std::string_view kAtomicKernels = R"cuda(
// All lanes of a warp add to one of `last` + 1 numbers, 256 bytes apart.
extern "C" __global__ void lab_add_float(float* at, unsigned last) {
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  atomicAdd(at + (warp & last) * 64, 1.0f);
}

extern "C" __global__ void lab_add_double(double* at, unsigned last) {
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  atomicAdd(at + (warp & last) * 32, 1.0);
}

// One lane of a warp: the compiler adds up what several lanes add to one integer.
extern "C" __global__ void lab_add_integer(int* at) {
  if (threadIdx.x % 32 == 0) atomicAdd(at, 1);
}

// Each lane has a number of its own.
extern "C" __global__ void lab_add_own(float* at, unsigned last) {
  atomicAdd(at + ((blockIdx.x * blockDim.x + threadIdx.x) & last), 1.0f);
}
)cuda";

constexpr unsigned kWarpLanes = 32;

double on_one(Bench& bench, const char* kernel) {
  CUdeviceptr at = bench.sink().address();
  unsigned last = 0;
  return bench.ns_per_warp(kernel, {256, 1024}, {&at, &last}) / kWarpLanes;
}

double float_one(Bench& bench) { return on_one(bench, "lab_add_float"); }
double double_one(Bench& bench) { return on_one(bench, "lab_add_double"); }

double integer_one(Bench& bench) {
  CUdeviceptr at = bench.sink().address();
  return bench.ns_per_warp("lab_add_integer", {2048, 10240}, {&at});
}

double adds_of_warps(Bench& bench) {
  constexpr std::size_t kPlaces = 16384;
  const std::size_t bytes = kPlaces * 256;
  const Memory memory = bench.rig().context().allocate(bytes);
  bench.rig().context().fill(memory, 0, bytes);
  CUdeviceptr at = memory.address();
  unsigned last = kPlaces - 1;
  return per_second(kWarpLanes, bench.ns_per_warp("lab_add_float", {2048, 10240}, {&at, &last}));
}

double adds_on_own(Bench& bench) {
  constexpr std::size_t kPlaces = std::size_t{1} << 20;
  const std::size_t bytes = kPlaces * sizeof(float);
  const Memory memory = bench.rig().context().allocate(bytes);
  bench.rig().context().fill(memory, 0, bytes);
  CUdeviceptr at = memory.address();
  constexpr double kSectors = 4;
  unsigned last = kPlaces - 1;
  return per_second(kSectors, bench.ns_per_warp("lab_add_own", {8192, 40960}, {&at, &last}));
}

}  // namespace

const CeilingGroup& atomic_ceilings() {
  static const CeilingGroup kGroup{
      kAtomicKernels,
      {"lab_add_float", "lab_add_double", "lab_add_integer", "lab_add_own"},
      {{"add_float_one", "ns", "all lanes add to one float, per lane", float_one},
       {"add_double_one", "ns", "all lanes add to one double, per lane", double_one},
       {"add_integer_one", "ns", "a lane of each warp adds to one integer, per lane", integer_one},
       {"adds", "1/s", "the lanes of a warp add to one of 16384 floats", adds_of_warps},
       {"adds_own", "sector/s", "each lane adds to its own float", adds_on_own}}};
  return kGroup;
}

}  // namespace lab::gpu
