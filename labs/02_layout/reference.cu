// What lab 2's kernels should leave: a thread for each record or number. Positions move by
// x += vx * dt in one rounding, as the compiler's fma has it.

// Records of x y z vx vy vz mass charge.
extern "C" __global__ void moved_in_records(float* p, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int f = 0; f < 3; ++f) p[8 * i + f] = fmaf(p[8 * i + 3 + f], dt, p[8 * i + f]);
}

extern "C" __global__ void moved_in_arrays(float* x, float* y, float* z, const float* vx,
                                           const float* vy, const float* vz, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] = fmaf(vx[i], dt, x[i]);
  y[i] = fmaf(vy[i], dt, y[i]);
  z[i] = fmaf(vz[i], dt, z[i]);
}

// Vectors of four floats; the fourth is mass, and charge.
extern "C" __global__ void moved_in_vectors(float* position, const float* velocity, int n,
                                            float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int f = 0; f < 3; ++f)
    position[4 * i + f] = fmaf(velocity[4 * i + f], dt, position[4 * i + f]);
}

extern "C" __global__ void fields_of(const float* p, float* x, float* y, float* z, float* w,
                                     int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] = p[4 * i];
  y[i] = p[4 * i + 1];
  z[i] = p[4 * i + 2];
  w[i] = p[4 * i + 3];
}

extern "C" __global__ void first_fields(const float* records, float* out, int n, int fields) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = records[i * fields];
}

// Field f of record k is element k * step + f * apart. n is a power of two.
extern "C" __global__ void sums_of_records(const float* in, float* out, int n, int step,
                                           int apart) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int k = static_cast<unsigned>(i) * 249525u & (n - 1);
  float sum = in[k * step];
  for (int f = 1; f < 8; ++f) sum += in[k * step + f * apart];
  out[i] = sum;
}

extern "C" __global__ void plus_two(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  out[i] = in[i] + 2;
}

// The first `used` of every `pitch` numbers: those behind them fill an array's last line.
extern "C" __global__ void doubled(const double* in, double* out, int count, int pitch, int used) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || i % pitch >= used) return;
  out[i] = 2 * in[i];
}

struct Mixed {
  char a;
  short b;
  int c;
  double d;
};

extern "C" __global__ void sums_of_fields(const Mixed* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = in[i].d + in[i].c + in[i].b + in[i].a;
}

extern "C" __global__ void sums_of_columns(const char* a, const short* b, const int* c,
                                           const double* d, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = d[i] + c[i] + b[i] + a[i];
}
