// Runs plans before a person's eyes: a progress bar, Ctrl-C, and what went wrong with a backend.
#pragma once

#include "harness/run/session.h"
#include "tools/cli/arguments/command.h"
#include "tools/cli/terminal/progress.h"

namespace lab::cli {

class Watch {
 public:
  /// `cases` of all plans that are to be run: the bar shows the work of the whole command.
  Watch(const Console& console, std::size_t cases);

  /// As run::perform, with progress and Ctrl-C.
  [[nodiscard]] run::RunResult run(run::Prepared prepared, run::EngineSet& engines,
                                   run::Outlet outlet);

 private:
  const Console& console_;
  Progress progress_;
  std::size_t before_ = 0;  // cases of the plans that are over
  std::size_t total_;
};

/// As run::go, watched.
[[nodiscard]] run::RunResult run_watched(const run::Request& request, run::EngineSet& engines,
                                         const Console& console);

}  // namespace lab::cli
