// cuBLAS beside kernels of one's own: vectors, matrices by columns, pointers on the device.
#include <cublas_v2.h>

#include <cmath>
#include <vector>

#include "check.h"

#define BLAS(call)                                                               \
  do {                                                                           \
    cublasStatus_t status = (call);                                              \
    if (status != CUBLAS_STATUS_SUCCESS) {                                       \
      fprintf(stderr, "line %d: %s\n", __LINE__, cublasGetStatusString(status)); \
      exit(EXIT_FAILURE);                                                        \
    }                                                                            \
  } while (0)

__global__ void fill(float* a, int n, float from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = from + i;
}

int main() {
  cublasHandle_t blas;
  BLAS(cublasCreate(&blas));
  // x = 1 2 3 4, y = 5 6 7 8.
  float *x, *y, out[16];
  CHECK(cudaMalloc(&x, 4 * sizeof(float)));
  CHECK(cudaMalloc(&y, 4 * sizeof(float)));
  fill<<<1, 4>>>(x, 4, 1);
  fill<<<1, 4>>>(y, 4, 5);
  float dot, norm, sum, two = 2, one = 1, zero = 0;
  int largest;
  BLAS(cublasSdot(blas, 4, x, 1, y, 1, &dot));
  BLAS(cublasSnrm2(blas, 4, x, 1, &norm));
  BLAS(cublasSasum(blas, 4, x, 1, &sum));
  BLAS(cublasIsamax(blas, 4, y, 1, &largest));
  printf("dot %g, norm %.4f, sum %g, largest %d\n", dot, norm, sum, largest);
  BLAS(cublasSaxpy(blas, 4, &two, x, 1, y, 1));
  BLAS(cublasSscal(blas, 2, &two, x, 2));
  BLAS(cublasGetVector(4, sizeof(float), y, 1, out, 1));
  printf("axpy %g %g %g %g\n", out[0], out[1], out[2], out[3]);
  BLAS(cublasGetVector(4, sizeof(float), x, 1, out, 1));
  printf("scal %g %g %g %g\n", out[0], out[1], out[2], out[3]);

  // A = 1 3 5 (2 x 3, by columns), B = 1 4
  //     2 4 6                          2 5
  //                                    3 6
  const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 2, 3, 4, 5, 6};
  float *d_a, *d_b, *d_c;
  CHECK(cudaMalloc(&d_a, sizeof a));
  CHECK(cudaMalloc(&d_b, sizeof b));
  CHECK(cudaMalloc(&d_c, 9 * sizeof(float)));
  BLAS(cublasSetMatrix(2, 3, sizeof(float), a, 2, d_a, 2));
  BLAS(cublasSetMatrix(3, 2, sizeof(float), b, 3, d_b, 3));
  BLAS(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, d_a, 2, d_b, 3, &zero, d_c, 2));
  BLAS(cublasGetMatrix(2, 2, sizeof(float), d_c, 2, out, 2));
  printf("A B: %g %g %g %g\n", out[0], out[1], out[2], out[3]);
  BLAS(cublasSgemm(blas, CUBLAS_OP_T, CUBLAS_OP_T, 3, 3, 2, &two, d_a, 2, d_b, 3, &zero, d_c, 3));
  BLAS(cublasGetMatrix(3, 3, sizeof(float), d_c, 3, out, 3));
  printf("2 A^T B^T: %g %g %g\n", out[0], out[1], out[8]);
  BLAS(cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, 3, 2, &one, d_a, 2, &zero, d_c, 3, d_c, 3));
  BLAS(cublasGetMatrix(3, 2, sizeof(float), d_c, 3, out, 3));
  printf("A^T: %g %g %g %g %g %g\n", out[0], out[1], out[2], out[3], out[4], out[5]);

  // y = A x + y with factors that lie on the device, in a stream.
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  BLAS(cublasSetStream(blas, stream));
  BLAS(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
  float* factor;
  CHECK(cudaMalloc(&factor, sizeof(float)));
  CHECK(cudaMemcpy(factor, &one, sizeof(float), cudaMemcpyHostToDevice));
  BLAS(cublasSgemv(blas, CUBLAS_OP_N, 2, 3, factor, d_a, 2, x, 1, factor, y, 1));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(out, y, 2 * sizeof(float), cudaMemcpyDeviceToHost));
  printf("gemv %g %g\n", out[0], out[1]);
  CHECK(cudaStreamDestroy(stream));

  const double d[] = {1, 2, 3, 4};
  double *d_d, *d_e, unit = 1, none = 0, square[4];
  CHECK(cudaMalloc(&d_d, sizeof d));
  CHECK(cudaMalloc(&d_e, sizeof d));
  CHECK(cudaMemcpy(d_d, d, sizeof d, cudaMemcpyHostToDevice));
  BLAS(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST));
  BLAS(cublasSetStream(blas, nullptr));
  BLAS(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &unit, d_d, 2, d_d, 2, &none, d_e, 2));
  CHECK(cudaMemcpy(square, d_e, sizeof d, cudaMemcpyDeviceToHost));
  printf("square %g %g %g %g\n", square[0], square[1], square[2], square[3]);
  BLAS(cublasDestroy(blas));
  for (void* memory : {(void*)x, (void*)y, (void*)d_a, (void*)d_b, (void*)d_c, (void*)factor,
                       (void*)d_d, (void*)d_e}) {
    CHECK(cudaFree(memory));
  }
}
