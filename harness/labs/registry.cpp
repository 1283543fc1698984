#include "harness/labs/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "harness/core/files.h"
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

void read_into(Found& found, const fs::path& folder) {
  const std::string name = fs::absolute(folder).lexically_normal().filename().string();
  const auto is_known = [&](const auto& one) { return one.folder == name; };
  if (std::any_of(found.labs.begin(), found.labs.end(), is_known) ||
      std::any_of(found.broken.begin(), found.broken.end(), is_known)) {
    return;
  }
  const std::string file = (folder / kLabFile).string();
  try {
    Lab lab = labs::read_lab(name, file, read_file(file, "the lab", labs::kMostLabBytes));
    lab.path = folder.string();
    const bool known = std::any_of(found.labs.begin(), found.labs.end(), [&](const Lab& other) {
      return other.number == lab.number || other.id == lab.id;
    });
    if (!known) found.labs.push_back(std::move(lab));
  } catch (const Error& error) {
    found.broken.push_back({name, error});
  }
}

Found read_all() {
  Found found;
  for (const std::string& folder : lab_folders()) {
    if (is_lab(folder)) read_into(found, folder);
    for (const fs::path& one : labs_in(folder)) read_into(found, one);
  }
  std::sort(found.labs.begin(), found.labs.end(),
            [](const Lab& a, const Lab& b) { return a.number < b.number; });
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
  const auto& labs = all_labs();
  const auto found =
      std::find_if(labs.begin(), labs.end(), [&](const Lab& lab) { return is_called(lab, name); });
  if (found != labs.end()) return *found;
  for (const BrokenLab& broken : broken_labs()) {
    const Lab named = labs::named_lab(broken.folder);
    if (is_called(named, name)) throw broken.error;
  }
  std::vector<std::string> ids;
  for (const auto& lab : labs) ids.push_back(lab.id);
  throw input_error("there is no lab '" + std::string(name) + "'", suggestion(name, ids));
}

const Lab* lab_with_number(int number) {
  const auto& labs = all_labs();
  const auto found =
      std::find_if(labs.begin(), labs.end(), [&](const Lab& lab) { return lab.number == number; });
  return found == labs.end() ? nullptr : &*found;
}

}  // namespace lab
