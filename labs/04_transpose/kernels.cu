// Lab 4: transposing a matrix of `rows` x `cols` elements. Reading rows means writing columns; a
// tile in shared memory turns one into the other, and brings bank conflicts with it.
// Blocks have 32 x kRows threads and work on tiles of 32 x 32.

//@ starter
constexpr int kTile = 32;
//@ end

// The same traffic without the transpose. Each load waits for the store before it, which might have
// changed what it reads: copy_wide is faster.
template <typename T, int kRows>
__global__ void copy(const T* in, T* out, int rows, int cols) {
  const int x = blockIdx.x * kTile + threadIdx.x;
  const int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < cols && y + j < rows) out[(y + j) * cols + x] = in[(y + j) * cols + x];
  }
}

// A warp reads a row and writes a column.
template <typename T, int kRows>
__global__ void read_coalesced(const T* in, T* out, int rows, int cols) {
  const int x = blockIdx.x * kTile + threadIdx.x;
  const int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < cols && y + j < rows) out[x * rows + y + j] = in[(y + j) * cols + x];
  }
}

// A warp reads a column and writes a row: x and y are places in the output.
template <typename T, int kRows>
__global__ void write_coalesced(const T* in, T* out, int rows, int cols) {
  const int x = blockIdx.x * kTile + threadIdx.x;
  const int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < rows && y + j < cols) out[(y + j) * rows + x] = in[x * cols + y + j];
  }
}

// The tile's rows are `kPad` elements longer than they need to be. It is read by columns.
template <typename T, int kRows, int kPad>
__device__ void through_tile(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[kTile][kTile + kPad];

  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
  }
  __syncthreads();

  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

// Transposed on the load from the tile: 32 lanes, one bank.
template <typename T, int kRows>
__global__ void shared_load(const T* in, T* out, int rows, int cols) {
  through_tile<T, kRows, 0>(in, out, rows, cols);
}

// One more word per row: a column runs through all banks.
//@ starter
template <typename T, int kRows>
__global__ void padded(const T* in, T* out, int rows, int cols) {
  //@ yours
  __shared__ T tile[kTile][kTile + (sizeof(T) < 4 ? 4 / sizeof(T) : 1)];
  //@ instead __shared__ T tile[kTile][kTile];
  //@ end

  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
  }
  __syncthreads();

  //@ yours
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
  }
  //@ instead // Write the tile to `out`, which has `cols` rows of `rows` elements, along its rows.
  //@ end
}
//@ end

// The same, transposed on the store to the tile, which is read by rows.
template <typename T, int kRows, int kPad>
__device__ void through_tile_stored(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[kTile][kTile + kPad];

  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < cols && y + j < rows) tile[threadIdx.x][threadIdx.y + j] = in[(y + j) * cols + x];
  }
  __syncthreads();

  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.y + j][threadIdx.x];
  }
}

template <typename T, int kRows>
__global__ void shared_store(const T* in, T* out, int rows, int cols) {
  through_tile_stored<T, kRows, 0>(in, out, rows, cols);
}

template <typename T, int kRows>
__global__ void padded_store(const T* in, T* out, int rows, int cols) {
  constexpr int kPad = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
  through_tile_stored<T, kRows, kPad>(in, out, rows, cols);
}

// No padding: element (y, x) of the tile is kept at column x ^ y.
template <typename T, int kRows>
__global__ void swizzled(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[kTile][kTile];

  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    const int ty = threadIdx.y + j;
    if (x < cols && y + j < rows) tile[ty][threadIdx.x ^ ty] = in[(y + j) * cols + x];
  }
  __syncthreads();

  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    const int ty = threadIdx.y + j;
    if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][ty ^ threadIdx.x];
  }
}

