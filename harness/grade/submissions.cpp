#include "harness/grade/submissions.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/grade/file_names.h"
#include "harness/run/places.h"

namespace lab::grade {

namespace {

namespace fs = std::filesystem;

bool is_kernel_file(const fs::path& path) {
  return path.extension() == ".cu" || path.extension() == ".ptx";
}

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with("."); }

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!is_hidden(it->path())) entries.push_back(it->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

// The one of the roster that an entry's name is of: the whole of it, or its beginning.
const db::Student* known_by(const std::string& name, const std::vector<db::Student>& roster) {
  const auto find = [&](const std::string& text) -> const db::Student* {
    const auto at = std::find_if(roster.begin(), roster.end(), [&](const db::Student& one) {
      return one.student == text || file_name_of(one.student) == text;
    });
    return at == roster.end() ? nullptr : &*at;
  };
  if (const db::Student* whole = find(name)) return whole;
  for (std::size_t at = name.size(); at > 0; --at) {
    const char c = name[at - 1];
    if (c != '_' && c != '-' && c != '.') continue;
    if (const db::Student* begun = find(name.substr(0, at - 1))) return begun;
  }
  return nullptr;
}

std::string student_of(const std::string& name, const std::vector<db::Student>& roster) {
  const db::Student* known = known_by(name, roster);
  return known == nullptr ? named_by_file(name) : known->student;
}

// A folder may be given as `ada/` or as `.`.
std::string name_of_folder(const fs::path& folder) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

std::string changed_at(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(info.st_mtime));
}

void read_text(const fs::path& file, run::Author author, Submission& submission) {
  submission.path = file.string();
  submission.submitted_at = changed_at(file);
  try {
    KernelText text = run::read_source(file.string(), {}, author, &submission.refused);
    submission.sha256 = hash_of(text);
    // Messages and the database name the file, not where the grader keeps it.
    const std::string folder = file.parent_path().string() + "/";
    for (IncludedText& one : text.included) {
      if (one.name.starts_with(folder)) one.name.erase(0, folder.size());
    }
    text.name = file.filename().string();
    submission.text = std::move(text);
  } catch (const Error& error) {
    if (error.fault() != Fault::kInput) throw;
    submission.problem = error.what();
    // It was handed in: what it holds is what it is known by.
    submission.sha256 = sha256_hex(submission.problem);
  }
}

Submission from_file(const fs::path& file, const std::vector<db::Student>& roster) {
  Submission submission{student_of(file.stem().string(), roster)};
  submission.called = file.stem().string();
  read_text(file, run::Author::kOneFile, submission);
  return submission;
}

Submission refused(Submission submission, const fs::path& path, const std::string& why) {
  submission.path = path.string();
  submission.submitted_at = changed_at(path);
  submission.problem = why;
  submission.sha256 = sha256_hex(why);
  return submission;
}

Submission from_folder(const fs::path& folder, const std::vector<db::Student>& roster) {
  Submission submission{student_of(name_of_folder(folder), roster)};
  submission.called = name_of_folder(folder);
  std::vector<fs::path> files;
  std::error_code failed;
  for (const fs::path& path : entries_of(folder)) {
    const bool regular = fs::is_regular_file(fs::symlink_status(path, failed));
    if (regular && is_kernel_file(path)) files.push_back(path);
  }
  const auto named = std::find_if(files.begin(), files.end(), [](const fs::path& path) {
    return path.filename() == "kernels.cu";
  });
  if (named != files.end()) files = {*named};
  if (files.empty()) return refused(std::move(submission), folder, "the folder has no .cu file");
  if (files.size() > 1) {
    return refused(
        std::move(submission), folder,
        fmt::format("the folder has {} .cu files, none called kernels.cu", files.size()));
  }
  read_text(files.front(), run::Author::kStudent, submission);
  return submission;
}

