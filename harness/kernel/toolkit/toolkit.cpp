#include "harness/kernel/toolkit/toolkit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "harness/core/text.h"

namespace lab::toolkit {
namespace {

namespace fs = std::filesystem;

void add_from_environment(std::vector<ToolkitPlace>& candidates, const char* name) {
  const char* value = std::getenv(name);
  if (value != nullptr && *value != '\0') candidates.push_back({value, name, true});
}

// The newest of /usr/local/cuda-13.0, /usr/local/cuda-13.1, ... first.
void add_versioned(std::vector<ToolkitPlace>& candidates) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator it("/usr/local", failed), end; !failed && it != end;
       it.increment(failed)) {
    if (it->path().filename().string().starts_with("cuda-")) found.push_back(it->path());
  }
  std::sort(found.rbegin(), found.rend());
  for (const fs::path& root : found) candidates.push_back({root, "usual folder"});
}

void add_from_path(std::vector<ToolkitPlace>& candidates) {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return;
  for (const std::string_view folder : split(path, ':')) {
    const fs::path nvcc = fs::path(folder) / "nvcc";
    if (folder.empty() || ::access(nvcc.c_str(), X_OK) != 0) continue;
    std::error_code failed;
    const fs::path real = fs::canonical(nvcc, failed);
    if (!failed) candidates.push_back({real.parent_path().parent_path(), "nvcc on PATH"});
    return;
  }
}

bool holds_nvrtc(const fs::path& folder) {
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    if (it->path().filename().string().starts_with("libnvrtc.so")) return true;
  }
  return false;
}

}  // namespace

std::vector<ToolkitPlace> toolkit_candidates() {
  std::vector<ToolkitPlace> candidates;
  add_from_environment(candidates, "CUDA_HOME");
  add_from_environment(candidates, "CUDA_PATH");
  candidates.push_back({"/usr/local/cuda", "usual folder"});
  add_versioned(candidates);
  candidates.push_back({"/opt/cuda", "usual folder"});
  add_from_path(candidates);
  return candidates;
}

std::vector<fs::path> library_folders(const fs::path& root) {
  return {root / "lib64", root / "lib", root / "targets/x86_64-linux/lib"};
}

std::optional<Toolkit> toolkit_at(const fs::path& root) {
  for (const fs::path& folder : library_folders(root)) {
    if (!holds_nvrtc(folder)) continue;
    Toolkit toolkit{root, {folder}};
    const fs::path cupti = root / "extras" / "CUPTI" / "lib64";
    std::error_code ignored;
    if (fs::is_directory(cupti, ignored)) toolkit.libraries.push_back(cupti);
    return toolkit;
  }
  return std::nullopt;
}

ToolkitSearch find_toolkit() {
  ToolkitSearch search;
  for (const ToolkitPlace& candidate : toolkit_candidates()) {
    search.found = toolkit_at(candidate.root);
    if (search.found) return search;
    search.looked.push_back(fmt::format("{} ({})", candidate.root.string(), candidate.why));
  }
  return search;
}

}  // namespace lab::toolkit
