// Runs a plan on one or two backends and hands on finished, judged cases in the plan's order.
#pragma once

#include <functional>
#include <string>

#include "harness/core/backend.h"
#include "harness/core/lab.h"

namespace lab::run {

/// What runs the cases. At least one is not null; with both, they run at the same time.
struct Engines {
  Backend* model = nullptr;
  Backend* gpu = nullptr;
};

/// Calls come one at a time, from the caller's thread or another.
struct RunSink {
  std::function<void(const CaseOutcome&)> finished;    ///< in the plan's order
  std::function<void(double fraction)> progress = {};  ///< of the whole, in [0, 1]
  std::function<bool()> cancelled = {};
};

struct Outcome {
  std::map<std::string, std::string> environment;
  bool interrupted = false;
  /// Per backend that could not run at all, why; the other one's results stand.
  std::map<std::string, std::string> unavailable = {};
};

/// `lab` is null for a probe. Every case of `batch` reaches the sink once, whatever happens to it,
/// except those not finished when the user stopped. A variant that no engine can run is `skipped`
/// with its reason. Throws what a backend throws where no other one is left.
Outcome execute(const Lab* lab, bool own_kernel, const BatchRequest& batch, const Engines& engines,
                const RunSink& sink);

/// The worst status of a run's cases as the program's exit status: 1 where a case is not ok or a
/// metric disagrees, else 0.
[[nodiscard]] int exit_status(const CaseRecord& record);

}  // namespace lab::run
