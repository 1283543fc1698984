#include "tools/cli/text/completion_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace lab::cli {

namespace {

/// What may stand for a value on the command line.
enum class Kind : unsigned char { kAnything, kWords, kFiles, kVariants, kParams };

struct OptionValues {
  Kind kind = Kind::kAnything;
  std::vector<std::string> words = {};  ///< of kWords
};

std::vector<std::string> lab_words(const std::vector<Lab>& labs) {
  std::vector<std::string> words;
  for (const Lab& lab : labs) words.push_back(std::to_string(lab.number));
  for (const Lab& lab : labs) words.push_back(lab.id);
  return words;
}

bool names_files(const std::string& value) {
  for (const char* word : {"FILE", "PATH", "FOLDER", "DB", "FROM"}) {
    if (value.find(word) != std::string::npos) return true;
  }
  return false;
}

OptionValues offered_values(const Option& option, const CompletionFacts& facts) {
  if (!option.choices.empty()) return {Kind::kWords, option.choices};
  if (option.name == "variant") return {Kind::kVariants};
  if (option.name == "param") return {Kind::kParams};
  if (option.name == "metrics" || option.value == "METRIC") return {Kind::kWords, facts.metrics};
  return {names_files(option.value) ? Kind::kFiles : Kind::kAnything};
}

/// Of what stands without dashes; a word and a file may both do (`LAB|FILE`).
struct PlainValues {
  std::vector<std::string> words = {};
  bool files = false;
};

PlainValues offered_values(const Positional& positional, const CompletionFacts& facts) {
  PlainValues values;
  if (!positional.choices.empty()) values.words = positional.choices;
  if (positional.name.find("LAB") != std::string::npos) values.words = lab_words(facts.labs);
  if (positional.name.find("RUN") != std::string::npos) values.words.emplace_back("last");
  values.files = names_files(positional.name);
  return values;
}

std::vector<Option> every_option(const Command& command) {
  std::vector<Option> options = command.options;
  for (Option& option : common_options()) options.push_back(std::move(option));
  return options;
}

std::string with_dashes(const Option& option) {
  return (option.name.size() == 1 ? "-" : "--") + option.name;
}

std::vector<std::string> variant_names(const Lab& lab) {
  std::vector<std::string> names;
  for (const Variant& variant : lab.variants) names.push_back(variant.name);
  return names;
}

std::vector<std::string> param_names(const Lab& lab) {
  std::vector<std::string> names;
  for (const ParamSpec& spec : lab.params) names.push_back(spec.name + "=");
  return names;
}

std::vector<std::string> command_names(const CompletionFacts& facts) {
  std::vector<std::string> names;
  for (const Command& command : facts.commands) names.push_back(command.name);
  return names;
}

// `3|bank_conflicts) words;;` of each lab, for a `case` on the words typed so far.
std::string lab_cases(const CompletionFacts& facts, std::vector<std::string> (*of)(const Lab&),
                      std::string_view indent, std::string_view assign, std::string_view end) {
  std::string out;
  for (const Lab& lab : facts.labs) {
    out += fmt::format("{}{}|{}) {}{}{} ;;\n", indent, lab.number, lab.id, assign,
                       fmt::join(of(lab), " "), end);
  }
  return out;
}

// Within '...' of a shell.
std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bash_option(const Command& command, const Option& option,
                        const CompletionFacts& facts) {
  const OptionValues values = offered_values(option, facts);
  const std::string head = fmt::format("    '{} {}') ", command.name, with_dashes(option));
  switch (values.kind) {
    case Kind::kWords:
      return fmt::format("{}words={} ;;\n", head,
                         shell_quoted(fmt::format("{}", fmt::join(values.words, " "))));
    case Kind::kFiles:
      return head + "files=1 ;;\n";
    case Kind::kVariants:
      return head + "words=$(_lab_variants) ;;\n";
    case Kind::kParams:
      return head + "words=$(_lab_params) ;;\n";
    case Kind::kAnything:
      break;
  }
  return head + "return ;;\n";
}

// A function that prints what the labs among the words typed so far have.
std::string bash_of_labs(const CompletionFacts& facts, const char* name,
                         std::vector<std::string> (*of)(const Lab&)) {
  return fmt::format(
      "{}() {{\n  local word\n  for word in \"${{COMP_WORDS[@]:2}}\"; do\n    case $word in\n"
      "{}    esac\n  done\n}}\n",
      name, lab_cases(facts, of, "      ", "echo ", ""));
}

}  // namespace

