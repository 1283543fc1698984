// The time that a kernel is expected to take, before a change and after it: the one of
// expectation.h, of a launch that fills the GPU.
#pragma once

#include <optional>

#include "harness/core/record.h"
#include "metrics/expectation.h"
#include "metrics/machine.h"

namespace lab::metrics {

/// A case's launch, or as many of it in one as fill every SM several times. What a few blocks take
/// is the launch itself and the wait for their data, whatever they do.
struct FullLaunch {
  Launched launched;
  double times = 1;  ///< how many of the case's; 1: it fills the GPU by itself
  /// Each launch's share of the time.
  [[nodiscard]] KernelTime time() const;
};
/// By the model's counts. Empty where the machine is not known.
[[nodiscard]] std::optional<FullLaunch> full_launch_of(const CaseRecord& record,
                                                       const Machine& machine);

/// What a cure spares: of one launch.
struct Saved {
  double sectors = 0;
  double lines = 0;
};
/// The launch with accesses that ask for the same bytes in fewer sectors and lines.
[[nodiscard]] FullLaunch with_loads(FullLaunch launch, const Saved& saved);
[[nodiscard]] FullLaunch with_stores(FullLaunch launch, const Saved& saved);
/// `share` of the additions to the word that most are made to is spared.
[[nodiscard]] FullLaunch with_additions(FullLaunch launch, double share);
[[nodiscard]] FullLaunch with_wavefronts(FullLaunch launch, double saved);

/// The largest share of a measured time that a change brings which leaves the expected time as it
/// is: what it saves of another part's time, if nothing hid a part of that, and no more than the
/// measured time has above the expected one. On an H200 a padded tile spared blocks of one warp 14
/// to 17 % of their time, and blocks of 8 warps with the same counts 2 to 3 %: DRAM sets the time
/// of both.
[[nodiscard]] double most_of_measured(double measured_ns, const KernelTime& before,
                                      const KernelTime& after);

}  // namespace lab::metrics
