#include "harness/reading/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/core/metric_keys.h"
#include "harness/core/numbers.h"
#include "harness/core/sections.h"
#include "harness/core/text.h"
#include "harness/page/make.h"
#include "harness/reading/case_name.h"
#include "harness/reading/formulas.h"
#include "harness/reading/map_page.h"
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

// Takes a point that a GPU runs if anything was timed.
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

// `padded n=32`, or `n 32` where all rows are of one variant.
std::vector<std::string> labels_of(const Cases& cases) {
  std::vector<std::string> labels;
  const std::vector<Section> sections = sections_of(cases);
  const bool one = sections.size() == 1;
  for (const CaseRecord* record : cases) {
    const auto own = std::find_if(sections.begin(), sections.end(), [&](const Section& section) {
      return section.variant == record->variant;
    });
    std::string label = one ? "" : record->variant;
    for (const std::string& name : own->varying) {
      const ParamValue* const value = param_of(*record, name);
      if (value == nullptr) continue;
      label += fmt::format("{}{}{}{}",
                           label.empty() ? ""
                           : one         ? ", "
                                         : " ",
                           name, one ? " " : "=", to_text(*value));
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

/// A column of the table, with its cells.
struct Column {
  page::Column head;
  std::vector<page::Cell> cells = {};
};

std::optional<double> number_in(const page::Cell& cell) {
  const auto* number = std::get_if<page::Number>(&cell.is);
  return number == nullptr ? std::nullopt : std::optional(number->low);
}

page::Cell brief(const std::optional<double>& value) {
  return page::number_cell(value, page::Digits::kBrief);
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
void mark_worst(std::vector<page::Cell>& cells, metrics::Aim aim) {
  std::vector<double> known;
  for (const page::Cell& cell : cells) {
    if (const auto value = number_in(cell)) known.push_back(*value);
  }
  if (known.empty()) return;
  const auto [least, most] = std::minmax_element(known.begin(), known.end());
  if (*most <= *least * kFarAbove || aim == metrics::Aim::kNeither) return;
  const double worst = aim == metrics::Aim::kMore ? *least : *most;
  for (page::Cell& cell : cells) {
    if (number_in(cell) != worst) continue;
    cell.marked = true;
    cell.tone = page::Tone::kBad;
  }
}

Column column_of(const std::string& metric, const Cases& cases) {
  if (metric == kFindingColumn) {
    Column found{{"found"}};
    for (const CaseRecord* record : cases) {
      const bool none = record->findings.empty();
      found.cells.push_back({finding_of(*record), none ? page::Tone::kPlain : page::Tone::kBad});
    }
    return found;
  }
  const Heading heading = reading::heading_of(reading::title_of(metric));
  Column column{{heading.own, true, false, heading.above}};
  for (const CaseRecord* record : cases) {
    column.cells.push_back(brief(metrics::best_value(*record, metric)));
  }
  mark_worst(column.cells, metrics::aim_of(metric));
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
Column time_column(const Cases& cases, bool one_size) {
  const Times times = times_of(cases);
  Column column{{one_size ? "us" : "GB/s", true, false, times.measured ? "measured" : "expected"}};
  column.head.leads = true;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto us = times.lines.empty() ? std::nullopt : times.lines.back().values[i];
    column.cells.push_back(brief(one_size ? us : rate_of(*cases[i], us)));
  }
  mark_worst(column.cells, one_size ? metrics::Aim::kLess : metrics::Aim::kMore);
  return column;
}

// Times are constant if all rows take about what an empty launch takes: that is no lesson.
bool is_constant(const Column& column) {
  constexpr double kAlike = 1.2;
  if (!column.head.right) return false;  // texts
  std::vector<double> known;
  for (const page::Cell& cell : column.cells) known.push_back(number_in(cell).value_or(0));
  const auto [least, most] = std::minmax_element(known.begin(), known.end());
  if (column.head.leads) return *most <= *least * kAlike;
  return std::all_of(column.cells.begin(), column.cells.end(), [&](const page::Cell& cell) {
    return number_in(cell) == number_in(column.cells.front());
  });
}

/// The cases that the screen's times are of: the rows, or the same at a GPU's sizes.
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
std::string times_text(const Timed& timed, const std::string& unit) {
  const Times times = times_of(timed.cases);
  if (times.measured || times.lines.empty()) return {};
  if (!timed.one_size) {
    return fmt::format("{}: the bytes that the task needs, over the time {}.", unit, times.title);
  }
  return fmt::format("{}: {}{}.", unit, times.title,
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

// Names what the number counts: `sectors` of sectors per request.
std::string counted_in(const std::string& metric, double value) {
  const std::string_view unit = metrics::at(metric).unit;
  if (unit.empty() || unit == "ratio" || unit == "fraction") return {};
  return fmt::format("{}{}", unit.substr(0, unit.find('/')), value == 1 ? "" : "s");
}

/// A reason as worked out for its row.
struct Reason {
  std::string derivation = {};  // `32 * 4 / 32`; empty: the number says all
  double value = 0;
  std::string unit = {};  // what it counts: `sectors`; empty: it is a ratio
};

Reason reason_of(const ScreenReason& reason, const CaseRecord& record, const Variant& variant) {
  const FormulaNames names = metrics::names_of(variant, record);
  // Not opened, which would fold `32 * 4 / 32`.
  Reason read{reason.formula.with_values(names).text(), reason.formula.value(names)};
  read.unit = counted_in(reason.metric, read.value);
  if (read.derivation == number_text(read.value)) read.derivation.clear();
  return read;
}

// Words, what is worked out, and the number.
page::Table reasons_of(const Lab& lab, const Cases& cases) {
  page::Table table{{{""}, {""}, {""}, {"", true}, {"", false, false, "", page::Rank::kMore}}};
  for (const ScreenReason& reason : lab.screen->because) {
    const CaseRecord& record = *cases[reason.row];
    const Reason read = reason_of(reason, record, find_variant(lab, record.variant));
    table.rows.push_back({{{reason.says},
                           {read.derivation, page::Tone::kDim},
                           {std::string("=")},
                           page::number_cell(read.value),
                           {read.unit}}});
  }
  return table;
}

void add(page::Table& table, Column column) {
  table.columns.push_back(std::move(column.head));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i].cells.push_back(std::move(column.cells[i]));
  }
}

// Leaves out columns that do not tell rows apart.
void add_columns(ScreenReading& screen, const RunRecord& run, const Lab& lab,
                 const std::vector<std::string>& labels) {
  const auto& asked = lab.screen->columns;
  // No number is marked if a checker says what is wrong.
  const bool finds = std::find(asked.begin(), asked.end(), kFindingColumn) != asked.end();
  for (const std::string& metric : asked) {
    const bool is_time = metric == kTimeColumn;
    const Timed timed = timed_of(run, screen.cases, lab.screen->size);
    Column column =
        is_time ? time_column(timed.cases, timed.one_size) : column_of(metric, screen.cases);
    if (is_constant(column)) continue;
    for (page::Cell& cell : column.cells) {
      if (!finds || metric == kFindingColumn || !cell.marked) continue;
      cell.marked = false;
      cell.tone = page::Tone::kPlain;
    }
    if (is_time) {
      screen.notes = flaws_of(timed, labels);
      const std::string times = times_text(timed, column.head.title);
      if (!times.empty()) screen.notes.insert(screen.notes.begin(), times);
    }
    column.head.bars = metric == lab.screen->bars;
    add(screen.table, std::move(column));
  }
}

using page::Rank;
using page::Role;
using page::Tone;

// The line of source, and which lane of a warp reads what there.
std::vector<page::Block> map_of(const RunRecord& run, const Access& access) {
  const std::string head =
      fmt::format("line {}, warp 0: {}", access.line, source_line(run, access.line));
  page::Grid grid = grids_of(access, head).front();
  // Half of the banks show what the others show.
  if (!grid.columns.empty()) {
    grid.columns.resize(grid.together);
    for (page::GridRow& row : grid.rows) row.squares.resize(grid.together);
  }
  return {page::sentence(head, Role::kNote), {std::move(grid)}};
}

// Along what varies between the screen's cases of its first variant.
std::vector<page::Block> curve_of(const RunRecord& run, const Lab& lab,
                                  const ScreenReading& screen) {
  if (lab.screen->curve.empty()) return {};
  const std::string& variant = screen.cases.front()->variant;
  for (Section& sweep : sections_of(run)) {
    if (sweep.variant != variant) continue;
    std::erase_if(sweep.cases, [&](const CaseRecord* record) {
      return std::find(screen.cases.begin(), screen.cases.end(), record) == screen.cases.end();
    });
    find_varying(sweep);
    return steps_chart(sweep, find_variant(lab, variant), lab.screen->curve);
  }
  return {};
}

}  // namespace

std::optional<ScreenReading> screen_of(const RunRecord& run, const Lab& lab) {
  if (!lab.screen || !run.source_is_labs_own) return std::nullopt;
  const RunReading all = read(run);
  ScreenReading screen{{}, cases_of(run, lab)};
  if (screen.cases.size() < lab.screen->rows.size() || all.failed > 0 ||
      all.verdicts.disagrees > 0) {
    return std::nullopt;
  }
  screen.size = size_of(lab.screen->size, *screen.cases.front());
  screen.table = {{{""}}};
  const std::vector<std::string> labels = labels_of(screen.cases);
  for (const std::string& label : labels) screen.table.rows.push_back({{{label}}});
  add_columns(screen, run, lab, labels);
  screen.reasons = reasons_of(lab, screen.cases);
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

std::vector<page::Block> lesson_blocks(const ScreenReading& screen,
                                       std::vector<page::Block> picture) {
  std::vector<page::Block> blocks = {{screen.table, Rank::kAlways, true}};
  for (const std::string& note : screen.notes) {
    blocks.push_back(page::sentence(note, Role::kNote, Tone::kDim));
  }
  if (!picture.empty()) {
    picture.front().apart = true;
    picture.front().rank = Rank::kMore;
  }
  for (page::Block& block : picture) blocks.push_back(std::move(block));
  if (!screen.reasons.rows.empty()) blocks.push_back({screen.reasons, Rank::kMain, true});
  return blocks;
}

std::vector<page::Block> lesson_picture(const RunRecord& run, const Lab& lab,
                                        const ScreenReading& screen,
                                        const std::optional<Access>& access) {
  std::vector<page::Block> picture = curve_of(run, lab, screen);
  if (!access) return picture;
  for (page::Block& block : map_of(run, *access)) picture.push_back(std::move(block));
  return picture;
}

}  // namespace lab::reading
