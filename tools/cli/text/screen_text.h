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

struct ScreenAround {
  std::optional<Access> map = {};  ///< the access that the lab's picture draws
  bool has_picture = true;         ///< false: it was not stored with the run
  std::string next = {};           ///< the command that comes next; empty: lab start N
  std::string stored_in = {};      ///< the database's path; empty: not stored
};

/// The page of the lesson, at most 80 columns wide and of 20 lines as far as blank lines go.
[[nodiscard]] std::string screen_text(const RunRecord& run, const Lab& lab,
                                      const reading::ScreenReading& screen,
                                      const ScreenAround& around, const Terminal& terminal);

}  // namespace lab::cli
