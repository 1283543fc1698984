// A lab's lesson on one screen, as `lab run` prints it unless more is asked for.
#pragma once

#include <string>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/reading/screen.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// The lesson, the table, the picture and the derivations: everything between a run's title and
/// what it came to.
[[nodiscard]] std::string screen_text(const RunRecord& run, const Lab& lab,
                                      const reading::ScreenReading& screen,
                                      const Terminal& terminal);

/// What to do next, and where the run went.
[[nodiscard]] std::string screen_next(const RunRecord& run, const std::string& next,
                                      const std::string& stored_in, const Terminal& terminal);

}  // namespace lab::cli
