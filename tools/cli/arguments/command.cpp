#include "tools/cli/arguments/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::cli {

namespace {

std::string synopsis(const Command& command) {
  std::string text = "lab " + command.name;
  const Positional& positional = command.positional;
  if (!positional.name.empty()) {
    const std::string name = positional.name + (positional.repeats() ? "..." : "");
    text += positional.min == 0 ? fmt::format(" [{}]", name) : " " + name;
  }
  return text + " [options]";
}

std::string left_column(const Option& option) {
  std::string text = with_dashes(option);
  if (!option.value.empty()) text += " " + option.value;
  return text;
}

void append_row(std::string& out, const std::string& left, const std::string& help, int width) {
  constexpr int kHelpColumn = 26;
  std::string line = "  " + left;
  if (display_width(line) + 2 > kHelpColumn) {
    out += line + "\n";
    line.clear();
  }
  for (const std::string& part : wrapped(help, std::max(width - kHelpColumn, 30))) {
    line.resize(static_cast<std::size_t>(kHelpColumn), ' ');
    out += line + part + "\n";
    line.clear();
  }
}

std::string with_choices(const Option& option) {
  if (option.choices.empty()) return option.help;
  return fmt::format("{}: {}", option.help, fmt::join(option.choices, ", "));
}

}  // namespace

const std::vector<std::string>& Arguments::values(std::string_view name) const {
  const auto found = options_.find(name);
  if (found == options_.end()) {
    throw internal_error(fmt::format("the command has no option --{}", name));
  }
  return found->second;
}

std::vector<std::string> Arguments::names(std::string_view name) const {
  std::vector<std::string> names;
  for (const std::string& value : values(name)) {
    for (const std::string_view part : split(value, ',')) {
      if (!trim(part).empty()) names.emplace_back(trim(part));
    }
  }
  return names;
}

std::optional<std::string> Arguments::value(std::string_view name) const {
  const auto& all = values(name);
  if (all.empty()) return {};
  return all.back();
}

std::optional<std::int64_t> Arguments::number(std::string_view name, std::int64_t min,
                                              std::int64_t max) const {
  const auto text = value(name);
  if (!text) return {};
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || number < min || number > max) {
    throw input_error(
        fmt::format("--{} takes a whole number from {} to {}, not '{}'", name, min, max, *text));
  }
  return number;
}

std::string with_dashes(const Option& option) {
  return (option.name.size() == 1 ? "-" : "--") + option.name;
}

std::vector<Option> common_options() {
  return {{"json", "", "Print JSON instead of a table"},
          {"v", "", "Say what is being done (-vv: in detail)", true},
          {"no-pager", "", "Print what is longer than the screen without a pager, too"},
          {"log", "FILE", "Write the log to FILE instead of standard error"},
          {"help", "", "Print this help"}};
}

std::string help_text(const Command& command, int width) {
  std::string out;
  out += paragraph(command.summary, width);
  out += fmt::format("\nUsage: {}\n", synopsis(command));
  if (!command.positional.name.empty()) {
    out += "\n";
    append_row(out, command.positional.name, command.positional.help, width);
  }
  out += "\nOptions:\n";
  for (const auto& options : {command.options, common_options()}) {
    for (const Option& option : options) {
      append_row(out, left_column(option), with_choices(option), width);
    }
  }
  return out + fmt::format("\nExample:\n{}\n", command.example);
}

Option database_option() {
  return {"db", "PATH", "The database (default: $LAB_DB, else lab.db in the current directory)"};
}

std::string database_path(const Arguments& arguments) {
  return arguments.value("db").value_or(usual_database());
}

std::string usual_database() {
  const char* path = std::getenv("LAB_DB");
  return path != nullptr && *path != '\0' ? path : "lab.db";
}

void require_free(const Arguments& arguments, const std::string& path) {
  constexpr std::string_view kSources[] = {".cu", ".cuh", ".c",  ".cc",  ".cpp", ".cxx",
                                           ".h",  ".hpp", ".py", ".ptx", ".toml"};
  const std::string kind = std::filesystem::path(path).extension().string();
  std::error_code failed;
  const bool there = std::filesystem::exists(std::filesystem::symlink_status(path, failed));
  const bool can_force = arguments.knows("force");
  if (!there || (can_force && arguments.has("force"))) return;
  if (std::find(std::begin(kSources), std::end(kSources), kind) == std::end(kSources)) return;
  throw input_error(fmt::format("'{}' is not written: it is a source that is there already", path),
                    can_force ? "take another name, or --force replaces it" : "take another name");
}

std::vector<std::string> files_read(const Arguments& arguments) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const std::string& word : arguments.positionals()) {
    if (std::filesystem::exists(word, ignored)) files.push_back(word);
  }
  for (const char* option : {"kernel", "pattern", "log"}) {
    if (!arguments.knows(option)) continue;
    for (const std::string& file : arguments.values(option)) files.push_back(file);
  }
  if (arguments.knows("arg")) {
    for (const std::string& text : arguments.values("arg")) {
      const std::size_t at = text.find("=@");
      if (at != std::string::npos) files.push_back(text.substr(at + 2));
    }
  }
  if (arguments.knows("db")) files.push_back(database_path(arguments));
  return files;
}

}  // namespace lab::cli
