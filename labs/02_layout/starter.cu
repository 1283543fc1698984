// Lab 2, your part: to_soa. Structures of four floats become four arrays: one load of 16 bytes and
// four stores of 4 bytes per thread. Run it: lab run 2 --variant to_soa --kernel starter.cu

extern "C" __global__ void to_soa(const float4* p, float* x, float* y, float* z, float* w, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // Expected: x[i] is the x of p[i], and so on for y, z and w.
}
