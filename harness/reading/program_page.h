// The run of a whole program as a page.
#pragma once

#include <string>

#include "harness/core/record.h"
#include "harness/core/whole_program.h"
#include "harness/page/page.h"
#include "harness/reading/program_reading.h"

namespace lab::reading {

/// Facts of a program beside its run.
struct ProgramStory {
  std::string compiler = {};    ///< of its host part; empty: it was built before
  std::string gpu = {};         ///< whose times are expected
  std::string host_clock = {};  ///< that the program reads; empty: none
};

/// A line that sums up, a row for each case, what was found, and the dearest advice; leaks, which
/// nearly every program has, last. `read` is of the run and the report.
[[nodiscard]] page::Page program_page(const ProgramReading& read, const RunRecord& run,
                                      const ProgramReport& report, const ProgramStory& story);

}  // namespace lab::reading