// Tiles of 16 x 16: a warp is two rows of 16, and the two must not meet in a bank either.
template <int kPad>
__global__ void tile16(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[16][16 + kPad];

  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 16 + threadIdx.y;
  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
  __syncthreads();

  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

// The same without padding: element (y, x) is kept at column x ^ y. Two neighbouring rows are 32
// words whatever their order, and down a column x ^ y steps through half of the banks in even rows,
// the other half in odd ones.
extern "C" __global__ void tile16_swizzled(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[16][16];

  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 16 + threadIdx.y;
  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = in[y * cols + x];
  __syncthreads();

  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y ^ threadIdx.x];
}

// ---- 16 bytes per lane ------------------------------------------------------------------------
// For sizes that are multiples of the tile (`kWhole`). Rows of other sizes begin anywhere, and 16
// bytes at once would be misaligned: there a warp takes 32 neighbours, one word per lane.

template <bool kStream, typename T>
__device__ T fetch(const T* from) {
  return kStream ? __ldcs(from) : *from;
}
template <bool kStream, typename T>
__device__ void put(T* to, T v) {
  if (kStream) {
    __stcs(to, v);
  } else {
    *to = v;
  }
}

// Word by word through a tile whose first element is (top, left): element (r, c) of the tile is
// kept at column c ^ r % 32, so that rows and columns run through all banks.
template <int kHeight, int kWidth, int kThreads, bool kStream>
__device__ void turn_words(const float* in, float* out, float* tile, int rows, int cols, int top,
                           int left) {
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  for (int u = warp; u < kHeight * kWidth / 32; u += kThreads / 32) {
    const int r = u / (kWidth / 32);
    const int c = u % (kWidth / 32) * 32 + lane;
    if (top + r >= rows || left + c >= cols) continue;
    tile[r * kWidth + (c ^ r % 32)] = fetch<kStream>(&in[(top + r) * cols + left + c]);
  }
  __syncthreads();

  for (int u = warp; u < kHeight * kWidth / 32; u += kThreads / 32) {
    const int c = u / (kHeight / 32);
    const int r = u % (kHeight / 32) * 32 + lane;
    if (top + r >= rows || left + c >= cols) continue;
    put<kStream>(&out[(left + c) * rows + top + r], tile[r * kWidth + (c ^ r % 32)]);
  }
}

// Tiles of 64 x 64 floats, 16 bytes per lane in global memory on both sides. Row r keeps its i-th
// four floats at place i ^ (r / 4): a warp then reads 8 rows x 4 columns without a conflict.
template <bool kWhole>
__global__ void vectorised(const float4* in, float4* out, int rows, int cols) {
  __shared__ float4 tile[64 * 16];
  if (!kWhole) {
    turn_words<64, 64, 256, false>(reinterpret_cast<const float*>(in),
                                   reinterpret_cast<float*>(out), reinterpret_cast<float*>(tile),
                                   rows, cols, blockIdx.y * 64, blockIdx.x * 64);
    return;
  }
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;

  for (int j = 0; j < 64; j += 16) {
    const int r = 2 * warp + lane / 16 + j;
    const int i = lane % 16;
    tile[r * 16 + (i ^ r / 4)] = in[(blockIdx.y * 64 + r) * (cols / 4) + blockIdx.x * 16 + i];
  }
  __syncthreads();

  const float* words = reinterpret_cast<const float*>(tile);
  for (int u = warp; u < 32; u += 8) {
    const int i = u / 2;                    // four columns, one per eight lanes
    const int four = lane % 8 + u % 2 * 8;  // four rows, which become the output's float4
    const int place = (i ^ four) * 4 + lane / 8;
    float4 v;
    v.x = words[(4 * four + 0) * 64 + place];
    v.y = words[(4 * four + 1) * 64 + place];
    v.z = words[(4 * four + 2) * 64 + place];
    v.w = words[(4 * four + 3) * 64 + place];
    const int column = blockIdx.x * 64 + 4 * i + lane / 8;
    out[column * (rows / 4) + blockIdx.y * 16 + four] = v;
  }
}

// ---- the fastest here -------------------------------------------------------------------------