std::string bash_completion(const CompletionFacts& facts) {
  std::string out =
      "# bash completion of lab; `lab completion bash` makes it.\n"
      "# Use it: source <(lab completion bash)\n";
  out += bash_of_labs(facts, "_lab_variants", variant_names);
  out += bash_of_labs(facts, "_lab_params", param_names);
  const std::string commands = fmt::format("{}", fmt::join(command_names(facts), " "));
  out += fmt::format(
      "_lab() {{\n  local current=${{COMP_WORDS[COMP_CWORD]}} words='' files=''\n"
      "  COMPREPLY=()\n  if ((COMP_CWORD == 1)); then\n    words='{} help'\n"
      "  else case \"${{COMP_WORDS[1]}} ${{COMP_WORDS[COMP_CWORD - 1]}}\" in\n    help\\ *) "
      "words='{}' ;;\n",
      commands, commands);
  std::string plain;
  for (const Command& command : facts.commands) {
    std::string all;
    for (const Option& option : every_option(command)) {
      all += " " + with_dashes(option);
      if (!option.value.empty()) out += bash_option(command, option, facts);
    }
    const PlainValues values = offered_values(command.positional, facts);
    plain +=
        fmt::format("        {}) if [[ $current == -* ]]; then words={}; else words={}{}; fi ;;\n",
                    command.name, shell_quoted(all.substr(1)),
                    shell_quoted(fmt::format("{}", fmt::join(values.words, " "))),
                    values.files ? " files=1" : "");
  }
  out += "    *) case ${COMP_WORDS[1]} in\n" + plain + "      esac ;;\n  esac; fi\n";
  // A parameter's value follows its name without a blank.
  return out +
         "  [[ -n $words ]] && mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "  if [[ -n $files ]]; then\n    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$current\")\n  fi\n"
         "  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace "
         "2>/dev/null\n"
         "  return 0\n}\ncomplete -F _lab lab\n";
}

namespace {

// A description in [...] of _arguments: brackets and colons would end it.
std::string zsh_description(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const OptionValues& values) {
  switch (values.kind) {
    case Kind::kWords:
      return fmt::format("({})", fmt::join(values.words, " "));
    case Kind::kFiles:
      return "_files";
    case Kind::kVariants:
      return "_lab_variants";
    case Kind::kParams:
      return "_lab_params";
    case Kind::kAnything:
      break;
  }
  return " ";
}

std::string zsh_option(const Option& option, const CompletionFacts& facts) {
  std::string spec =
      (option.repeats ? "*" : "") + with_dashes(option) + "[" + zsh_description(option.help) + "]";
  if (!option.value.empty()) {
    spec += ":" + zsh_description(option.value) + ":" + zsh_action(offered_values(option, facts));
  }
  return shell_quoted(spec);
}

std::string zsh_plain(const Positional& positional, const CompletionFacts& facts) {
  const PlainValues values = offered_values(positional, facts);
  const std::string words = fmt::format("({})", fmt::join(values.words, " "));
  std::string action = values.words.empty() ? (values.files ? "_files" : " ") : words;
  if (!values.words.empty() && values.files) {
    action = fmt::format("_alternative \"words:word:{}\" \"files:file:_files\"", words);
    action = "{ " + action + " }";
  }
  return shell_quoted("*:" + zsh_description(positional.name) + ":" + action);
}

std::string zsh_of_labs(const CompletionFacts& facts, const char* name, const char* what,
                        const char* more, std::vector<std::string> (*of)(const Lab&)) {
  return fmt::format(
      "{}() {{\n  local word; local -a found\n  for word in $words; do\n    case $word in\n{}"
      "    esac\n  done\n  compadd {}-X {} -- $found\n}}\n",
      name, lab_cases(facts, of, "      ", "found+=(", ")"), more, what);
}

}  // namespace

std::string zsh_completion(const CompletionFacts& facts) {
  std::string out =
      "#compdef lab\n# zsh completion of lab; `lab completion zsh` makes it.\n"
      "# Use it: lab completion zsh > _lab in a folder of $fpath, before compinit.\n";
  out += zsh_of_labs(facts, "_lab_variants", "variant", "", variant_names);
  out += zsh_of_labs(facts, "_lab_params", "parameter", "-S '' ", param_names);
  out += "_lab() {\n  local -a commands\n  commands=(\n";
  std::string cases;
  for (const Command& command : facts.commands) {
    out += "    " + shell_quoted(command.name + ":" + command.summary) + "\n";
    cases += fmt::format("    {}) _arguments -s", command.name);
    for (const Option& option : every_option(command)) {
      cases += " \\\n      " + zsh_option(option, facts);
    }
    if (!command.positional.name.empty()) {
      cases += " \\\n      " + zsh_plain(command.positional, facts);
    }
    cases += " ;;\n";
  }
  return out +
         "    'help:Show what a command takes'\n  )\n  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n    return\n  fi\n  local command=$words[2]\n"
         "  shift words\n  (( CURRENT-- ))\n  case $command in\n" +
         cases + "    help) _describe command commands ;;\n  esac\n}\n" +
         "if [[ $funcstack[1] == _lab ]]; then _lab \"$@\"; else compdef _lab lab; fi\n";
}

