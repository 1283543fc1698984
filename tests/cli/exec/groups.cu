// Groups of threads: tiles, coalesced lanes, parts of a warp, the whole grid. Each thread leaves one
// number per question; the host knows them all.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include "check.h"

namespace cg = cooperative_groups;
constexpr int kQuestions = 10, kThreads = 96, kBlocks = 3, kAll = kThreads * kBlocks;

__global__ void ask(int* out) {
  cg::thread_block block = cg::this_thread_block();
  int me = block.thread_rank(), *mine = out + (block.group_index().x * kThreads + me) * kQuestions;
  auto warp = cg::tiled_partition<32>(block);
  auto eight = cg::tiled_partition<8>(block);
  auto four = cg::tiled_partition<4>(eight);
  mine[0] = eight.meta_group_rank() * 100 + eight.thread_rank();
  mine[1] = four.shfl(me, 3);
  mine[2] = eight.shfl_down(me, 1);
  mine[3] = cg::reduce(eight, me, cg::plus<int>());
  mine[4] = warp.any(me == 40) * 1000 + eight.ballot(me % 8 == 5);
  mine[5] = 0;
  if (me % 3 == 1) {
    cg::coalesced_group lanes = cg::coalesced_threads();
    mine[5] = lanes.size() * 1000 + lanes.thread_rank() * 10 + (lanes.shfl(me, 0) == me);
    mine[6] = cg::reduce(lanes, me, cg::greater<int>());
  } else {
    mine[6] = -1;
  }
  mine[7] = cg::inclusive_scan(warp, me % 32, cg::plus<int>());
  cg::thread_group half = cg::tiled_partition(block, 16);
  half.sync();
  mine[8] = half.size() * 100 + half.thread_rank();
  auto odd = cg::binary_partition(warp, me % 2 == 1);
  mine[9] = odd.size() * 100 + odd.thread_rank();
}

// Each block adds what all blocks have left; that none is missed needs the grid's barrier.
__global__ void in_turns(int* sums, int rounds) {
  cg::grid_group grid = cg::this_grid();
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0) {
      int sum = 1;
      for (int b = 0; b < gridDim.x; ++b) sum += sums[round * gridDim.x + b];
      sums[(round + 1) * gridDim.x + blockIdx.x] = sum;
    }
    cg::sync(grid);
  }
}

int main() {
  static int out[kAll * kQuestions];
  int* d;
  CHECK(cudaMalloc(&d, sizeof out));
  ask<<<kBlocks, kThreads>>>(d);
  CHECK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < kAll; ++i) {
    const int me = i % kThreads, lane = me % 32, first = me - me % 8;
    // The lanes of this warp that are 1 more than a multiple of 3: how many, and before this one.
    int with = 0, before = 0, greatest = 0;
    for (int other = me - lane; other < me - lane + 32; ++other) {
      if (other % 3 != 1) continue;
      ++with;
      before += other < me;
      greatest = other;
    }
    const bool in = me % 3 == 1;
    const int right[kQuestions] = {me / 8 * 100 + me % 8,
                                   me / 4 * 4 + 3,
                                   me % 8 == 7 ? me : me + 1,
                                   8 * first + 28,
                                   (me / 32 == 1) * 1000 + 32,
                                   in ? with * 1000 + before * 10 + (before == 0) : 0,
                                   in ? greatest : -1,
                                   lane * (lane + 1) / 2,
                                   1600 + me % 16,
                                   1600 + lane / 2};
    for (int q = 0; q < kQuestions; ++q) {
      if (out[i * kQuestions + q] == right[q]) continue;
      if (wrong++ < 5) printf("%d, %d: %d, not %d\n", q, i, out[i * kQuestions + q], right[q]);
    }
  }
  // Blocks b, round r: x(r + 1) = 4 x(r) + 1, from 0: 1, 5, 21.
  int sums[16] = {}, rounds = 3;
  int* d_sums;
  CHECK(cudaMalloc(&d_sums, sizeof sums));
  CHECK(cudaMemset(d_sums, 0, sizeof sums));
  void* arguments[] = {&d_sums, &rounds};
  CHECK(cudaLaunchCooperativeKernel((void*)in_turns, dim3(4), dim3(64), arguments, 0, 0));
  CHECK(cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));
  printf("wrong %d, sums %d %d %d\n", wrong, sums[4], sums[8], sums[15]);
  CHECK(cudaFree(d));
  CHECK(cudaFree(d_sums));
  return verdict(wrong == 0);
}
