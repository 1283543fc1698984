// Lab 7: matrix product. C (n x p) = A (n x m) * B (m x p), all stored by rows.

// One thread per element of C, neighbouring threads along a row of C. Blocks have 32 x 8 threads.
extern "C" __global__ void naive(const float* a, const float* b, float* c, int n, int m, int p) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= p) return;
  float sum = 0;
  for (int k = 0; k < m; ++k) sum += a[row * m + k] * b[k * p + col];
  c[row * p + col] = sum;
}

// The same with the indices swapped: neighbouring threads along a column of C.
extern "C" __global__ void naive_swapped(const float* a, const float* b, float* c, int n, int m,
                                         int p) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= p) return;
  float sum = 0;
  for (int k = 0; k < m; ++k) sum += a[row * m + k] * b[k * p + col];
  c[row * p + col] = sum;
}

// The compiler merges, moves and drops shared accesses where it may. Through a volatile pointer it
// may not: each access below is one instruction of the machine code.
template <typename T>
__device__ const volatile T& pinned(const T& shared) {
  return shared;
}
// Blocks of kTile x kTile threads go along a row of tiles of A and a column of tiles of B.
// Elements beyond the matrices are zeros.
template <int kTile, bool kPinned>
__device__ void tiles(const float* a, const float* b, float* c, int n, int m, int p) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int col = blockIdx.x * kTile + tx;
  const int row = blockIdx.y * kTile + ty;

  float sum = 0;
  for (int t = 0; t < m; t += kTile) {
    tile_a[ty][tx] = row < n && t + tx < m ? a[row * m + t + tx] : 0;
    tile_b[ty][tx] = t + ty < m && col < p ? b[(t + ty) * p + col] : 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) {
      if (kPinned) {
        sum += pinned(tile_a[ty][k]) * pinned(tile_b[k][tx]);
      } else {
        sum += tile_a[ty][k] * tile_b[k][tx];
      }
    }
    __syncthreads();
  }
  if (row < n && col < p) c[row * p + col] = sum;
}

template <int kTile>
__global__ void tiled(const float* a, const float* b, float* c, int n, int m, int p) {
  tiles<kTile, false>(a, b, c, n, m, p);
}

template <int kTile>
__global__ void tiled_pinned(const float* a, const float* b, float* c, int n, int m, int p) {
  tiles<kTile, true>(a, b, c, n, m, p);
}

// Each thread makes four elements of C: what it reads of B is used four times. Blocks have 32 x 8
// threads and work on tiles of 32 x 32.
//@ starter
extern "C" __global__ void register_tiled(const float* a, const float* b, float* c, int n, int m,
                                          int p) {
  __shared__ float tile_a[32][32];
  __shared__ float tile_b[32][32];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int col = blockIdx.x * 32 + tx;
  const int first = blockIdx.y * 32 + ty;

  float sum[4] = {};
  for (int t = 0; t < m; t += 32) {
    //@ yours
#pragma unroll
    for (int r = 0; r < 32; r += 8) {
      tile_a[ty + r][tx] = first + r < n && t + tx < m ? a[(first + r) * m + t + tx] : 0;
      tile_b[ty + r][tx] = t + ty + r < m && col < p ? b[(t + ty + r) * p + col] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      const float element = tile_b[k][tx];
#pragma unroll
      for (int r = 0; r < 4; ++r) sum[r] += tile_a[ty + 8 * r][k] * element;
    }
    __syncthreads();
    //@ instead // Fill both tiles along rows, with zeros beyond the matrices. Wait. Then, for each k, read
    //@ instead // tile_b[k][tx] once and use it for four rows. Wait again before the next tiles come.
    //@ end
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    if (first + 8 * r < n && col < p) c[(first + 8 * r) * p + col] = sum[r];
  }
}
//@ end

// ---- the fastest here -------------------------------------------------------------------------
// Blocks of 256 threads make 128 x 128 elements of C, 64 per thread, from tiles of 128 x kDepth of
// A, transposed, and kDepth x 128 of B. While one pair of tiles is in use, the next is on its way.
// Where n and p are multiples of 128 and m of kDepth (`kWhole`), lanes move 16 bytes at a time.
// Rows of other sizes begin anywhere: there a warp takes 32 neighbours, one word per lane.

