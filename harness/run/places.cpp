#include "harness/run/places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "harness/core/csv.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"
#include "harness/core/unicode.h"
#include "harness/kernel/compile/source/includes.h"
#include "harness/labs/registry.h"

namespace lab::run {

namespace fs = std::filesystem;

namespace {

// A path below the current directory is shown from there.
std::string shown_path(const std::string& path) {
  const std::string near = fs::path(path).lexically_proximate(fs::current_path()).string();
  return near.rfind("..", 0) == 0 ? path : near;
}

// Of a lab that lies elsewhere its folder is enough: `labs/03_bank_conflicts/kernels.cu`.
std::string path_of_lab(const std::string& path) {
  const fs::path shown = shown_path(path);
  if (shown.is_relative()) return shown.string();
  const fs::path folder = shown.parent_path();
  return (folder.parent_path().filename() / folder.filename() / shown.filename()).string();
}

}  // namespace

// A lab of somebody else's may hold a link to a file of the person's, which would be shown.
std::string lab_file(const Lab& lab, const std::string& name) {
  const fs::path path = fs::path(lab.path) / name;
  std::error_code failed;
  if (fs::is_symlink(path, failed) &&
      fs::weakly_canonical(path, failed).parent_path() != fs::weakly_canonical(lab.path, failed)) {
    throw input_error(
        fmt::format("'{}' is a link that leads out of the lab's folder: it is not read",
                    safe_line(path.string())),
        "put the file itself there");
  }
  return path.string();
}

bool has_lab_file(const Lab& lab, const std::string& name) {
  std::error_code ignored;
  return fs::is_regular_file(lab_file(lab, name), ignored);
}

std::string read_text(const std::string& path, const std::string& what) {
  return read_file(path, what);
}

KernelText own_kernels(const Lab& lab) {
  const std::string path = lab_file(lab, "kernels.cu");
  return {path_of_lab(path), read_text(path, "the lab's kernels")};
}

KernelText reference_text(const Lab& lab) {
  const std::string path = lab_file(lab, "reference.cu");
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  return {path_of_lab(path), read_text(path, "the lab's references")};
}

bool is_as_shipped(const Lab& lab, const std::string& text) {
  std::ifstream sums(fs::path(lab.path).parent_path() / "shipped.sums");
  for (std::string sum, path; sums >> sum >> path;) {
    if (path == lab.folder + "/kernels.cu") return sum == sha256_hex(text);
  }
  return true;
}

namespace {

// A program may include its sources, and a student's folder is theirs alone: a kernel file may be
// divided in any way.
bool is_code(const fs::path& name, Author author) {
  constexpr std::array<std::string_view, 11> kEndings = {
      ".h", ".cuh", ".hpp", ".hh", ".hxx", ".inl", ".inc", ".cu", ".cpp", ".cc", ".c"};
  constexpr std::size_t kHeaders = 7;
  std::size_t known = kHeaders;
  if (author == Author::kStudent) known = kHeaders + 1;
  if (author == Author::kProgram) known = kEndings.size();
  const auto* const end = kEndings.begin() + known;
  return std::find(kEndings.begin(), end, name.extension().string()) != end;
}

fs::path from_root(const fs::path& path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(path.empty() ? "." : path, failed).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

/// A folder as it was named, and where it is.
struct Folder {
  explicit Folder(const fs::path& path) : named(from_root(path)) {
    std::error_code failed;
    real = fs::weakly_canonical(named, failed);
  }
  /// The way from here, without a look at what is there.
  [[nodiscard]] fs::path way_to(const fs::path& path) const {
    return from_root(path).lexically_relative(named);
  }
  fs::path named;
  fs::path real;
};

std::ptrdiff_t steps_up(const fs::path& way) { return std::count(way.begin(), way.end(), ".."); }

/// A kernel's text comes from anyone, and what it includes is compiled, stored and shown. Neither
/// `#include "/etc/passwd"` nor somebody else's solution becomes a part of it.
class Includes {
 public:
  Includes(const fs::path& root, const std::vector<std::string>& folders, Author author)
      : own_(root), author_(author) {
    for (const std::string& folder : folders) named_.emplace_back(folder);
  }

  /// Where a header of this name may be, and for sure is if there is one; empty: nowhere. What is
  /// decided by the name is decided before anything is looked at.
  [[nodiscard]] fs::path file_of(const fs::path& name) const {
    std::error_code failed;
    for (const Folder& folder : named_) {
      if (steps_up(folder.way_to(name)) > 0) continue;
      const fs::path path = folder.real / folder.way_to(name);
      const fs::path real = fs::weakly_canonical(path, failed);
      const bool stays = steps_up(real.lexically_relative(folder.real)) == 0;
      return stays && is_file(path) ? real : fs::path();
    }
    if (!may_be(name)) return {};
    const fs::path path = (own_.real / own_.way_to(name)).lexically_normal();
    return is_file(path) && fs::weakly_canonical(path, failed) == path ? path : fs::path();
  }

  [[nodiscard]] bool is_outside(const fs::path& name) const {
    return !may_be(name) && steps_up(own_.way_to(name)) > 0;
  }

 private:
  [[nodiscard]] bool may_be(const fs::path& name) const {
    constexpr std::ptrdiff_t kMostUp = 3;
    if (author_ == Author::kOneFile || !is_code(name, author_)) return false;
    const std::ptrdiff_t up = steps_up(own_.way_to(name));
    const std::ptrdiff_t depth = std::distance(own_.real.begin(), own_.real.end()) - 1;
    if (author_ == Author::kUser && up > kMostUp) return false;
    return up == 0 || (author_ != Author::kStudent && up < depth);
  }

  static bool is_file(const fs::path& path) {
    std::error_code failed;
    return fs::is_regular_file(fs::symlink_status(path, failed));
  }

  Folder own_;
  std::vector<Folder> named_;
  Author author_;
};

}  // namespace

KernelText read_source(const std::string& path, std::vector<std::string> options, Author author,
                       std::vector<std::string>* refused, const std::string& root) {
  KernelText text{path, read_kernels(path), {}, std::move(options)};
  std::vector<std::string> folders;
  for (const std::string& option : text.options) {
    if (option.find_first_of(" \t\n") != std::string::npos) {
      throw input_error(fmt::format("an option for the compiler has a blank: '{}'", option));
    }
    if (option.starts_with("-I")) folders.push_back(option.substr(2));
  }
  const Includes includes(root.empty() ? fs::path(path).parent_path() : fs::path(root), folders,
                          author);
  const auto read = [&](const std::string& name) -> std::optional<std::string> {
    if (refused != nullptr && includes.is_outside(name)) refused->push_back(name);
    const fs::path file = includes.file_of(name);
    if (file.empty()) return std::nullopt;
    return as_utf8(read_file(file.string(), "the included file", kMostSourceBytes));
  };
  for (source::File& file : source::included_files(path, text.text, folders, read)) {
    text.included.push_back({std::move(file.name), std::move(file.text)});
  }
  return text;
}

namespace {

// A file of a lab's own folder is found by whoever stands elsewhere:
// `labs/07_matmul/as_printed.cu`.
void require_here(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) return;
  std::vector<std::string> files;
  for (const Lab& lab : all_labs()) {
    for (const std::string& folder : lab_folders()) {
      const fs::path file = fs::path(folder) / lab.folder / fs::path(path).filename();
      if (fs::is_regular_file(file, ignored)) files.push_back(file.string());
    }
  }
  // Each lab has these two: no one of them is meant.
  const std::string name = fs::path(path).filename().string();
  if (files.empty() || name == "kernels.cu" || name == "reference.cu") return;
  throw input_error(fmt::format("there is no '{}' in this folder", path),
                    fmt::format("labs have {}", fmt::join(files, ", ")));
}

}  // namespace

std::string read_kernels(const std::string& path) {
  require_here(path);
  std::string text = as_utf8(read_file(path, "the kernel file", kMostSourceBytes));
  if (trim(text).empty()) throw input_error(fmt::format("the kernel file '{}' is empty", path));
  if (text.find('\0') != std::string::npos) {
    throw input_error(fmt::format("the kernel file '{}' is not a text: it holds zero bytes", path),
                      "name the source, not a compiled program");
  }
  return text;
}

}  // namespace lab::run
