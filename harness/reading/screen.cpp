#include "harness/reading/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/core/unicode.h"
#include "harness/reading/run_reading.h"
#include "harness/reading/times.h"
#include "metrics/change.h"
#include "metrics/formulas.h"
#include "metrics/values.h"

namespace lab::reading {
namespace {

// Numbers this far above the least of their column are what a lesson is about.
constexpr double kFarAbove = 1.5;

// Where something was timed, of the points that a GPU runs.
const CaseRecord* case_of(const RunRecord& run, const ScreenRow& row, const Variant& variant) {
  const bool timed = std::any_of(run.cases.begin(), run.cases.end(), [](const CaseRecord& record) {
    return record.timing.has_value();
  });
  const std::vector<Params> large = default_points(variant, true, false);
  const CaseRecord* first = nullptr;
  for (const Params& point : row.points) {
    const bool is_large = std::find(large.begin(), large.end(), point) != large.end();
    for (const CaseRecord& record : run.cases) {
      if (record.variant != row.variant || record.params != point) continue;
      if (is_large || !timed) return &record;
      if (first == nullptr) first = &record;
    }
  }
  return first;
}

Cases cases_of(const RunRecord& run, const Lab& lab) {
  Cases cases;
  for (const ScreenRow& row : lab.screen->rows) {
    const CaseRecord* const record = case_of(run, row, find_variant(lab, row.variant));
    if (record == nullptr) continue;
    const bool expected = read(*record).outcome == Outcome::kExpectedFinding;
    if (record->status == CaseStatus::kOk || expected) cases.push_back(record);
  }
  return cases;
}

// Parameters in which rows of one variant differ.
std::vector<std::string> told_apart_by(const Cases& cases, const CaseRecord& record) {
  std::vector<std::string> names;
  for (const auto& [name, value] : record.params.all()) {
    const auto differs = [&, &key = name, &own = value](const CaseRecord* other) {
      const auto found = other->params.all().find(key);
      return other->variant == record.variant && found != other->params.all().end() &&
             !(found->second == own);
    };
    if (std::any_of(cases.begin(), cases.end(), differs)) names.push_back(name);
  }
  return names;
}

std::vector<std::string> labels_of(const Cases& cases) {
  const bool one_variant = std::all_of(cases.begin(), cases.end(), [&](const CaseRecord* record) {
    return record->variant == cases.front()->variant;
  });
  std::vector<std::string> labels;
  for (const CaseRecord* record : cases) {
    std::string label = one_variant ? "" : safe_line(record->variant);
    for (const std::string& name : told_apart_by(cases, *record)) {
      const std::string value = safe_line(to_text(record->params.all().at(name)));
      label += fmt::format("{}{}{}{}",
                           label.empty() ? ""
                           : one_variant ? ", "
                                         : " ",
                           name, one_variant ? " " : "=", value);
    }
    labels.push_back(label);
  }
  return labels;
}

// `{rows} x {cols} floats`, with the first row's parameters.
std::string size_of(std::string text, const CaseRecord& record) {
  for (const auto& [name, value] : record.params.all()) {
    const std::string mark = fmt::format("{{{}}}", name);
    const auto* const number = std::get_if<std::int64_t>(&value);
    const std::string shown =
        number == nullptr ? to_text(value) : grouped_text(static_cast<double>(*number));
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) {
      text.replace(at, mark.size(), shown);
    }
  }
  return safe_line(text);
}

std::vector<std::optional<double>> values_of(const std::string& metric, const Cases& cases) {
  std::vector<std::optional<double>> values;
  for (const CaseRecord* record : cases) {
    values.push_back(metrics::best_value(*record, metric));
  }
  return values;
}

// `shared race, line 20`
std::string finding_of(const CaseRecord& record) {
  if (record.findings.empty()) return "nothing";
  const Finding& first = record.findings.front();
  std::string name(name_of(first.kind));
  std::replace(name.begin(), name.end(), '_', ' ');
  return first.line == 0 ? name : fmt::format("{}, line {}", name, first.line);
}

Cases pointers_to(const std::vector<CaseRecord>& records) {
  Cases cases;
  for (const CaseRecord& record : records) cases.push_back(&record);
  return cases;
}

ScreenColumn column_of(const std::string& metric, const Cases& cases) {
  if (metric == kFindingColumn) {
    ScreenColumn found{metric, {}};
    for (const CaseRecord* record : cases) {
      found.texts.push_back(finding_of(*record));
      found.marked.push_back(!record->findings.empty());
    }
    return found;
  }
  ScreenColumn column{metric, {}};
  if (metric == kTimeColumn) {
    const Times times = times_of(cases);
    column.title = times.measured ? "measured" : times.title;
    column.values.resize(cases.size());
    if (!times.lines.empty()) column.values = times.lines.back().values;
  } else {
    column.values = values_of(metric, cases);
  }
  std::vector<double> known;
  for (const auto& value : column.values) {
    if (value) known.push_back(*value);
  }
  column.marked.assign(column.values.size(), false);
  if (known.empty()) return column;
  const auto [least, most] = std::minmax_element(known.begin(), known.end());
  const metrics::Aim aim = metric == kTimeColumn ? metrics::Aim::kLess : metrics::aim_of(metric);
  if (*most <= *least * kFarAbove || aim == metrics::Aim::kNeither) return column;
  const double worst = aim == metrics::Aim::kMore ? *least : *most;
  for (std::size_t i = 0; i < column.values.size(); ++i)
    column.marked[i] = column.values[i] == worst;
  return column;
}

// Of times: all rows take about what an empty launch takes, and which is faster is no lesson.
bool is_constant(const ScreenColumn& column) {
  constexpr double kAlike = 1.2;
  if (column.values.empty()) return false;
  if (column.metric == kTimeColumn) {
    std::vector<double> known;
    for (const auto& value : column.values) known.push_back(value.value_or(0));
    const auto [least, most] = std::minmax_element(known.begin(), known.end());
    return *most <= *least * kAlike;
  }
  return std::all_of(column.values.begin(), column.values.end(),
                     [&](const auto& value) { return value == column.values.front(); });
}

// The part of a screen's size that is another at a larger size, as that size has it: `4,096 x
// 4,096`.
std::string larger_part(const std::string& text, const CaseRecord& small, const CaseRecord& large) {
  std::size_t begin = text.size();
  std::size_t end = 0;
  for (const auto& [name, value] : large.params.all()) {
    const auto own = small.params.all().find(name);
    const std::string mark = fmt::format("{{{}}}", name);
    const std::size_t at = text.find(mark);
    if (at == std::string::npos || (own != small.params.all().end() && own->second == value)) {
      continue;
    }
    begin = std::min(begin, at);
    end = std::max(end, text.rfind(mark) + mark.size());
  }
  return begin < end ? size_of(text.substr(begin, end - begin), large) : std::string();
}

// Times of the rows at the sizes that a GPU runs, where they are known. Sizes that rows share stand
// above the times, others beside them.
std::vector<ScreenColumn> times_at_gpu_size(const RunRecord& run, const Cases& cases,
                                            const std::string& size) {
  ScreenColumn times = column_of(kTimeColumn, pointers_to(run.at_gpu_size));
  ScreenColumn sizes{kSizeColumn, {}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    sizes.texts.push_back(larger_part(size, *cases[i], run.at_gpu_size[i]));
  }
  sizes.marked.assign(cases.size(), false);
  const bool one = std::all_of(sizes.texts.begin(), sizes.texts.end(),
                               [&](const auto& text) { return text == sizes.texts.front(); });
  times.title += one && sizes.texts.front().empty() ? "" : " at";
  if (!one) {
    // Of launches of other sizes none is the worst.
    times.marked.assign(cases.size(), false);
    return {std::move(times), std::move(sizes)};
  }
  if (!sizes.texts.front().empty()) times.title += " " + sizes.texts.front();
  return {std::move(times)};
}

std::vector<ScreenColumn> columns_of(const std::string& metric, const RunRecord& run,
                                     const Cases& cases, const std::string& size) {
  const bool larger = metric == kTimeColumn && run.at_gpu_size.size() == cases.size();
  if (larger) return times_at_gpu_size(run, cases, size);
  return {column_of(metric, cases)};
}

ScreenReasonRead reason_of(const ScreenReason& reason, const CaseRecord& record,
                           const Variant& variant) {
  const FormulaNames names = metrics::names_of(variant, record);
  const Expr opened = reason.formula.opened();
  ScreenReasonRead read{reason.says, opened.with_values(names).text(), opened.value(names)};
  if (read.derivation == number_text(read.value)) read.derivation.clear();
  return read;
}

}  // namespace

