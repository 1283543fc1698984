// Where the CUDA toolkit is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lab::toolkit {

/// A folder that may hold a toolkit.
struct ToolkitPlace {
  std::filesystem::path root;
  std::string why;     ///< how it came to be looked at, such as "CUDA_HOME"
  bool named = false;  ///< by an environment variable of CUDA's
};

struct Toolkit {
  std::filesystem::path root;
  /// Folders for the loader's search path: the toolkit's libraries, and CUPTI's.
  std::vector<std::filesystem::path> libraries;
};

struct ToolkitSearch {
  std::optional<Toolkit> found;
  std::vector<std::string> looked;  ///< each place with what it lacked
};

/// CUDA_HOME, CUDA_PATH, the usual folders and the folder of the nvcc on PATH, in this order.
[[nodiscard]] std::vector<ToolkitPlace> toolkit_candidates();

/// Where a toolkit at `root` has its libraries: one of these.
[[nodiscard]] std::vector<std::filesystem::path> library_folders(const std::filesystem::path& root);

/// The toolkit at `root`: a folder with libnvrtc.so in lib64, lib or targets/x86_64-linux/lib.
[[nodiscard]] std::optional<Toolkit> toolkit_at(const std::filesystem::path& root);

/// The first of the candidates that is one.
[[nodiscard]] ToolkitSearch find_toolkit();

}  // namespace lab::toolkit
