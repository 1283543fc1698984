// Values as cells of tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/core/numbers.h"
#include "harness/core/params.h"
#include "metrics/values.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

/// A parameter's value as tables show it and `--param` reads it: 2^24 for 16777216.
[[nodiscard]] std::string param_text(const ParamValue& value);

/// The value, or a dash.
[[nodiscard]] Cell number_cell(const std::optional<double>& value);
/// 128, or 128..256; or a dash.
[[nodiscard]] Cell interval_cell(const std::optional<metrics::Interval>& interval);

/// What heads a metric's column: its title, else its key as it is (a counter of CUPTI).
[[nodiscard]] std::string title_of(const std::string& key);

/// A title in two, for a column and the heading above it: `sectors per request` and `read`.
struct Heading {
  std::string above;
  std::string own;
};
[[nodiscard]] Heading heading_of(const std::string& title);

}  // namespace lab::cli
