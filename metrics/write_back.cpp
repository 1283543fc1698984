#include "metrics/write_back.h"

#include <algorithm>

namespace lab::metrics {

Interval written_back(const Written& written, const GpuSize& gpu) {
  constexpr double kHalf = 0.5;
  const double half = kHalf * gpu.l2_bytes;
  if (half <= 0) return written.stored;
  if (written.read_bytes + written.distinct_bytes <= half) {
    return {written.stored.low, written.stored.low};
  }
  return {std::max(written.stored.low, written.distinct_bytes - half), written.stored.high};
}

bool says_nothing(const Interval& interval) {
  constexpr double kWidest = 2;
  return interval.high > kWidest * std::max(0.0, interval.low);
}

bool is_not_predicted(const Verdict& verdict) {
  if (!verdict.theory) return false;
  return says_nothing({*verdict.theory, verdict.theory_high.value_or(*verdict.theory)});
}

}  // namespace lab::metrics
