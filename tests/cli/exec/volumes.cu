// A volume with rows of a pitch, part of which is copied back.
#include "check.h"

__global__ void fill(cudaPitchedPtr box, int width, int height, int depth) {
  int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  if (x >= width || y >= height || z >= depth) return;
  char* row = (char*)box.ptr + (z * height + y) * box.pitch;
  ((int*)row)[x] = 100 * z + 10 * y + x;
}

int main() {
  const int width = 5, height = 4, depth = 3;
  cudaPitchedPtr box;
  CHECK(cudaMalloc3D(&box, make_cudaExtent(width * sizeof(int), height, depth)));
  CHECK(cudaMemset3D(box, 0, make_cudaExtent(width * sizeof(int), height, depth)));
  fill<<<depth, dim3(8, 8)>>>(box, width, height, depth);
  int part[2][2][2];
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = box;
  copy.srcPos = make_cudaPos(3 * sizeof(int), 2, 1);
  copy.dstPtr = make_cudaPitchedPtr(part, sizeof part[0][0], 2, 2);
  copy.extent = make_cudaExtent(2 * sizeof(int), 2, 2);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  printf("%d %d %d\n", part[0][0][0], part[0][1][1], part[1][1][0]);
  CHECK(cudaFree(box.ptr));
  return verdict(part[1][1][1] == 234);
}
