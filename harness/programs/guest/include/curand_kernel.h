// cuRAND's device API as far as kernels of courses use it: XORWOW, which is the default, and
// Philox. Where a toolkit is, kernels are compiled with its own header.
#pragma once

#if !defined(QUALIFIERS)
#define QUALIFIERS static __forceinline__ __device__
#endif
#define LAB_RANDOM static inline __host__ __device__
#define LAB_RANDOM_TABLE static const __device__
#include "lab_random.h"
#undef LAB_RANDOM
#undef LAB_RANDOM_TABLE

struct curandStateXORWOW {
  unsigned int d;
  unsigned int v[5];
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
  uint4 ctr;
  uint4 output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// XORWOW.
QUALIFIERS void lab_load(const curandStateXORWOW_t* from, lab_xorwow* to) {
  to->d = from->d;
  for (int i = 0; i < 5; ++i) to->v[i] = from->v[i];
}
QUALIFIERS void lab_store(const lab_xorwow* from, curandStateXORWOW_t* to) {
  to->d = from->d;
  for (int i = 0; i < 5; ++i) to->v[i] = from->v[i];
}
QUALIFIERS void skipahead(unsigned long long count, curandStateXORWOW_t* state) {
  lab_xorwow now;
  lab_load(state, &now);
  lab_skip(&now, count);
  lab_store(&now, state);
}
QUALIFIERS void skipahead_sequence(unsigned long long count, curandStateXORWOW_t* state) {
  lab_xorwow now;
  lab_load(state, &now);
  lab_skip_sequences(&now, count);
  lab_store(&now, state);
}
QUALIFIERS void curand_init(unsigned long long seed, unsigned long long subsequence,
                            unsigned long long offset, curandStateXORWOW_t* state) {
  lab_xorwow now;
  lab_init(&now, seed);
  lab_skip_sequences(&now, subsequence);
  lab_skip(&now, offset);
  lab_store(&now, state);
  state->boxmuller_flag = 0;
  state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}
QUALIFIERS unsigned int curand(curandStateXORWOW_t* state) {
  lab_xorwow now;
  lab_load(state, &now);
  const unsigned int next = lab_next(&now);
  lab_store(&now, state);
  return next;
}

// Philox: a counter of blocks, the upper half of which is the subsequence. STATE counts in the
// block whose numbers are in `output`.
QUALIFIERS void lab_block(curandStatePhilox4_32_10_t* state) {
  const unsigned int counter[4] = {state->ctr.x, state->ctr.y, state->ctr.z, state->ctr.w};
  unsigned int out[4];
  lab_philox(counter, state->key.x, state->key.y, out);
  state->output = make_uint4(out[0], out[1], out[2], out[3]);
}
QUALIFIERS void lab_advance(curandStatePhilox4_32_10_t* state, unsigned long long blocks) {
  const unsigned long long low = state->ctr.x | (unsigned long long)state->ctr.y << 32;
  const unsigned long long sum = low + blocks;
  state->ctr.x = (unsigned int)sum;
  state->ctr.y = (unsigned int)(sum >> 32);
  if (sum < low && ++state->ctr.z == 0) ++state->ctr.w;
}
QUALIFIERS void skipahead(unsigned long long count, curandStatePhilox4_32_10_t* state) {
  const unsigned int within = state->STATE + (unsigned int)(count & 3);
  lab_advance(state, count / 4 + within / 4);
  state->STATE = within % 4;
  lab_block(state);
}
QUALIFIERS void skipahead_sequence(unsigned long long count, curandStatePhilox4_32_10_t* state) {
  const unsigned long long sum = (state->ctr.z | (unsigned long long)state->ctr.w << 32) + count;
  state->ctr.z = (unsigned int)sum;
  state->ctr.w = (unsigned int)(sum >> 32);
  lab_block(state);
}
QUALIFIERS void curand_init(unsigned long long seed, unsigned long long subsequence,
                            unsigned long long offset, curandStatePhilox4_32_10_t* state) {
  state->ctr = make_uint4(0, 0, (unsigned int)subsequence, (unsigned int)(subsequence >> 32));
  state->key.x = (unsigned int)seed;
  state->key.y = (unsigned int)(seed >> 32);
  state->STATE = 0;
  state->boxmuller_flag = 0;
  state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
  skipahead(offset, state);
}
QUALIFIERS unsigned int curand(curandStatePhilox4_32_10_t* state) {
  const unsigned int at = state->STATE;
  const unsigned int next = at == 0   ? state->output.x
                            : at == 1 ? state->output.y
                            : at == 2 ? state->output.z
                                      : state->output.w;
  state->STATE = (at + 1) % 4;
  if (state->STATE == 0) {
    lab_advance(state, 1);
    lab_block(state);
  }
  return next;
}
QUALIFIERS uint4 curand4(curandStatePhilox4_32_10_t* state) {
  const unsigned int x = curand(state), y = curand(state), z = curand(state), w = curand(state);
  return make_uint4(x, y, z, w);
}
QUALIFIERS float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return make_float4(lab_uniform(x.x), lab_uniform(x.y), lab_uniform(x.z), lab_uniform(x.w));
}

