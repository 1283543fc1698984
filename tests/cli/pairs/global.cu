// Kernels with one fault in their accesses to global memory, each followed by the same kernel cured by hand.

// ---- fields of structures

struct Particle {
  float x, y, z, mass;
};
// pair: strided --grid 16 --block 128 --arg f32[8192]=iota --arg f32[2048]=zero
__global__ void energy(const Particle* p, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = p[i].mass * 2.f;
}
__global__ void energy_cured(const float* mass, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = mass[i] * 2.f;
}

struct Pixel {
  unsigned char r, g, b;
};
// pair: structures --grid 8 --block 256 --arg u8[6144]=iota --arg u8[2048]=zero
__global__ void grey(const Pixel* in, unsigned char* out) {
  int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = (in[i].r + in[i].g + in[i].b) / 3;
}
__global__ void grey_cured(const unsigned char* in, unsigned char* out) {
  int i = blockIdx.x * 256 + threadIdx.x, n = gridDim.x * 256;
  out[i] = (in[i] + in[n + i] + in[2 * n + i]) / 3;
}

struct Sample {
  double value;
  int key, flags;
};
// pair: strided --grid 8 --block 64 --arg u8[8192]=zero --arg i32[512]=zero
__global__ void keys(const Sample* in, int* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i].key;
}
__global__ void keys_cured(const int* key, int* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = key[i];
}

struct Wide {
  float a[8];
};
// pair: structures --grid 8 --block 128 --arg f32[8192]=iota
__global__ void moves(Wide* all) {
  int i = blockIdx.x * 128 + threadIdx.x;
  all[i].a[1] += all[i].a[5] * 0.5f;
}
__global__ void moves_cured(float* all) {
  int i = blockIdx.x * 128 + threadIdx.x, n = gridDim.x * 128;
  all[n + i] += all[5 * n + i] * 0.5f;
}

// pair: structures --grid 5 --block 96 --arg f32[2400]=iota --arg f32[480]=zero --arg i32=470
__global__ void edges(const float* rows, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = rows[5 * i] - rows[5 * i + 3];
}
__global__ void edges_cured(const float* rows, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = rows[i] - rows[480 + i];
}

// ---- a stride that leaves elements out

// pair: strided --grid 8 --block 128 --arg f32[4096]=iota --arg f32[1024]=zero
__global__ void everyFourth(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[4 * i] + 1.f;
}
__global__ void everyFourth_cured(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[i] + 1.f;
}

// pair: strided --grid 8 --block 128 --arg f64[1024]=iota --arg f64[8192]=zero
__global__ void spreads(const double* in, double* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[8 * i] = in[i];
}
__global__ void spreads_cured(const double* in, double* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[i];
}

// ---- rows that each thread walks along, and columns

// pair: strided --grid 4 --block 128 --arg f32[16384]=iota --arg f32[32]=iota --arg f32[512]=zero
__global__ void sumsOfRows(const float* in, const float* w, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += in[i * 32 + k] * w[k];
  out[i] = sum;
}
__global__ void sumsOfRows_cured(const float* in, const float* w, float* out) {
  __shared__ float tile[128][33];
  int t = threadIdx.x;
  for (int k = t; k < 4096; k += 128) tile[k / 32][k % 32] = in[blockIdx.x * 4096 + k];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += tile[t][k] * w[k];
  out[blockIdx.x * 128 + t] = sum;
}

// pair: strided --grid 8 --block 64 --arg f32[8192]=iota --arg f32[8192]=zero
__global__ void chunksOfSixteen(const float* in, float* out) {
  int first = (blockIdx.x * 64 + threadIdx.x) * 16;
  for (int k = 0; k < 16; ++k) out[first + k] = in[first + k] * 3.f;
}
__global__ void chunksOfSixteen_cured(const float* in, float* out) {
  for (int k = 0; k < 16; ++k) {
    int i = blockIdx.x * 1024 + k * 64 + threadIdx.x;
    out[i] = in[i] * 3.f;
  }
}

// pair: strided --grid 4,4 --block 32,8 --arg f32[16384]=iota --arg f32[16384]=zero
__global__ void turnsByColumns(const float* in, float* out) {
  int x = blockIdx.x * 32 + threadIdx.x;
  for (int y = blockIdx.y * 32 + threadIdx.y; y < blockIdx.y * 32 + 32; y += 8) out[y * 128 + x] = in[x * 128 + y];
}
__global__ void turnsByColumns_cured(const float* in, float* out) {
  __shared__ float tile[32][33];
  int t = threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8) tile[j][t] = in[(blockIdx.x * 32 + j) * 128 + blockIdx.y * 32 + t];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) out[(blockIdx.y * 32 + j) * 128 + blockIdx.x * 32 + t] = tile[t][j];
}

