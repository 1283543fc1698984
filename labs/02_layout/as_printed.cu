// Lab 2, find the bug: float3 vectors through shared memory, as lecture notes have it. Each block
// brings 768 floats in three coalesced loads; each thread adds 2 to its vector; the floats go back
// in three coalesced stores. The result is wrong from some element on. From which, and why?
//
//     lab run 2 --variant float3_shared --kernel as_printed.cu
//
// One line is wrong. Repair it, and run it again.

extern "C" __global__ void float3_shared(const float* in, float* out, int n) {
  __shared__ float s[3 * 256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  for (int j = 0; j < 3 * 256; j += 256) {
    if (i + j < 3 * n) s[t + j] = in[i + j];
  }
  __syncthreads();
  s[3 * t] += 2;
  s[3 * t + 1] += 2;
  s[3 * t + 2] += 2;
  __syncthreads();
  for (int j = 0; j < 3 * 256; j += 256) {
    if (i + j < 3 * n) out[i + j] = s[t + j];
  }
}
