// Matrix instructions, by inline PTX; matrices_test.cpp derives what each gives. Fragments are laid
// out as the PTX ISA draws them ("Matrix Fragments for mma.m16n8k16" and its neighbours).
typedef unsigned short half_bits;

__device__ unsigned address_of(const void* shared) {
  return (unsigned)__cvta_generic_to_shared(shared);
}

// ---- rows of 8 ---------------------------------------------------------------------------------

// Row r of matrix i begins `pitch` bytes after the row before it; `turn` permutes the columns of 16
// bytes. Element e of the tile has the value e.
__device__ unsigned row_address(const half_bits* tile, int pitch, int turn) {
  int row = threadIdx.x;
  int column = turn > 0 ? row % turn : 0;
  return address_of(tile) + row * pitch + column * 16;
}

extern "C" __global__ void load_x1(unsigned* out, int pitch, int turn) {
  __shared__ __align__(16) half_bits tile[32 * 64 + 64];
  for (int i = threadIdx.x; i < 32 * 64 + 64; i += 32) tile[i] = i;
  __syncwarp();
  unsigned r;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(r) : "r"(row_address(tile, pitch, turn)));
  out[threadIdx.x] = r;
}

extern "C" __global__ void load_x2(unsigned* out, int pitch, int turn) {
  __shared__ __align__(16) half_bits tile[32 * 64 + 64];
  for (int i = threadIdx.x; i < 32 * 64 + 64; i += 32) tile[i] = i;
  __syncwarp();
  unsigned r[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(row_address(tile, pitch, turn)));
  for (int i = 0; i < 2; ++i) out[threadIdx.x * 2 + i] = r[i];
}

extern "C" __global__ void load_x4(unsigned* out, int pitch, int turn) {
  __shared__ __align__(16) half_bits tile[32 * 64 + 64];
  for (int i = threadIdx.x; i < 32 * 64 + 64; i += 32) tile[i] = i;
  __syncwarp();
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row_address(tile, pitch, turn)));
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = r[i];
}

extern "C" __global__ void load_x4_trans(unsigned* out, int pitch, int turn) {
  __shared__ __align__(16) half_bits tile[32 * 64 + 64];
  for (int i = threadIdx.x; i < 32 * 64 + 64; i += 32) tile[i] = i;
  __syncwarp();
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row_address(tile, pitch, turn)));
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = r[i];
}

// Register i of a lane is 1000 i + 2 lane, and one more in its upper half.
__device__ unsigned numbered(int i) {
  unsigned low = 1000 * i + 2 * threadIdx.x;
  return low | (low + 1) << 16;
}

extern "C" __global__ void store_x4(half_bits* out, int pitch, int turn) {
  __shared__ __align__(16) half_bits tile[32 * 64 + 64];
  for (int i = threadIdx.x; i < 32 * 64 + 64; i += 32) tile[i] = 0xffff;
  __syncwarp();
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
               ::"r"(row_address(tile, pitch, turn)), "r"(numbered(0)), "r"(numbered(1)),
               "r"(numbered(2)), "r"(numbered(3)) : "memory");
  __syncwarp();
  for (int i = threadIdx.x; i < 32 * 64 + 64; i += 32) out[i] = tile[i];
}

extern "C" __global__ void store_x2_trans(half_bits* out, int pitch, int turn) {
  __shared__ __align__(16) half_bits tile[32 * 64 + 64];
  for (int i = threadIdx.x; i < 32 * 64 + 64; i += 32) tile[i] = 0xffff;
  __syncwarp();
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};"
               ::"r"(row_address(tile, pitch, turn)), "r"(numbered(0)), "r"(numbered(1))
               : "memory");
  __syncwarp();
  for (int i = threadIdx.x; i < 32 * 64 + 64; i += 32) out[i] = tile[i];
}

extern "C" __global__ void turned(unsigned* out) {
  unsigned r;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(numbered(0)));
  out[threadIdx.x] = r;
}

// ---- products ----------------------------------------------------------------------------------

// a is m x k by rows, b is n x k (B by columns), c and d are m x n by rows.
#define GROUP (threadIdx.x / 4)
#define MEMBER (threadIdx.x % 4)

// Two 16-bit elements, or four bytes, beside each other.
__device__ unsigned word_at(const void* m, int bytes) { return *(const unsigned*)((const char*)m + bytes); }

