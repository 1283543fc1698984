// The rows of the catalogue, a function a subject.
#pragma once

#include <string_view>
#include <vector>

#include "metrics/catalogue.h"

namespace lab::metrics {

// Seen on an H200: 1071 for 1067 requests in a transpose with 1320 such instructions executed,
// where l1tex__t_requests and instruction patching both count 1067; exact where no such instruction
// ran.
inline constexpr Band kPredicatedOff = {
    0, 0, true,
    "instructions whose lanes were all switched off, some of which the hardware counter takes in"};

[[nodiscard]] std::vector<Metric> global_rows();
[[nodiscard]] std::vector<Metric> shared_rows();
[[nodiscard]] std::vector<Metric> cache_rows();
[[nodiscard]] std::vector<Metric> launch_rows();

/// The title of a row; empty where rows_titles.cpp has none, which a test finds.
[[nodiscard]] std::string_view title_of(std::string_view key);

}  // namespace lab::metrics
