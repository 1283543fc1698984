// Texts on disk that can be made again: each a file called after its key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lab {

/// $XDG_CACHE_HOME/lab or ~/.cache/lab with `part` below it; empty where neither is set.
[[nodiscard]] std::filesystem::path user_cache_folder(std::string_view part);

/// A folder of entries, each one file. It is used only if it belongs to this user and nobody else
/// may read or write it. Where it can't be made or written there is no cache, and no error. A
/// damaged entry counts as absent.
class FileCache {
 public:
  static constexpr std::uint64_t kDefaultBound = 256ULL << 20;

  /// Makes `folder` (mode 0700) if needed. Entries past `bound` bytes in all are removed, the ones
  /// least recently used first.
  explicit FileCache(const std::filesystem::path& folder, std::uint64_t bound = kDefaultBound);

  [[nodiscard]] bool usable() const { return !folder_.empty(); }
  /// The entry called `key`: a file's name, such as lower-case hex of a hash.
  [[nodiscard]] std::optional<std::string> get(const std::string& key) const;
  void put(const std::string& key, std::string_view text) const;

 private:
  void trim_to_bound() const;

  std::filesystem::path folder_;  // empty: no cache
  std::uint64_t bound_;
};

}  // namespace lab