// pair: strided --grid 4,4 --block 32,32 --arg u16[16384]=iota --arg u16[16384]=zero
__global__ void turnsShorts(const unsigned short* in, unsigned short* out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  out[x * 128 + y] = in[y * 128 + x];
}
__global__ void turnsShorts_cured(const unsigned short* in, unsigned short* out) {
  __shared__ unsigned short tile[32][34];
  int t = threadIdx.x, j = threadIdx.y;
  tile[j][t] = in[(blockIdx.y * 32 + j) * 128 + blockIdx.x * 32 + t];
  __syncthreads();
  out[(blockIdx.x * 32 + j) * 128 + blockIdx.y * 32 + t] = tile[t][j];
}

// ---- neighbours one by one

// pair: vectors --grid 8 --block 128 --arg f32[4096]=iota --arg f32[1024]=zero
__global__ void lengths(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  const volatile float* v = in + 4 * i;
  float x = v[0], y = v[1], z = v[2], w = v[3];
  out[i] = x * x + y * y + z * z + w * w;
}
__global__ void lengths_cured(const float4* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float4 v = in[i];
  out[i] = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
}

// pair: vectors --grid 8 --block 128 --arg f32[1024]=iota --arg f32[2048]=zero
__global__ void doublesUp(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  volatile float* o = out + 2 * i;
  float v = in[i];
  o[0] = v;
  o[1] = -v;
}
__global__ void doublesUp_cured(const float* in, float2* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = make_float2(in[i], -in[i]);
}

// pair: vectors --grid 4 --block 64 --arg f64[512]=iota --arg f64[256]=zero
__global__ void products(const double* in, double* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  const volatile double* v = in;
  out[i] = v[2 * i] * v[2 * i + 1];
}
__global__ void products_cured(const double2* in, double* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  double2 v = in[i];
  out[i] = v.x * v.y;
}

// ---- rows that begin within a sector

// pair: misaligned --grid 8 --block 128 --arg f32[1032]=iota --arg f32[1024]=zero
__global__ void behindAHead(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[i + 3] * 2.f;
}
__global__ void behindAHead_cured(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[i + 8] * 2.f;
}

// pair: misaligned --grid 8 --block 128 --arg f32[1024]=iota --arg f32[1040]=zero
__global__ void storesBehindAHead(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i + 5] = in[i];
}
__global__ void storesBehindAHead_cured(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i + 8] = in[i];
}

// pair: misaligned --grid 8 --block 64 --arg u16[520]=iota --arg u16[512]=zero
__global__ void shortsBehindOne(const unsigned short* in, unsigned short* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i + 1];
}
__global__ void shortsBehindOne_cured(const unsigned short* in, unsigned short* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i];
}

// ---- what data choose

// pair: scattered --grid 8 --block 128 --arg i32[1024]=@order.bin --arg f32[1024]=iota --arg f32[1024]=zero
__global__ void gathers(const int* index, const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[index[i]];
}
// cured: --grid 8 --block 128 --arg i32[1024]=@sorted.bin --arg f32[1024]=iota --arg f32[1024]=zero
__global__ void gathers_cured(const int* index, const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[index[i]];
}

// pair: scattered --grid 8 --block 128 --arg i32[1024]=@order.bin --arg f32[1024]=iota --arg f32[1024]=zero
__global__ void scatters(const int* index, const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[index[i]] = in[i];
}
// cured: --grid 8 --block 128 --arg i32[1024]=@sorted.bin --arg f32[1024]=iota --arg f32[1024]=zero
__global__ void scatters_cured(const int* index, const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[index[i]] = in[i];
}

// pair: scattered --grid 4 --block 256 --arg i32[1024]=@order.bin --arg f64[1024]=iota --arg f64[1024]=zero --arg 1000
__global__ void gathersDoubles(const int* index, const double* in, double* out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[index[i]] * n;
}
// cured: --grid 4 --block 256 --arg i32[1024]=@sorted.bin --arg f64[1024]=iota --arg f64[1024]=zero --arg 1000
__global__ void gathersDoubles_cured(const int* index, const double* in, double* out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[index[i]] * n;
}

// pair: scattered --grid 4 --block 128 --arg i32[1024]=@order.bin --arg f32[1024]=iota --arg f32[512]=zero
__global__ void sumsOfTwo(const int* index, const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 2; ++k) sum += in[index[k * 512 + i]];
  out[i] = sum;
}
// cured: --grid 4 --block 128 --arg i32[1024]=@sorted.bin --arg f32[1024]=iota --arg f32[512]=zero
__global__ void sumsOfTwo_cured(const int* index, const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 2; ++k) sum += in[index[k * 512 + i]];
  out[i] = sum;
}

