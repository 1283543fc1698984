// What a whole program's run came to, below its own output.
#pragma once

#include <string>

#include "harness/core/record.h"
#include "harness/core/whole_program.h"
#include "harness/reading/program_reading.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// All that is known of a program's run.
struct ExecStory {
  reading::ProgramReading read;
  const RunRecord& run;
  const ProgramReport& report;
  std::string compiler;         ///< of its host part; empty: it was built before
  std::string gpu;              ///< whose times are expected
  std::string host_clock = {};  ///< that the program reads; empty: none
};

/// A line that sums up, a row for each case, what was found, and the dearest advice.
[[nodiscard]] std::string exec_text(const ExecStory& story, const Terminal& terminal);

/// `exit 0`, or what ended it.
[[nodiscard]] std::string end_text(const CommandEnd& end);

}  // namespace lab::cli
