#include "harness/model/coalesce.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace lab::model {
namespace {

/// How many aligned pieces of `size` bytes the active lanes touch.
std::uint32_t distinct_pieces(const WarpAccess& access, std::uint64_t size) {
  std::vector<std::uint64_t> pieces;
  pieces.reserve(kLanes);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!access.active(lane)) continue;
    const std::uint64_t first = access.address[lane] / size;
    const std::uint64_t last = (access.address[lane] + access.bytes - 1) / size;
    for (std::uint64_t piece = first; piece <= last; ++piece) pieces.push_back(piece);
  }
  std::sort(pieces.begin(), pieces.end());
  return static_cast<std::uint32_t>(std::unique(pieces.begin(), pieces.end()) - pieces.begin());
}

}  // namespace

std::uint32_t sectors(const WarpAccess& access) { return distinct_pieces(access, kSectorBytes); }

std::uint32_t lines(const WarpAccess& access) { return distinct_pieces(access, kLineBytes); }

std::uint32_t distinct_bytes(const WarpAccess& access) {
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

std::uint32_t atomic_sectors(const WarpAccess& access) {
  // Sorted addresses: equal ones form runs, runs of one sector stand together.
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

}  // namespace lab::model
