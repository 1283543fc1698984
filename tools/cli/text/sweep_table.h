// A variant's cases side by side: a row for each parameter that varies, below it the numbers.
#pragma once

#include <string>
#include <vector>

#include "harness/core/sections.h"
#include "harness/reading/figures.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// Whether the section is told best this way: several cases, whose numbers say all.
[[nodiscard]] bool is_sweep(const Section& section, const reading::Shown& shown);

struct SweepText {
  std::string text;                       ///< empty: too wide for the terminal
  std::vector<std::string> metrics = {};  ///< those that it shows
};

/// Of the metrics those of one kind that change with the parameters, as far as the terminal is wide
/// enough; all of them only where they were asked for.
[[nodiscard]] SweepText sweep_text(const Section& section, const reading::Shown& shown,
                                   const Terminal& terminal);

}  // namespace lab::cli
