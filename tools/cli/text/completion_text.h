// Completion scripts for shells, made from the table of commands.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// What a script is made from. A shell offers commands, their options, the values that are known
/// (choices, labs, each lab's variants and parameters, metrics), and files where one is named.
struct CompletionFacts {
  std::vector<Command> commands;
  const std::vector<Lab>& labs;
  std::vector<std::string> metrics;
};

[[nodiscard]] std::string bash_completion(const CompletionFacts& facts);
[[nodiscard]] std::string zsh_completion(const CompletionFacts& facts);
[[nodiscard]] std::string fish_completion(const CompletionFacts& facts);

/// The manual page: troff with the macros of man(7).
[[nodiscard]] std::string manual_text(const std::vector<Command>& commands,
                                      const std::string& version);

}  // namespace lab::cli
