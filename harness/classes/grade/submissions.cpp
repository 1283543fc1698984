#include "harness/classes/grade/submissions.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "harness/classes/grade/entry_names.h"
#include "harness/classes/grade/file_names.h"
#include "harness/classes/grade/unzip.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/run/temporary_folder.h"

namespace lab::grade {

namespace {

namespace fs = std::filesystem;

std::vector<Where> entries_of(const Where& folder) {
  std::vector<Where> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder.path, error), end; !error && it != end;
       it.increment(error)) {
    if (is_left_over(it->path())) continue;
    entries.push_back({it->path(), folder.shown + "/" + it->path().filename().string()});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Where& a, const Where& b) { return a.path < b.path; });
  return entries;
}

bool is_folder(const Where& one) {
  std::error_code failed;
  return fs::is_directory(fs::symlink_status(one.path, failed));
}

// A folder may be given as `ada/` or as `.`; of a file, the name without its ending.
std::string called(const Where& one) {
  const fs::path path = fs::absolute(one.shown).lexically_normal();
  const fs::path name = (path.has_filename() ? path : path.parent_path()).filename();
  return is_kernel_file(name) || is_zip(name) || is_other_archive(name) ? name.stem().string()
                                                                        : name.string();
}

/// Whose a folder is that stands among the paths.
enum class Holds : std::uint8_t { kNothing, kOneStudents, kMany, kEither };

struct Folder {
  Where where;
  Holds holds = Holds::kNothing;
  bool known = false;  ///< by the roster, or a platform's export
};

// File names that `lab start` and the rubrics give: they name nobody.
bool is_common(const std::string& stem) {
  const std::string_view number =
      std::string_view(stem).substr(std::min<std::size_t>(3, stem.size()));
  const bool starter = stem.starts_with("lab") && !number.empty() &&
                       number.find_first_not_of("0123456789") == std::string_view::npos;
  return stem == "kernels" || starter;
}

bool has_kernel(const Where& folder) {
  const std::vector<Where> all = entries_of(folder);
  return std::any_of(all.begin(), all.end(),
                     [](const Where& one) { return is_kernel_file(one.path); });
}

constexpr const char* kExport = "submission_metadata.yml";
constexpr const char* kAutograders = "submission_metadata.json";

bool is_file(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(fs::symlink_status(path, failed));
}

// `alone`: no other path was given. A folder alone is a class's, unless its one file is called as
// everybody's is; of several, each with one file, each is a student's, as in `sub/*`.
Folder examined(const Where& where, bool alone, const Roster& roster) {
  if (find(roster, called(where)) != nullptr) return {where, Holds::kOneStudents, true};
  if (is_file(where.path / kExport)) return {where, Holds::kMany, true};
  std::size_t files = 0;
  bool common = false;
  bool folders = false;
  for (const Where& entry : entries_of(where)) {
    const bool folder = is_folder(entry);
    const bool zip = is_zip(entry.path);
    if (read_entry_name(entry.path.filename().string())) return {where, Holds::kMany, true};
    if (!folder && !zip && !is_kernel_file(entry.path)) continue;
    if (find(roster, called(entry)) != nullptr) return {where, Holds::kMany, true};
    files += folder ? 0 : 1;
    common = common || (!folder && is_common(called(entry)));
    folders = folders || (folder && (alone || has_kernel(entry)));
  }
  if (files == 0 && !folders) return {where, Holds::kNothing};
  if (common) {
    return {where, alone && (files > 1 || folders) ? Holds::kEither : Holds::kOneStudents};
  }
  if (folders || alone) return {where, Holds::kMany};
  return {where, files == 1 ? Holds::kOneStudents : Holds::kEither};
}

Error either_error(const Where& folder) {
  return input_error(
      fmt::format("'{}' may be one student's folder, or hold those of several", folder.shown),
      "each entry of the one folder in `lab grade LAB FOLDER` is one student's; a roster "
      "(--students) names them");
}