// Of both. A compiler of the host's part has no functions of mathematics for kernels.
#if defined(__CUDACC_RTC__)
QUALIFIERS float2 lab_box_muller(unsigned int x, unsigned int y) {
  const float length = sqrtf(-2.0f * logf(lab_uniform(x)));
  float sine, cosine;
  __sincosf(y * (2.3283064e-10f * 6.2831855f) + 2.3283064e-10f * 6.2831855f / 2, &sine, &cosine);
  return make_float2(sine * length, cosine * length);
}
QUALIFIERS double2 lab_box_muller_double(unsigned int x0, unsigned int x1, unsigned int y0,
                                         unsigned int y1) {
  const double length = sqrt(-2.0 * log(lab_uniform_double(x0, x1)));
  double sine, cosine;
  sincospi(2.0 * lab_uniform_double(y0, y1), &sine, &cosine);
  return make_double2(sine * length, cosine * length);
}
QUALIFIERS float lab_exp(float x) { return expf(x); }
QUALIFIERS double lab_exp(double x) { return exp(x); }
#else
__device__ float2 lab_box_muller(unsigned int x, unsigned int y);
__device__ double2 lab_box_muller_double(unsigned int x0, unsigned int x1, unsigned int y0,
                                         unsigned int y1);
__device__ float lab_exp(float x);
__device__ double lab_exp(double x);
#endif
template <typename State>
QUALIFIERS float curand_uniform(State* state) {
  return lab_uniform(curand(state));
}
template <typename State>
QUALIFIERS double curand_uniform_double(State* state) {
  const unsigned int x = curand(state), y = curand(state);
  return lab_uniform_double(x, y);
}
template <typename State>
QUALIFIERS float2 curand_normal2(State* state) {
  const unsigned int x = curand(state), y = curand(state);
  return lab_box_muller(x, y);
}
template <typename State>
QUALIFIERS double2 curand_normal2_double(State* state) {
  const unsigned int x0 = curand(state), x1 = curand(state);
  const unsigned int y0 = curand(state), y1 = curand(state);
  return lab_box_muller_double(x0, x1, y0, y1);
}
QUALIFIERS float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  const float2 a = lab_box_muller(x.x, x.y), b = lab_box_muller(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
// The second of a pair is kept for the next call.
template <typename State>
QUALIFIERS float curand_normal(State* state) {
  if (state->boxmuller_flag != 0) {
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
  }
  const float2 pair = curand_normal2(state);
  state->boxmuller_extra = pair.y;
  state->boxmuller_flag = 1;
  return pair.x;
}
template <typename State>
QUALIFIERS double curand_normal_double(State* state) {
  if (state->boxmuller_flag_double != 0) {
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
  }
  const double2 pair = curand_normal2_double(state);
  state->boxmuller_extra_double = pair.y;
  state->boxmuller_flag_double = 1;
  return pair.x;
}
template <typename State>
QUALIFIERS float curand_log_normal(State* state, float mean, float deviation) {
  return lab_exp(mean + deviation * curand_normal(state));
}
template <typename State>
QUALIFIERS double curand_log_normal_double(State* state, double mean, double deviation) {
  return lab_exp(mean + deviation * curand_normal_double(state));
}
