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
//
// Copies that the machine makes beside the warps are parties of their own: what completes at one
// mbarrier is one party's. No barrier waits for a copy, so they have no part in a warp's floor.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace lab::model::check {

inline constexpr unsigned kMostWarps = 32;  ///< a block has at most 1024 threads
/// Mbarriers of a block that copies complete at. More share a party, and what is known of one of
/// them is then taken to be known of the other.
inline constexpr unsigned kMostCopiers = 31;
/// That of copies that are under way: nobody knows of any.
inline constexpr unsigned kUnknownParty = kMostWarps + kMostCopiers;
inline constexpr unsigned kMostParties = 64;

class Clocks {
 public:
  /// A warp's knowledge of the others, and of copies: the last tick of each.
  using Known = std::array<std::uint32_t, kMostParties>;

  /// Begins a new block of `warps` warps. What earlier blocks did no longer counts.
  void begin(unsigned warps) {
    warps_ = warps;
    copiers_ = 0;
    for (auto& held : held_) held.clear();
    first_ = newest_ + 1;
    newest_ = first_ + 1;
    tick_.fill(newest_);
    all_known_.fill(first_);
    for (auto& row : known_) row.fill(first_);
    floor_.fill(first_);
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

  /// The block's first tick, at which no warp does anything: whatever carries it comes before all
  /// that they do.
  [[nodiscard]] std::uint32_t first() const { return first_; }
  /// Whatever any other warp did up to this tick comes before all that `warp` does now.
  [[nodiscard]] std::uint32_t floor(unsigned warp) const { return floor_[warp]; }
  /// True where `warp` knows no more than its floor of any other warp, and all its lanes do.
  [[nodiscard]] bool even(unsigned warp) const { return even_[warp]; }
  /// Whatever any lane of `warp` did up to this tick comes before all that its lanes do now.
  [[nodiscard]] std::uint32_t own_floor(unsigned warp) const { return all_known_[warp]; }

  /// Warps whose bit is set in `waiting` wait for those in `arrived`, which may be more. Those that
  /// arrived go on at the same tick, however often each synchronised before.
  void barrier(std::uint32_t arrived, std::uint32_t waiting) {
    Known all = {};
    for (unsigned w = 0; w < warps_; ++w) {
      if (((arrived >> w) & 1U) == 0) continue;
      for (const Held& held : held_[w]) acquire_copies(w, held.copier, held.tick);
      held_[w].clear();
      for (unsigned v = 0; v < warps_; ++v) all[v] = std::max(all[v], known_[w][v]);
      for (unsigned v = kMostWarps; v < kMostWarps + copiers_; ++v) {
        all[v] = std::max(all[v], known_[w][v]);
      }
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
  /// The accesses of `warp` so far, and all that it knows of, for a warp that acquires them; those
  /// from now on are not among them.
  [[nodiscard]] Known release(unsigned warp) {
    Known all = known_[warp];
    for (const Held& held : held_[warp]) all[held.copier] = std::max(all[held.copier], held.tick);
    all[warp] = tick_[warp];
    next(warp);
    return all;
  }
  /// `warp` goes on after all that `what` has.
  void acquire(unsigned warp, const Known& what) { know(warp, join(known_[warp], what)); }
  [[nodiscard]] static Known join(Known a, const Known& b) {
    for (unsigned v = 0; v < kMostParties; ++v) a[v] = std::max(a[v], b[v]);
    return a;
  }

  /// A new party of copies. It has a number of its own while there are any left.
  [[nodiscard]] unsigned add_copier() {
    if (copiers_ < kMostCopiers) ++copiers_;
    return kMostWarps + copiers_ - 1;
  }
  /// The tick of copies that are complete now, and that nobody knows of yet.
  [[nodiscard]] std::uint32_t complete() { return ++newest_; }
  /// `warp` goes on after the copies of `copier` that were complete at `tick`.
  void acquire_copies(unsigned warp, unsigned copier, std::uint32_t tick) {
    known_[warp][copier] = std::max(known_[warp][copier], tick);
  }
  /// Only the lanes in `lanes` do, until they meet others.
  void acquire_copies(unsigned warp, std::uint32_t lanes, unsigned copier, std::uint32_t tick) {
    held_[warp].push_back({copier, tick, lanes});
    even_[warp] = false;
  }
  void lanes_meet(unsigned warp, std::uint32_t lanes) {
    for (Held& held : held_[warp]) held.lanes |= (held.lanes & lanes) != 0 ? lanes : 0;
  }
  [[nodiscard]] bool knows_copies(unsigned warp, unsigned lane, unsigned copier,
                                  std::uint32_t tick) const {
    return tick <= known_[warp][copier] ||
           std::any_of(held_[warp].begin(), held_[warp].end(), [&](const Held& held) {
             return held.copier == copier && tick <= held.tick && ((held.lanes >> lane) & 1U) != 0;
           });
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

  /// What some lanes of a warp know of copies.
  struct Held {
    unsigned copier = 0;
    std::uint32_t tick = 0;
    std::uint32_t lanes = 0;
  };

  void know(unsigned warp, const Known& all) {
    known_[warp] = all;
    std::uint32_t least = newest_;
    std::uint32_t most = 0;
    for (unsigned v = 0; v < warps_; ++v) {
      if (v == warp) continue;
      least = std::min(least, all[v]);
      most = std::max(most, all[v]);
    }
    floor_[warp] = least;
    even_[warp] = most <= least && held_[warp].empty();
  }
  void next(unsigned warp) {
    ++tick_[warp];
    newest_ = tick_[warp] > newest_ ? tick_[warp] : newest_;
  }

  unsigned warps_ = 0;
  unsigned copiers_ = 0;
  std::uint32_t newest_ = 0;
  std::uint32_t first_ = 1;
  std::array<std::uint32_t, kMostWarps> tick_ = {};
  std::array<Known, kMostWarps> known_ = {};
  std::array<std::uint32_t, kMostWarps> floor_ = {};
  std::array<bool, kMostWarps> even_ = {};
  std::array<std::uint32_t, kMostWarps> all_known_ = {};  ///< by warp: to all of its lanes
  std::array<std::vector<Held>, kMostWarps> held_;
  std::array<std::unique_ptr<LaneTicks>, kMostWarps> lane_known_;  ///< null: never needed
};

}  // namespace lab::model::check