// Folders whose files leave it open are taken like those that do not.
void settle(std::vector<Folder>& folders, bool alone) {
  const auto first = [&](auto&& test) {
    const auto at = std::find_if(folders.begin(), folders.end(), test);
    return at == folders.end() ? nullptr : &*at;
  };
  const Folder* guessed =
      first([](const Folder& one) { return one.holds == Holds::kOneStudents && !one.known; });
  const Folder* other = first([](const Folder& one) {
    return (one.holds == Holds::kMany || one.holds == Holds::kEither) && !one.known;
  });
  if (other != nullptr && (guessed != nullptr || (alone && other->holds == Holds::kEither))) {
    throw either_error(other->where);
  }
  const bool ones =
      first([](const Folder& one) { return one.holds == Holds::kOneStudents; }) != nullptr;
  for (Folder& one : folders) {
    const bool open = one.holds == Holds::kNothing || one.holds == Holds::kEither;
    if (open) one.holds = ones ? Holds::kOneStudents : Holds::kMany;
  }
}

/// A submission with what decides between two of one student.
struct Found {
  Submission submission;
  std::string key = {};    ///< of the platform's for the person; empty: it has none
  std::string order = {};  ///< when it was handed in, to sort by
};

std::string key_of(const Called& person) {
  return person.keys.empty() ? person.name : person.keys.front();
}

// One of two submissions of a student: the newer, where their names are not the same (a platform's
// numbers, told apart by the roster). Which of two with one name is meant nobody can tell.
void keep_newer(Found& kept, Found one) {
  const auto whole = [](const std::string& path) { return fs::absolute(path).lexically_normal(); };
  Submission& first = kept.submission;
  Submission& second = one.submission;
  if (whole(first.path) == whole(second.path)) return;
  const std::string both = fmt::format("'{}' and '{}'", first.path, second.path);
  const std::string of =
      fmt::format("two submissions are of the student '{}': {}", first.student, both);
  if (kept.key != one.key && !kept.key.empty() && !one.key.empty()) {
    throw input_error(of,
                      "the platform has them as two people: a roster with their numbers or "
                      "addresses tells them apart");
  }
  if (kept.key.empty() && first.called == second.called) {
    throw input_error(of, "name each after its student, or put it into a folder of that name");
  }
  if (kept.order == one.order) {
    throw input_error(of, "neither is the newer one: leave out the one that does not count");
  }
  if (kept.order < one.order) std::swap(kept, one);
  kept.submission.older.insert(kept.submission.older.end(), second.older.begin(),
                               second.older.end());
  kept.submission.older.push_back(second.path);
}

class Finder {
 public:
  Finder(const Roster& roster, const Wanted& wanted) : roster_(roster), wanted_(wanted) {}

  std::vector<Submission> find_all(const std::vector<std::string>& paths) {
    const bool alone = paths.size() == 1;
    std::vector<Folder> folders;
    std::set<fs::path> seen;
    for (const std::string& path : paths) {
      std::error_code failed;
      if (!fs::exists(fs::symlink_status(path, failed))) {
        throw input_error(fmt::format("there is no file or folder '{}'", path));
      }
      if (!seen.insert(fs::absolute(path).lexically_normal() / "").second) continue;
      const Where where{path, path};
      if (is_folder(where)) {
        folders.push_back(examined(unwrapped(where, alone), alone, roster_));
      } else if (is_zip(path) && alone) {
        folders.push_back(examined(unwrapped(unpacked(where), alone), alone, roster_));
      } else {
        add_entry(where);
      }
    }
    settle(folders, alone);
    for (const Folder& folder : folders) {
      if (folder.holds == Holds::kOneStudents) {
        add_entry(folder.where);
      } else {
        add_class(folder);
        const bool one_file = alone && found_.size() == 1 && !folder.known && files_ == 1 &&
                              found_.front().submission.text.has_value();
        if (one_file) found_.front().submission.may_be_folders = true;
      }
    }
    return by_student();
  }

 private:
  [[nodiscard]] Where unpacked(const Where& archive) {
    const fs::path folder = fresh_folder(scratch_.path());
    const std::string why = unzip(archive.path.string(), folder, of_class_);
    if (!why.empty()) {
      throw input_error(fmt::format("'{}' cannot be unpacked: {}", archive.shown, why));
    }
    return {folder, archive.shown};
  }

