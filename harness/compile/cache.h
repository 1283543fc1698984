// Compiled kernels on disk, by the hash of everything that goes into them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "harness/core/compiled.h"

namespace lab::compile {

/// $XDG_CACHE_HOME/lab or ~/.cache/lab with `compile` below it; empty where neither is set.
[[nodiscard]] std::filesystem::path default_cache_folder();

/// A folder of entries, each one file. It is used only if it belongs to this user and nobody else
/// may read or write it. Where it can't be made or written there is no cache, and no error. A
/// damaged entry counts as absent.
class Cache {
 public:
  static constexpr std::uint64_t kDefaultBound = 256ULL << 20;

  /// Makes `folder` (mode 0700) if needed. Entries past `bound` bytes in all are removed, the ones
  /// least recently used first.
  explicit Cache(const std::filesystem::path& folder, std::uint64_t bound = kDefaultBound);

  [[nodiscard]] bool usable() const { return !folder_.empty(); }
  /// The entry called `key` (lower-case hex).
  [[nodiscard]] std::optional<Compiled> get(const std::string& key) const;
  void put(const std::string& key, const Compiled& compiled) const;

 private:
  void trim_to_bound() const;

  std::filesystem::path folder_;  // empty: no cache
  std::uint64_t bound_;
};

}  // namespace lab::compile
