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

  /// Runs a plan, as run::perform; `also` gets each case too.
  [[nodiscard]] run::RunResult run(run::Plan plan, run::EngineSet& engines, db::Store* store,
                                   const std::function<void(const CaseOutcome&)>& also = {});

 private:
  const Console& console_;
  Progress progress_;
  std::size_t before_ = 0;  // cases of the plans that are over
  std::size_t total_;
};

/// A single plan, watched.
[[nodiscard]] run::RunResult run_watched(run::Plan plan, run::EngineSet& engines, db::Store* store,
                                         const Console& console,
                                         const std::function<void(const CaseOutcome&)>& also = {});

}  // namespace lab::cli
