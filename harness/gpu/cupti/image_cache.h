// Images that CUPTI makes slowly and always the same, kept on disk between runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lab::gpu {

/// Files named by the SHA-256 of their key. A file begins with a line that repeats the hash of its
/// contents: a truncated or foreign file counts as absent. A folder that cannot be written costs
/// time, but never fails a run.
class ImageCache {
 public:
  /// `folder` empty: nothing is kept.
  explicit ImageCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// $LAB_CACHE, else $XDG_CACHE_HOME/lab, else ~/.cache/lab; empty where none of them is set.
  [[nodiscard]] static std::filesystem::path default_folder();

  [[nodiscard]] std::optional<std::string> load(const std::string& key) const;
  void store(const std::string& key, const std::string& value) const;

 private:
  [[nodiscard]] std::filesystem::path path_of(const std::string& key) const;
  std::filesystem::path folder_;
};

}  // namespace lab::gpu
