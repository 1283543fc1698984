#include "harness/run/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "harness/core/error.h"

namespace lab::run {

TemporaryFolder::TemporaryFolder(const std::string& name) {
  std::error_code failed;
  const auto parent = std::filesystem::temp_directory_path(failed);
  std::string path = ((failed ? "/tmp" : parent) / (name + "-XXXXXX")).string();
  if (mkdtemp(path.data()) == nullptr) {
    throw machine_error("no temporary folder can be made as " + path + ": " + std::strerror(errno),
                        "set TMPDIR to a folder that may be written");
  }
  path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  try {
    std::filesystem::remove_all(path_, ignored);
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): it stays, as where it may not
  }
}

}  // namespace lab::run