void add_entry(const fs::path& path, const std::vector<db::Student>& roster,
               std::vector<Submission>& found) {
  std::error_code failed;
  const fs::file_status status = fs::symlink_status(path, failed);
  if (fs::is_symlink(status)) {
    if (!is_kernel_file(path)) return;
    Submission submission{student_of(path.stem().string(), roster)};
    submission.called = path.stem().string();
    found.push_back(refused(std::move(submission), path, "it is a link, not a file"));
  } else if (fs::is_regular_file(status)) {
    if (is_kernel_file(path)) found.push_back(from_file(path, roster));
  } else if (fs::is_directory(status)) {
    found.push_back(from_folder(path, roster));
  }
}

/// Whose a folder is that stands among the paths.
enum class Holds : std::uint8_t { kNothing, kOneStudents, kMany, kEither };

struct Folder {
  fs::path path;
  Holds holds = Holds::kNothing;
  bool by_roster = false;
};

// File names that `lab start` and the rubrics give: they name nobody.
bool is_common(const fs::path& file) {
  const std::string stem = file.stem().string();
  const std::string_view number =
      std::string_view(stem).substr(std::min<std::size_t>(3, stem.size()));
  const bool starter = stem.starts_with("lab") && !number.empty() &&
                       number.find_first_not_of("0123456789") == std::string_view::npos;
  return stem == "kernels" || starter;
}

bool has_kernel(const fs::path& folder) {
  const std::vector<fs::path> all = entries_of(folder);
  return std::any_of(all.begin(), all.end(), is_kernel_file);
}

// `alone`: no other path was given. A folder alone is a class's, unless its one file is called as
// everybody's is; of several, each with one file, each is a student's, as in `sub/*`.
Folder examined(const fs::path& path, bool alone, const std::vector<db::Student>& roster) {
  if (known_by(name_of_folder(path), roster) != nullptr) return {path, Holds::kOneStudents, true};
  std::size_t files = 0;
  bool common = false;
  bool folders = false;
  for (const fs::path& entry : entries_of(path)) {
    std::error_code failed;
    const bool folder = fs::is_directory(fs::symlink_status(entry, failed));
    if (!folder && !is_kernel_file(entry)) continue;
    const std::string name = folder ? name_of_folder(entry) : entry.stem().string();
    if (known_by(name, roster) != nullptr) return {path, Holds::kMany, true};
    files += folder ? 0 : 1;
    common = common || (!folder && is_common(entry));
    folders = folders || (folder && (alone || has_kernel(entry)));
  }
  if (files == 0 && !folders) return {path, Holds::kNothing};
  if (common) return {path, alone && (files > 1 || folders) ? Holds::kEither : Holds::kOneStudents};
  if (folders || alone) return {path, Holds::kMany};
  return {path, files == 1 ? Holds::kOneStudents : Holds::kEither};
}

Error either_error(const fs::path& folder) {
  return input_error(
      fmt::format("'{}' may be one student's folder, or hold those of several", folder.string()),
      "each entry of the one folder in `lab grade LAB FOLDER` is one student's; a roster "
      "(--students) names them");
}

// Folders whose files leave it open are taken like those that do not.
void settle(std::vector<Folder>& folders, bool alone) {
  const auto find = [&](auto&& test) {
    const auto at = std::find_if(folders.begin(), folders.end(), test);
    return at == folders.end() ? nullptr : &*at;
  };
  const Folder* guessed =
      find([](const Folder& one) { return one.holds == Holds::kOneStudents && !one.by_roster; });
  const Folder* other = find([](const Folder& one) {
    return (one.holds == Holds::kMany || one.holds == Holds::kEither) && !one.by_roster;
  });
  if (other != nullptr && (guessed != nullptr || (alone && other->holds == Holds::kEither))) {
    throw either_error(other->path);
  }
  const bool ones =
      find([](const Folder& one) { return one.holds == Holds::kOneStudents; }) != nullptr;
  for (Folder& one : folders) {
    const bool open = one.holds == Holds::kNothing || one.holds == Holds::kEither;
    if (open) one.holds = ones ? Holds::kOneStudents : Holds::kMany;
  }
}

