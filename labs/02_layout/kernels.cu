// Lab 2: layout. The same data as an array of structures (AoS) and as a structure of arrays (SoA).
// Blocks have 256 threads, one for each record.

//@ starter
constexpr int kThreads = 256;

__device__ int index() { return blockIdx.x * kThreads + threadIdx.x; }
//@ end

// ---- moving particles: six of eight fields are read, three written ----------------------------

struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};

extern "C" __global__ void update_aos(Particle* p, int n, float dt) {
  const int i = index();
  if (i >= n) return;
  p[i].x += p[i].vx * dt;
  p[i].y += p[i].vy * dt;
  p[i].z += p[i].vz * dt;
}

extern "C" __global__ void update_soa(float* x, float* y, float* z, const float* vx,
                                      const float* vy, const float* vz, int n, float dt) {
  const int i = index();
  if (i >= n) return;
  x[i] += vx[i] * dt;
  y[i] += vy[i] * dt;
  z[i] += vz[i] * dt;
}

// Two arrays of float4: x y z mass, and vx vy vz charge. Each access moves 16 bytes per lane.
extern "C" __global__ void update_float4(float4* position, const float4* velocity, int n,
                                         float dt) {
  const int i = index();
  if (i >= n) return;
  float4 p = position[i];
  const float4 v = velocity[i];
  p.x += v.x * dt;
  p.y += v.y * dt;
  p.z += v.z * dt;
  position[i] = p;
}

// The one turned into the other: structures x y z w become four arrays.
//@ starter
extern "C" __global__ void to_soa(const float4* p, float* x, float* y, float* z, float* w, int n) {
  const int i = index();
  if (i >= n) return;
  //@ yours
  const float4 v = p[i];
  x[i] = v.x;
  y[i] = v.y;
  z[i] = v.z;
  w[i] = v.w;
  //@ instead // Expected: x[i] is the x of p[i], and so on for y, z and w.
  //@ end
}
//@ end

// ---- reading one field of records of `fields` floats ------------------------------------------

extern "C" __global__ void field_aos(const float* records, float* out, int n, int fields) {
  const int i = index();
  if (i < n) out[i] = records[i * fields];
}

extern "C" __global__ void field_soa(const float* column, float* out, int n) {
  const int i = index();
  if (i < n) out[i] = column[i];
}

// ---- records in random order, where AoS wins --------------------------------------------------

// A permutation of n = 2^k records that keeps the lanes of a warp at least eight records apart.
__device__ int shuffled(int i, int n) { return static_cast<unsigned>(i) * 249525u & (n - 1); }

extern "C" __global__ void random_aos(const Particle* p, float* out, int n) {
  const int i = index();
  if (i >= n) return;
  const int k = shuffled(i, n);
  out[i] = p[k].x + p[k].y + p[k].z + p[k].vx + p[k].vy + p[k].vz + p[k].mass + p[k].charge;
}

// Field f of record k is columns[f * n + k].
extern "C" __global__ void random_soa(const float* columns, float* out, int n) {
  const int i = index();
  if (i >= n) return;
  const int k = shuffled(i, n);
  float sum = columns[k];
#pragma unroll
  for (int f = 1; f < 8; ++f) sum += columns[f * n + k];
  out[i] = sum;
}

// ---- three floats, direct and through shared memory -------------------------------------------

extern "C" __global__ void float3_direct(const float3* in, float3* out, int n) {
  const int i = index();
  if (i >= n) return;
  const float3 v = in[i];
  out[i] = make_float3(v.x + 2, v.y + 2, v.z + 2);
}

// The block's floats come and go in order; in between, each thread picks its three.
extern "C" __global__ void float3_shared(const float* in, float* out, int n) {
  __shared__ float s[3 * kThreads];
  const int t = threadIdx.x;
  const int first = blockIdx.x * 3 * kThreads;
#pragma unroll
  for (int j = 0; j < 3 * kThreads; j += kThreads) {
    if (first + t + j < 3 * n) s[t + j] = in[first + t + j];
  }
  __syncthreads();
  if (index() < n) {
    s[3 * t] += 2;
    s[3 * t + 1] += 2;
    s[3 * t + 2] += 2;
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 3 * kThreads; j += kThreads) {
    if (first + t + j < 3 * n) out[first + t + j] = s[t + j];
  }
}

// ---- numbers of 2, 4 or 8 doubles: complex, quad double, complex quad double ------------------

template <int kWords>
__global__ void numbers_one(const double* in, double* out, int n) {
  const int i = index();
  if (i >= n) return;
#pragma unroll
  for (int k = 0; k < kWords; ++k) out[i * kWords + k] = 2 * in[i * kWords + k];
}

// One array per word, each beginning `pitch` doubles behind the one before.
template <int kWords>
__global__ void numbers_split(const double* in, double* out, int n, int pitch) {
  const int i = index();
  if (i >= n) return;
#pragma unroll
  for (int k = 0; k < kWords; ++k) out[k * pitch + i] = 2 * in[k * pitch + i];
}

// ---- fields of 1, 2, 4 and 8 bytes ------------------------------------------------------------

struct Mixed {
  char a;
  short b;
  int c;
  double d;
};

extern "C" __global__ void mixed_aos(const Mixed* in, double* out, int n) {
  const int i = index();
  if (i < n) out[i] = in[i].d + in[i].c + in[i].b + in[i].a;
}

extern "C" __global__ void mixed_soa(const char* a, const short* b, const int* c, const double* d,
                                     double* out, int n) {
  const int i = index();
  if (i < n) out[i] = d[i] + c[i] + b[i] + a[i];
}
