// lab completion, lab man: what shells and man(1) know of the program, from the table of commands.
#include <fmt/format.h>

#include <array>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/run/version.h"
#include "labs/registry.h"
#include "metrics/catalogue.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/completion_text.h"

namespace lab::cli {

namespace {

struct Shell {
  std::string name;
  std::string (*script)(const CompletionFacts&);
};

const std::array<Shell, 3>& shells() {
  static const std::array<Shell, 3> kShells = {
      {{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}}};
  return kShells;
}

std::vector<std::string> shell_names() {
  std::vector<std::string> names;
  for (const Shell& shell : shells()) names.push_back(shell.name);
  return names;
}

void print_text(const Arguments& arguments, const std::string& name, const std::string& text) {
  if (arguments.has("json")) {
    fmt::print("{}\n", text_file_json(name, text));
  } else {
    fmt::print("{}", text);
  }
}

int run_completion(const Arguments& arguments, const Console& /*console*/) {
  const std::string& wanted = arguments.positionals().front();
  std::vector<std::string> keys;
  for (const metrics::Metric& metric : metrics::catalogue()) keys.emplace_back(metric.key);
  for (const Shell& shell : shells()) {
    if (shell.name != wanted) continue;
    print_text(arguments, shell.name, shell.script({all_commands(), all_labs(), keys}));
    return 0;
  }
  throw input_error(fmt::format("there is no completion for '{}'", wanted),
                    suggestion(wanted, shell_names()));
}

int run_man(const Arguments& arguments, const Console& /*console*/) {
  print_text(arguments, "lab.1", manual_text(all_commands(), run::program_version()));
  return 0;
}

}  // namespace

Command completion_command() {
  return {"completion",
          "Print a shell's completion of commands, options, labs and variants",
          {"SHELL", "bash, zsh or fish", 1, 1, shell_names()},
          {},
          "  lab completion bash > lab.bash",
          run_completion};
}

Command man_command() {
  return {"man", "Print the manual page", {}, {}, "  lab man > lab.1", run_man};
}

}  // namespace lab::cli
