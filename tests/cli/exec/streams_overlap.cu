// Two streams: while one's megabyte goes up, the other's comes down; kernels that fit beside each
// other run so.
#include "check.h"

__global__ void chain(float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float y = x[i];
  for (int step = 0; step < 100; ++step) y = y * 0.5f + 1;
  x[i] = y;
}

int main() {
  const int bytes = 1 << 20;
  char *host, *pageable = new char[bytes](), *device;
  CHECK(cudaMallocHost(&host, 2 * bytes));
  CHECK(cudaMalloc(&device, 2 * bytes));
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreate(&stream));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  const auto microseconds = [&](cudaStream_t first, cudaStream_t second, const char* from) {
    float ms = 0;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin));
    for (int i = 0; i < 2; ++i) {
      const cudaStream_t stream = i == 0 ? first : second;
      char* const at = device + i * bytes;
      CHECK(cudaMemcpyAsync(at, from, bytes, cudaMemcpyHostToDevice, stream));
      CHECK(cudaMemcpyAsync(host + i * bytes, at, bytes, cudaMemcpyDeviceToHost, stream));
    }
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    return ms * 1000;
  };
  // Up 3.4 us and down 2.3, and 1048576 / 55.4 ns each: 22.33 and 21.23. One after another twice
  // both, 87.1 us. Each way has an engine: the second goes up while the first comes down, 2 x 22.33
  // + 21.23 = 65.9.
  const float one = microseconds(streams[0], streams[0], host);
  const float two = microseconds(streams[0], streams[1], host);
  // From memory that is not pinned a copy takes 2.2 us and 1048576 / 12 ns, 89.58, and the host
  // waits: 2 x 89.58 + 21.23 = 200.4.
  const float unpinned = microseconds(streams[0], streams[1], pageable);
  // The default stream waits for the others.
  const float mixed = microseconds(streams[0], nullptr, host);
  printf("one stream %.1f us, two %.1f us, unpinned %.1f us, with the default stream %.1f us\n",
         one, two, unpinned, mixed);
  // 2 blocks of 1024 threads fit into each of 132 multiprocessors: of 132 blocks two launches run at
  // once, of 133 none beside another.
  const auto chained = [&](cudaStream_t first, cudaStream_t second, int blocks) {
    float ms = 0;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin));
    chain<<<blocks, 1024, 0, first>>>(reinterpret_cast<float*>(device));
    chain<<<blocks, 1024, 0, second>>>(reinterpret_cast<float*>(device + bytes));
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    return ms;
  };
  for (const int blocks : {132, 133}) {
    printf("%d blocks: %.2f of the time of one stream\n", blocks,
           chained(streams[0], streams[1], blocks) / chained(streams[0], streams[0], blocks));
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  for (cudaStream_t& stream : streams) CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(device));
  delete[] pageable;
  return verdict(true);
}
