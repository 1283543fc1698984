// Which checkers run for a launch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "harness/core/backend.h"
#include "harness/core/launch.h"
#include "harness/core/words.h"
#include "harness/model/check/checker.h"

namespace lab {
namespace model::check {

/// How closely a launch was looked at; a case's fact `checkers` has the word.
enum class Looked : std::uint8_t {
  kBasic,   ///< races and uninitialised reads were not looked for
  kGlobal,  ///< not in shared memory, which blocks of a cluster reach of each other
  kFull,
};

}  // namespace model::check

template <>
inline constexpr auto kWordsOf<model::check::Looked> =
    std::to_array<std::string_view>({"basic", "global", "full"});

namespace model::check {

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
  [[nodiscard]] Looked looked() const {
    return !on_ ? Looked::kBasic : program_.maps_blocks ? Looked::kGlobal : Looked::kFull;
  }

 private:
  const Program& program_;
  std::uint64_t shared_bytes_;
  Checks asked_;
  bool on_;
  GlobalShadows shadows_;
  std::unique_ptr<GlobalRaces> global_;  ///< null: not looked for
};

}  // namespace model::check
}  // namespace lab