// Rows of the transposed tile are four words longer: what is stored together is in different banks.
constexpr int kLine = 128 + 4;

template <int kDepth>
struct Tiles {
  float a[kDepth][kLine];
  float4 b[kDepth][32];
};

// What one thread brings of the next tiles.
template <int kDepth>
struct Share {
  static constexpr int kLoads = kDepth / 8;
  float4 a[kLoads], b[kLoads];
};

template <int kDepth>
__device__ Share<kDepth> fetch(const float4* a, const float4* b, int first, int m, int p) {
  Share<kDepth> share;
#pragma unroll
  for (int e = 0; e < Share<kDepth>::kLoads; ++e) {
    const int u = threadIdx.x + 256 * e;
    const int row = blockIdx.y * 128 + u / (kDepth / 4);
    share.a[e] = a[row * (m / 4) + first / 4 + u % (kDepth / 4)];
    share.b[e] = b[(first + u / 32) * (p / 4) + blockIdx.x * 32 + u % 32];
  }
  return share;
}

template <int kDepth>
__device__ void keep(Tiles<kDepth>& tiles, const Share<kDepth>& share) {
#pragma unroll
  for (int e = 0; e < Share<kDepth>::kLoads; ++e) {
    const int u = threadIdx.x + 256 * e;
    const int row = u / (kDepth / 4);
    const int k = u % (kDepth / 4) * 4;
    tiles.a[k + 0][row] = share.a[e].x;
    tiles.a[k + 1][row] = share.a[e].y;
    tiles.a[k + 2][row] = share.a[e].z;
    tiles.a[k + 3][row] = share.a[e].w;
    tiles.b[u / 32][u % 32] = share.b[e];
  }
}

__device__ void add(float (&sum)[4], float element, float4 b) {
  sum[0] += element * b.x;
  sum[1] += element * b.y;
  sum[2] += element * b.z;
  sum[3] += element * b.w;
}

template <int kDepth>
__device__ void whole_tiles(Tiles<kDepth> (&tiles)[2], const float4* a, const float4* b, float4* c,
                            int m, int p) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  // A warp makes 32 x 64 elements, its lanes are 4 x 8. Lanes that differ in bit 1 share their rows
  // of A, those that differ in bit 0 their columns of B: so loads of 16 bytes take two wavefronts.
  const int row = warp / 2 * 32 + 4 * ((lane & 1) | (lane >> 2 & 2));
  const int col = warp % 2 * 16 + ((lane >> 1 & 3) | (lane >> 2 & 4));

  float sum[8][2][4] = {};
  keep(tiles[0], fetch<kDepth>(a, b, 0, m, p));
  __syncthreads();
#pragma unroll 1
  for (int first = 0; first < m; first += kDepth) {
    const Tiles<kDepth>& now = tiles[first / kDepth % 2];
    const bool more = first + kDepth < m;
    Share<kDepth> next;
    if (more) next = fetch<kDepth>(a, b, first + kDepth, m, p);
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      const float4 upper = *reinterpret_cast<const float4*>(&now.a[k][row]);
      const float4 lower = *reinterpret_cast<const float4*>(&now.a[k][row + 16]);
      const float4 left = now.b[k][col];
      const float4 right = now.b[k][col + 8];
      const float of_a[8] = {upper.x, upper.y, upper.z, upper.w,
                             lower.x, lower.y, lower.z, lower.w};
#pragma unroll
      for (int r = 0; r < 8; ++r) {
        add(sum[r][0], of_a[r], left);
        add(sum[r][1], of_a[r], right);
      }
    }
    if (more) {
      keep(tiles[first / kDepth % 2 ^ 1], next);
      __syncthreads();
    }
  }