// The same traffic with 16 bytes per lane: each thread has four loads under way before it stores.
template <bool kStream, bool kWhole>
__global__ void copy_wide(const float4* in, float4* out, int count) {
  const int first = blockIdx.x * 4 * blockDim.x + threadIdx.x;
  const int fours = count / 4;
  float4 v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const unsigned i = first + k * blockDim.x;
    if (kWhole || i < fours) v[k] = fetch<kStream>(&in[i]);
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const unsigned i = first + k * blockDim.x;
    if (kWhole || i < fours) put<kStream>(&out[i], v[k]);
  }
  // Up to three words are left.
  if (!kWhole && first < count % 4) {
    const int last = 4 * fours + first;
    put<kStream>(reinterpret_cast<float*>(out) + last,
                 fetch<kStream>(reinterpret_cast<const float*>(in) + last));
  }
}

__device__ void turn(float4 (&v)[4]) {
  const float4 a = v[0], b = v[1], c = v[2], d = v[3];
  v[0] = make_float4(a.x, b.x, c.x, d.x);
  v[1] = make_float4(a.y, b.y, c.y, d.y);
  v[2] = make_float4(a.z, b.z, c.z, d.z);
  v[3] = make_float4(a.w, b.w, c.w, d.w);
}

// Each thread turns squares of 4 x 4 floats in its registers; the tile in shared memory only brings
// the squares to other threads, 16 bytes per lane on every side. Place p of the turned tile's row
// 4 i + k is kept at p ^ i % 8: no conflict. Tiles are kHeight x kWidth; the blocks that run at the
// same time go down `order` rows of tiles before they go to the next column.
template <int kHeight, int kWidth, int kThreads, bool kStream, bool kWhole>
__global__ void __launch_bounds__(kThreads)
    best(const float4* in, float4* out, int rows, int cols, int order) {
  extern __shared__ float4 turned[];
  constexpr int kDown = kHeight / 4;
  constexpr int kAcross = kWidth / 4;
  constexpr int kSquares = kDown * kAcross;
  constexpr int kEach = kSquares > kThreads ? kSquares / kThreads : 1;
  const int t = threadIdx.x;
  const bool busy = kSquares >= kThreads || t < kSquares;

  const int tiles_x = kWhole ? cols / kWidth : (cols + kWidth - 1) / kWidth;
  const int tiles_y = kWhole ? rows / kHeight : (rows + kHeight - 1) / kHeight;
  const int group = blockIdx.x / (order * tiles_x);
  const int within = blockIdx.x % (order * tiles_x);
  const int lines = min(tiles_y - group * order, order);
  const int tile_x = within / lines;
  const int tile_y = group * order + within % lines;
  if (!kWhole) {
    turn_words<kHeight, kWidth, kThreads, kStream>(
        reinterpret_cast<const float*>(in), reinterpret_cast<float*>(out),
        reinterpret_cast<float*>(turned), rows, cols, tile_y * kHeight, tile_x * kWidth);
    return;
  }

  float4 v[kEach][4];
  if (busy) {
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const int u = t + e * kThreads;
      const int line = tile_y * kHeight + u / kAcross * 4;
      const float4* from = &in[line * (cols / 4) + tile_x * kAcross + u % kAcross];
#pragma unroll
      for (int k = 0; k < 4; ++k) v[e][k] = fetch<kStream>(&from[k * (cols / 4)]);
    }
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const int u = t + e * kThreads;
      const int i = u % kAcross;
      turn(v[e]);
#pragma unroll
      for (int k = 0; k < 4; ++k) turned[(4 * i + k) * kDown + (u / kAcross ^ i % 8)] = v[e][k];
    }
  }
  __syncthreads();

  if (busy) {
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const int u = t + e * kThreads;
      const int p = u % kDown;
      const int i = u / kDown;
      float4* to = &out[(tile_x * kWidth + 4 * i) * (rows / 4) + tile_y * kDown + p];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        put<kStream>(&to[k * (rows / 4)], turned[(4 * i + k) * kDown + (p ^ i % 8)]);
      }
    }
  }
}
