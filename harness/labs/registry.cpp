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

#include "harness/core/files.h"
#include "harness/core/parallel.h"
#include "harness/core/text.h"
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

struct Found {
  std::vector<Lab> labs;
  std::vector<BrokenLab> broken;
};

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

// They stay where they are as others come in: who asks for a lab keeps a reference.
std::deque<Entry> find_entries() {
  std::deque<Entry> entries;
  const auto add = [&](const fs::path& folder) {
    Lab named = named_by(folder);
    const bool known = std::any_of(entries.begin(), entries.end(),
                                   [&](const Entry& other) { return is_same(other.named, named); });
    if (!known) entries.push_back({folder, std::move(named)});
  };
  for (const std::string& folder : lab_folders()) {
    if (is_lab(folder)) add(folder);
    for (const fs::path& one : labs_in(folder)) add(one);
  }
  return entries;
}

void read_entry(Entry& entry) {
  const std::string file = (entry.folder / kLabFile).string();
  try {
    Lab lab =
        labs::read_lab(entry.named.folder, file, read_file(file, "the lab", labs::kMostLabBytes));
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
  return lab_of(entries().emplace_front(Entry{folder, named_by(folder)}));
}

Found read_all() {
  std::deque<Entry>& all = entries();
  in_parts(all.size(), 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) read_once(all[i]);
  });
  Found found;
  for (const Entry& entry : all) {
    const auto is_this = [&](const Lab& other) { return is_same(other, entry.named); };
    if (std::any_of(found.labs.begin(), found.labs.end(), is_this)) continue;
    if (const auto* lab = std::get_if<Lab>(&entry.read)) found.labs.push_back(*lab);
    if (const auto* error = std::get_if<Error>(&entry.read)) {
      found.broken.push_back({entry.named.folder, entry.folder.string(), *error});
    }
  }
  const auto place = [](const Lab& lab) {
    return lab.called() == lab.id ? std::pair(INT_MAX, lab.id) : std::pair(lab.number, lab.id);
  };
  std::sort(found.labs.begin(), found.labs.end(),
            [&](const Lab& a, const Lab& b) { return place(a) < place(b); });
  return found;
}

const Found& found_labs() {
  static const Found kFound = read_all();
  return kFound;
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

const std::vector<Lab>& all_labs() { return found_labs().labs; }
const std::vector<BrokenLab>& broken_labs() { return found_labs().broken; }

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