#pragma unroll
  for (int r = 0; r < 8; ++r) {
    float4* line = &c[(blockIdx.y * 128 + row + r % 4 + r / 4 * 16) * (p / 4) + blockIdx.x * 32];
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const float (&v)[4] = sum[r][side];
      line[col + 8 * side] = make_float4(v[0], v[1], v[2], v[3]);
    }
  }
}

template <int kDepth>
struct Words {
  static constexpr int kLoads = kDepth / 2;
  float a[kLoads], b[kLoads];
};

// Elements beyond the matrices are zeros.
template <int kDepth>
__device__ Words<kDepth> fetch_words(const float* a, const float* b, int first, int n, int m,
                                     int p) {
  Words<kDepth> words;
#pragma unroll
  for (int e = 0; e < Words<kDepth>::kLoads; ++e) {
    const int u = threadIdx.x + 256 * e;
    const int row = blockIdx.y * 128 + u / kDepth;
    const int k = first + u % kDepth;
    words.a[e] = row < n && k < m ? a[row * m + k] : 0;
    const int line = first + u / 128;
    const int col = blockIdx.x * 128 + u % 128;
    words.b[e] = line < m && col < p ? b[line * p + col] : 0;
  }
  return words;
}

template <int kDepth>
__device__ void keep_words(Tiles<kDepth>& tiles, const Words<kDepth>& words) {
#pragma unroll
  for (int e = 0; e < Words<kDepth>::kLoads; ++e) {
    const int u = threadIdx.x + 256 * e;
    tiles.a[u % kDepth][u / kDepth] = words.a[e];
    reinterpret_cast<float*>(tiles.b[u / 128])[u % 128] = words.b[e];
  }
}

// A warp makes 16 x 128 elements. Its lanes are neighbours in a row, as they are in C.
template <int kDepth>
__device__ void any_tiles(Tiles<kDepth> (&tiles)[2], const float* a, const float* b, float* c,
                          int n, int m, int p) {
  const int lane = threadIdx.x % 32;
  const int top = threadIdx.x / 32 * 16;

  float sum[16][4] = {};
  keep_words(tiles[0], fetch_words<kDepth>(a, b, 0, n, m, p));
  __syncthreads();
#pragma unroll 1
  for (int first = 0; first < m; first += kDepth) {
    const Tiles<kDepth>& now = tiles[first / kDepth % 2];
    const bool more = first + kDepth < m;
    Words<kDepth> next;
    if (more) next = fetch_words<kDepth>(a, b, first + kDepth, n, m, p);
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      const float* line = reinterpret_cast<const float*>(now.b[k]);
      const float4 of_b =
          make_float4(line[lane], line[lane + 32], line[lane + 64], line[lane + 96]);
#pragma unroll
      for (int r = 0; r < 16; r += 4) {
        const float4 of_a = *reinterpret_cast<const float4*>(&now.a[k][top + r]);
        add(sum[r + 0], of_a.x, of_b);
        add(sum[r + 1], of_a.y, of_b);
        add(sum[r + 2], of_a.z, of_b);
        add(sum[r + 3], of_a.w, of_b);
      }
    }
    if (more) {
      keep_words(tiles[first / kDepth % 2 ^ 1], next);
      __syncthreads();
    }
  }

#pragma unroll
  for (int r = 0; r < 16; ++r) {
    const int row = blockIdx.y * 128 + top + r;
#pragma unroll
    for (int side = 0; side < 4; ++side) {
      const int col = blockIdx.x * 128 + 32 * side + lane;
      if (row < n && col < p) c[row * p + col] = sum[r][side];
    }
  }
}

template <int kDepth, int kResident, bool kWhole>
__global__ void __launch_bounds__(256, kResident)
    best(const float4* a, const float4* b, float4* c, int n, int m, int p) {
  __shared__ __align__(16) Tiles<kDepth> tiles[2];
  if (kWhole) {
    whole_tiles(tiles, a, b, c, m, p);
  } else {
    any_tiles(tiles, reinterpret_cast<const float*>(a), reinterpret_cast<const float*>(b),
              reinterpret_cast<float*>(c), n, m, p);
  }
}
