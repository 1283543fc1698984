// The memory that lanes of a warp touch, as pictures show it: patterns, banks with their words,
// sectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "harness/core/record.h"

namespace lab::reading {

constexpr std::int64_t kBanks = 32;
constexpr std::int64_t kWordBytes = 4;
constexpr std::int64_t kSectorBytes = 32;
constexpr std::int64_t kSectorWords = kSectorBytes / kWordBytes;
constexpr std::int64_t kLineBytes = 128;
constexpr std::size_t kLanes = 32;

/// Accesses of one source line with the same pattern: all lanes' addresses differ by the same
/// number of bytes, and the cost is the same.
struct AccessPattern {
  const Access* first = nullptr;
  std::size_t times = 0;
  std::size_t shifted = 0;  ///< of these times: at other addresses than the first
};
[[nodiscard]] std::vector<AccessPattern> patterns_of(const std::vector<Access>& accesses);

/// Whether one picture shows both, be they of different lines, arrays or operations.
[[nodiscard]] bool look_alike(const Access& one, const Access& other);

/// Wavefronts of an access to shared memory, else sectors.
[[nodiscard]] int cost_of(const Access& access);

/// The costliest accesses to shared and global memory of all cases, at most `most`; of a line's
/// accesses of one cost the first stands for all.
[[nodiscard]] std::vector<const Access*> costliest_accesses(const RunRecord& run, std::size_t most);

/// Words of four bytes, in order, each with the lanes that ask for it.
using Words = std::map<std::int64_t, std::vector<std::size_t>>;

/// Lanes that shared memory serves together: all, but 16 where each asks for 8 bytes and 8 where it
/// asks for 16.
struct ServedLanes {
  std::size_t first = 0;
  std::size_t last = 0;                       ///< one past them
  std::vector<Words> banks = {};              ///< kBanks of them
  [[nodiscard]] std::size_t deepest() const;  ///< words that the busiest bank has to give
};
[[nodiscard]] std::vector<ServedLanes> by_bank(const Access& access);

/// The words of each 32-byte sector that is touched, by the sector's number.
[[nodiscard]] std::map<std::int64_t, Words> by_sector(const Access& access);

}  // namespace lab::reading
