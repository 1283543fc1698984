// What may stand next on a command line that is being typed. `lab __complete` asks; a shell's stub
// shows the answer.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// Where candidates come from.
struct CompletionFacts {
  std::vector<Command> commands;
  const std::vector<Lab>& labs;
  std::vector<std::string> metrics;
};

struct Candidate {
  std::string word;
  std::string help = {};
};

/// Commands, their options, the values that are known (choices, labs, each lab's variants and
/// parameters, metrics).
struct Candidates {
  std::vector<Candidate> words = {};  ///< in the order of the tables
  bool files = false;                 ///< a file may stand there, too
};

/// `typed` are the words after the program's name; the last is begun, and may be empty.
[[nodiscard]] Candidates candidates(const std::vector<std::string>& typed,
                                    const CompletionFacts& facts);

}  // namespace lab::cli
