// Lab 5, your part: atomic_first. Every fourth thread adds 1 to a[0], the others to their own
// element, and no addition is lost.
// Run it: lab run 5 --variant atomic_first --kernel starter.cu

extern "C" __global__ void atomic_first(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int k = i % 4 == 3 ? 0 : i;
  // How many additions to a[0] are lost here? Run it: it says what it got and what it expected.
  if (i < n) a[k] += 1;
}