  // An archive often has all in one folder, as an export has: a class's, where its entries say so.
  [[nodiscard]] Where unwrapped(const Where& where, bool alone) const {
    const std::vector<Where> entries = entries_of(where);
    if (!alone || entries.size() != 1 || !is_folder(entries.front())) return where;
    const Where& inner = entries.front();
    if (find(roster_, called(inner)) != nullptr) return where;
    // A folder's one folder may be a student's, whatever the student calls the files in it.
    if (!is_zip(where.shown)) return is_file(inner.path / kExport) ? inner : where;
    const bool of_class = is_file(inner.path / kExport) || examined(inner, false, roster_).known;
    return of_class || called(inner) == called(where) ? inner : where;
  }

  void add_class(const Folder& folder) {
    const fs::path& path = folder.where.path;
    std::map<std::string, Submitters> submitters;
    std::optional<Submitters> of_all;
    const auto text_of = [&](const char* name) {
      return read_file((path / name).string(), "the submissions' metadata");
    };
    if (is_file(path / kExport)) submitters = read_export(kExport, text_of(kExport));
    if (is_file(path / kAutograders))
      of_all = read_autograders(kAutograders, text_of(kAutograders));
    std::map<std::string, std::vector<Where>> of_platform;
    for (const Where& entry : entries_of(folder.where)) {
      const std::string name = entry.path.filename().string();
      const auto at = submitters.find(called(entry));
      const auto platforms = read_entry_name(name);
      if (at != submitters.end()) {
        add_submitters(entry, at->second);
      } else if (of_all && is_folder(entry)) {
        add_submitters(entry, *of_all);
      } else if (platforms && !platforms->file.empty()) {
        of_platform[platforms->submission].push_back(entry);
      } else {
        add_entry(entry);
      }
    }
    for (const auto& [submission, files] : of_platform) add_files(files);
  }

  // Each entry of a class's folder, or a path.
  void add_entry(const Where& entry) {
    const std::string name = called(entry);
    const auto platforms = read_entry_name(entry.path.filename().string());
    std::error_code failed;
    const fs::file_status status = fs::symlink_status(entry.path, failed);
    if (fs::is_symlink(status)) {
      if (is_kernel_file(entry.path)) add(not_read(entry, "it is a link, not a file"), name, {});
    } else if (fs::is_directory(status)) {
      add(read_folder(entry, wanted_, scratch_.path()), name, platforms);
    } else if (!fs::is_regular_file(status)) {
      return;
    } else if (is_kernel_file(entry.path)) {
      ++files_;
      add(read_one_file(entry), name, platforms);
    } else if (is_zip(entry.path)) {
      add(read_archive(entry), name, platforms);
    } else if (is_other_archive(entry.path) || find(roster_, entry.path.stem().string())) {
      // Counts where there is nothing else of the student.
      Handed handed = not_read(entry, "it is not a .cu file, and cannot be read here");
      unread_.push_back(found_of(std::move(handed), entry.path.stem().string(), platforms));
    }
  }

  [[nodiscard]] Handed read_archive(const Where& archive) {
    // Within a folder of its own, an archive is what a student's folder holds.
    const fs::path folder = fresh_folder(scratch_.path());
    std::error_code failed;
    const std::string name = archive.path.filename().string();
    fs::copy_file(archive.path, folder / name, failed);
    if (failed) return not_read(archive, "it cannot be read: " + failed.message());
    Handed handed = read_folder({folder, archive.shown}, wanted_, scratch_.path());
    const std::string inner = archive.shown + "/" + name;
    if (handed.path.starts_with(inner)) handed.path.replace(0, inner.size(), archive.shown);
    if (!handed.text) handed.changed_at = changed_at(archive.path);
    return handed;
  }

