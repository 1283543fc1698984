// Values as cells of tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/numbers.h"
#include "harness/core/params.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/figures.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

/// A parameter's value as tables show it and `--param` reads it: 2^24 for 16777216.
[[nodiscard]] std::string param_text(const ParamValue& value);

/// The value, or a dash.
[[nodiscard]] Cell number_cell(const std::optional<double>& value);
/// 128, or 128..256; or a dash.
[[nodiscard]] Cell interval_cell(const std::optional<metrics::Interval>& interval);

/// A number of a line of times or rates, in brief.
[[nodiscard]] Cell brief_cell(const std::optional<double>& value, std::string_view unit);
/// The values of a line; what is everybody's in brief.
[[nodiscard]] std::vector<Cell> cells_of(const reading::MetricFigures& figures,
                                         const reading::FigureLine& line);

/// A case's parameter, or a dash.
[[nodiscard]] Cell param_cell(const CaseRecord& record, const std::string& name);
/// `n=32 type=float` of those parameters that the case has.
[[nodiscard]] std::string values_of(const CaseRecord& record,
                                    const std::vector<std::string>& names);

/// A case's outcome, in a word or two.
[[nodiscard]] Cell outcome_cell(const CaseRecord& record);
[[nodiscard]] Tone tone_of(reading::Mood mood);

using reading::Heading;
using reading::heading_of;
/// A metric's title, safe to print.
[[nodiscard]] std::string title_of(const std::string& key);

}  // namespace lab::cli
