// Which checkers run for a launch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "harness/core/backend.h"
#include "harness/core/launch.h"
#include "harness/model/check/checker.h"

namespace lab::model::check {

/// Bounds, alignment, barriers, warp-wide operations and progress are checked always. Races and
/// uninitialised reads cost more than the rest of the execution: under Checks::kAuto they are left
/// out where a launch is expected to take more than kMostChecked warp instructions.
class Session {
 public:
  static constexpr std::uint64_t kMostChecked = 200'000'000;
  /// Races in global memory cost more, and memory: they are looked for in smaller launches.
  static constexpr std::uint64_t kMostCheckedGlobally = 2'000'000;
  static constexpr std::uint64_t kMostGlobalBytes = std::uint64_t{64} << 20U;

  /// The arguments outlive the session, and the session its observers. `known`: what was written
  /// before the launch; empty: no buffer that was not filled has been.
  Session(const Program& program, const Launch& launch, const GlobalMemory& memory, Checks asked,
          std::optional<GlobalShadows> known = {});

  /// Says how many warp instructions the launch will probably take.
  void expect(std::uint64_t warp_instructions);
  /// A new observer for one core; null where nothing is to be observed.
  [[nodiscard]] std::unique_ptr<Observer> observer() const;
  /// "full", or "basic" where races and uninitialised reads were not looked for, or "global" where
  /// blocks of a cluster reach each other's shared memory: there they were not.
  [[nodiscard]] std::string_view name() const {
    return !on_ ? "basic" : program_.maps_blocks ? "global" : "full";
  }

 private:
  const Program& program_;
  std::uint64_t shared_bytes_;
  Checks asked_;
  bool on_;
  GlobalShadows shadows_;
  std::unique_ptr<GlobalRaces> global_;  ///< null: not looked for
};

}  // namespace lab::model::check
