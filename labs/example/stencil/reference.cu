// What both kernels of lab stencil should leave: one thread per result. There may be more threads than results.
extern "C" __global__ void means(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (in[i] + in[i + 1] + in[i + 2]) / 3;
}
