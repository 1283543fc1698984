// Two streams: while one's megabyte goes up, the other's comes down.
#include "check.h"

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
  // A copy: 2 us and 25 bytes per nanosecond, 2 + 41.943 us. One after another they are four of
  // them, 175.8 us. Each way has an engine: the second goes up while the first comes down, 131.8.
  const float one = microseconds(streams[0], streams[0], host);
  const float two = microseconds(streams[0], streams[1], host);
  // From memory that is not pinned the host waits for each copy up; then the first comes down
  // while the second goes up all the same.
  const float unpinned = microseconds(streams[0], streams[1], pageable);
  // The default stream waits for the others.
  const float mixed = microseconds(streams[0], nullptr, host);
  printf("one stream %.1f us, two %.1f us, unpinned %.1f us, with the default stream %.1f us\n",
         one, two, unpinned, mixed);
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  for (cudaStream_t& stream : streams) CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(device));
  delete[] pageable;
  return verdict(true);
}
