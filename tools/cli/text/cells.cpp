#include "tools/cli/text/cells.h"

#include <fmt/format.h>

#include <bit>

#include "harness/core/text.h"
#include "metrics/catalogue.h"

namespace lab::cli {

std::string param_text(const ParamValue& value) {
  constexpr std::int64_t kLong = 1 << 16;  // shorter ones are read at a glance
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || *number < kLong) return safe_line(to_text(value));
  const auto bits = static_cast<std::uint64_t>(*number);
  return std::has_single_bit(bits) ? fmt::format("2^{}", std::countr_zero(bits)) : to_text(value);
}

Cell number_cell(const std::optional<double>& value) {
  return value ? Cell{grouped_text(*value)} : Cell{"-", Tone::kDim};
}

Cell interval_cell(const std::optional<metrics::Interval>& interval) {
  if (!interval) return {"-", Tone::kDim};
  if (interval->low == interval->high) return {grouped_text(interval->low)};
  return {grouped_text(interval->low) + ".." + grouped_text(interval->high)};
}

std::string title_of(const std::string& key) {
  const metrics::Metric* row = metrics::find(key);
  return row == nullptr ? safe_line(key) : std::string(row->title);
}

Heading heading_of(const std::string& title) {
  const std::size_t comma = title.find(", ");
  if (comma != std::string::npos) return {title.substr(0, comma), title.substr(comma + 2)};
  const std::size_t space = title.rfind(' ');
  if (space == std::string::npos) return {"", title};
  return {title.substr(0, space), title.substr(space + 1)};
}

}  // namespace lab::cli
