// A command is a row: its name, what it takes, and the function that does it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// An option of a command. `value` names what it takes (`PATH`); a flag has none.
struct Option {
  std::string name;  ///< without its dashes
  std::string value;
  std::string help;
  bool repeats = false;
  std::vector<std::string> choices = {};
};

/// `--kernel`, `-v`.
[[nodiscard]] std::string with_dashes(const Option& option);

/// Words of the command line without dashes.
struct Positional {
  std::string name;
  std::string help;
  std::size_t min = 0;
  std::size_t max = 1;
  std::vector<std::string> choices = {};  ///< for completion; the command itself checks

  /// Several of one kind, and not one each of several kinds (`LAB FILE`).
  [[nodiscard]] bool repeats() const { return max > 1 && name.find(' ') == std::string::npos; }
};

/// The values that a person typed, by option name.
class Arguments {
 public:
  Arguments(std::vector<std::string> positionals,
            std::map<std::string, std::vector<std::string>, std::less<>> options)
      : positionals_(std::move(positionals)), options_(std::move(options)) {}

  [[nodiscard]] const std::vector<std::string>& positionals() const { return positionals_; }
  [[nodiscard]] bool has(std::string_view name) const { return !values(name).empty(); }
  /// Whether the command has such an option.
  [[nodiscard]] bool knows(std::string_view name) const { return options_.contains(name); }
  /// All values of an option that may be repeated, in order; empty: not given. An internal error
  /// where the command has no such option.
  [[nodiscard]] const std::vector<std::string>& values(std::string_view name) const;
  /// The names in an option's values, several to a value with commas between them.
  [[nodiscard]] std::vector<std::string> names(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
  /// The option's whole number; an input error outside [min, max].
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name, std::int64_t min,
                                                   std::int64_t max) const;

 private:
  std::vector<std::string> positionals_;
  std::map<std::string, std::vector<std::string>, std::less<>> options_;
};

/// How the program was started, and where its words go.
struct Console {
  std::string program;  ///< path of the running file
  Terminal out;
  Terminal err;
  std::function<bool()> interrupted;  ///< true once Ctrl-C was typed
};

/// The name under which Arguments have the words behind `--`.
inline constexpr std::string_view kRest = "--";

/// Returns the exit status; throws lab::Error.
using CommandRun = int (*)(const Arguments&, const Console&);

struct Command {
  std::string name;
  std::string summary;
  Positional positional = {};  ///< no name: the command takes none
  std::vector<Option> options = {};
  std::string example;
  CommandRun run = nullptr;  ///< null: a first build leaves it out (commands/later.h)
  bool pages = false;        ///< its output is there at once, for a person to read
  /// Words behind `--` are another program's: the values of kRest.
  bool passes_rest = false;
};

/// The options that every command has: --json, -v, --no-pager, --log, --help.
[[nodiscard]] std::vector<Option> common_options();

/// Reads the words after a command's name. An input error names an unknown option and the nearest
/// one that there is.
[[nodiscard]] Arguments parse(const Command& command, const std::vector<std::string>& words);

/// The text of `lab NAME --help`.
[[nodiscard]] std::string help_text(const Command& command, int width);

/// The option that names the database; every command that reads or writes one has it.
[[nodiscard]] Option database_option();
/// --db, else $LAB_DB, else lab.db in the current directory.
[[nodiscard]] std::string database_path(const Arguments& arguments);
[[nodiscard]] std::string usual_database();

/// Every file that the command was told to read, and its database: what no output may replace.
[[nodiscard]] std::vector<std::string> files_read(const Arguments& arguments);
/// Throws an input error where `path`, to be written, is a text of the person's: a source that is
/// there. --force lets it be replaced.
void require_free(const Arguments& arguments, const std::string& path);

}  // namespace lab::cli
