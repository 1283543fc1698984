// Moves the lanes' data between registers and memory, by the layout of the pattern.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "harness/model/execute/isa.h"
#include "harness/model/instructions/access.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {

template <typename M>
[[gnu::always_inline]] inline M read_as(const std::byte* from) {
  M value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <typename M>
[[gnu::always_inline]] inline void write_as(std::byte* to, M value) {
  std::memcpy(to, &value, sizeof value);
}

/// The destination or source registers of an access of N elements of R.
template <typename R, unsigned N>
struct Registers {
  Lane<R>* at[N];

  [[gnu::always_inline]] Registers(const Warp& w, const Ins* ins, const SiteState& site) {
    if constexpr (N == 1) {
      at[0] = w.out<R>(ins->d);
    } else {
      for (unsigned e = 0; e < N; ++e) at[e] = w.out<R>(site.site->registers[e]);
    }
  }
  [[gnu::always_inline]] Lane<R>* operator[](unsigned element) const { return at[element]; }
};

/// kWindow loads: each lane picks a word of the 128 bytes from `host`.
[[gnu::always_inline]] inline void load_window(Lane<std::uint32_t>* d, const Pattern& p,
                                               const std::byte* host) {
#if defined(__AVX512F__)
  const auto words = static_cast<unsigned>(p.span / 4);
  const auto have = static_cast<std::uint32_t>(words >= 32 ? ~0U : (1U << words) - 1U);
  const __m512i low = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(have), host);
  const __m512i high = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(have >> 16U), host + 64);
  for (unsigned half = 0; half < kLanes; half += 16) {
    const __m512i which = _mm512_loadu_si512(p.word.data() + half);
    _mm512_storeu_si512(d + half, _mm512_permutex2var_epi32(low, which, high));
  }
#else
  for (unsigned i = 0; i < kLanes; ++i) {
    d[i] = read_as<std::uint32_t>(host + std::size_t{p.word[i]} * 4);
  }
#endif
}

template <typename M, typename R, unsigned N>
[[gnu::always_inline]] inline void load_memory(Warp& w, const Registers<R, N>& d,
                                               std::uint32_t mask, const Pattern& p,
                                               const std::byte* host) {
  constexpr std::size_t kStep = sizeof(M) * N;
  if (p.layout == Layout::kContiguous) {
    for (unsigned e = 0; e < N; ++e) {
      LAB_LANES
      for (unsigned i = 0; i < kLanes; ++i) {
        d[e][i] = static_cast<R>(read_as<M>(host + i * kStep + e * sizeof(M)));
      }
    }
    return;
  }
  const bool whole = mask == w.live;  // lanes that do not exist may be overwritten
  if (p.layout == Layout::kBroadcast && whole) {
    for (unsigned e = 0; e < N; ++e) {
      const R value = static_cast<R>(read_as<M>(host + e * sizeof(M)));
      LAB_LANES
      for (unsigned i = 0; i < kLanes; ++i) d[e][i] = value;
    }
    return;
  }
  if constexpr (N == 1 && sizeof(M) == 4 && sizeof(R) == 4) {
    if (p.layout == Layout::kWindow && whole) {
      load_window(reinterpret_cast<Lane<std::uint32_t>*>(d[0]), p, host);
      return;
    }
  }
  if (mask == kAllLanes) {
    for (unsigned i = 0; i < kLanes; ++i) {
      for (unsigned e = 0; e < N; ++e) {
        d[e][i] = static_cast<R>(read_as<M>(host + p.from_lowest(i) + e * sizeof(M)));
      }
    }
    return;
  }
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(left));
    for (unsigned e = 0; e < N; ++e) {
      d[e][i] = static_cast<R>(read_as<M>(host + p.from_lowest(i) + e * sizeof(M)));
    }
  }
}

template <typename M, typename R, unsigned N>
[[gnu::always_inline]] inline void store_memory(const Registers<R, N>& s, std::uint32_t mask,
                                                const Pattern& p, std::byte* host) {
  constexpr std::size_t kStep = sizeof(M) * N;
  if (p.layout == Layout::kContiguous) {
    if constexpr (N == 1) {
      LAB_LANES
      for (unsigned i = 0; i < kLanes; ++i) {
        write_as<M>(host + i * kStep, static_cast<M>(static_cast<R>(s[0][i])));
      }
    } else {
      for (unsigned i = 0; i < kLanes; ++i) {
        for (unsigned e = 0; e < N; ++e) {
          write_as<M>(host + i * kStep + e * sizeof(M), static_cast<M>(static_cast<R>(s[e][i])));
        }
      }
    }
    return;
  }
  if (mask == kAllLanes) {
    for (unsigned i = 0; i < kLanes; ++i) {
      for (unsigned e = 0; e < N; ++e) {
        write_as<M>(host + p.from_lowest(i) + e * sizeof(M),
                    static_cast<M>(static_cast<R>(s[e][i])));
      }
    }
    return;
  }
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(left));
    for (unsigned e = 0; e < N; ++e) {
      write_as<M>(host + p.from_lowest(i) + e * sizeof(M), static_cast<M>(static_cast<R>(s[e][i])));
    }
  }
}

/// Lane by lane, each with its own pointer. Lanes without one read zero and write nothing.
template <typename M, typename R, unsigned N>
inline void load_pointers(const Registers<R, N>& d, std::uint32_t mask, const LanePointers& lanes) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(left));
    for (unsigned e = 0; e < N; ++e) {
      const std::byte* at = lanes.at[i];
      d[e][i] = at == nullptr ? R{} : static_cast<R>(read_as<M>(at + e * sizeof(M)));
    }
  }
}
template <typename M, typename R, unsigned N>
inline void store_pointers(const Registers<R, N>& s, const LanePointers& lanes) {
  for (std::uint32_t left = lanes.good; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(left));
    for (unsigned e = 0; e < N; ++e) {
      write_as<M>(lanes.at[i] + e * sizeof(M), static_cast<M>(static_cast<R>(s[e][i])));
    }
  }
}

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
