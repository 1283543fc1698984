// The rows of the catalogue, a function a subject.
#pragma once

#include <vector>

#include "metrics/catalogue.h"

namespace lab::metrics {

[[nodiscard]] std::vector<Metric> global_rows();
[[nodiscard]] std::vector<Metric> shared_rows();
[[nodiscard]] std::vector<Metric> cache_rows();
[[nodiscard]] std::vector<Metric> launch_rows();

}  // namespace lab::metrics
