// How far times hide behind each other on a GPU, from copies that were timed.
#pragma once

#include <vector>

#include "metrics/kernel_time.h"

namespace lab::gpu {

/// A copy of 16 bytes per thread that was timed.
struct Copy {
  metrics::TimeCounts counts;
  metrics::Shape shape;
  double ns = 0;
};
/// By the rules of time.
[[nodiscard]] double expected_ns(const Copy& copy, const metrics::Rates& rates);

struct Overlap {
  double begin = 0;     ///< Rates::block_begin
  double exponent = 0;  ///< Rates::overlap
};
/// With which the rules come nearest to what the copies took.
[[nodiscard]] Overlap fit_overlap(const std::vector<Copy>& copies, metrics::Rates rates);

}  // namespace lab::gpu
