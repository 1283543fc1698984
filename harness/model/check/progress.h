// Finds blocks that will never end: every warp that can run comes back to a state it was in before,
// and nothing was stored in between, so that all of it would repeat for ever. Loops that count on
// while they wait are not found; the time limit ends those.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lab::model::check {

/// A hash of a warp's registers and of where it stands (FNV-1a over 8-byte words).
[[nodiscard]] std::uint64_t state_hash(std::span<const std::byte> registers, std::uint32_t mask,
                                       std::uint32_t block);

class Progress {
 public:
  explicit Progress(std::size_t warps) : warps_(warps) {}
  /// A new block.
  void begin();
  /// Notes the state of a warp that has run for a while, and how many stores and reductions its
  /// core has made so far.
  void note(std::size_t warp, std::uint64_t state, std::uint64_t stores);
  /// How often the warp has come back to one state in which it was before.
  [[nodiscard]] std::uint32_t repeats(std::size_t warp) const { return warps_[warp].repeats; }

 private:
  // Brent's cycle detection: states are compared with one that is replaced at powers of two.
  struct Seen {
    std::uint64_t state = 0;
    std::uint64_t stores = 0;
    std::uint64_t notes = 0;
    std::uint64_t replace_at = 1;
    std::uint32_t repeats = 0;
  };
  std::vector<Seen> warps_;
};

}  // namespace lab::model::check
