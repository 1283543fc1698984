#include "harness/labs/new_lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <regex>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/labs/lab_file.h"
#include "harness/labs/registry.h"

namespace lab::labs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTemplate = "example/stencil";
// Commands whose next word is a lab.
constexpr const char* kOfALab =
    "run|show|map|explain|fix|ncu|start|watch|guess|quiz|hint|submit|grade|copies|test";

// As a regular expression: only letters, digits, _ and - are in them.
std::string names_of(const Lab& lab) {
  std::string names = lab.folder + "|" + lab.id + "|" + lab.called();
  if (lab.called() != lab.id) names += "|0" + lab.called();
  return names;
}

// Of what a name ends in, no letter is another name's.
constexpr const char* kEnd = "(?![A-Za-z0-9_]|-[A-Za-z0-9])";

// `warp-scan` reads `Warp scan`.
std::string title_of(const Lab& lab) {
  std::string title = lab.id;
  for (char& c : title) c = c == '-' || c == '_' ? ' ' : c;
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string replaced(const std::string& text, const std::string& pattern, const std::string& by,
                     std::regex::flag_type more = std::regex::ECMAScript) {
  return std::regex_replace(text, std::regex(pattern, more | std::regex::ECMAScript), by);
}

void require_name(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  const bool has_letter =
      std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  if (plain && has_letter && name[0] != '-' && name[0] != '_' && name != "all") return;
  throw input_error(fmt::format("'{}' is not a name for a lab", name),
                    "letters, digits, - and _: warp-scan, or 13_scan, which is lab 13");
}

void require_free(const Lab& names) {
  for (const Lab& other : all_labs()) {
    if (other.id == names.id || other.folder == names.folder) {
      throw input_error(fmt::format("there is a lab '{}' already: {}", other.id, other.path),
                        "give the new one another name");
    }
    if (other.number == names.number) {
      throw input_error(fmt::format("lab {} is '{}': {}", other.number, other.id, other.path),
                        "give the new one another number, or a name alone: warp-scan");
    }
  }
}

bool is_text(const fs::path& file) {
  constexpr std::array<std::string_view, 6> kEndings = {".cu", ".cuh",  ".h",
                                                        ".md", ".toml", ".txt"};
  return std::find(kEndings.begin(), kEndings.end(), file.extension().string()) != kEndings.end();
}

std::vector<fs::path> files_of(const Lab& lab) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(lab.path, failed)) {
    const bool hidden = entry.path().filename().string().starts_with('.');
    if (!hidden && entry.symlink_status().type() == fs::file_type::regular && is_text(entry.path()))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void make_folder(const fs::path& folder) {
  std::error_code failed;
  if (fs::create_directory(folder, failed)) return;
  if (!failed || failed == std::errc::file_exists) {
    throw input_error(fmt::format("'{}' is there already: nothing was written", folder.string()),
                      "give the new lab another name, or --output another folder");
  }
  throw input_error(
      fmt::format("the folder '{}' can't be made: {}", folder.string(), failed.message()),
      "--output names a folder that is there and that you may write to");
}

}  // namespace

const Lab& example_lab() {
  for (const std::string& folder : lab_folders()) {
    std::error_code ignored;
    const fs::path example = fs::path(folder) / kTemplate;
    if (fs::exists(example / "lab.toml", ignored)) return find_lab(example.string());
  }
  throw input_error(fmt::format("the example '{}' is not beside the labs", kTemplate),
                    "copy a lab: lab new NAME --from 8");
}

std::string renamed(const std::string& file, std::string text, const Lab& from, const Lab& to) {
  // A command may be broken over lines of a comment. Groups have two digits: a number may follow.
  const std::string blank = "(?:[ \t]|\n(?:// ?|# ?)?)+";
  const std::string title = title_of(to);
  const auto nocase = std::regex::icase;
  text = replaced(text, "(?:labs/)?" + from.folder + kEnd, to.folder);
  text = replaced(
      text,
      "\\blab(" + blank + ")(" + kOfALab + ")(" + blank + ")(?:" + names_of(from) + ")" + kEnd,
      "lab$01$02$03" + to.called());
  text = replaced(text, "\\b([Ll]ab) " + from.called() + kEnd, "$1 " + to.called());
  text = replaced(text, "\\b(Lab " + to.called() + ": )" + from.title + kEnd, "$01" + lower(title),
                  nocase);
  text = replaced(text, "\\blab" + from.called() + "\\.cu\\b", "lab" + to.called() + ".cu");
  if (file == "rubric.toml") text = replaced(text, "(^|\n)lab *=[^\n]*\n", "$1");
  if (file == "lab.toml") {
    text = replaced(text, "(^|\n)(title *= *)\"[^\n]*\"", "$1$2\"" + title + "\"");
  }
  return text;
}

MadeLab make_lab(const std::string& name, const std::string& parent, const Lab& from) {
  require_name(name);
  MadeLab made{(fs::path(parent) / name).string(), named_lab(name)};
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(made.folder, ignored))) require_free(made.names);
  std::vector<std::string> texts;
  for (const fs::path& path : files_of(from)) {
    made.files.push_back(path.filename().string());
    texts.push_back(
        renamed(made.files.back(), read_file(path.string(), "the lab's file"), from, made.names));
  }
  make_folder(made.folder);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    write_file((fs::path(made.folder) / made.files[i]).string(), texts[i], "the lab's file");
  }
  return made;
}

}  // namespace lab::labs
