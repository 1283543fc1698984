// One bit per lane: what a predicate is made of.
#pragma once

#include <cstdint>

#include "harness/model/code/instruction.h"
#include "harness/model/execute/isa.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace lab::model {
inline namespace LAB_MODEL_ISA {

// A comparison leaves 0 or -1 in lanes as wide as its operands; processors collect the signs of a
// whole vector of them. To OR shifted bits together instead takes a chain of a dozen instructions.
#if defined(__AVX512BW__) && defined(__AVX512DQ__)
constexpr unsigned kVectorBytes = 64;
inline std::uint32_t signs(const std::int16_t* lanes) {
  return _mm512_movepi16_mask(_mm512_load_si512(lanes));
}
inline std::uint32_t signs(const std::int32_t* lanes) {
  return _mm512_movepi32_mask(_mm512_load_si512(lanes));
}
inline std::uint32_t signs(const std::int64_t* lanes) {
  return _mm512_movepi64_mask(_mm512_load_si512(lanes));
}
#elif defined(__AVX2__)
constexpr unsigned kVectorBytes = 32;
inline std::uint32_t signs(const std::int16_t* lanes) {
  const auto* halves = reinterpret_cast<const __m128i*>(lanes);
  return static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_packs_epi16(_mm_load_si128(halves), _mm_load_si128(halves + 1))));
}
inline std::uint32_t signs(const std::int32_t* lanes) {
  const __m256i all = _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes));
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(all)));
}
inline std::uint32_t signs(const std::int64_t* lanes) {
  const __m256i all = _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes));
  return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(all)));
}
#elif defined(__SSE2__)
constexpr unsigned kVectorBytes = 16;
inline __m128i load_lanes(const void* lanes) {
  return _mm_load_si128(static_cast<const __m128i*>(lanes));
}
inline std::uint32_t signs(const std::int16_t* lanes) {
  return static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_packs_epi16(load_lanes(lanes), _mm_setzero_si128())));
}
inline std::uint32_t signs(const std::int32_t* lanes) {
  return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(load_lanes(lanes))));
}
inline std::uint32_t signs(const std::int64_t* lanes) {
  return static_cast<std::uint32_t>(_mm_movemask_pd(_mm_castsi128_pd(load_lanes(lanes))));
}
#else
constexpr unsigned kVectorBytes = 64;
template <typename T>
std::uint32_t signs(const T* lanes) {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < kVectorBytes / sizeof(T); ++i) bits |= std::uint32_t{lanes[i] < 0} << i;
  return bits;
}
#endif

template <unsigned kWidth>
struct TruthOf {
  using Type = std::int16_t;
};
template <>
struct TruthOf<4> {
  using Type = std::int32_t;
};
template <>
struct TruthOf<8> {
  using Type = std::int64_t;
};

/// Bit i is f(i). `kWidth`: bytes of what f compares.
template <unsigned kWidth, typename F>
[[gnu::always_inline]] inline std::uint32_t lane_mask(F f) {
  using Truth = typename TruthOf<kWidth>::Type;
  constexpr unsigned kAtOnce = kVectorBytes / sizeof(Truth);
  std::uint32_t bits = 0;
  for (unsigned first = 0; first < kLanes; first += kAtOnce) {
    alignas(kVectorBytes) Truth truth[kAtOnce];
    LAB_LANES
    for (unsigned i = 0; i < kAtOnce; ++i) {
      truth[i] = static_cast<Truth>(f(first + i) ? -1 : 0);
    }
    bits |= signs(truth) << first;
  }
  return bits;
}

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
