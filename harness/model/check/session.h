// Which checkers run for a launch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "harness/core/backend.h"
#include "harness/core/launch.h"
#include "harness/core/looked.h"
#include "harness/model/check/checker.h"

namespace lab::model::check {

/// Bounds, alignment, barriers, warp-wide operations and progress are checked always. Races and
/// uninitialised reads cost more than the rest of the execution: under Checks::kAuto they are left
/// out where a launch is expected to take more than kMostChecked warp instructions. Races in global
/// memory take some of the host's, too (race_shadow.h), at most GlobalRaces::kMostBytes.
class Session {
 public:
  static constexpr std::uint64_t kMostChecked = 200'000'000;

  /// The arguments outlive the session, and the session its observers. `known`: what was written
  /// before the launch; empty: no buffer that was not filled has been.
  Session(const Program& program, const Launch& launch, const GlobalMemory& memory, Checks asked,
          std::optional<GlobalShadows> known = {});

  /// Says how many warp instructions the launch will probably take.
  void expect(std::uint64_t warp_instructions);
  /// A new observer for one core; null where nothing is to be observed.
  [[nodiscard]] std::unique_ptr<Observer> observer() const;
  /// After the launch.
  [[nodiscard]] Looked looked() const;

 private:
  const Program& program_;
  std::uint64_t shared_bytes_;
  Checks asked_;
  bool on_;
  GlobalShadows shadows_;
  bool may_race_ = false;                  ///< in global memory
  std::unique_ptr<GlobalRaces> global_;    ///< null: not looked for
  std::unique_ptr<ClusterRaces> cluster_;  ///< null: no block reaches another's shared memory
};

}  // namespace lab::model::check
