#include "harness/kernel/toolkit/nvrtc_files.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "harness/core/text.h"
#include "harness/kernel/toolkit/toolkit.h"

namespace lab::toolkit {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBuiltins = "libnvrtc-builtins.so.";

// Folders that are looked at together, and what a message calls them.
struct Place {
  std::string name;
  std::vector<fs::path> folders;
};

// "11.8" of libnvrtc-builtins.so.11.8; a third number may follow.
std::optional<Version> version_of(std::string_view file_name) {
  if (!file_name.starts_with(kBuiltins)) return std::nullopt;
  const std::string_view text = file_name.substr(kBuiltins.size());
  const char* const end = text.data() + text.size();
  Version version;
  const auto major = std::from_chars(text.data(), end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
  if (minor.ec != std::errc()) return std::nullopt;
  return version;
}

fs::path library_name(const Version& version) {
  if (version.major == 11) return "libnvrtc.so.11.2";
  return fmt::format("libnvrtc.so.{}", version.major);
}

std::vector<fs::path> folders_of_variable() {
  std::vector<fs::path> folders;
  const char* variable = std::getenv("LD_LIBRARY_PATH");
  for (const std::string_view folder : split(variable == nullptr ? "" : variable, ':')) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

// The loader's built-in folders, and those that its configuration adds.
std::vector<fs::path> system_folders() {
  std::vector<fs::path> folders = {"/usr/lib64", "/usr/lib"};
  std::error_code failed;
  for (fs::directory_iterator it("/etc/ld.so.conf.d", failed), end; !failed && it != end;
       it.increment(failed)) {
    std::ifstream file(it->path());
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("/")) folders.emplace_back(trim(line));
    }
  }
  return folders;
}

// A checkout has build/PRESET/bin/lab and build/nvrtc, an unpacked archive bin/lab and nvrtc. It is
// laid out as a toolkit, so that CUDA_HOME can name it too.
std::vector<Place> own_places(const fs::path& program_folder) {
  std::vector<Place> places;
  for (const char* relative : {"../nvrtc", "../../nvrtc"}) {
    const fs::path folder = (program_folder / relative).lexically_normal();
    places.push_back(
        {fmt::format("{} (the project's own)", folder.string()), library_folders(folder)});
  }
  return places;
}

std::vector<Place> toolkit_places(bool named) {
  std::vector<Place> places;
  for (const ToolkitPlace& toolkit : toolkit_candidates()) {
    if (toolkit.named != named) continue;
    places.push_back({fmt::format("{} ({})", toolkit.root.string(), toolkit.why),
                      library_folders(toolkit.root)});
  }
  return places;
}

// Looks in `place`: files found there replace those found before where they are newer.
void look(const Place& place, NvrtcSearch& search) {
  std::optional<NvrtcFiles> best;
  for (const fs::path& folder : place.folders) {
    const auto here = nvrtc_in(folder);
    if (here && (!best || best->version < here->version)) best = here;
  }
  if (!best) {
    search.looked.push_back(place.name);
  } else if (best->version < kOldestNvrtc) {
    search.looked.push_back(fmt::format("{}: its NVRTC {}.{} is too old", place.name,
                                        best->version.major, best->version.minor));
  } else if (!search.found || search.found->version < best->version) {
    search.found = best;
  }
}

fs::path own_folder() {
  std::error_code failed;
  return fs::read_symlink("/proc/self/exe", failed).parent_path();
}

}  // namespace

std::optional<NvrtcFiles> nvrtc_in(const fs::path& folder) {
  std::optional<NvrtcFiles> best;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    const auto version = version_of(it->path().filename().string());
    if (!version || (best && *version <= best->version)) continue;
    const fs::path library = folder / library_name(*version);
    std::error_code ignored;
    if (fs::exists(library, ignored)) best = NvrtcFiles{library, it->path(), *version};
  }
  return best;
}

NvrtcSearch find_nvrtc(const fs::path& program_folder) {
  NvrtcSearch search;
  for (const Place& place : toolkit_places(true)) {
    look(place, search);
    if (search.found) return search;
  }
  for (const Place& place : toolkit_places(false)) look(place, search);
  look({"LD_LIBRARY_PATH", folders_of_variable()}, search);
  look({"the loader's search path", system_folders()}, search);
  for (const Place& place : own_places(program_folder)) look(place, search);
  return search;
}

NvrtcSearch find_nvrtc() { return find_nvrtc(own_folder()); }

// An installed lab has the script beside it that fetches NVRTC, and may be another user's.
std::string nvrtc_advice() {
  const fs::path script = own_folder().parent_path() / "get-nvrtc";
  std::error_code failed;
  const std::string fetches = fs::exists(script, failed)
                                  ? fmt::format("as its owner, {} {} fetches one", script.string(),
                                                (script.parent_path() / "nvrtc").string())
                                  : "tools/setup fetches one";
  return fetches +
         " on Debian; or install the CUDA toolkit, or set CUDA_HOME to the folder it is in";
}

}  // namespace lab::toolkit
