#include "harness/model/cost/levels.h"
#include "harness/model/cost/rules.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

namespace lab::model {
namespace {

/// A set of numbers below 2^63: kPerLane for each lane at most, and it has twice as many slots, so
/// it is never full.
template <unsigned kPerLane>
class SmallSet {
 public:
  void add(std::uint64_t number) {
    const std::uint64_t entry = number + 1;  // 0 marks a free slot
    for (std::size_t at = (number * 0x9e3779b97f4a7c15U) >> kShift;; at = (at + 1) % kSlots) {
      if (slots_[at] == entry) return;
      if (slots_[at] == 0) {
        slots_[at] = entry;
        ++size_;
        return;
      }
    }
  }
  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  static constexpr std::size_t kSlots = std::size_t{2} * kPerLane * kLanes;
  static constexpr int kShift = 64 - std::countr_zero(kSlots);
  std::array<std::uint64_t, kSlots> slots_{};
  std::uint32_t size_ = 0;
};

/// How many aligned pieces of `size` bytes the active lanes touch; a lane touches at most two.
std::uint32_t distinct_pieces(const WarpAccess& access, std::uint64_t size) {
  SmallSet<2> pieces;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!access.active(lane)) continue;
    pieces.add(access.address[lane] / size);
    pieces.add((access.address[lane] + access.bytes - 1) / size);
  }
  return pieces.size();
}

/// The same where each lane touches one.
std::uint32_t distinct_single(const WarpAccess& access, std::uint64_t size) {
  SmallSet<1> pieces;
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    pieces.add(access.address[static_cast<unsigned>(std::countr_zero(left))] / size);
  }
  return pieces.size();
}

/// Distinct bytes where each access is aligned to its width, so that any two are equal or disjoint.
std::optional<std::uint32_t> aligned_bytes(const WarpAccess& access) {
  SmallSet<1> addresses;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!access.active(lane)) continue;
    if (access.address[lane] % access.bytes != 0) return std::nullopt;
    addresses.add(access.address[lane]);
  }
  return addresses.size() * access.bytes;
}

}  // namespace

// Each number against the 16 that follow, around the end: every pair, without a branch.
LAB_ALL_LEVELS
bool all_differ(const std::array<std::uint32_t, kLanes>& numbers) {
  std::array<std::uint32_t, std::size_t{2} * kLanes> around;
  for (unsigned i = 0; i < kLanes; ++i) around[i] = around[i + kLanes] = numbers[i];
  std::uint32_t same = 0;
  for (unsigned away = 1; away <= kLanes / 2; ++away) {
    for (unsigned i = 0; i < kLanes; ++i) same |= around[i] == around[i + away] ? 1U : 0U;
  }
  return same == 0;
}

std::uint32_t sectors(const WarpAccess& access) { return distinct_pieces(access, kSectorBytes); }

std::uint32_t local_sectors(const WarpAccess& access) {
  constexpr std::uint64_t kWord = 4;
  constexpr unsigned kLanesOfSector = kSectorBytes / kWord;
  std::vector<std::uint64_t> pieces;  // word and share of the warp
  pieces.reserve(kLanes);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!access.active(lane)) continue;
    const std::uint64_t last = (access.address[lane] + access.bytes - 1) / kWord;
    for (std::uint64_t word = access.address[lane] / kWord; word <= last; ++word) {
      pieces.push_back(word * (kLanes / kLanesOfSector) + lane / kLanesOfSector);
    }
  }
  std::sort(pieces.begin(), pieces.end());
  const auto end = std::unique(pieces.begin(), pieces.end());
  return static_cast<std::uint32_t>(end - pieces.begin());
}

std::uint32_t lines(const WarpAccess& access) { return distinct_pieces(access, kLineBytes); }

std::uint32_t distinct_bytes(const WarpAccess& access) {
  if (const auto aligned = aligned_bytes(access)) return *aligned;
  std::vector<std::uint64_t> starts;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (access.active(lane)) starts.push_back(access.address[lane]);
  }
  std::sort(starts.begin(), starts.end());
  std::uint64_t total = 0;
  std::uint64_t covered = 0;  // every byte below it has been counted
  for (const std::uint64_t start : starts) {
    const std::uint64_t end = start + access.bytes;
    const std::uint64_t from = total == 0 ? start : std::max(start, covered);
    total += end > from ? end - from : 0;
    covered = std::max(covered, end);
  }
  return static_cast<std::uint32_t>(total);
}

Coverage coverage(const WarpAccess& access) {
  const auto lanes = static_cast<std::uint32_t>(std::popcount(access.mask));
  // Lanes that share no line share no sector and no byte either.
  Coverage all{lanes, lanes, lanes * access.bytes};
  all.lines = distinct_single(access, kLineBytes);
  if (all.lines == lanes) return all;
  all.sectors = distinct_single(access, kSectorBytes);
  if (all.sectors < lanes) all.bytes = distinct_single(access, access.bytes) * access.bytes;
  return all;
}

std::uint32_t atomic_sectors(const WarpAccess& access) {
  // The addresses are sorted: equal ones form runs, and the runs of one sector are neighbours.
  std::vector<std::uint64_t> addresses;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (access.active(lane)) addresses.push_back(access.address[lane]);
  }
  std::sort(addresses.begin(), addresses.end());
  std::uint32_t total = 0;
  for (std::size_t at = 0; at < addresses.size();) {
    const std::uint64_t sector = addresses[at] / kSectorBytes;
    std::uint32_t most = 0;
    while (at < addresses.size() && addresses[at] / kSectorBytes == sector) {
      const std::uint64_t address = addresses[at];
      std::uint32_t lanes = 0;
      for (; at < addresses.size() && addresses[at] == address; ++at) ++lanes;
      most = std::max(most, lanes);
    }
    total += most;
  }
  return total;
}

std::uint32_t sectors_past_l1(const WarpAccess& source, const WarpAccess& destination) {
  std::array<std::pair<std::uint64_t, std::uint64_t>, kLanes> pairs;
  std::size_t count = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!source.active(lane)) continue;
    pairs[count++] = {source.address[lane] / kLineBytes, destination.address[lane] / kSectorBytes};
  }
  const auto end = pairs.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(pairs.begin(), end);
  return static_cast<std::uint32_t>(std::unique(pairs.begin(), end) - pairs.begin());
}

}  // namespace lab::model
