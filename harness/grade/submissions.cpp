#include "harness/grade/submissions.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "harness/core/error.h"
#include "harness/core/text.h"
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

// The student that a name is of: the whole of it, or its beginning where the roster knows that.
std::string student_of(const std::string& name, const std::vector<db::Student>& roster) {
  const auto known = [&](const std::string& student) {
    return std::any_of(roster.begin(), roster.end(),
                       [&](const db::Student& one) { return one.student == student; });
  };
  if (known(name)) return name;
  for (std::size_t at = name.size(); at > 0; --at) {
    const char c = name[at - 1];
    if (c != '_' && c != '-' && c != '.') continue;
    if (known(name.substr(0, at - 1))) return name.substr(0, at - 1);
  }
  return name;
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
  Submission submission{student_of(folder.filename().string(), roster)};
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

void add_entry(const fs::path& path, const std::vector<db::Student>& roster, bool search,
               std::vector<Submission>& found) {
  std::error_code failed;
  const fs::file_status status = fs::symlink_status(path, failed);
  if (fs::is_symlink(status)) {
    if (!is_kernel_file(path)) return;
    found.push_back(refused(Submission{student_of(path.stem().string(), roster)}, path,
                            "it is a link, not a file"));
  } else if (fs::is_regular_file(status)) {
    if (is_kernel_file(path)) found.push_back(from_file(path, roster));
  } else if (fs::is_directory(status) && search) {
    for (const fs::path& entry : entries_of(path)) add_entry(entry, roster, false, found);
  } else if (fs::is_directory(status)) {
    found.push_back(from_folder(path, roster));
  }
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

std::vector<Submission> find_submissions(const std::vector<std::string>& paths,
                                         const std::vector<db::Student>& roster) {
  std::vector<Submission> found;
  for (const std::string& path : paths) {
    std::error_code failed;
    if (!fs::exists(fs::symlink_status(path, failed))) {
      throw input_error(fmt::format("there is no file or folder '{}'", path));
    }
    add_entry(path, roster, true, found);
  }
  std::map<std::string, Submission> newest;
  for (Submission& one : found) {
    const auto [at, fresh] = newest.try_emplace(one.student, one);
    if (!fresh && at->second.submitted_at <= one.submitted_at) at->second = std::move(one);
  }
  for (const db::Student& one : roster) newest.try_emplace(one.student, Submission{one.student});
  std::vector<Submission> all;
  for (auto& [student, submission] : newest) all.push_back(std::move(submission));
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
