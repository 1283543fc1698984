// What each part of the chip needs for a launch's counts, in ns.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "metrics/kernel_time.h"
#include "metrics/time_rules.h"

namespace lab::metrics {

inline constexpr double kLineBytes = 128;

/// 0 where there is nothing to share.
[[nodiscard]] inline double per(double value, double of) { return of > 0 ? value / of : 0; }

/// Times of which each hides behind the others in part (rule::kOverlap).
[[nodiscard]] inline double overlapped(std::initializer_list<double> parts) {
  const double top = std::max(parts);
  if (top <= 0) return 0;
  double sum = 0;
  for (const double part : parts) sum += std::pow(part / top, rule::kOverlap);
  return top * std::pow(sum, 1 / rule::kOverlap);
}

/// What a launch asks of the chip.
struct Demand {
  const TimeCounts& counts;
  const KernelFacts& facts;
};

/// Share of the stored sectors whose rest is fetched, since they end partly written and nobody
/// loads them. Of the blocks that were looked at, those at the edges are filled by others: the
/// launch's bytes say how much is left empty.
[[nodiscard]] double filled_up(const Demand& demand);

/// Sectors that loads bring from L2: what L1 can keep comes once to each SM.
[[nodiscard]] double l2_reads(const Demand& demand, const Rates& rates);

/// What was put back before the launch has pushed what it reads out of L2.
[[nodiscard]] bool is_pushed_out(const Demand& demand, const Rates& rates);
/// Lines of a load, on average.
[[nodiscard]] double lines_of_load(const TimeCounts& counts);
/// The part of the loads from L2 of which nobody has asked L2 since they were written.
[[nodiscard]] double fresh_part(const Demand& demand, const Rates& rates);

[[nodiscard]] double dram_time(const Demand& demand, const Rates& rates);
[[nodiscard]] double l2_load_time(const Demand& demand, const Rates& rates);
[[nodiscard]] double l2_store_time(const Demand& demand, const Rates& rates);
[[nodiscard]] double same_address_time(const HotFacts& hot, const Rates& rates);

/// Stores as L2 meets them: merged where L1 does that.
struct Stores {
  double lines = 0;
  double sectors = 0;
  bool whole = true;  ///< every sector is filled by one store
};
[[nodiscard]] Stores stores_to_l2(const Demand& demand);

}  // namespace lab::metrics
