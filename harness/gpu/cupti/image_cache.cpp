#include "harness/gpu/cupti/image_cache.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "harness/core/text.h"

namespace lab::gpu {

namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return {};
  return value;
}

}  // namespace

std::filesystem::path ImageCache::default_folder() {
  if (const auto own = variable("LAB_CACHE")) return *own;
  if (const auto cache = variable("XDG_CACHE_HOME")) return std::filesystem::path(*cache) / "lab";
  if (const auto home = variable("HOME")) return std::filesystem::path(*home) / ".cache" / "lab";
  return {};
}

std::filesystem::path ImageCache::path_of(const std::string& key) const {
  return folder_ / ("cupti-" + sha256_hex(key).substr(0, 32));
}

std::optional<std::string> ImageCache::load(const std::string& key) const {
  if (folder_.empty()) return {};
  // Opening a pipe would wait for its writer.
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path_of(key), failed)) return {};
  std::ifstream file(path_of(key), std::ios::binary);
  std::string hash;
  if (!file || !std::getline(file, hash)) return {};
  std::ostringstream rest;
  rest << file.rdbuf();
  std::string value = rest.str();
  if (sha256_hex(value) != hash) return {};
  return value;
}

void ImageCache::store(const std::string& key, const std::string& value) const {
  if (folder_.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  // Written under another name and then renamed: a reader sees the whole file or none.
  const std::filesystem::path path = path_of(key);
  std::filesystem::path beside = path;
  beside += "." + std::to_string(getpid());
  {
    std::ofstream file(beside, std::ios::binary);
    file << sha256_hex(value) << '\n' << value;
    if (!file) failed = std::make_error_code(std::errc::io_error);
  }
  if (!failed) std::filesystem::rename(beside, path, failed);
  if (failed) {
    spdlog::debug("cannot keep {}: {}", path.string(), failed.message());
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
  }
}

}  // namespace lab::gpu
