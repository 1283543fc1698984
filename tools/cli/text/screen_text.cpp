#include "tools/cli/text/screen_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/core/sections.h"
#include "harness/reading/formulas.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/curve_text.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

constexpr int kBar = 16;
constexpr int kSlide = 80;  // columns
constexpr std::string_view kMark = " <--";

std::string lesson_text(const Lab& lab, const Terminal& terminal) {
  std::string out;
  for (const std::string& line : wrapped(lab.lesson, std::min(terminal.width, kSlide)))
    out += line + "\n";
  return out;
}

Column heading_of_column(const reading::ScreenColumn& column) {
  if (column.metric == kTimeColumn) {
    constexpr int kRoom = 21;  // for `H200 at 4,096 x 4,096`
    return {"us", Align::kRight, false, column.title, kRoom};
  }
  if (column.metric == kSizeColumn) return {"", Align::kRight};
  if (column.metric == kFindingColumn) return {"found"};
  const Heading heading = heading_of(title_of(column.metric));
  return {heading.own, Align::kRight, false, heading.above};
}

// Numbers stay below each other: where one is marked, the others leave room for it.
void add_column(Table& table, const reading::ScreenColumn& column) {
  table.columns.push_back(heading_of_column(column));
  const auto& marked = column.marked;
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    table.rows[i].push_back({column.texts[i], marked[i] ? Tone::kBad : Tone::kPlain});
  }
  const bool any = std::find(marked.begin(), marked.end(), true) != marked.end();
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    Cell cell = brief_cell(column.values[i], "");
    if (any) cell.text += marked[i] ? kMark : std::string(kMark.size(), ' ');
    if (marked[i]) cell.tone = Tone::kBad;
    table.rows[i].push_back(std::move(cell));
  }
}

void add_bars(Table& table, const reading::ScreenColumn& column) {
  double most = 0;
  for (const auto& value : column.values) most = std::max(most, value.value_or(0));
  table.columns.push_back({""});
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    const double share = most > 0 ? column.values[i].value_or(0) / most : 0;
    const auto length = static_cast<std::size_t>(std::lround(share * kBar));
    const bool some = column.values[i].value_or(0) > 0;
    table.rows[i].push_back({std::string(std::max(length, some ? std::size_t{1} : 0), '#')});
  }
}

std::string table_of(const reading::ScreenReading& screen, const Terminal& terminal) {
  Table table{{{""}}};
  for (const std::string& label : screen.labels) table.rows.push_back({{label}});
  for (const reading::ScreenColumn& column : screen.columns) add_column(table, column);
  Table with_bars = table;
  if (screen.bars) add_bars(with_bars, screen.columns[*screen.bars]);
  const bool fits = natural_width(with_bars) + kTableIndent <= std::min(terminal.width, kSlide);
  return table_text(fits ? with_bars : table, terminal, kTableIndent);
}

std::string picture_of(const RunRecord& run, const Lab& lab, const reading::ScreenReading& screen) {
  if (lab.screen->curve.empty()) return {};
  const std::string& variant = screen.cases.front()->variant;
  for (const Section& section : sections_of(run)) {
    if (section.variant != variant) continue;
    Section sweep = section;
    std::erase_if(sweep.cases, [&](const CaseRecord* record) {
      return std::find(screen.cases.begin(), screen.cases.end(), record) == screen.cases.end();
    });
    sweep.varying.clear();
    for (const auto& [name, value] : sweep.cases.front()->params.all()) {
      const bool varies = std::any_of(sweep.cases.begin(), sweep.cases.end(),
                                      [&, &key = name, &own = value](const CaseRecord* record) {
                                        return !(record->params.all().at(key) == own);
                                      });
      if (varies) sweep.varying.push_back(name);
    }
    return curve_text(sweep, find_variant(lab, variant), lab.screen->curve);
  }
  return {};
}

std::string reasons_text(const reading::ScreenReading& screen, const Terminal& terminal) {
  Table table{{{""}, {""}, {"", Align::kRight}}};
  for (const reading::ScreenReasonRead& reason : screen.because) {
    table.rows.push_back(
        {{reason.says}, {reason.derivation, Tone::kDim}, {"= " + grouped_text(reason.value)}});
  }
  if (natural_width(table) + kTableIndent <= std::min(terminal.width, kSlide)) {
    return table_text(table, terminal, kTableIndent);
  }
  std::string out;
  for (const reading::ScreenReasonRead& reason : screen.because) {
    const std::string line =
        fmt::format("{}: {}{}{}", reason.says, reason.derivation,
                    reason.derivation.empty() ? "" : " = ", grouped_text(reason.value));
    for (const std::string& part : wrapped(line, std::min(terminal.width, kSlide) - kTableIndent)) {
      out += std::string(kTableIndent, ' ') + part + "\n";
    }
  }
  return out;
}

}  // namespace

std::string screen_text(const RunRecord& run, const Lab& lab, const reading::ScreenReading& screen,
                        const Terminal& terminal) {
  const std::string picture = picture_of(run, lab, screen);
  return lesson_text(lab, terminal) + "\n" + table_of(screen, terminal) + "\n" + picture +
         (picture.empty() ? "" : "\n") + reasons_text(screen, terminal);
}

std::string screen_next(const RunRecord& run, const std::string& next, const std::string& stored_in,
                        const Terminal& terminal) {
  const std::string lab = run.called();
  std::string line = fmt::format("Next: {}   All numbers: lab run {} --all",
                                 next.empty() ? "lab start " + lab : next, lab);
  if (!stored_in.empty() && run.id > 0) {
    line += fmt::format("   Stored as run {} in {}.", run.id, safe_line(stored_in));
  }
  std::string out;
  for (const std::string& part : wrapped(line, terminal.width)) out += part + "\n";
  return out;
}

}  // namespace lab::cli
