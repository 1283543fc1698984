// What launches took, the bound that they are held against, and what sets it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "harness/reading/figures.h"
#include "metrics/ceilings.h"
#include "metrics/machine.h"

namespace lab::reading {

/// A number for each case; empty: not known.
struct NumberLine {
  std::string name;
  std::string_view unit;
  std::vector<std::optional<double>> values = {};
};

/// Microseconds: `bound`, the least time by theory's counts, where it is known, and `measured`, the
/// medians of the timed launches. Empty where no case was timed.
[[nodiscard]] std::vector<NumberLine> time_lines(const Cases& cases);

/// `GB/s` as measured, of the bytes that `shown.rate` says (its title, where those are what a
/// kernel moves beyond what its task needs), and `of peak`: percent of `shown.peak`, where it is
/// known. Empty where no case has any.
[[nodiscard]] std::vector<NumberLine> rate_lines(const Cases& cases, const Shown& shown);

/// The time of a case by the counts that were measured, and what sets it, the first of the uses.
[[nodiscard]] std::optional<metrics::TimeBound> time_against(const CaseRecord& record,
                                                             const metrics::Machine& machine);

/// The variant that moves what its task needs most slowly.
struct Slowest {
  const Section* section = nullptr;
  double rate = 0;  ///< GB/s
  double most = 0;  ///< of all variants
};
/// By the first case of each; empty where they are near each other, and where the launch itself is
/// what was timed.
[[nodiscard]] std::optional<Slowest> slowest_of(const std::vector<Section>& sections);

}  // namespace lab::reading
