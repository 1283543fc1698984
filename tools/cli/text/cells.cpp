#include "tools/cli/text/cells.h"

#include <fmt/format.h>

#include <bit>

#include "harness/core/text.h"

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

Cell brief_cell(const std::optional<double>& value, std::string_view unit) {
  if (!value) return number_cell({});
  return {brief_text(*value) + (unit == "%" ? " %" : "")};
}

std::vector<Cell> cells_of(const reading::MetricFigures& figures, const reading::FigureLine& line) {
  std::vector<Cell> cells;
  for (const reading::Value& value : line.values) {
    const bool brief = figures.folded && value && value->low == value->high;
    cells.push_back(brief ? brief_cell(value->low, "") : interval_cell(value));
  }
  return cells;
}

Cell param_cell(const CaseRecord& record, const std::string& name) {
  const auto found = record.params.all().find(name);
  return found == record.params.all().end() ? number_cell({}) : Cell{param_text(found->second)};
}

std::string values_of(const CaseRecord& record, const std::vector<std::string>& names) {
  std::vector<std::string> values;
  for (const std::string& name : names) {
    if (record.params.has(name)) values.push_back(name + "=" + param_cell(record, name).text);
  }
  return fmt::format("{}", fmt::join(values, " "));
}

Cell outcome_cell(const CaseRecord& record) {
  const reading::CaseReading read = reading::read(record);
  return {reading::outcome_text(read), tone_of(reading::mood_of(read.outcome))};
}

Tone tone_of(reading::Mood mood) {
  switch (mood) {
    case reading::Mood::kGood:
      return Tone::kGood;
    case reading::Mood::kNote:
      return Tone::kNote;
    case reading::Mood::kBad:
      return Tone::kBad;
    case reading::Mood::kNeutral:
      return Tone::kDim;
  }
  return Tone::kPlain;
}

std::string title_of(const std::string& key) { return safe_line(reading::title_of(key)); }

}  // namespace lab::cli