  // Several files of one student's, as a platform names them: under the student's names.
  void add_files(const std::vector<Where>& files) {
    const EntryName first = *read_entry_name(files.front().path.filename().string());
    const Where folder{fresh_folder(scratch_.path()), files.front().shown};
    std::map<std::string, std::string> shown;
    for (const Where& file : files) {
      const std::string name = read_entry_name(file.path.filename().string())->file;
      std::error_code failed;
      if (!is_file(file.path) || !fs::copy_file(file.path, folder.path / name, failed)) continue;
      fs::last_write_time(folder.path / name, fs::last_write_time(file.path, failed), failed);
      shown[folder.shown + "/" + name] = file.shown;
    }
    Handed handed = read_folder(folder, wanted_, scratch_.path());
    for (const auto& [inner, path] : shown) {
      if (handed.path.starts_with(inner)) handed.path.replace(0, inner.size(), path);
    }
    add(std::move(handed), called(files.front()), first);
  }

  void add_submitters(const Where& entry, const Submitters& submitters) {
    const Handed handed =
        is_zip(entry.path) ? read_archive(entry) : read_folder(entry, wanted_, scratch_.path());
    if (submitters.people.empty()) add(handed, called(entry), {});
    for (const Called& person : submitters.people) {
      Found one = found_of(handed, key_of(person), EntryName{person});
      if (!submitters.created_at.empty()) {
        one.order = one.submission.submitted_at = submitters.created_at;
      }
      found_.push_back(std::move(one));
    }
  }

  void add(Handed handed, const std::string& name, const std::optional<EntryName>& platforms) {
    found_.push_back(found_of(std::move(handed), name, platforms));
  }

  [[nodiscard]] Found found_of(Handed handed, const std::string& name,
                               const std::optional<EntryName>& platforms) const {
    Found found{{std::move(handed)}};
    Submission& submission = found.submission;
    submission.called = name;
    submission.submitted_at = submission.changed_at;
    found.order = submission.submitted_at;
    const Rostered* known = platforms ? find(roster_, platforms->called) : nullptr;
    if (known == nullptr) known = find(roster_, name);
    if (platforms) {
      found.key = key_of(platforms->called);
      if (!platforms->handed_in.empty()) found.order = platforms->handed_in;
    }
    if (known != nullptr) {
      submission.student = known->student;
    } else {
      // A login or an address is shorter than a person's name, and nobody else's.
      const bool key = platforms && platforms->submission.empty();
      submission.student =
          !platforms ? named_by_file(name) : (key ? found.key : platforms->called.name);
      submission.off_roster = !roster_.empty();
    }
    return found;
  }

  // Two people whom a platform calls by one name are two of ours.
  void tell_apart() {
    std::map<std::string, std::set<std::string>> keys;
    for (const Found& one : found_) {
      const bool known = std::any_of(roster_.begin(), roster_.end(), [&](const Rostered& student) {
        return student.student == one.submission.student;
      });
      if (!known && !one.key.empty()) keys[one.submission.student].insert(one.key);
    }
    for (Found& one : found_) {
      if (keys[one.submission.student].size() > 1) {
        one.submission.student = fmt::format("{} ({})", one.submission.student, one.key);
      }
    }
  }

  std::vector<Submission> by_student() {
    tell_apart();
    std::map<std::string, Found> students;
    for (Found& one : found_) {
      const auto [at, fresh] = students.try_emplace(one.submission.student, one);
      if (!fresh) keep_newer(at->second, std::move(one));
    }
    for (Found& one : unread_) {
      const std::string student = one.submission.student;
      students.try_emplace(student, std::move(one));
    }
    for (const Rostered& one : roster_) {
      Found missing;
      missing.submission.student = one.student;
      students.try_emplace(one.student, std::move(missing));
    }
    std::vector<Submission> all;
    for (auto& [student, one] : students) all.push_back(std::move(one.submission));
    return all;
  }

  const Roster& roster_;
  const Wanted& wanted_;
  run::TemporaryFolder scratch_{"lab-handed-in"};
  UnzipBounds of_class_;
  std::vector<Found> found_;
  std::vector<Found> unread_;
  std::size_t files_ = 0;  // that are a submission each
};

}  // namespace

std::vector<Submission> find_submissions(const std::vector<std::string>& paths,
                                         const Roster& roster, const Wanted& wanted) {
  return Finder(roster, wanted).find_all(paths);
}

}  // namespace lab::grade
