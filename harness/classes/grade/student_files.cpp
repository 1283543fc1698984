#include "harness/classes/grade/student_files.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/classes/grade/roster.h"
#include "harness/classes/grade/unzip.h"
#include "harness/core/csv.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"
#include "harness/run/kernels.h"
#include "harness/run/places.h"

namespace lab::grade {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 8;  // folders and archives within each other
constexpr std::size_t kMostFiles = 2000;
constexpr std::uint64_t kMostUnpacked = std::uint64_t{64} << 20U;

std::string ending_of(const fs::path& path) { return in_small_letters(path.extension().string()); }

bool is_one_of(const fs::path& path, std::initializer_list<std::string_view> endings) {
  return std::find(endings.begin(), endings.end(), ending_of(path)) != endings.end();
}

// Platforms and systems that take no .cu make students call it otherwise: counts where it defines
// the kernel.
bool may_hold_kernels(const fs::path& path) {
  return is_kernel_file(path) || is_one_of(path, {".cuh", ".h", ".hpp", ".hh", ".inl", ".inc",
                                                  ".txt", ".cpp", ".cc", ".c"});
}

/// All that one student handed in.
class Tree {
 public:
  explicit Tree(const fs::path& scratch) : scratch_(scratch) {}

  void walk(const Where& folder, int depth = 0) {
    std::vector<fs::path> entries;
    std::error_code failed;
    for (fs::directory_iterator it(folder.path, failed), end; !failed && it != end;
         it.increment(failed)) {
      if (!is_left_over(it->path())) entries.push_back(it->path());
    }
    std::sort(entries.begin(), entries.end());
    for (const fs::path& entry : entries) {
      take({entry, folder.shown + "/" + entry.filename().string()}, depth);
    }
  }

  std::vector<Where> kernels = {};         ///< that may hold kernels
  std::vector<std::string> others = {};    ///< names of what cannot be read
  std::vector<std::string> problems = {};  ///< sentences

 private:
  void take(const Where& entry, int depth) {
    std::error_code failed;
    const fs::file_status status = fs::symlink_status(entry.path, failed);
    if (depth >= kDeepest || ++files_ > kMostFiles) {
      if (problems.empty()) {
        problems.push_back(
            fmt::format("it holds more than {} files, or folders {} deep", kMostFiles, kDeepest));
      }
    } else if (fs::is_symlink(status)) {
      if (may_hold_kernels(entry.path)) {
        problems.push_back(entry.path.filename().string() + " is a link, not a file");
      }
    } else if (fs::is_directory(status)) {
      walk(entry, depth + 1);
    } else if (fs::is_regular_file(status) && is_zip(entry.path)) {
      unpack(entry, depth);
    } else if (fs::is_regular_file(status) && may_hold_kernels(entry.path)) {
      kernels.push_back(entry);
    } else {
      others.push_back(entry.path.filename().string());
    }
  }

  void unpack(const Where& archive, int depth) {
    const fs::path folder = fresh_folder(scratch_);
    const std::string why = unzip(archive.path.string(), folder, left_);
    if (why.empty()) {
      walk({folder, archive.shown}, depth + 1);
    } else {
      problems.push_back(
          fmt::format("{} cannot be unpacked: {}", archive.path.filename().string(), why));
    }
  }

  const fs::path& scratch_;
  std::size_t files_ = 0;
  UnzipBounds left_ = {kMostUnpacked, kMostFiles};
};

/// A file of a student's that may count.
struct Candidate {
  Where where;
  std::string text = {};     ///< empty: it cannot be read
  std::string problem = {};  ///< why
  bool defines = false;      ///< a wanted kernel
  bool kernels = false;      ///< it has some, whatever they are called
  bool attempts = false;     ///< it has kernels, and names one that is wanted
  bool included = false;     ///< by another one that may count
};

Candidate read_candidate(const Where& where, const Wanted& wanted) {
  Candidate one{where};
  try {
    one.text = run::read_kernels(where.path.string());
    one.kernels = one.text.find("__global__") != std::string::npos;
    one.attempts =
        one.kernels && std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
          return one.text.find(name) != std::string::npos;
        });
    for (const run::KernelName& kernel : run::kernel_names({where.path.string(), one.text})) {
      const std::string name = kernel.name.substr(0, kernel.name.find('<'));
      one.defines = one.defines || wanted.empty() || wanted.count(name) > 0;
    }
  } catch (const Error& error) {
    if (error.fault() != Fault::kInput) throw;
    one.problem = error.what();
  }
  return one;
}

