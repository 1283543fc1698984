#include "harness/run/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/compile/source/includes.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"
#include "labs/registry.h"

namespace lab::run {

namespace fs = std::filesystem;

namespace {

bool holds_labs(const fs::path& folder) {
  const auto& labs = all_labs();
  std::error_code ignored;
  return !labs.empty() && fs::exists(folder / labs.front().folder / "kernels.cu", ignored);
}

// A path below the current directory is shown from there.
std::string shown_path(const std::string& path) {
  const std::string near = fs::path(path).lexically_proximate(fs::current_path()).string();
  return near.rfind("..", 0) == 0 ? path : near;
}

fs::path program_folder(const std::string& program) {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  return (error ? fs::absolute(program, error) : path).parent_path();
}

}  // namespace

std::string labs_folder(const std::string& program) {
  const char* variable = std::getenv("LAB_PATH");
  if (variable != nullptr && *variable != '\0') {
    for (const fs::path& folder : {fs::path(variable), fs::path(variable) / "labs"}) {
      if (holds_labs(folder)) return folder.string();
    }
    throw input_error(fmt::format("LAB_PATH is not a folder of labs: '{}'", variable),
                      "it must hold folders such as 01_coalescing");
  }
  for (fs::path folder = program_folder(program); !folder.empty(); folder = folder.parent_path()) {
    for (const char* name : {"labs", "share/lab/labs"}) {
      if (holds_labs(folder / name)) return (folder / name).string();
    }
    if (folder == folder.root_path()) break;
  }
  if (holds_labs("labs")) return "labs";
  throw input_error("the folder of the labs was not found beside the program or above it",
                    "set LAB_PATH to the folder that holds 01_coalescing");
}

std::string lab_file(const std::string& labs_folder, const Lab& lab, const std::string& name) {
  return (fs::path(labs_folder) / lab.folder / name).string();
}

std::string read_text(const std::string& path, const std::string& what) {
  return read_file(path, what);
}

KernelText own_kernels(const Lab& lab, const std::string& labs_folder) {
  const std::string path = lab_file(labs_folder, lab, "kernels.cu");
  return {shown_path(path), read_text(path, "the lab's kernels")};
}

bool is_as_shipped(const std::string& labs_folder, const Lab& lab, const std::string& text) {
  std::ifstream sums(fs::path(labs_folder) / "shipped.sums");
  for (std::string sum, path; sums >> sum >> path;) {
    if (path == lab.folder + "/kernels.cu") return sum == sha256_hex(text);
  }
  return true;
}

// A kernel's text comes from anyone, and what it includes is compiled, stored and shown: a header,
// or what lies in a folder that the user named with -I; a file, and not a link to one. So neither
// `#include "/etc/passwd"` nor somebody else's solution becomes a part of it.
bool may_be_included(const fs::path& name, const std::vector<std::string>& folders) {
  constexpr std::array<std::string_view, 7> kEndings = {".h",   ".cuh", ".hpp", ".hh",
                                                        ".hxx", ".inl", ".inc"};
  std::error_code failed;
  if (fs::is_symlink(fs::symlink_status(name, failed))) return false;
  if (!fs::is_regular_file(name, failed)) return false;
  const bool named = std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    const fs::path way = fs::proximate(fs::weakly_canonical(name, failed),
                                       fs::weakly_canonical(folder, failed), failed);
    return !way.empty() && *way.begin() != "..";
  });
  const std::string ending = name.extension().string();
  return named || std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

KernelText read_source(const std::string& path, std::vector<std::string> options) {
  KernelText text{path, read_kernels(path), {}, std::move(options)};
  std::vector<std::string> folders;
  for (const std::string& option : text.options) {
    if (option.find_first_of(" \t\n") != std::string::npos) {
      throw input_error(fmt::format("an option for the compiler has a blank: '{}'", option));
    }
    if (option.starts_with("-I")) folders.push_back(option.substr(2));
  }
  const auto read = [&](const std::string& name) -> std::optional<std::string> {
    if (!may_be_included(name, folders)) return std::nullopt;
    return read_file(name, "the included file", kMostSourceBytes);
  };
  for (source::File& file : source::included_files(path, text.text, folders, read)) {
    text.included.push_back({std::move(file.name), std::move(file.text)});
  }
  return text;
}

std::string read_kernels(const std::string& path) {
  std::string text = read_file(path, "the kernel file", kMostSourceBytes);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // some editors begin UTF-8 with one
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  if (trim(text).empty()) throw input_error(fmt::format("the kernel file '{}' is empty", path));
  if (text.find('\0') != std::string::npos) {
    throw input_error(fmt::format("the kernel file '{}' is not a text: it holds zero bytes", path),
                      "name the source, not a compiled program");
  }
  return text;
}

}  // namespace lab::run
