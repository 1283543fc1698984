// Lab 11, your part: sequential. Each block of 256 threads adds up 256 numbers in shared memory, by
// 12 additions of whole warps, with no bank conflict. Run: lab run 11 --variant sequential --kernel
// starter.cu

constexpr int kThreads = 256;

extern "C" __global__ void sequential(const float* in, float* sums, int n) {
  __shared__ float s[kThreads];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  // Add the upper half to the lower one, until one word is left. Expected: for steps 128, 64, .. 1
  // word t becomes s[t] + s[t + step].
  if (t == 0) sums[blockIdx.x] = s[0];
}
