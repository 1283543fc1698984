// A folder that is gone when its owner is.
#pragma once

#include <filesystem>
#include <string>

namespace lab::run {

class TemporaryFolder {
 public:
  /// Below $TMPDIR or /tmp, for this user alone. A machine error where it cannot be made.
  [[nodiscard]] explicit TemporaryFolder(const std::string& name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder(TemporaryFolder&&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lab::run