namespace {

std::string fish_values(const OptionValues& values) {
  switch (values.kind) {
    case Kind::kWords:
      return " -x -a " + shell_quoted(fmt::format("{}", fmt::join(values.words, " ")));
    case Kind::kFiles:
      return " -r -F";
    case Kind::kVariants:
      return " -x -a '(__lab_variants)'";
    case Kind::kParams:
      return " -x -a '(__lab_params)'";
    case Kind::kAnything:
      break;
  }
  return " -x";
}

// fish quotes ' and \ within '...' by a backslash.
std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_of_labs(const CompletionFacts& facts, const char* name,
                         std::vector<std::string> (*of)(const Lab&)) {
  std::string cases;
  for (const Lab& lab : facts.labs) {
    cases += fmt::format("      case {} {}\n        printf '%s\\n' {}\n", lab.number, lab.id,
                         fmt::join(of(lab), " "));
  }
  return fmt::format(
      "function {}\n  for word in (commandline -opc)\n    switch $word\n{}    end\n  end\nend\n",
      name, cases);
}

}  // namespace

std::string fish_completion(const CompletionFacts& facts) {
  std::string out =
      "# fish completion of lab; `lab completion fish` makes it.\n"
      "# Use it: lab completion fish > ~/.config/fish/completions/lab.fish\n";
  out += fish_of_labs(facts, "__lab_variants", variant_names);
  out += fish_of_labs(facts, "__lab_params", param_names);
  out += "complete -c lab -f\n";
  for (const Command& command : facts.commands) {
    out += fmt::format("complete -c lab -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       fish_quoted(command.summary));
    const std::string there =
        fmt::format("complete -c lab -n '__fish_seen_subcommand_from {}'", command.name);
    for (const Option& option : every_option(command)) {
      out += fmt::format("{} {} {} -d {}{}\n", there, option.name.size() == 1 ? "-s" : "-l",
                         option.name, fish_quoted(option.help),
                         option.value.empty() ? "" : fish_values(offered_values(option, facts)));
    }
    const PlainValues values = offered_values(command.positional, facts);
    if (!values.words.empty()) {
      out += fmt::format("{} -a {}\n", there,
                         fish_quoted(fmt::format("{}", fmt::join(values.words, " "))));
    }
    if (values.files) out += there + " -F\n";
  }
  return out + fmt::format(
                   "complete -c lab -n __fish_use_subcommand -a help\n"
                   "complete -c lab -n '__fish_seen_subcommand_from help' -a '{}'\n",
                   fmt::join(command_names(facts), " "));
}

namespace {

// troff: a backslash begins an escape, a hyphen would be set as one, and a point or an apostrophe
// at the beginning of a line begins a request.
std::string troff(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    begins = c == '\n';
  }
  return out;
}

std::string manual_option(const Option& option) {
  std::string out = ".TP\n.B " + troff(with_dashes(option));
  if (!option.value.empty()) out += fmt::format(" \\fI{}\\fR", troff(option.value));
  out += "\n" + troff(option.help);
  if (!option.choices.empty())
    out += fmt::format(": {}", troff(fmt::format("{}", fmt::join(option.choices, ", "))));
  return out + ".\n";
}

}  // namespace

std::string manual_text(const std::vector<Command>& commands, const std::string& version) {
  std::string out = fmt::format(
      ".TH LAB 1 \"\" \"lab {}\" \"GPU memory labs\"\n.SH NAME\nlab \\- GPU memory labs: theory, "
      "model and measurement side by side\n.SH SYNOPSIS\n.B lab\n.I COMMAND\n[options]\n"
      ".SH DESCRIPTION\nRuns teaching labs about GPU memory, measures their kernels where there is "
      "a GPU, executes the same kernels in a model where there is none, and sets both beside what "
      "theory says.\n.SH OPTIONS OF EVERY COMMAND\n",
      troff(version));
  for (const Option& option : common_options()) out += manual_option(option);
  out += ".SH COMMANDS\n";
  for (const Command& command : commands) {
    const Positional& plain = command.positional;
    const std::string name = plain.name + (plain.repeats() ? "..." : "");
    const std::string shown = plain.min == 0 && !name.empty() ? "[" + name + "]" : name;
    out += fmt::format(".SS lab {} \\fI{}\\fR\n{}.\n", command.name, troff(shown),
                       troff(command.summary));
    if (!name.empty())
      out += fmt::format(".TP\n.I {}\n{}.\n", troff(plain.name), troff(plain.help));
    for (const Option& option : command.options) out += manual_option(option);
    out += fmt::format(".PP\nExample:\n.PP\n.nf\n{}\n.fi\n", troff(command.example));
  }
  return out +
         ".SH ENVIRONMENT\n.TP\n.B LAB_DB\nThe database where \\-\\-db names none.\n"
         ".TP\n.B LAB_PATH\nThe folder of the labs.\n"
         ".TP\n.B LAB_SEAL_KEY\nA grader's secret that runs are sealed with.\n"
         ".TP\n.B CUDA_HOME\nThe CUDA toolkit.\n"
         ".TP\n.B NO_COLOR\nNo colours.\n"
         ".SH EXIT STATUS\n.TP\n0\nFine.\n.TP\n1\nA run finished and something in it is wrong.\n"
         ".TP\n2\nBad usage or bad input.\n.TP\n3\nThis machine can't.\n"
         ".TP\n4\nA fault of lab itself.\n.TP\n130\nInterrupted.\n";
}

}  // namespace lab::cli
