// From a report's values to observations of source `ncu`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"
#include "harness/ncu/match.h"
#include "harness/ncu/report.h"
#include "metrics/catalogue.h"

namespace lab::ncu {

struct Observed {
  std::vector<Observation> observations;
  std::size_t nameless = 0;  ///< values under a section's label that is not a counter's name
};

/// Observations of one case: under the catalogue's key where its row measures by this counter,
/// otherwise under the counter's own name. For several launches it is the median, with least and
/// most; the launches of a library's call are added up. A value of an exact metric that was printed
/// rounded (67.11 Mbyte) is Missing, since it could only be unequal. Values have a pass where the
/// report says that there was only one.
[[nodiscard]] Observed observe(const Report& report, const Match& match, bool library,
                               std::string_view chip);

/// The name under which `observe` keeps what ncu says about `metric` as counted by `source`; empty:
/// the chip has no such counter.
[[nodiscard]] std::string name_in_record(const metrics::Metric& metric, SourceOf source,
                                         std::string_view chip);

/// Replaces what an earlier import left by these observations.
void replace_ncu(CaseRecord& record, std::vector<Observation> observations);

/// The chip of a run: the one that its environment names, otherwise the usual one of its
/// architecture.
[[nodiscard]] std::string chip_of(const RunRecord& run);

}  // namespace lab::ncu
