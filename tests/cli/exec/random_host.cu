// cuRAND's host API: what it gives on the device and on the host, in its own order.
#include <curand.h>

#include <vector>

#include "check.h"

#define RANDOM(call)                                                    \
  do {                                                                  \
    curandStatus_t status = (call);                                     \
    if (status != CURAND_STATUS_SUCCESS) {                              \
      fprintf(stderr, "line %d: cuRAND status %d\n", __LINE__, status); \
      exit(EXIT_FAILURE);                                               \
    }                                                                   \
  } while (0)

__global__ void inside(const float* points, int n, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = points[2 * i], y = points[2 * i + 1];
  if (x * x + y * y <= 1) atomicAdd(count, 1);
}

int main() {
  for (curandRngType_t type : {CURAND_RNG_PSEUDO_DEFAULT, CURAND_RNG_PSEUDO_PHILOX4_32_10}) {
    curandGenerator_t generator;
    RANDOM(curandCreateGenerator(&generator, type));
    RANDOM(curandSetPseudoRandomGeneratorSeed(generator, 1234ULL));
    const int n = 10000;
    unsigned* d_words;
    std::vector<unsigned> words(n);
    CHECK(cudaMalloc(&d_words, n * sizeof(unsigned)));
    RANDOM(curandGenerate(generator, d_words, n));
    CHECK(cudaMemcpy(words.data(), d_words, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_words));
    printf("%u %u %u %u\n", words[0], words[1], words[4096], words[9999]);

    float *d_points, first;
    int *d_count, count = 0;
    CHECK(cudaMalloc(&d_points, 2 * n * sizeof(float)));
    CHECK(cudaMalloc(&d_count, sizeof(int)));
    CHECK(cudaMemset(d_count, 0, sizeof(int)));
    RANDOM(curandGenerateUniform(generator, d_points, 2 * n));
    CHECK(cudaMemcpy(&first, d_points, sizeof first, cudaMemcpyDeviceToHost));
    inside<<<(n + 255) / 256, 256>>>(d_points, n, d_count);
    CHECK(cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost));
    printf("then %.6f, pi is near 3.14: %d\n", first, abs(4.0 * count / n - 3.14159) < 0.06);
    CHECK(cudaFree(d_points));
    CHECK(cudaFree(d_count));
    RANDOM(curandDestroyGenerator(generator));

    RANDOM(curandCreateGeneratorHost(&generator, type));
    RANDOM(curandSetPseudoRandomGeneratorSeed(generator, 1234ULL));
    std::vector<float> normal(n);
    RANDOM(curandGenerateNormal(generator, normal.data(), n, 0, 1));
    printf("normal %.5f %.5f %.5f %.5f\n", normal[0], normal[1], normal[2], normal[4096]);
    RANDOM(curandSetPseudoRandomGeneratorSeed(generator, 1234ULL));
    std::vector<double> real(n);
    RANDOM(curandGenerateUniformDouble(generator, real.data(), n));
    printf("double %.15f %.15f %.15f\n", real[0], real[2], real[4096]);
    RANDOM(curandSetPseudoRandomGeneratorSeed(generator, 1234ULL));
    RANDOM(curandGenerateNormalDouble(generator, real.data(), n, 0, 1));
    printf("normal double %.13f %.13f %.13f\n", real[0], real[2], real[4096]);
    RANDOM(curandSetPseudoRandomGeneratorSeed(generator, 1234ULL));
    RANDOM(curandGenerateLogNormal(generator, normal.data(), n, 0, 1));
    printf("log normal %.5f %.5f\n", normal[0], normal[2]);
    RANDOM(curandSetPseudoRandomGeneratorSeed(generator, 1234ULL));
    RANDOM(curandSetGeneratorOffset(generator, 5));
    RANDOM(curandGenerate(generator, words.data(), 2));
    printf("offset %u\n", words[0]);
    RANDOM(curandDestroyGenerator(generator));
  }
}