bool includes(const Candidate& from, const Candidate& one) {
  const std::string name = one.where.path.filename().string();
  for (const std::string_view line : split(from.text, '\n')) {
    const std::string_view text = trim(line);
    if (!text.starts_with('#') || text.find("include") == std::string_view::npos) continue;
    const std::size_t at = text.find(name);
    const bool begins = at != std::string_view::npos && at > 0 &&
                        std::string_view("\"/<").find(text[at - 1]) != std::string_view::npos;
    const std::size_t end = at + name.size();
    if (begins && end < text.size() && (text[end] == '"' || text[end] == '>')) return true;
  }
  return false;
}

std::string shown_names(const std::vector<const Candidate*>& all) {
  std::vector<std::string> names;
  for (const Candidate* one : all) names.push_back(one->where.path.filename().string());
  return fmt::format("{}", fmt::join(names, ", "));
}

bool is_called_kernels(const Candidate& one) {
  return in_small_letters(one.where.path.stem().string()) == "kernels" &&
         is_kernel_file(one.where.path);
}

template <typename Test>
void prefer(std::vector<const Candidate*>& all, const Test& test) {
  if (std::none_of(all.begin(), all.end(), test)) return;
  std::erase_if(all, [&](const Candidate* one) { return !test(one); });
}

// Those that may count, the better ones where some are better.
std::vector<const Candidate*> chosen(std::vector<Candidate>& all) {
  std::vector<const Candidate*> left;
  for (const Candidate& one : all) {
    if (one.defines || is_kernel_file(one.where.path)) left.push_back(&one);
  }
  // A header alone is what was handed in, whatever it holds.
  for (const Candidate& one : all) {
    if (left.empty() && is_one_of(one.where.path, {".cuh"})) left.push_back(&one);
  }
  // Who includes the file with the kernel is what would be compiled.
  const bool headers = std::none_of(left.begin(), left.end(), [](const Candidate* one) {
    return one->defines && is_kernel_file(one->where.path);
  });
  for (Candidate& one : all) {
    for (const Candidate& from : all) {
      const bool other = &from != &one && is_kernel_file(from.where.path);
      if (other && one.defines && includes(from, one)) one.included = true;
    }
  }
  const auto stands_for = [&](const Candidate* one) {
    if (one->defines) return !one->included;
    return std::any_of(all.begin(), all.end(), [&](const Candidate& header) {
      return header.defines && includes(*one, header);
    });
  };
  prefer(left, stands_for);
  prefer(left, [](const Candidate* one) { return one->defines || one->attempts; });
  // What cannot be read may be the wanted kernel's.
  prefer(left, [](const Candidate* one) { return one->kernels || !one->problem.empty(); });
  if (!headers) prefer(left, [](const Candidate* one) { return is_kernel_file(one->where.path); });
  prefer(left, [](const Candidate* one) { return is_called_kernels(*one); });
  // Without any kernel, none of them is another one's: each is as good as the first.
  const bool none = std::none_of(all.begin(), all.end(), [](const Candidate& one) {
    return one.kernels || !one.problem.empty();
  });
  if (none && left.size() > 1) left.resize(1);
  // The same file twice is one.
  if (left.size() > 1) {
    const std::string& first = left.front()->text;
    const bool same = std::all_of(left.begin(), left.end(),
                                  [&](const Candidate* one) { return one->text == first; });
    if (same && !first.empty()) left.resize(1);
  }
  return left;
}

std::string cut_to_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 5;
  const std::vector<std::string> few(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, names.size())));
  return fmt::format("{}{}", fmt::join(few, ", "), names.size() > kMost ? ", ..." : "");
}

bool is_blank(const fs::path& file) {
  constexpr std::uintmax_t kMost = 4096;
  std::error_code failed;
  const std::uintmax_t size = fs::file_size(file, failed);
  if (failed || size > kMost) return false;
  return trim(as_utf8(read_file(file.string(), "the kernel file"))).empty();
}