#define PRODUCT_16(NAME, TYPE)                                                                     \
  extern "C" __global__ void NAME(float* d, const half_bits* a, const half_bits* b,                \
                                  const float* c) {                                                \
    int g = GROUP, t = MEMBER;                                                                     \
    unsigned a0 = word_at(a, 2 * (g * 16 + 2 * t)), a1 = word_at(a, 2 * ((g + 8) * 16 + 2 * t));   \
    unsigned a2 = word_at(a, 2 * (g * 16 + 2 * t + 8));                                            \
    unsigned a3 = word_at(a, 2 * ((g + 8) * 16 + 2 * t + 8));                                      \
    unsigned b0 = word_at(b, 2 * (g * 16 + 2 * t)), b1 = word_at(b, 2 * (g * 16 + 2 * t + 8));     \
    float r0 = c[g * 8 + 2 * t], r1 = c[g * 8 + 2 * t + 1];                                        \
    float r2 = c[(g + 8) * 8 + 2 * t], r3 = c[(g + 8) * 8 + 2 * t + 1];                            \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPE "." TYPE                            \
                 ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                      \
                 : "+f"(r0), "+f"(r1), "+f"(r2), "+f"(r3)                                          \
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));                          \
    d[g * 8 + 2 * t] = r0;                                                                         \
    d[g * 8 + 2 * t + 1] = r1;                                                                     \
    d[(g + 8) * 8 + 2 * t] = r2;                                                                   \
    d[(g + 8) * 8 + 2 * t + 1] = r3;                                                               \
  }
PRODUCT_16(f16_16816, "f16")
PRODUCT_16(bf16_16816, "bf16")

#define PRODUCT_8(NAME, TYPE)                                                                      \
  extern "C" __global__ void NAME(float* d, const half_bits* a, const half_bits* b,                \
                                  const float* c) {                                                \
    int g = GROUP, t = MEMBER;                                                                     \
    unsigned a0 = word_at(a, 2 * (g * 8 + 2 * t)), a1 = word_at(a, 2 * ((g + 8) * 8 + 2 * t));     \
    unsigned b0 = word_at(b, 2 * (g * 8 + 2 * t));                                                 \
    float r0 = c[g * 8 + 2 * t], r1 = c[g * 8 + 2 * t + 1];                                        \
    float r2 = c[(g + 8) * 8 + 2 * t], r3 = c[(g + 8) * 8 + 2 * t + 1];                            \
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32." TYPE "." TYPE                             \
                 ".f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"                               \
                 : "+f"(r0), "+f"(r1), "+f"(r2), "+f"(r3) : "r"(a0), "r"(a1), "r"(b0));            \
    d[g * 8 + 2 * t] = r0;                                                                         \
    d[g * 8 + 2 * t + 1] = r1;                                                                     \
    d[(g + 8) * 8 + 2 * t] = r2;                                                                   \
    d[(g + 8) * 8 + 2 * t + 1] = r3;                                                               \
  }
PRODUCT_8(f16_1688, "f16")
PRODUCT_8(bf16_1688, "bf16")

extern "C" __global__ void f16_to_f16(half_bits* d, const half_bits* a, const half_bits* b,
                                      const half_bits* c) {
  int g = GROUP, t = MEMBER;
  unsigned a0 = word_at(a, 2 * (g * 16 + 2 * t)), a1 = word_at(a, 2 * ((g + 8) * 16 + 2 * t));
  unsigned a2 = word_at(a, 2 * (g * 16 + 2 * t + 8));
  unsigned a3 = word_at(a, 2 * ((g + 8) * 16 + 2 * t + 8));
  unsigned b0 = word_at(b, 2 * (g * 16 + 2 * t)), b1 = word_at(b, 2 * (g * 16 + 2 * t + 8));
  unsigned r0 = word_at(c, 2 * (g * 8 + 2 * t)), r1 = word_at(c, 2 * ((g + 8) * 8 + 2 * t));
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
      : "+r"(r0), "+r"(r1)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  *(unsigned*)(d + g * 8 + 2 * t) = r0;
  *(unsigned*)(d + (g + 8) * 8 + 2 * t) = r1;
}

extern "C" __global__ void tf32_1688(float* d, const unsigned* a, const unsigned* b,
                                     const float* c) {
  int g = GROUP, t = MEMBER;
  float r0 = c[g * 8 + 2 * t], r1 = c[g * 8 + 2 * t + 1];
  float r2 = c[(g + 8) * 8 + 2 * t], r3 = c[(g + 8) * 8 + 2 * t + 1];
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(r0), "+f"(r1), "+f"(r2), "+f"(r3)
      : "r"(a[g * 8 + t]), "r"(a[(g + 8) * 8 + t]), "r"(a[g * 8 + t + 4]),
        "r"(a[(g + 8) * 8 + t + 4]), "r"(b[g * 8 + t]), "r"(b[g * 8 + t + 4]));
  d[g * 8 + 2 * t] = r0;
  d[g * 8 + 2 * t + 1] = r1;
  d[(g + 8) * 8 + 2 * t] = r2;
  d[(g + 8) * 8 + 2 * t + 1] = r3;
}

