// CUDA's words, as clang has them.
#pragma once

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// The host's copy of such a variable is what the host uses; the runtime finds it by its section.
#define __managed__ __attribute__((device, section("lab_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
// Empty, since the C++ library's <memory> writes __attribute__((__noinline__)).
#define __noinline__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __device_builtin__
#define __cluster_dims__(...)
#define CUDART_CB
#define CUDARTAPI
