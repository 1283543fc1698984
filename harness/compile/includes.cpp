#include "harness/compile/includes.h"

#include <algorithm>
#include <array>
#include <string>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"

namespace lab::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kEndings = {".h", ".cuh", ".hpp", ".hh", ".hxx", ".inl"};
// More than a student's kernel has, and few enough to be looked at before each compilation.
constexpr std::size_t kMostHeaders = 64;

// `  #  include "name"`; empty where the line is none.
std::string_view quoted_name(std::string_view line) {
  const auto skip = [&](std::string_view word) {
    line = trim(line);
    if (!line.starts_with(word)) return false;
    line.remove_prefix(word.size());
    return true;
  };
  if (!skip("#") || !skip("include") || !skip("\"")) return {};
  return line.substr(0, std::min(line.find('"'), line.size()));
}

bool is_header(const fs::path& name, const fs::path& folder) {
  const std::string ending = name.extension().string();
  if (std::find(kEndings.begin(), kEndings.end(), ending) == kEndings.end()) return false;
  if (name.is_absolute()) return false;
  fs::path at = folder;
  for (const fs::path& part : name) {
    if (part == "..") return false;
    at /= part;
    std::error_code failed;
    if (fs::is_symlink(fs::symlink_status(at, failed))) return false;
  }
  std::error_code failed;
  return fs::is_regular_file(at, failed);
}

}  // namespace

std::vector<fs::path> own_headers(std::string_view source, const fs::path& folder) {
  std::vector<fs::path> found;
  const auto look = [&](std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
      const fs::path name(quoted_name(line));
      if (name.empty() || found.size() >= kMostHeaders || !is_header(name, folder)) continue;
      const fs::path path = (folder / name).lexically_normal();
      if (std::find(found.begin(), found.end(), path) == found.end()) found.push_back(path);
    }
  };
  look(source);
  for (std::size_t i = 0; i < found.size(); ++i) {
    try {
      look(read_file(found[i].string(), "the header"));
    } catch (const Error&) {
      // The compiler says what it lacks.
    }
  }
  return found;
}

}  // namespace lab::compile
