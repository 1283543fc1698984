// Runs a plan on one or two backends and hands on finished, judged cases in the plan's order.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "harness/core/backend.h"
#include "harness/core/lab.h"
#include "metrics/machine.h"

namespace lab::run {

/// Cases that one kernel text serves.
struct Part {
  BatchRequest batch;
  bool own_kernel = true;  ///< the lab's, as it came
};

/// What runs the cases. At least one is not null; with both, they run at the same time.
struct Engines {
  Backend* model = nullptr;
  Backend* gpu = nullptr;
};

/// Calls come one at a time, from the caller's thread or another.
struct RunSink {
  std::function<void(const CaseOutcome&)> finished;  ///< in the plan's order
  /// Work done of all work, in [0, 1]. Both backends' work counts, case by case. It never goes back
  /// and ends at 1 where the user did not stop.
  std::function<void(double fraction)> progress = {};
  std::function<bool()> cancelled = {};
};

/// Progress of a part, `size` cases after the `before` first, told as progress of all `total`.
[[nodiscard]] std::function<void(double)> part_of(std::function<void(double)> whole,
                                                  std::size_t before, std::size_t size,
                                                  std::size_t total);

struct Outcome {
  std::map<std::string, std::string> environment;
  bool interrupted = false;
  /// Per backend that could not run at all, why; the other one's results stand.
  std::map<BackendKind, std::string> unavailable = {};
};

/// `lab` is null for a probe. Every case of `part` reaches the sink once, whatever happens to it,
/// except those not finished when the user stopped. A variant that no engine can run is `skipped`
/// with its reason. Theory's times are of `machine`; null: there are none. Throws what a backend
/// throws where no other one is left.
Outcome execute(const Lab* lab, const Part& part, const Engines& engines, const RunSink& sink,
                const metrics::Machine* machine = nullptr);

/// Whether anything in the run is wrong: an incorrect output, a finding, a case that failed, a
/// metric that disagrees. Decides between exit status 0 and 1.
[[nodiscard]] bool something_wrong(const RunRecord& run);

}  // namespace lab::run
