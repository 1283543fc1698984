// A lab's lesson on one screen, as `lab run` prints it unless more is asked for.
#pragma once

#include <optional>
#include <string>

#include "harness/core/access.h"
#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/reading/screen.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// The lesson, the table, the picture and the derivations: everything between a run's title and
/// what it came to. `map` is the access that the lab asks for.
[[nodiscard]] std::string screen_text(const RunRecord& run, const Lab& lab,
                                      const reading::ScreenReading& screen,
                                      const std::optional<Access>& map, const Terminal& terminal);

/// What to do next, and where the run went.
[[nodiscard]] std::string screen_next(const RunRecord& run, const std::string& next,
                                      const std::string& stored_in, const Terminal& terminal);

}  // namespace lab::cli