std::optional<ScreenReading> screen_of(const RunRecord& run, const Lab& lab) {
  if (!lab.screen || !run.source_is_labs_own) return std::nullopt;
  const RunReading all = read(run);
  ScreenReading screen{size_of(lab.screen->size, run.cases.front()), {}, cases_of(run, lab)};
  if (screen.cases.size() < lab.screen->rows.size() || all.failed > 0 ||
      all.verdicts.disagrees > 0) {
    return std::nullopt;
  }
  screen.size = size_of(lab.screen->size, *screen.cases.front());
  screen.labels = labels_of(screen.cases);
  for (const std::string& metric : lab.screen->columns) {
    for (ScreenColumn& column : columns_of(metric, run, screen.cases, lab.screen->size)) {
      if (is_constant(column)) continue;
      if (metric == lab.screen->bars) screen.bars = screen.columns.size();
      screen.columns.push_back(std::move(column));
    }
  }
  for (const ScreenReason& reason : lab.screen->because) {
    const CaseRecord& record = *screen.cases[reason.row];
    screen.because.push_back(reason_of(reason, record, find_variant(lab, record.variant)));
  }
  return screen;
}

std::string wrong_reason(const RunRecord& run, const Lab& lab) {
  const Cases cases = lab.screen ? cases_of(run, lab) : Cases{};
  if (!lab.screen) return "there is no [screen]";
  if (cases.size() < lab.screen->rows.size()) return "a row of [screen] did not run";
  for (const ScreenReason& reason : lab.screen->because) {
    const CaseRecord& record = *cases[reason.row];
    const auto read = reason_of(reason, record, find_variant(lab, record.variant));
    const auto value = metrics::best_value(record, reason.metric);
    if (value && number_text(*value) == number_text(read.value)) continue;
    return fmt::format("'{}' gives {}, and {} of row {} is {}", reason.says,
                       number_text(read.value), reason.metric, reason.row + 1,
                       value ? number_text(*value) : "not known");
  }
  return {};
}

}  // namespace lab::reading
