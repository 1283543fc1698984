// Who is ordered before whom: what barriers say about the accesses of a block's warps.
//
// Each warp counts its synchronisations in a tick. What warp w knows of warp v is the last tick of
// v whose accesses are ordered before w's own; a barrier joins what its warps know. Two accesses of
// which neither is known to the other's warp may happen in either order, whatever order the model
// ran them in (Flanagan and Freund, "FastTrack", PLDI 2009). __syncthreads() alone makes this an
// epoch count; barriers of some of the warps need the general form.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace lab::model::check {

inline constexpr unsigned kMostWarps = 32;  ///< a block has at most 1024 threads

class Clocks {
 public:
  /// A new block: nothing of the blocks before it counts.
  void begin() {
    ++newest_;
    first_ = newest_;
    tick_.fill(newest_);
    for (auto& row : known_) row.fill(newest_ - 1);
  }
  /// The tick that an access of `warp` carries now.
  [[nodiscard]] std::uint32_t tick(unsigned warp) const { return tick_[warp]; }
  /// True for a tick of the running block.
  [[nodiscard]] bool current(std::uint32_t tick) const { return tick >= first_; }
  /// True where an access of `other` at `tick` comes before all that `warp` does now.
  [[nodiscard]] bool ordered(unsigned warp, unsigned other, std::uint32_t tick) const {
    return warp == other || tick <= known_[warp][other];
  }

  /// Warps whose bit is set in `waiting` wait for those in `arrived`, which may be more.
  void barrier(std::uint32_t arrived, std::uint32_t waiting) {
    std::array<std::uint32_t, kMostWarps> all = {};
    for (unsigned w = 0; w < kMostWarps; ++w) {
      if (((arrived >> w) & 1U) == 0) continue;
      for (unsigned v = 0; v < kMostWarps; ++v) {
        const std::uint32_t known = v == w ? tick_[w] : known_[w][v];
        all[v] = known > all[v] ? known : all[v];
      }
    }
    for (unsigned w = 0; w < kMostWarps; ++w) {
      if (((waiting >> w) & 1U) != 0) known_[w] = all;
      if (((arrived >> w) & 1U) != 0) advance(w);
    }
  }
  /// The lanes of `warp` see each other's accesses so far.
  void advance(unsigned warp) {
    ++tick_[warp];
    newest_ = tick_[warp] > newest_ ? tick_[warp] : newest_;
  }

 private:
  std::uint32_t newest_ = 0;
  std::uint32_t first_ = 1;
  std::array<std::uint32_t, kMostWarps> tick_ = {};
  std::array<std::array<std::uint32_t, kMostWarps>, kMostWarps> known_ = {};
};

}  // namespace lab::model::check
