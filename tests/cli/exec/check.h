// As tutorials have it: every call is checked.
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                            \
  do {                                                                                         \
    cudaError_t err = (call);                                                                  \
    if (err != cudaSuccess) {                                                                  \
      fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, cudaGetErrorString(err), #call); \
      exit(EXIT_FAILURE);                                                                      \
    }                                                                                          \
  } while (0)

inline int verdict(bool fine) {
  printf(fine ? "PASSED\n" : "FAILED\n");
  return fine ? 0 : 1;
}
