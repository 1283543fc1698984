// The time that a case is expected to take on a machine: from its counts, the facts of its kernel,
// and the rules (kernel_time.h).
#pragma once

#include <cstddef>
#include <optional>

#include "harness/core/record.h"
#include "metrics/kernel_time.h"
#include "metrics/machine.h"

namespace lab::metrics {

/// Why a case's time cannot be expected, or what it comes to.
[[nodiscard]] ExpectedTime expect_time(const CaseRecord& record, const Machine& machine,
                                       CountsOf whose = CountsOf::kModel);

/// Of fewer launches nobody knows how far off the rules are.
inline constexpr std::size_t kEnoughToTell = 10;
/// How far off the times of an H200 were that `term` sets, as a part: of nine in ten of the labs'
/// launches (tests/conformance/expected_times_test.cpp). Empty: there were too few.
[[nodiscard]] std::optional<double> within(Term term);

/// How a case's launch fills the machine, whose architecture is known. Empty: not even one block
/// fits.
[[nodiscard]] std::optional<Shape> shape_of(const CaseRecord& record, const Machine& machine);

}  // namespace lab::metrics