// ---- blocks narrower than a warp

// pair: block_shape --grid 16,2 --block 8,64 --arg u16[16384]=iota --arg u16[16384]=zero --arg i32=128
__global__ void eightWide(const unsigned short* in, unsigned short* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n) out[y * n + x] = in[y * n + x] + 1;
}
// cured: --grid 4,8 --block 32,16 --arg u16[16384]=iota --arg u16[16384]=zero --arg i32=128
__global__ void eightWide_cured(const unsigned short* in, unsigned short* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n) out[y * n + x] = in[y * n + x] + 1;
}

// pair: block_shape --grid 32,1 --block 2,128 --arg f32[8192]=iota --arg f32[8192]=zero
__global__ void twoWide(const float* in, float* out) {
  int n = gridDim.x * blockDim.x;
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * n + x] = in[y * n + x] + y;
}
// cured: --grid 2,16 --block 32,8 --arg f32[8192]=iota --arg f32[8192]=zero
__global__ void twoWide_cured(const float* in, float* out) {
  int n = gridDim.x * blockDim.x;
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * n + x] = in[y * n + x] + y;
}

// pair: block_shape --grid 8,8 --block 16,16 --arg u8[16384]=iota --arg u8[16384]=zero --arg i32=128
__global__ void bytesOfSixteen(const unsigned char* in, unsigned char* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * n + x] = 255 - in[y * n + x];
}
// cured: --grid 4,16 --block 32,8 --arg u8[16384]=iota --arg u8[16384]=zero --arg i32=128
__global__ void bytesOfSixteen_cured(const unsigned char* in, unsigned char* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * n + x] = 255 - in[y * n + x];
}

// ---- the same again and again

// pair: reloads --grid 4 --block 128 --arg f32[512]=iota --arg f32[8192]=zero
__global__ void powers(const float* x, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  for (int k = 0; k < 16; ++k) out[k * 512 + i] = x[i] * k;
}
__global__ void powers_cured(const float* __restrict__ x, float* __restrict__ out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  for (int k = 0; k < 16; ++k) out[k * 512 + i] = x[i] * k;
}

// pair: reloads --grid 4 --block 128 --arg f32[512]=iota --arg f32[12]=iota --arg f32[6144]=zero --arg i32=12
__global__ void scaledRounds(const float* x, const float* factor, float* out, int rounds) {
  int i = blockIdx.x * 128 + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) out[k * 512 + i] = x[i] * factor[k];
}
__global__ void scaledRounds_cured(const float* x, const float* factor, float* out, int rounds) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float v = x[i];
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) out[k * 512 + i] = v * factor[k];
}

// pair: reloads --grid 8 --block 64 --arg f64[512]=iota --arg f64[4096]=zero
__global__ void tables(const double* x, double* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  for (int k = 0; k < 8; ++k) out[i + k * 512] = x[i] + k;
}
__global__ void tables_cured(const double* __restrict__ x, double* __restrict__ out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  for (int k = 0; k < 8; ++k) out[i + k * 512] = x[i] + k;
}

// pair: accumulates_in_memory --grid 4 --block 128 --arg f32[8192]=iota --arg f32[512]=zero
__global__ void sumsInPlace(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < 16; ++k) out[i] += in[k * 512 + i];
}
__global__ void sumsInPlace_cured(const float* in, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float sum = out[i];
#pragma unroll 1
  for (int k = 0; k < 16; ++k) sum += in[k * 512 + i];
  out[i] = sum;
}

// pair: accumulates_in_memory --grid 4 --block 128 --arg f32[512]=ones --arg f32[512]=zero --arg i32=12
__global__ void steps(const float* speed, float* at, int rounds) {
  int i = blockIdx.x * 128 + threadIdx.x;
  for (int k = 0; k < rounds; ++k) at[i] = at[i] + speed[i] * 0.1f;
}
__global__ void steps_cured(const float* speed, float* at, int rounds) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float x = at[i], v = speed[i];
  for (int k = 0; k < rounds; ++k) x = x + v * 0.1f;
  at[i] = x;
}

// ---- a tile that turns nothing, and one that is not used