extern "C" __global__ void tf32_1684(float* d, const unsigned* a, const unsigned* b,
                                     const float* c) {
  int g = GROUP, t = MEMBER;
  float r0 = c[g * 8 + 2 * t], r1 = c[g * 8 + 2 * t + 1];
  float r2 = c[(g + 8) * 8 + 2 * t], r3 = c[(g + 8) * 8 + 2 * t + 1];
  asm volatile(
      "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%0,%1,%2,%3};"
      : "+f"(r0), "+f"(r1), "+f"(r2), "+f"(r3)
      : "r"(a[g * 4 + t]), "r"(a[(g + 8) * 4 + t]), "r"(b[g * 4 + t]));
  d[g * 8 + 2 * t] = r0;
  d[g * 8 + 2 * t + 1] = r1;
  d[(g + 8) * 8 + 2 * t] = r2;
  d[(g + 8) * 8 + 2 * t + 1] = r3;
}

extern "C" __global__ void f64_884(double* d, const double* a, const double* b, const double* c) {
  int g = GROUP, t = MEMBER;
  double r0 = c[g * 8 + 2 * t], r1 = c[g * 8 + 2 * t + 1];
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(r0), "+d"(r1) : "d"(a[g * 4 + t]), "d"(b[g * 4 + t]));
  d[g * 8 + 2 * t] = r0;
  d[g * 8 + 2 * t + 1] = r1;
}

extern "C" __global__ void f64_16816(double* d, const double* a, const double* b,
                                     const double* c) {
  int g = GROUP, t = MEMBER;
  double r0 = c[g * 8 + 2 * t], r1 = c[g * 8 + 2 * t + 1];
  double r2 = c[(g + 8) * 8 + 2 * t], r3 = c[(g + 8) * 8 + 2 * t + 1];
  const double *up = a + g * 16 + t, *low = a + (g + 8) * 16 + t, *right = b + g * 16 + t;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
      "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
      : "+d"(r0), "+d"(r1), "+d"(r2), "+d"(r3)
      : "d"(up[0]), "d"(low[0]), "d"(up[4]), "d"(low[4]), "d"(up[8]), "d"(low[8]), "d"(up[12]),
        "d"(low[12]), "d"(right[0]), "d"(right[4]), "d"(right[8]), "d"(right[12]));
  d[g * 8 + 2 * t] = r0;
  d[g * 8 + 2 * t + 1] = r1;
  d[(g + 8) * 8 + 2 * t] = r2;
  d[(g + 8) * 8 + 2 * t + 1] = r3;
}