void read_text(const Where& file, run::Author author, const Where& root, Handed& handed) {
  handed.path = file.shown;
  handed.changed_at = changed_at(file.path);
  try {
    KernelText text =
        run::read_source(file.path.string(), {}, author, &handed.refused, root.path.string());
    handed.sha256 = hash_of(text);
    // Messages and the database name the file, not where the grader keeps it.
    const std::string folder = root.path.string() + "/";
    for (IncludedText& one : text.included) {
      if (one.name.starts_with(folder)) one.name.erase(0, folder.size());
    }
    text.name = file.path.lexically_relative(root.path).string();
    if (ending_of(text.name) == ".ptx") text.name.replace(text.name.size() - 4, 4, ".ptx");
    handed.text = std::move(text);
  } catch (const Error& error) {
    if (error.fault() != Fault::kInput) throw;
    // The name as the student knows it: where it was unpacked to is nobody's business.
    handed.problem = error.what();
    const std::string path = file.path.string();
    const std::size_t at = handed.problem.find(path);
    if (at != std::string::npos) {
      handed.problem.replace(at, path.size(), file.path.filename().string());
    }
    if (is_blank(file.path)) handed.unread = Unread::kNothing;
    // It was handed in: what it holds is what it is known by.
    handed.sha256 = sha256_hex(handed.problem);
  }
}

}  // namespace

bool is_kernel_file(const fs::path& path) { return is_one_of(path, {".cu", ".ptx"}); }

bool is_zip(const fs::path& path) { return is_one_of(path, {".zip"}); }

bool is_other_archive(const fs::path& path) {
  return is_one_of(path, {".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".tbz2", ".txz"});
}

bool is_left_over(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(".") || name == "__MACOSX";
}

fs::path fresh_folder(const fs::path& scratch) {
  for (std::size_t number = 0;; ++number) {
    fs::path folder = scratch / std::to_string(number);
    std::error_code failed;
    if (fs::create_directory(folder, failed)) return folder;
    if (failed) {
      throw machine_error(fmt::format("cannot make {}: {}", folder.string(), failed.message()));
    }
  }
}

std::string changed_at(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(info.st_mtime));
}

std::string hash_of(const KernelText& text) {
  std::string all = text.text;
  for (const IncludedText& one : text.included) {
    all += fmt::format("\n{}\n{}", sha256_hex(fs::path(one.name).filename().string()), one.text);
  }
  return sha256_hex(all);
}

Handed not_read(const Where& what, const std::string& why, Unread unread) {
  Handed handed;
  handed.path = what.shown;
  handed.changed_at = changed_at(what.path);
  handed.problem = why;
  handed.unread = unread;
  handed.sha256 = sha256_hex(why);
  return handed;
}

Handed read_one_file(const Where& file) {
  Handed handed;
  read_text(file, run::Author::kOneFile, {file.path.parent_path(), {}}, handed);
  return handed;
}

Handed read_folder(const Where& folder, const Wanted& wanted, const fs::path& scratch) {
  Tree tree(scratch);
  tree.walk(folder);
  std::vector<Candidate> all;
  for (const Where& file : tree.kernels) all.push_back(read_candidate(file, wanted));
  const std::vector<const Candidate*> left = chosen(all);
  if (left.empty()) {
    if (!tree.problems.empty()) return not_read(folder, tree.problems.front());
    for (const Candidate& one : all) tree.others.push_back(one.where.path.filename().string());
    if (tree.others.empty()) return not_read(folder, "the folder is empty", Unread::kNothing);
    return not_read(folder,
                    fmt::format("no .cu file was handed in, but {}", cut_to_names(tree.others)));
  }
  if (left.size() > 1) {
    return not_read(
        folder, fmt::format("which of these counts is for a person to say: {}", shown_names(left)));
  }
  const Where& file = left.front()->where;
  // Of an archive, its own folder: what lies beside it is not where the file was.
  const bool unpacked = file.path.lexically_relative(folder.path).string().starts_with("..");
  Where root = folder;
  if (unpacked) root.path = scratch / *file.path.lexically_relative(scratch).begin();
  Handed handed;
  read_text(file, run::Author::kStudent, root, handed);
  std::error_code failed;
  // A clone's files are as old as the clone.
  if (fs::exists(folder.path / ".git", failed)) handed.changed_at.clear();
  return handed;
}

}  // namespace lab::grade
