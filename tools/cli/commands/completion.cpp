// lab completion, lab man: what shells and man(1) know of the program, from the table of commands.
#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "harness/run/version.h"
#include "metrics/catalogue.h"
#include "tools/cli/arguments/completion.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/manual_text.h"

namespace lab::cli {

namespace {

// Each asks `lab __complete`, of which a line is a word, a tab, and what it means.
constexpr std::string_view kBash =
    R"sh(# bash completion of lab. Use it: source <(lab completion bash)
_lab() {
  local current=${COMP_WORDS[COMP_CWORD]} line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
    else
      COMPREPLY+=("${line%%$'\t'*}")
    fi
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # A parameter's value follows its name without a blank.
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _lab lab
)sh";

constexpr std::string_view kZsh = R"sh(#compdef lab
# zsh completion of lab. Use it: lab completion zsh > _lab in a folder of $fpath, before compinit.
_lab() {
  local -a found values
  local line word files
  for line in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    word=${line%%$'\t'*}
    case $word in
      '') ;;
      :files) files=1 ;;
      *=) values+=("$word") ;;
      *) found+=("${word//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  (( $#found )) && _describe lab found
  (( $#values )) && compadd -S '' -- $values
  [[ -n $files ]] && _files
}
if [[ $funcstack[1] == _lab ]]; then _lab "$@"; else compdef _lab lab; fi
)sh";

constexpr std::string_view kFish = R"sh(# fish completion of lab. Use it:
# lab completion fish > ~/.config/fish/completions/lab.fish
function __lab_complete
  set -l typed (commandline -opc)
  set -l begun (commandline -ct)
  for line in ($typed[1] __complete $typed[2..-1] "$begun" 2>/dev/null)
    if test "$line" = :files
      __fish_complete_path "$begun"
    else
      printf '%s\n' $line
    end
  end
end
complete -c lab -f -a '(__lab_complete)'
)sh";

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kShells = {
    {{"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}}};

std::vector<std::string> shell_names() {
  std::vector<std::string> names;
  for (const auto& [name, stub] : kShells) names.emplace_back(name);
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
  for (const auto& [name, stub] : kShells) {
    if (name != wanted) continue;
    print_text(arguments, wanted, std::string(stub));
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

void print_candidates(const std::vector<std::string>& typed) {
  CompletionFacts facts{all_commands(), all_labs(), {}};
  for (const metrics::Metric& metric : metrics::catalogue()) facts.metrics.emplace_back(metric.key);
  const Candidates found = candidates(typed, facts);
  for (const Candidate& one : found.words) fmt::print("{}\t{}\n", one.word, one.help);
  if (found.files) fmt::print(":files\n");
}

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
