// Groups larger than a warp: tiles of several warps, which keep their barriers in shared memory that
// the system reserves, and the whole grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// Each tile of 64 turns its numbers around, twice.
extern "C" __global__ void wide_tiles(int* out, const int* in) {
  __shared__ int s[256];
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<64>(block);
  int t = threadIdx.x, base = t / 64 * 64;
  int value = in[t];
  for (int round = 0; round < 3; ++round) {
    s[t] = value + round;
    tile.sync();
    value = s[base + 63 - t % 64];
    tile.sync();
  }
  out[t] = value;
}

extern "C" __global__ void wide_votes(int* out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<128>(block);
  int t = threadIdx.x;
  out[t] = tile.any(t == 200) + 2 * tile.all(t < 128) + 4 * (tile.shfl(t, 5) == t / 128 * 128 + 5);
}

// A sum over all blocks by every block: what is written before the grid's barrier is read after it.
extern "C" __global__ void whole_grid(int* out, int* partial, int rounds) {
  cg::grid_group grid = cg::this_grid();
  int t = threadIdx.x;
  int mine = blockIdx.x + 1;
  for (int round = 0; round < rounds; ++round) {
    if (t == 0) partial[blockIdx.x] = mine;
    grid.sync();
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += partial[b];
    grid.sync();
    mine = sum % 1000;
  }
  out[grid.thread_rank()] = mine + t;
}

// Thread 0 alone waits in the grid's barrier; behind it the warp is whole again.
extern "C" __global__ void whole_warps_again(int* out) {
  cg::grid_group grid = cg::this_grid();
  grid.sync();
  int lane = threadIdx.x % 32;
  int sum = blockIdx.x + lane;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) out[grid.thread_rank() / 32] = sum;
}

// A loop whose rounds differ from lane to lane.
extern "C" __global__ void every_fifth(float* out, const float* in) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  float sum = 0;
  for (int i = t; i < 64; i += 5) sum += s[i];
  out[t] = sum;
}
