// The screen of a lab: the cases, numbers and reasons that its lesson needs, of those that ran.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/reading/figures.h"

namespace lab::reading {

struct ScreenColumn {
  std::string metric;      ///< or kTimeColumn, kFindingColumn
  std::string title = {};  ///< of a time: `expected` or `measured`; empty: the metric's
  std::string unit = {};   ///< of a time: `us`, or `GB/s` where rows are of different sizes
  /// One for each row; empty: it has none.
  std::vector<std::optional<double>> values = {};
  /// The worst, where the column tells rows far apart; by row.
  std::vector<bool> marked = {};
  std::vector<std::string> texts = {};  ///< of findings, in place of values
};

struct ScreenReasonRead {
  std::string says;
  std::string derivation;  ///< `32 * 4 / 32`; empty: the number says all
  double value = 0;
  std::string unit = {};  ///< what it counts: `sectors`; empty: it is a ratio
};

struct ScreenReading {
  std::string size = {};            ///< `256 x 256 floats`
  std::vector<std::string> labels;  ///< of the rows
  Cases cases;                      ///< the same
  std::vector<ScreenColumn> columns = {};
  std::string times = {};  ///< what expected times are of, as a sentence; empty: there are none
  /// Of the rows whose expected time the rules do not have in full: a sentence with its label.
  std::vector<std::string> off = {};
  std::optional<std::size_t> bars = {};  ///< the column that is drawn
  std::vector<ScreenReasonRead> because = {};
};

/// What the lab's screen says of a run. Empty where the lab has none, where a row did not run or
/// came to anything but what was predicted: then the run has something else to tell first.
[[nodiscard]] std::optional<ScreenReading> screen_of(const RunRecord& run, const Lab& lab);

/// Whether each reason's formula gives the number that it explains; the first that does not, as a
/// sentence. Empty: all do.
[[nodiscard]] std::string wrong_reason(const RunRecord& run, const Lab& lab);

}  // namespace lab::reading
