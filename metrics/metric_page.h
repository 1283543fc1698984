// All that is known of one metric, or of one reason why warps wait, as a page.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/page/page.h"
#include "metrics/catalogue.h"
#include "metrics/stalls.h"

namespace lab::metrics {

/// Unit, meaning, formula, counters by chip, the place in Nsight Compute, the formulas that `labs`
/// have for it, and traps.
[[nodiscard]] page::Page metric_page(const Metric& metric, const std::vector<Lab>& labs);

/// A page on what the warp waits for, with its names in CUPTI and Nsight Compute.
[[nodiscard]] page::Page stall_page(const StallReason& reason);

/// `a + b`, `a / b`, `a / (32 * b)`; empty where the metric is not made of others.
[[nodiscard]] std::string derivation_text(const Metric& metric);

}  // namespace lab::metrics
