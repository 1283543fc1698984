// The use that a kernel's code makes of a memory instruction, as far as its text alone tells.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/model/code/decoded.h"

namespace lab::model {

/// What an atomic does to its word.
enum class AtomicUse : std::uint8_t {
  kLooks,  ///< is not an atomic, or adds 0
  kSum,    ///< adds, or takes the least, the greatest, bits: lanes can do so for each other first
  kSwap,   ///< exchanges a value in no loop that waits for it, such as a lock's release
  kRetry,  ///< compares and swaps what it has read, until nobody was faster
  kLock,   ///< exchanges or compares a fixed value until it gets what it waits for
};

struct SiteRole {
  bool in_loop = false;
  /// What it brings decides whether the loop around it goes on.
  bool ends_loop = false;
  /// The same, and no round changes its address: it waits for another thread.
  bool waits = false;
  /// Its address comes of a value that was loaded.
  bool indexed = false;
  bool fresh = false;  ///< a load that is made for what others write meanwhile
  AtomicUse atomic = AtomicUse::kLooks;
  /// A load whose value goes to shared memory as it is.
  bool fills_tile = false;
};

/// By Program::sites.
[[nodiscard]] std::vector<SiteRole> roles_of(const Program& program);

}  // namespace lab::model
