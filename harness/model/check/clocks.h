// Which accesses of a block's warps are ordered before which others, by its barriers.
//
// Each warp counts its synchronisations in a tick. What warp w knows of warp v is the last tick of
// v whose accesses are ordered before w's own; a barrier joins what its warps know. Two accesses of
// which neither is known to the other's warp may happen in either order, whichever order the model
// ran them in (Flanagan and Freund, "FastTrack", PLDI 2009). __syncthreads() alone makes this an
// epoch count; barriers of some of the warps need the general form. A warp's floor, the
// least that it knows of any other warp, is enough to decide most accesses. Within a warp the same
// holds for lanes: __syncwarp() of all of them makes an epoch count, one of some of them needs what
// each lane knows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

namespace lab::model::check {

inline constexpr unsigned kMostWarps = 32;  ///< a block has at most 1024 threads

class Clocks {
 public:
  /// Begins a new block of `warps` warps. What earlier blocks did no longer counts.
  void begin(unsigned warps) {
    warps_ = warps;
    ++newest_;
    first_ = newest_;
    tick_.fill(newest_);
    all_known_.fill(newest_ - 1);
    for (auto& row : known_) row.fill(newest_ - 1);
    floor_.fill(newest_ - 1);
    even_.fill(true);
  }
  /// The block's warps, a bit for each.
  [[nodiscard]] std::uint32_t all() const {
    return static_cast<std::uint32_t>((std::uint64_t{1} << warps_) - 1);
  }
  /// The tick that an access of `warp` carries now.
  [[nodiscard]] std::uint32_t tick(unsigned warp) const { return tick_[warp]; }
  /// True for a tick of the running block.
  [[nodiscard]] bool current(std::uint32_t tick) const { return tick >= first_; }
  /// True where an access of `other` at `tick` comes before all that `warp` does now.
  [[nodiscard]] bool ordered(unsigned warp, unsigned other, std::uint32_t tick) const {
    return warp == other || tick <= known_[warp][other];
  }

  /// The block's first tick.
  [[nodiscard]] std::uint32_t first() const { return first_; }
  /// Whatever any other warp did up to this tick comes before all that `warp` does now.
  [[nodiscard]] std::uint32_t floor(unsigned warp) const { return floor_[warp]; }
  /// True where `warp` knows no more than its floor of any other warp.
  [[nodiscard]] bool even(unsigned warp) const { return even_[warp]; }
  /// Whatever any lane of `warp` did up to this tick comes before all that its lanes do now.
  [[nodiscard]] std::uint32_t own_floor(unsigned warp) const { return all_known_[warp]; }

  /// Warps whose bit is set in `waiting` wait for those in `arrived`, which may be more. Those that
  /// arrived go on at the same tick, however often each synchronised before.
  void barrier(std::uint32_t arrived, std::uint32_t waiting) {
    std::array<std::uint32_t, kMostWarps> all = {};
    for (unsigned w = 0; w < warps_; ++w) {
      if (((arrived >> w) & 1U) == 0) continue;
      for (unsigned v = 0; v < warps_; ++v) all[v] = std::max(all[v], known_[w][v]);
    }
    for (unsigned w = 0; w < warps_; ++w) {
      if (((arrived >> w) & 1U) != 0) all[w] = newest_;
    }
    for (unsigned w = 0; w < warps_; ++w) {
      if (((waiting >> w) & 1U) != 0) know(w, all);
      if (((arrived >> w) & 1U) == 0) continue;
      all_known_[w] = newest_;
      tick_[w] = newest_ + 1;
    }
    ++newest_;
  }
  /// A warp's knowledge of the others: the last tick of each.
  using Known = std::array<std::uint32_t, kMostWarps>;
  /// The accesses of `warp` so far, and all that it knows of, for a warp that acquires them; those
  /// from now on are not among them.
  [[nodiscard]] Known release(unsigned warp) {
    Known all = known_[warp];
    all[warp] = tick_[warp];
    next(warp);
    return all;
  }
  /// `warp` goes on after all that `what` has.
  void acquire(unsigned warp, const Known& what) { know(warp, join(known_[warp], what)); }
  [[nodiscard]] static Known join(Known a, const Known& b) {
    for (unsigned v = 0; v < kMostWarps; ++v) a[v] = std::max(a[v], b[v]);
    return a;
  }

  /// The lanes of `warp` see each other's accesses so far.
  void advance(unsigned warp) {
    all_known_[warp] = tick_[warp];
    next(warp);
  }
  /// Only the lanes in `lanes` do: what one of them knew, all of them know.
  void advance(unsigned warp, std::uint32_t lanes) {
    if (lane_known_[warp] == nullptr) lane_known_[warp] = std::make_unique<LaneTicks>();
    LaneTicks& known = *lane_known_[warp];
    std::array<std::uint32_t, kLanesOfWarp> all = {};
    for (unsigned lane = 0; lane < kLanesOfWarp; ++lane) {
      if (((lanes >> lane) & 1U) == 0) continue;
      for (unsigned other = 0; other < kLanesOfWarp; ++other) {
        all[other] = known[lane][other] > all[other] ? known[lane][other] : all[other];
      }
    }
    for (unsigned lane = 0; lane < kLanesOfWarp; ++lane) {
      if (((lanes >> lane) & 1U) != 0) all[lane] = tick_[warp];
    }
    for (unsigned lane = 0; lane < kLanesOfWarp; ++lane) {
      if (((lanes >> lane) & 1U) != 0) known[lane] = all;
    }
    next(warp);
  }
  /// True where an access of lane `other` at `tick` comes before all that `lane` of the same warp
  /// does now.
  [[nodiscard]] bool lanes_ordered(unsigned warp, unsigned lane, unsigned other,
                                   std::uint32_t tick) const {
    if (lane == other || tick <= all_known_[warp]) return true;
    return lane_known_[warp] != nullptr && tick <= (*lane_known_[warp])[lane][other];
  }

 private:
  static constexpr unsigned kLanesOfWarp = 32;
  /// [lane][other]: the last tick of `other` that is ordered before what `lane` does. Ticks
  /// of earlier blocks are below any tick of this one.
  using LaneTicks = std::array<std::array<std::uint32_t, kLanesOfWarp>, kLanesOfWarp>;

  void know(unsigned warp, const std::array<std::uint32_t, kMostWarps>& all) {
    known_[warp] = all;
    std::uint32_t least = newest_;
    std::uint32_t most = 0;
    for (unsigned v = 0; v < warps_; ++v) {
      if (v == warp) continue;
      least = std::min(least, all[v]);
      most = std::max(most, all[v]);
    }
    floor_[warp] = least;
    even_[warp] = most <= least;
  }
  void next(unsigned warp) {
    ++tick_[warp];
    newest_ = tick_[warp] > newest_ ? tick_[warp] : newest_;
  }

  unsigned warps_ = 0;
  std::uint32_t newest_ = 0;
  std::uint32_t first_ = 1;
  std::array<std::uint32_t, kMostWarps> tick_ = {};
  std::array<std::array<std::uint32_t, kMostWarps>, kMostWarps> known_ = {};
  std::array<std::uint32_t, kMostWarps> floor_ = {};
  std::array<bool, kMostWarps> even_ = {};
  std::array<std::uint32_t, kMostWarps> all_known_ = {};           ///< by warp: to all of its lanes
  std::array<std::unique_ptr<LaneTicks>, kMostWarps> lane_known_;  ///< null: never needed
};

}  // namespace lab::model::check