#define BYTES_32(NAME, TYPES)                                                                      \
  extern "C" __global__ void NAME(int* d, const char* a, const char* b, const int* c) {            \
    int g = GROUP, t = MEMBER;                                                                     \
    int r0 = c[g * 8 + 2 * t], r1 = c[g * 8 + 2 * t + 1];                                          \
    int r2 = c[(g + 8) * 8 + 2 * t], r3 = c[(g + 8) * 8 + 2 * t + 1];                              \
    asm volatile("mma.sync.aligned.m16n8k32.row.col." TYPES                                        \
                 " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                          \
                 : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)                                          \
                 : "r"(word_at(a, g * 32 + 4 * t)), "r"(word_at(a, (g + 8) * 32 + 4 * t)),         \
                   "r"(word_at(a, g * 32 + 4 * t + 16)),                                           \
                   "r"(word_at(a, (g + 8) * 32 + 4 * t + 16)), "r"(word_at(b, g * 32 + 4 * t)),    \
                   "r"(word_at(b, g * 32 + 4 * t + 16)));                                          \
    d[g * 8 + 2 * t] = r0;                                                                         \
    d[g * 8 + 2 * t + 1] = r1;                                                                     \
    d[(g + 8) * 8 + 2 * t] = r2;                                                                   \
    d[(g + 8) * 8 + 2 * t + 1] = r3;                                                               \
  }
BYTES_32(s8_16832, "s32.s8.s8.s32")
BYTES_32(u8_s8_16832, "s32.u8.s8.s32")
BYTES_32(s8_saturated, "satfinite.s32.s8.s8.s32")

// ---- a tiled product ---------------------------------------------------------------------------

// C = A B of 64 x 64 halves, by four warps of 16 rows each. A tile's rows are kPitch halves apart.
template <int kPitch>
__device__ void tiled(float* c, const half_bits* a, const half_bits* b) {
  __shared__ __align__(16) half_bits tile_a[64 * kPitch];
  __shared__ __align__(16) half_bits tile_b[64 * kPitch];
  for (int i = threadIdx.x; i < 64 * 64; i += 128) {
    tile_a[i / 64 * kPitch + i % 64] = a[i];
    tile_b[i / 64 * kPitch + i % 64] = b[i];
  }
  __syncthreads();
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum[8][4] = {};
  for (int k = 0; k < 64; k += 16) {
    unsigned fa[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"(address_of(&tile_a[(warp * 16 + lane % 16) * kPitch + k + lane / 16 * 8])));
#pragma unroll
    for (int n = 0; n < 64; n += 16) {
      unsigned fb[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3])
                   : "r"(address_of(&tile_b[(k + lane % 16) * kPitch + n + lane / 16 * 8])));
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float* d = sum[n / 8 + h];
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * h]), "r"(fb[2 * h + 1]));
      }
    }
  }
  int row = warp * 16 + lane / 4, column = lane % 4 * 2;
  for (int n = 0; n < 8; ++n) {
    c[row * 64 + n * 8 + column] = sum[n][0];
    c[row * 64 + n * 8 + column + 1] = sum[n][1];
    c[(row + 8) * 64 + n * 8 + column] = sum[n][2];
    c[(row + 8) * 64 + n * 8 + column + 1] = sum[n][3];
  }
}
extern "C" __global__ void tiled_64(float* c, const half_bits* a, const half_bits* b) {
  tiled<64>(c, a, b);
}
extern "C" __global__ void tiled_72(float* c, const half_bits* a, const half_bits* b) {
  tiled<72>(c, a, b);
}

// ---- a product whose rows of A are loaded once -------------------------------------------------

// C = A B of 64 x 64 halves; each of four warps has 16 rows of C. The source loads the four
// matrices of A again for each of the eight columns of tiles.
extern "C" __global__ void product(float* c, const half_bits* a, const half_bits* b, int pitch) {
  __shared__ __align__(16) half_bits left[64 * 72], right[64 * 72];
  for (int i = threadIdx.x; i < 64 * 64; i += 128) {
    left[i / 64 * pitch + i % 64] = a[i];
    right[i / 64 * pitch + i % 64] = b[i];
  }
  __syncthreads();
  int lane = threadIdx.x % 32, first = threadIdx.x / 32 * 16;
  float sum[8][4] = {};
#pragma unroll
  for (int n = 0; n < 8; ++n) {
#pragma unroll
    for (int k = 0; k < 64; k += 16) {
      unsigned x[4], y[2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                   : "r"(address_of(left + (first + lane % 16) * pitch + k + lane / 16 * 8)));
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                   : "=r"(y[0]), "=r"(y[1])
                   : "r"(address_of(right + (k + lane % 16) * pitch + n * 8)));
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
          "{%8, %9}, {%0, %1, %2, %3};"
          : "+f"(sum[n][0]), "+f"(sum[n][1]), "+f"(sum[n][2]), "+f"(sum[n][3])
          : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    }
  }
  for (int n = 0; n < 8; ++n) {
    float* to = c + (first + lane / 4) * 64 + n * 8 + lane % 4 * 2;
    to[0] = sum[n][0];
    to[1] = sum[n][1];
    to[8 * 64] = sum[n][2];
    to[8 * 64 + 1] = sum[n][3];
  }
}