// pair: private_tile --grid 4,4 --block 16,16 --arg f32[4096]=iota --arg f32[4096]=zero
__global__ void turnsSixteen(const float* in, float* out) {
  __shared__ float tile[16][17];
  int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  tile[y][x] = in[row * 64 + col];
  __syncthreads();
  out[col * 64 + row] = tile[y][x];
}
__global__ void turnsSixteen_cured(const float* in, float* out) {
  __shared__ float tile[16][17];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[(blockIdx.y * 16 + y) * 64 + blockIdx.x * 16 + x];
  __syncthreads();
  out[(blockIdx.x * 16 + y) * 64 + blockIdx.y * 16 + x] = tile[x][y];
}

// pair: private_tile --grid 2,2 --block 32,8 --arg f64[4096]=iota --arg f64[4096]=zero
__global__ void readsColumns(const double* in, double* out) {
  __shared__ double tile[32][33];
  int x = threadIdx.x, y = threadIdx.y;
  for (int j = y; j < 32; j += 8) tile[j][x] = in[(blockIdx.x * 32 + x) * 64 + blockIdx.y * 32 + j];
  __syncthreads();
  for (int j = y; j < 32; j += 8) out[(blockIdx.y * 32 + j) * 64 + blockIdx.x * 32 + x] = tile[j][x];
}
__global__ void readsColumns_cured(const double* in, double* out) {
  __shared__ double tile[32][33];
  int x = threadIdx.x, y = threadIdx.y;
  for (int j = y; j < 32; j += 8) tile[j][x] = in[(blockIdx.x * 32 + j) * 64 + blockIdx.y * 32 + x];
  __syncthreads();
  for (int j = y; j < 32; j += 8) out[(blockIdx.y * 32 + j) * 64 + blockIdx.x * 32 + x] = tile[x][j];
}

// pair: tile_reloads --grid 8 --block 128 --arg f32[1026]=iota --arg f32[1024]=zero
__global__ void slopes(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  s[t] = in[i];
  __syncthreads();
  out[i] = in[i + 1] - s[t];
}
__global__ void slopes_cured(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  s[t] = in[i];
  __syncthreads();
  out[i] = (t < 127 ? s[t + 1] : in[i + 1]) - s[t];
}

// ---- tiles for what warps share

// pair: reuse --grid 4 --block 128 --arg f32[512]=iota --arg f32[512]=zero
__global__ void forces(const float* x, float* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float mine = x[i], sum = 0;
  for (int j = 0; j < 512; ++j) sum += x[j] - mine;
  out[i] = sum;
}
__global__ void forces_cured(const float* x, float* out) {
  __shared__ float tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  float mine = x[i], sum = 0;
  for (int first = 0; first < 512; first += 128) {
    tile[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; ++j) sum += tile[j] - mine;
    __syncthreads();
  }
  out[i] = sum;
}

// pair: reuse --grid 2,2 --block 16,16 --arg f32[1024]=iota --arg f32[1024]=iota --arg f32[1024]=zero
__global__ void smallProduct(const float* a, const float* b, float* c) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += a[y * 32 + k] * b[k * 32 + x];
  c[y * 32 + x] = sum;
}
__global__ void smallProduct_cured(const float* a, const float* b, float* c) {
  __shared__ float ta[16][16], tb[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int m = 0; m < 32; m += 16) {
    ta[ty][tx] = a[y * 32 + m + tx];
    tb[ty][tx] = b[(m + ty) * 32 + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  c[y * 32 + x] = sum;
}

// ---- little per request

// pair: narrow --grid 8 --block 128 --arg u8[1024]=iota --arg u8[1024]=zero
__global__ void inverts(const unsigned char* in, unsigned char* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = ~in[i];
}
// cured: --grid 2 --block 128 --arg u8[1024]=iota --arg u8[1024]=zero
__global__ void inverts_cured(const unsigned* in, unsigned* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = ~in[i];
}

// ---- arrays of threads

// pair: local_memory --grid 4 --block 64 --arg i32[256]=iota --arg f32[256]=zero
__global__ void picks(const int* index, float* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  float table[16];
  for (int k = 0; k < 16; ++k) table[k] = k * 1.5f + i;
  for (int k = 0; k < 4; ++k) table[index[i] + k & 15] += 1;
  out[i] = table[index[i] & 15];
}
__global__ void picks_cured(const int* index, float* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = (index[i] & 15) * 1.5f + i + 1;
}

// pair: local_memory --grid 2 --block 128 --arg i32[256]=iota --arg i32[256]=zero --arg i32=5
__global__ void counts(const int* in, int* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  int bins[8] = {0};
  for (int k = 0; k < n; ++k) ++bins[(in[i] + k * k) & 7];
  out[i] = bins[n & 7];
}
__global__ void counts_cured(const int* in, int* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x, count = 0;
  for (int k = 0; k < n; ++k) count += ((in[i] + k * k) & 7) == (n & 7);
  out[i] = count;
}
