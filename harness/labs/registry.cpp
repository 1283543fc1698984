#include "harness/labs/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>

#include "harness/core/error.h"
#include "harness/core/file_cache.h"
#include "harness/core/files.h"
#include "harness/core/parallel.h"
#include "harness/core/text.h"
#include "harness/core/unicode.h"
#include "harness/labs/lab_file.h"

namespace lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLabFile = "lab.toml";
constexpr std::string_view kWhatTheyHold =
    "it holds folders such as 01_coalescing, each with a lab.toml";

bool is_lab(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kLabFile, ignored);
}

std::vector<fs::path> labs_in(const fs::path& folder) {
  std::vector<fs::path> labs;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (is_lab(entry.path())) labs.push_back(entry.path());
  }
  std::sort(labs.begin(), labs.end());
  return labs;
}

std::optional<fs::path> beside_program() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  for (fs::path folder = program.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    for (const char* name : {"labs", "share/lab/labs"}) {
      if (!labs_in(folder / name).empty()) return folder / name;
    }
    if (folder == folder.root_path()) break;
  }
  if (!labs_in("labs").empty()) return "labs";
  return {};
}

// A folder of labs, a folder beside `labs`, or one lab by itself.
std::vector<std::string> folders_of_path() {
  std::vector<std::string> folders;
  const char* const variable = std::getenv("LAB_PATH");
  for (const std::string_view part : split(variable == nullptr ? "" : variable, ':')) {
    if (part.empty()) continue;
    const fs::path folder(part);
    if (!labs_in(folder).empty() || is_lab(folder)) {
      folders.push_back(folder.string());
    } else if (!labs_in(folder / "labs").empty()) {
      folders.push_back((folder / "labs").string());
    } else {
      throw input_error(fmt::format("LAB_PATH names a folder without labs: '{}'", part),
                        std::string(kWhatTheyHold));
    }
  }
  return folders;
}

std::vector<std::string> find_folders() {
  std::vector<std::string> folders = folders_of_path();
  if (const auto ours = beside_program()) folders.push_back(ours->string());
  if (folders.empty()) {
    throw input_error("the folder of the labs was not found beside the program or above it",
                      fmt::format("set LAB_PATH to it: {}", kWhatTheyHold));
  }
  return folders;
}

/// A lab's folder, and what came of it.
struct Entry {
  fs::path folder;
  Lab named;  ///< as its folder calls it
  std::variant<std::monostate, Lab, Error> read = {};
};

// Also of `.` and of `warp-scan/`.
Lab named_by(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return labs::named_lab((whole.has_filename() ? whole : whole.parent_path()).filename().string());
}

bool is_same(const Lab& a, const Lab& b) { return a.number == b.number || a.id == b.id; }

// A course's lab 3 goes before ours. Two of one folder can't both be meant, nor can two names of
// which the same number is made.
bool is_clash(const Entry& one, const Entry& other) {
  return one.named.number == other.named.number && one.named.id != other.named.id &&
         (one.named.number >= kFirstOfNames ||
          one.folder.parent_path() == other.folder.parent_path());
}

Error clash_of(const Entry& one, const Entry& first) {
  return input_error(fmt::format("{} and {} have one number: {}", one.named.folder,
                                 first.named.folder, one.named.number),
                     "results are stored by number: rename one of the two folders");
}

// A lab's name is printed everywhere: one that a terminal would act on is none.
Entry entry_of(const fs::path& folder) {
  Entry entry{folder, named_by(folder)};
  const std::string shown = safe_line(entry.named.folder);
  if (shown == entry.named.folder) return entry;
  entry.read = input_error(
      fmt::format("the folder's name, '{}', has characters that act on a terminal", shown),
      "rename the folder: the lab is read then");
  return entry;
}

// They stay where they are as others come in: who asks for a lab keeps a reference.
std::deque<Entry> find_entries() {
  std::deque<Entry> entries;
  const auto add = [&](const fs::path& folder) {
    Entry one = entry_of(folder);
    const auto first = std::find_if(entries.begin(), entries.end(), [&](const Entry& other) {
      return is_same(other.named, one.named);
    });
    if (first != entries.end() && !is_clash(one, *first)) return;
    if (first != entries.end()) one.read = clash_of(one, *first);
    entries.push_back(std::move(one));
  };
  for (const std::string& folder : lab_folders()) {
    if (is_lab(folder)) add(folder);
    for (const fs::path& one : labs_in(folder)) add(one);
  }
  return entries;
}

std::string text_of(const Entry& entry) {
  const fs::path file = entry.folder / kLabFile;
  std::error_code failed;
  if (fs::is_symlink(file, failed) && fs::weakly_canonical(file, failed).parent_path() !=
                                          fs::weakly_canonical(entry.folder, failed)) {
    throw input_error(
        fmt::format("'{}' is a link that leads out of the lab's folder: it is not read",
                    safe_line(file.string())));
  }
  return read_file(file.string(), "the lab", labs::kMostLabBytes);
}

void read_entry(Entry& entry) {
  const std::string file = (entry.folder / kLabFile).string();
  try {
    Lab lab = labs::read_lab(entry.named.folder, file, text_of(entry));
    lab.path = entry.folder.string();
    entry.read = std::move(lab);
  } catch (const Error& error) {
    entry.read = error;
  }
}

