// How long copies and fills take on a GPU, which lab exec's expected times go by
// (harness/programs/guest/runtime/memory.cpp), and which launches run side by side.
//
//   nvcc -arch=native -o build/copies tests/bench/copies.cu && build/copies
//
// A line each: what, bytes, the shortest of 9 times in microseconds with the gap between two events,
// bytes per nanosecond.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

__global__ void spin(long long clocks) {
  const long long begin = clock64();
  while (clock64() - begin < clocks) {
  }
}

static float shortest(const std::function<void()>& work) {
  static cudaEvent_t begin, end;
  if (begin == nullptr) cudaEventCreate(&begin), cudaEventCreate(&end);
  float least = 1e9;
  for (int i = 0; i < 9; ++i) {
    float ms = 0;
    cudaDeviceSynchronize();
    cudaEventRecord(begin);
    work();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    least = std::min(least, ms);
  }
  return least * 1000;
}

int main() {
  const size_t most = 256 << 20;
  char *to, *from, *pinned, *pageable = static_cast<char*>(malloc(most));
  memset(pageable, 1, most);
  if (cudaMalloc(&to, most) != cudaSuccess || cudaMalloc(&from, most) != cudaSuccess ||
      cudaMallocHost(&pinned, most) != cudaSuccess) {
    fprintf(stderr, "copies: no GPU, or no memory\n");
    return 3;
  }
  memset(pinned, 1, most);
  printf("nothing %.2f us\n", shortest([] {}));
  for (const size_t bytes : {size_t{4}, size_t{4096}, size_t{1} << 16, size_t{1} << 20,
                             size_t{16} << 20, most}) {
    const auto told = [&](const char* what, const std::function<void()>& work) {
      work();
      const float us = shortest(work);
      printf("%-13s %9zu  %9.2f us  %7.2f bytes/ns\n", what, bytes, us, bytes / (us * 1000));
    };
    told("pinned up", [&] { cudaMemcpyAsync(to, pinned, bytes, cudaMemcpyHostToDevice); });
    told("pinned down", [&] { cudaMemcpyAsync(pinned, to, bytes, cudaMemcpyDeviceToHost); });
    told("pageable up", [&] { cudaMemcpyAsync(to, pageable, bytes, cudaMemcpyHostToDevice); });
    told("pageable down", [&] { cudaMemcpyAsync(pageable, to, bytes, cudaMemcpyDeviceToHost); });
    told("within", [&] { cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice); });
    told("fill", [&] { cudaMemsetAsync(to, 1, bytes); });
  }
  cudaStream_t streams[4];
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
  for (const int blocks : {1, 66, 67, 132, 133, 264, 528}) {
    const float us = shortest([&] {
      for (const cudaStream_t stream : streams) spin<<<blocks, 1024, 0, stream>>>(200000);
    });
    printf("4 streams, %d blocks of 1024 threads each: %.1f us\n", blocks, us);
  }
  return 0;
}
