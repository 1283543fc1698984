#include "harness/reading/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/core/metric_keys.h"
#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/reading/run_reading.h"
#include "harness/reading/times.h"
#include "metrics/catalogue.h"
#include "metrics/change.h"
#include "metrics/formulas.h"
#include "metrics/time_flaws.h"
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
    std::string label = one_variant ? "" : record->variant;
    for (const std::string& name : told_apart_by(cases, *record)) {
      const std::string value = to_text(record->params.all().at(name));
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
  return text;
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

// Marks what is far worse than the best.
void mark_worst(ScreenColumn& column, metrics::Aim aim) {
  std::vector<double> known;
  for (const auto& value : column.values) {
    if (value) known.push_back(*value);
  }
  column.marked.assign(column.values.size(), false);
  if (known.empty()) return;
  const auto [least, most] = std::minmax_element(known.begin(), known.end());
  if (*most <= *least * kFarAbove || aim == metrics::Aim::kNeither) return;
  const double worst = aim == metrics::Aim::kMore ? *least : *most;
  for (std::size_t i = 0; i < column.values.size(); ++i)
    column.marked[i] = column.values[i] == worst;
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
  column.values = values_of(metric, cases);
  mark_worst(column, metrics::aim_of(metric));
  return column;
}

// The bytes that the task needs, over the time: bytes per ns are GB/s.
std::optional<double> rate_of(const CaseRecord& record, const std::optional<double>& us) {
  const auto needed = metrics::value_of(record, metric::kNeededBytes, SourceOf::kTheory);
  if (!needed || !us || *us <= 0) return std::nullopt;
  constexpr double kNsPerUs = 1000;
  return *needed / (*us * kNsPerUs);
}

// How long, where all rows are of one size; else how fast.
ScreenColumn time_column(const Cases& cases, bool one_size) {
  const Times times = times_of(cases);
  ScreenColumn column{kTimeColumn, times.measured ? "measured" : "expected"};
  column.unit = one_size ? "us" : "GB/s";
  column.values.resize(cases.size());
  if (!times.lines.empty()) column.values = times.lines.back().values;
  if (!one_size) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      column.values[i] = rate_of(*cases[i], column.values[i]);
    }
  }
  mark_worst(column, one_size ? metrics::Aim::kLess : metrics::Aim::kMore);
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

/// What the screen's times are of: the rows, or the same at the sizes that a GPU runs.
struct Timed {
  Cases cases;
  bool one_size = true;
  std::string larger = {};  // their size, where the rows are smaller
};

Timed timed_of(const RunRecord& run, const Cases& cases, const std::string& size) {
  const bool larger = run.at_gpu_size.size() == cases.size();
  Timed timed{larger ? pointers_to(run.at_gpu_size) : cases};
  const std::string first = size_of(size, *timed.cases.front());
  timed.one_size = std::all_of(timed.cases.begin(), timed.cases.end(),
                               [&](const auto* record) { return size_of(size, *record) == first; });
  if (larger) timed.larger = first;
  return timed;
}

// `us: expected on an H200 for 4,096 x 4,096 floats.`
std::string times_text(const Timed& timed, const ScreenColumn& column) {
  const Times times = times_of(timed.cases);
  if (times.measured || times.lines.empty()) return {};
  if (!timed.one_size) {
    return fmt::format("{}: the bytes that the task needs, over the time {}.", column.unit,
                       times.title);
  }
  return fmt::format("{}: {}{}.", column.unit, times.title,
                     timed.larger.empty() ? "" : " for " + timed.larger);
}

// `tiled_16 may take a third longer: loads bring parts of lines far apart.`
std::vector<std::string> flaws_of(const Timed& timed, const std::vector<std::string>& labels) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < timed.cases.size(); ++i) {
    const CaseRecord& record = *timed.cases[i];
    if (record.timing || !record.expected || !record.expected->off) continue;
    const metrics::FlawText text = metrics::text_of(*record.expected->off);
    all.push_back(fmt::format("{} {}: {}.", labels[i], text.may, text.does));
  }
  return all;
}

// What the number counts: `sectors` of sectors per request.
std::string counted_in(const std::string& metric, double value) {
  const std::string_view unit = metrics::at(metric).unit;
  if (unit.empty() || unit == "ratio" || unit == "fraction") return {};
  return fmt::format("{}{}", unit.substr(0, unit.find('/')), value == 1 ? "" : "s");
}

ScreenReasonRead reason_of(const ScreenReason& reason, const CaseRecord& record,
                           const Variant& variant) {
  const FormulaNames names = metrics::names_of(variant, record);
  // Not opened, which would fold `32 * 4 / 32`.
  ScreenReasonRead read{reason.says, reason.formula.with_values(names).text(),
                        reason.formula.value(names)};
  read.unit = counted_in(reason.metric, read.value);
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
  const auto& asked = lab.screen->columns;
  // Where a checker says what is wrong, no number does.
  const bool finds = std::find(asked.begin(), asked.end(), kFindingColumn) != asked.end();
  for (const std::string& metric : lab.screen->columns) {
    const bool is_time = metric == kTimeColumn;
    const Timed timed = timed_of(run, screen.cases, lab.screen->size);
    ScreenColumn column =
        is_time ? time_column(timed.cases, timed.one_size) : column_of(metric, screen.cases);
    if (is_constant(column)) continue;
    if (finds && metric != kFindingColumn) column.marked.assign(column.marked.size(), false);
    if (is_time) screen.times = times_text(timed, column);
    if (is_time) screen.off = flaws_of(timed, screen.labels);
    if (metric == lab.screen->bars) screen.bars = screen.columns.size();
    screen.columns.push_back(std::move(column));
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