// Most commands want one lab: each is read when it is asked for.
std::deque<Entry>& entries() {
  static std::deque<Entry> entries = find_entries();
  return entries;
}

const Entry& read_once(Entry& entry) {
  if (std::holds_alternative<std::monostate>(entry.read)) read_entry(entry);
  return entry;
}

const Lab& lab_of(Entry& entry) {
  const Entry& read = read_once(entry);
  if (const auto* error = std::get_if<Error>(&read.read)) throw *error;
  return std::get<Lab>(read.read);
}

bool is_same_folder(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored);
}

// A lab that is named by its path goes before those that are found.
const Lab& lab_at(const fs::path& folder) {
  if (!is_lab(folder)) {
    throw input_error(fmt::format("'{}' has no {}", folder.string(), kLabFile),
                      fmt::format("lab new {} makes a folder that has one", named_by(folder).id));
  }
  for (Entry& entry : entries()) {
    if (is_same_folder(entry.folder, folder)) return lab_of(entry);
  }
  return lab_of(entries().emplace_front(entry_of(folder)));
}

std::pair<int, std::string> place_of(const Lab& lab) {
  return {lab.called() == lab.id ? INT_MAX : lab.number, lab.id};
}

std::vector<BrokenLab> broken_of(const std::deque<Entry>& entries) {
  std::vector<BrokenLab> broken;
  for (const Entry& entry : entries) {
    if (const auto* error = std::get_if<Error>(&entry.read)) {
      broken.push_back({entry.named.folder, entry.folder.string(), *error});
    }
  }
  return broken;
}

const std::deque<Entry>& read_all() {
  std::deque<Entry>& all = entries();
  in_parts(all.size(), 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) read_once(all[i]);
  });
  return all;
}

std::vector<Lab> labs_of(const std::deque<Entry>& entries) {
  std::vector<Lab> labs;
  for (const Entry& entry : entries) {
    const auto is_this = [&](const Lab& other) { return is_same(other, entry.named); };
    if (std::any_of(labs.begin(), labs.end(), is_this)) continue;
    if (const auto* lab = std::get_if<Lab>(&entry.read)) labs.push_back(*lab);
  }
  std::sort(labs.begin(), labs.end(),
            [](const Lab& a, const Lab& b) { return place_of(a) < place_of(b); });
  return labs;
}

// A file that can't be opened is told as one that can't be read.
std::optional<labs::Outline> kept_outline(const Entry& entry, const FileCache& cache) {
  if (!std::holds_alternative<std::monostate>(entry.read)) return std::nullopt;
  try {
    const auto kept = cache.get(labs::outline_key(entry.named.folder, text_of(entry)));
    if (!kept) return std::nullopt;
    auto outline = labs::decode_outline(*kept, entry.named);
    if (outline) outline->head.path = entry.folder.string();
    return outline;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<labs::Outline> outline_of(Entry& entry, const FileCache& cache) {
  if (auto kept = kept_outline(entry, cache)) return kept;
  const Lab* const lab = std::get_if<Lab>(&read_once(entry).read);
  if (lab == nullptr) return std::nullopt;
  labs::Outline outline = labs::outline_of(*lab);
  cache.put(labs::outline_key(entry.named.folder, text_of(entry)), labs::encode(outline));
  return outline;
}

bool is_called(const Lab& lab, std::string_view name) {
  const auto number = std::to_string(lab.number);
  const bool padded = name.size() == 2 && name[0] == '0' && name.substr(1) == number;
  return name == number || padded || name == lab.id || name == lab.folder;
}

}  // namespace

const std::vector<std::string>& lab_folders() {
  static const std::vector<std::string> kFolders = find_folders();
  return kFolders;
}

const std::vector<Lab>& all_labs() {
  static const std::vector<Lab> kLabs = labs_of(read_all());
  return kLabs;
}

std::vector<BrokenLab> broken_labs() { return broken_of(read_all()); }

LabList list_labs() {
  constexpr std::uint64_t kBound = std::uint64_t{1} << 20;
  const FileCache cache(user_cache_folder("labs"), kBound);
  std::deque<Entry>& all = entries();
  std::vector<std::optional<labs::Outline>> outlines(all.size());
  in_parts(all.size(), 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) outlines[i] = outline_of(all[i], cache);
  });
  LabList list{{}, broken_of(all)};
  for (auto& outline : outlines) {
    if (outline) list.labs.push_back(std::move(*outline));
  }
  std::sort(list.labs.begin(), list.labs.end(),
            [](const auto& a, const auto& b) { return place_of(a.head) < place_of(b.head); });
  return list;
}

const Lab& find_lab(std::string_view name) {
  if (name.find('/') != std::string_view::npos) return lab_at(name);
  std::vector<std::string> ids;
  for (Entry& entry : entries()) {
    ids.push_back(entry.named.id);
    if (is_called(entry.named, name)) return lab_of(entry);
  }
  if (is_lab(name)) return lab_at(name);
  throw input_error("there is no lab '" + std::string(name) + "'", suggestion(name, ids));
}

const Lab* lab_with_number(int number) {
  for (Entry& entry : entries()) {
    if (entry.named.number == number) return std::get_if<Lab>(&read_once(entry).read);
  }
  return nullptr;
}

bool is_beside_program(const std::string& path) {
  return is_same_folder(fs::path(path).parent_path(), lab_folders().back());
}

}  // namespace lab
