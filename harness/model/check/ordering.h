// What the instruction of a site orders, and what it does not race with.
#pragma once

#include <vector>

#include "harness/model/code/decoded.h"

namespace lab::model::check {

/// Of sites of shared and global memory; of others all is false.
struct Ordering {
  bool acquires = false;
  bool releases = false;
  bool is_store = false;
  bool is_strong = false;  ///< it does not race with others that are, nor with atomics
  /// Its value is whole and its order is asked for: an atomic operation, or a load or a store with
  /// an order of its own. Volatile accesses are not.
  bool is_atomic = false;
  bool is_together = false;  ///< a matrix instruction: all lanes as one
  [[nodiscard]] bool is_weak() const { return !is_strong && !is_atomic; }
};

/// A read in one piece races with an atomic operation: what it gets is whole, and may be old.
[[nodiscard]] bool is_stale_read(const Site& site, const Ordering& read, const Ordering& write);

/// By site.
[[nodiscard]] std::vector<Ordering> orderings_of(const Program& program);

}  // namespace lab::model::check
