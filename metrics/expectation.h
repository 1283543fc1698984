// The time that a case is expected to take on a machine: from its counts, the facts of its kernel,
// and the rules (kernel_time.h).
#pragma once

#include <optional>
#include <vector>

#include "harness/core/record.h"
#include "metrics/kernel_time.h"
#include "metrics/machine.h"

namespace lab::metrics {

/// Why a case's time cannot be expected, or what it comes to.
[[nodiscard]] ExpectedTime expect_time(const CaseRecord& record, const Machine& machine);

/// How a case's launch fills the machine. Empty: not even one block fits.
[[nodiscard]] std::optional<Shape> shape_of(const CaseRecord& record, const Machine& machine);

}  // namespace lab::metrics