// One of two submissions of a student: the newer, where their names are not the same (a platform's
// numbers, told apart by the roster). Which of two with one name is meant nobody can tell.
void keep_newer(Submission& kept, Submission one) {
  const auto whole = [](const std::string& path) { return fs::absolute(path).lexically_normal(); };
  if (whole(kept.path) == whole(one.path)) return;
  const std::string both = fmt::format("'{}' and '{}'", kept.path, one.path);
  if (kept.called == one.called || kept.submitted_at == one.submitted_at) {
    throw input_error(fmt::format("two submissions are of the student '{}': {}", one.student, both),
                      kept.called == one.called
                          ? "name each after its student, or put it into a folder of that name"
                          : "they are of the same second: leave out the one that does not count");
  }
  if (kept.submitted_at < one.submitted_at) std::swap(kept, one);
  kept.older.insert(kept.older.end(), one.older.begin(), one.older.end());
  kept.older.push_back(one.path);
}

// RFC 4180, one line: rosters have no line ends in their fields.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '"' && quoted && at + 1 < line.size() && line[at + 1] == '"') {
      fields.back() += line[++at];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  for (std::string& field : fields) field = std::string(trim(field));
  return fields;
}

}  // namespace

std::string hash_of(const KernelText& text) {
  std::string all = text.text;
  for (const IncludedText& one : text.included) {
    all += fmt::format("\n{}\n{}", sha256_hex(fs::path(one.name).filename().string()), one.text);
  }
  return sha256_hex(all);
}

std::vector<Submission> find_submissions(const std::vector<std::string>& paths,
                                         const std::vector<db::Student>& roster) {
  std::vector<Submission> found;
  std::vector<Folder> folders;
  const bool alone = paths.size() == 1;
  std::set<fs::path> seen;
  for (const std::string& path : paths) {
    std::error_code failed;
    const fs::file_status status = fs::symlink_status(path, failed);
    if (!fs::exists(status)) {
      throw input_error(fmt::format("there is no file or folder '{}'", path));
    }
    if (!seen.insert(fs::absolute(path).lexically_normal() / "").second) continue;
    if (fs::is_directory(status)) {
      folders.push_back(examined(path, alone, roster));
    } else {
      add_entry(path, roster, found);
    }
  }
  settle(folders, alone);
  for (const Folder& folder : folders) {
    if (folder.holds == Holds::kOneStudents) {
      add_entry(folder.path, roster, found);
    } else {
      for (const fs::path& entry : entries_of(folder.path)) add_entry(entry, roster, found);
      const bool one_file =
          alone && found.size() == 1 && found.front().text.has_value() &&
          fs::path(found.front().path).parent_path() == (folder.path / "").parent_path();
      if (one_file) found.front().may_be_folders = !folder.by_roster;
    }
  }
  std::map<std::string, Submission> students;
  for (Submission& one : found) {
    const auto [at, fresh] = students.try_emplace(one.student, one);
    if (!fresh) keep_newer(at->second, std::move(one));
  }
  for (const db::Student& one : roster) students.try_emplace(one.student, Submission{one.student});
  std::vector<Submission> all;
  for (auto& [student, submission] : students) all.push_back(std::move(submission));
  return all;
}

std::vector<db::Student> read_roster(const std::string& name, const std::string& text) {
  std::vector<db::Student> roster;
  std::map<std::string, std::size_t> columns;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (number == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(3);
    if (trim(line).empty()) continue;
    const std::vector<std::string> fields = fields_of(trim(line));
    const Place place{name, number, 1, std::string(trim(line))};
    if (columns.empty()) {
      for (std::size_t i = 0; i < fields.size(); ++i) columns[fields[i]] = i;
      if (columns.count("student") > 0) continue;
      throw input_error("the roster's first line names no column 'student'",
                        "begin it with: student,name,email", place);
    }
    const auto field = [&](const char* column) {
      const auto at = columns.find(column);
      return at != columns.end() && at->second < fields.size() ? fields[at->second] : std::string();
    };
    db::Student student{field("student"), field("name"), field("email")};
    if (student.student.empty() || student.student.find('/') != std::string::npos) {
      throw input_error("this line names no student", {}, place);
    }
    roster.push_back(std::move(student));
  }
  return roster;
}

}  // namespace lab::grade
