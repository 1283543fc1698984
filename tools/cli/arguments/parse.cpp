// The only file that includes CLI11: rows in, what was typed out.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

namespace {

std::vector<Option> options_of(const Command& command) {
  std::vector<Option> options = command.options;
  for (Option& option : common_options()) options.push_back(std::move(option));
  return options;
}

std::string dashed(const std::string& name) { return (name.size() == 1 ? "-" : "--") + name; }

/// Where CLI11 puts what it reads; it keeps pointers into this.
struct Slot {
  Option option;
  std::vector<std::string> values;
  std::int64_t count = 0;
};

void declare(CLI::App& app, Slot& slot) {
  std::string names = dashed(slot.option.name);
  if (slot.option.name == "help") names += ",-h";
  if (slot.option.value.empty()) {
    app.add_flag(names, slot.count);
  } else {
    app.add_option(names, slot.values)->allow_extra_args(false)->take_all();
  }
}

void check(const Slot& slot) {
  const Option& option = slot.option;
  if (!option.repeats && slot.values.size() > 1) {
    throw input_error(fmt::format("{} is given twice", dashed(option.name)));
  }
  if (option.choices.empty()) return;
  for (const std::string& value : slot.values) {
    if (std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end()) {
      continue;
    }
    throw input_error(fmt::format("{} cannot be '{}'", dashed(option.name), value),
                      suggestion(value, option.choices));
  }
}

[[noreturn]] void reject_unknown(const Command& command, const std::string& word) {
  std::vector<std::string> names;
  for (const Option& option : options_of(command)) names.push_back(dashed(option.name));
  const std::string name = word.substr(0, word.find('='));
  const std::string near = nearest(name, names);
  throw input_error(fmt::format("lab {} has no option '{}'", command.name, name),
                    near.empty() ? fmt::format("lab {} --help lists them", command.name)
                                 : suggestion(name, names));
}

void check_positionals(const Command& command, const std::vector<std::string>& words) {
  const Positional& positional = command.positional;
  const std::string help = fmt::format("lab {} --help shows what it takes", command.name);
  if (positional.name.empty() && !words.empty()) {
    throw input_error(fmt::format("lab {} does not take '{}'", command.name, words.front()), help);
  }
  if (words.size() < positional.min) {
    throw input_error(fmt::format("lab {} needs {}", command.name, positional.name), help);
  }
  if (!positional.name.empty() && words.size() > positional.max) {
    throw input_error(
        fmt::format("lab {} does not take '{}' as well", command.name, words[positional.max]),
        help);
  }
}

// CLI11 names the option at the start of its text: `--db: 1 required TEXT missing`.
[[noreturn]] void reject_missing_value(const std::vector<Option>& options,
                                       const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  for (const Option& option : options) {
    if (dashed(option.name) == name) {
      throw input_error(fmt::format("{0} needs a value: {0} {1}", name, option.value));
    }
  }
  throw input_error(text);
}

}  // namespace

Arguments parse(const Command& command, const std::vector<std::string>& all) {
  const auto rest = command.passes_rest ? std::find(all.begin(), all.end(), kRest) : all.end();
  const std::vector<std::string> words(all.begin(), rest);
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::string> positionals;
  app.add_option("words", positionals)->expected(0, -1);
  const std::vector<Option> options = options_of(command);
  std::vector<Slot> slots;
  slots.reserve(options.size());  // CLI11 keeps references
  for (const Option& option : options) {
    slots.push_back({option, {}, 0});
    declare(app, slots.back());
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    reject_missing_value(options, error.what());
  }
  for (const std::string& word : app.remaining()) {
    if (word != "--") reject_unknown(command, word);
  }
  std::map<std::string, std::vector<std::string>, std::less<>> given;
  for (Slot& slot : slots) {
    check(slot);
    for (std::int64_t i = 0; i < slot.count; ++i) slot.values.emplace_back("1");
    given[slot.option.name] = std::move(slot.values);
  }
  if (command.passes_rest) {
    given[std::string(kRest)] = rest == all.end() ? std::vector<std::string>()
                                                  : std::vector<std::string>(rest + 1, all.end());
  }
  if (given["help"].empty()) check_positionals(command, positionals);
  return Arguments(std::move(positionals), std::move(given));
}

}  // namespace lab::cli
