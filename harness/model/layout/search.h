// Which layout of an array is best for all that a kernel does with it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/model/layout/cost.h"

namespace lab::layout {

/// An array and what warps do with it.
struct Problem {
  bool global = false;
  std::uint64_t bytes = 0;
  std::uint32_t element = 4;                     ///< bytes
  std::uint64_t most_bytes = ~std::uint64_t{0};  ///< that the array may have
  std::vector<std::uint64_t> columns = {};       ///< lengths of a row to try, in elements
  std::vector<Use> uses = {};
};

struct Candidate {
  Layout layout;
  std::uint64_t cost = 0;   ///< wavefronts, or sectors
  std::uint64_t bytes = 0;  ///< of the array
};

struct Solution {
  Candidate now;
  std::uint64_t least = 0;  ///< no layout takes fewer
  /// The best of each family that costs less than now, the cheapest first; of equal ones, what
  /// changes fewest lines of the source. Empty: nothing better was found.
  std::vector<Candidate> better = {};
  std::size_t tried = 0;  ///< layouts, the present one included
  /// One element of padding would take vector accesses apart.
  bool padding_breaks_vectors = false;
  /// Whether the best one is worth a change: it saves at least one in 20.
  [[nodiscard]] bool helps() const {
    return !better.empty() && (now.cost - better.front().cost) * 20 >= now.cost;
  }
};

/// Every layout that `solve` tries for rows of one length.
[[nodiscard]] std::vector<Layout> candidates(const Problem& problem, std::uint64_t columns);

[[nodiscard]] Solution solve(const Problem& problem);

/// Lengths of a row that the uses themselves suggest: the distances between neighbouring lanes,
/// and the 128 bytes that all banks give at once.
[[nodiscard]] std::vector<std::uint64_t> suggested_columns(const Problem& problem);

}  // namespace lab::layout
