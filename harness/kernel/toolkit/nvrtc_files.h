// Which NVRTC to load. It is the one library of CUDA that the model needs.
#pragma once

#include <compare>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lab::toolkit {

struct Version {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Version&) const = default;
};

/// The first NVRTC that makes code for sm_90 and knows all of our options.
constexpr Version kOldestNvrtc = {11, 8};

/// Where one NVRTC is. Its built-in functions are in a second file, which it opens by name.
struct NvrtcFiles {
  std::filesystem::path library;
  std::filesystem::path builtins;
  Version version;
};

struct NvrtcSearch {
  std::optional<NvrtcFiles> found;
  std::vector<std::string> looked;  ///< each place that had none, or one that is too old
};

/// The newest NVRTC in `folder`, of any version; none where either of its two files is missing.
/// The version is that in the name of the built-in functions' file: since 11.3 the library's own
/// name has only the major number, or 11.2 for every 11.x (NVRTC User Guide, "Versioning Scheme").
[[nodiscard]] std::optional<NvrtcFiles> nvrtc_in(const std::filesystem::path& folder);

/// The NVRTC below CUDA_HOME or CUDA_PATH, where they name one: who sets them has chosen. Else the
/// newest of: the toolkits in the usual folders and beside the nvcc on PATH; the folders that the
/// loader searches; the project's own folder, where tools/setup puts one. The earlier place wins
/// where two have the same version; versions before kOldestNvrtc do not count.
[[nodiscard]] NvrtcSearch find_nvrtc();

/// The same, looking in the `nvrtc` folders near the program in folder `program_folder`.
[[nodiscard]] NvrtcSearch find_nvrtc(const std::filesystem::path& program_folder);

/// Advice where none was found.
[[nodiscard]] std::string nvrtc_advice();

}  // namespace lab::toolkit
