// Why a launch took longer than the least time that its counts take.
#pragma once

#include <optional>
#include <string>

#include "harness/core/record.h"
#include "metrics/machine.h"

namespace lab::metrics {

/// Within this part of the measured time a bound explains it.
constexpr double kReached = 0.85;

struct TimeGapCause {
  TimeGap gap = TimeGap::kUnknown;
  std::string because;  ///< a clause for a student, with the case's own numbers
};

/// The first mechanism that the case's numbers show; where they show none of those that are known,
/// which command tells more. Empty where the time was not measured,
/// and where `least_ns` is at least kReached of it.
[[nodiscard]] std::optional<TimeGapCause> time_gap_cause(const CaseRecord& record, double least_ns,
                                                         const Machine& machine);

}  // namespace lab::metrics
