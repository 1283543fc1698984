// Compiled kernels on disk, by the hash of everything that goes into them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/core/compiled.h"
#include "harness/core/file_cache.h"

namespace lab::compile {

/// Where this user's compiled kernels lie; empty: nowhere.
[[nodiscard]] std::filesystem::path default_cache_folder();

class Cache {
 public:
  explicit Cache(const std::filesystem::path& folder,
                 std::uint64_t bound = FileCache::kDefaultBound)
      : files_(folder, bound) {}

  [[nodiscard]] bool usable() const { return files_.usable(); }
  /// The entry called `key` (lower-case hex).
  [[nodiscard]] std::optional<Compiled> get(const std::string& key) const;
  void put(const std::string& key, const Compiled& compiled) const;

 private:
  FileCache files_;
};

}  // namespace lab::compile
