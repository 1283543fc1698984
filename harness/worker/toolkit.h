// Where the CUDA toolkit is. The worker's libraries are in it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lab::worker {

struct Toolkit {
  std::filesystem::path root;
  /// Folders for the loader's search path: NVRTC's, and those of CUPTI and of its own helpers.
  std::vector<std::filesystem::path> libraries;
};

struct ToolkitSearch {
  std::optional<Toolkit> found;
  std::vector<std::string> looked;  ///< each place with what it lacked
};

/// The toolkit at `root`: a folder with libnvrtc.so in lib64, lib or targets/x86_64-linux/lib.
[[nodiscard]] std::optional<Toolkit> toolkit_at(const std::filesystem::path& root);

/// Tries CUDA_HOME, CUDA_PATH, the usual folders and the folder of the nvcc on PATH.
[[nodiscard]] ToolkitSearch find_toolkit();

}  // namespace lab::worker
