// Everything known about one metric, or about one reason why warps wait.
#pragma once

#include <string>

#include "metrics/catalogue.h"
#include "metrics/stalls.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// Unit, meaning, formula, counters by chip, the place in Nsight Compute, the labs' formulas for
/// it, and traps.
[[nodiscard]] std::string metric_text(const metrics::Metric& metric, const Terminal& terminal);

/// What the warp waits for, and its names in CUPTI and Nsight Compute.
[[nodiscard]] std::string stall_reason_text(const metrics::StallReason& reason,
                                            const Terminal& terminal);

/// `sum of a, b`, `a / b`, `a / (32 * b)`; empty where the metric is not made of others.
[[nodiscard]] std::string derivation_text(const metrics::Metric& metric);

}  // namespace lab::cli
