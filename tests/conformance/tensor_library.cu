// The toolkit's classes over matrices, barriers and asynchronous copies.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_fp16.h>
#include <mma.h>
namespace wmma = nvcuda::wmma;

// C = A B + C of 64 x 64 halves; a warp has 16 x 16 of it.
extern "C" __global__ void wmma_product(float* c, const half* a, const half* b) {
  __shared__ __align__(32) half tile_a[64 * 16], tile_b[16 * 64];
  int warp = threadIdx.x / 32, row = warp / 4 * 16, column = warp % 4 * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::load_matrix_sync(sum, c + row * 64 + column, 64, wmma::mem_row_major);
  for (int k = 0; k < 64; k += 16) {
    for (int i = threadIdx.x; i < 64 * 16; i += blockDim.x) {
      tile_a[i] = a[i / 16 * 64 + k + i % 16];
      tile_b[i] = b[(k + i / 64) * 64 + i % 64];
    }
    __syncthreads();
    wmma::load_matrix_sync(fa, tile_a + row * 16, 16);
    wmma::load_matrix_sync(fb, tile_b + column, 64);
    wmma::mma_sync(sum, fa, fb, sum);
    __syncthreads();
  }
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2;
  wmma::store_matrix_sync(c + row * 64 + column, sum, 64, wmma::mem_row_major);
}

// D of 32 x 8 and 8 x 32 from columns, in halves.
extern "C" __global__ void wmma_tall(half* d, const half* a, const half* b) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::col_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, half> sum;
  wmma::fill_fragment(sum, __float2half(0));
  wmma::load_matrix_sync(fa, a, 32);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(d, sum, 32, wmma::mem_col_major);
}

extern "C" __global__ void wmma_bytes(int* d, const signed char* a, const signed char* b) {
  wmma::fragment<wmma::matrix_a, 8, 32, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 32, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 32, 16, int> sum;
  wmma::fill_fragment(sum, 7);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(d, sum, 32, wmma::mem_row_major);
}

extern "C" __global__ void block_barrier(int* out) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier bar;
  __shared__ int s[128];
  int t = threadIdx.x;
  if (t == 0) init(&bar, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    s[t] = 100 * round + t;
    bar.wait(bar.arrive());
    sum += s[127 - t];
    bar.arrive_and_wait();
  }
  out[t] = sum;
}

// Two stages of a pipeline that all threads of the block share.
extern "C" __global__ void block_pipeline(int* out, const int* in, int tiles) {
  namespace cg = cooperative_groups;
  constexpr int kStages = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  __shared__ int tile[kStages][64];
  cg::thread_block block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int t = threadIdx.x, sum = 0, fetched = 0;
  for (int i = 0; i < tiles; ++i) {
    for (; fetched < tiles && fetched < i + kStages; ++fetched) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, tile[fetched % kStages], in + fetched * 64, sizeof(int) * 64,
                         pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum += (i + 1) * tile[i % kStages][63 - t];
    pipeline.consumer_release();
  }
  out[t] = sum;
}

extern "C" __global__ void group_copy(int* out, const int* in) {
  namespace cg = cooperative_groups;
  __shared__ __align__(16) int tile[256];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof tile);
  cg::wait(block);
  out[threadIdx.x] = tile[255 - threadIdx.x];
}
