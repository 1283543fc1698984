// Why a launch took longer than the least time that its counts take.
#pragma once

#include <string>
#include <string_view>

#include "harness/core/record.h"
#include "metrics/machine.h"

namespace lab::metrics {

/// Within this part of the measured time a bound explains it.
constexpr double kReached = 0.85;

/// Between the reason of an expected time and why it was not reached.
inline constexpr std::string_view kTakesLonger = "; it takes longer: ";

/// Whether a measured time is longer than `least_ns` explains.
[[nodiscard]] bool takes_longer(const CaseRecord& record, double least_ns);

/// The verdict's clause on why the launch took longer; empty: it did not, or the verdict is of no
/// time.
[[nodiscard]] std::string_view time_gap_of(const CaseRecord& record, const Verdict& verdict);

/// The first mechanism that the case's numbers show, as a clause for a student; where they show
/// none of those that are known, which command tells more. Empty where the time was not measured,
/// and where `least_ns` is at least kReached of it.
[[nodiscard]] std::string time_gap_cause(const CaseRecord& record, double least_ns,
                                         const Machine& machine);

}  // namespace lab::metrics
