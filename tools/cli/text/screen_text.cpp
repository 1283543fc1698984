#include "tools/cli/text/screen_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/core/sections.h"
#include "harness/core/text.h"
#include "harness/core/unicode.h"
#include "harness/reading/formulas.h"
#include "tools/cli/arguments/command.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/curve_text.h"
#include "tools/cli/text/map_text.h"
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
  if (column.metric == kTimeColumn) return {column.unit, Align::kRight, false, column.title};
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

// The least width at which the words take so many lines.
int width_of(const std::string& words, std::size_t lines) {
  int width = 1;
  while (wrapped(words, width).size() > lines) ++width;
  return width;
}

/// Lines of a heading above the column's own; 0: as many as its numbers leave room for.
enum class HeadLines : std::uint8_t { kAny = 0, kOne = 1, kTwo = 2 };

// Bars are drawn beside the numbers that they stand for.
Table table_with(const reading::ScreenReading& screen, bool bars, HeadLines lines) {
  Table table{{{""}}};
  for (const std::string& label : screen.labels) table.rows.push_back({{label}});
  for (std::size_t i = 0; i < screen.columns.size(); ++i) {
    add_column(table, screen.columns[i]);
    Column& column = table.columns.back();
    column.least =
        lines == HeadLines::kAny ? 0 : width_of(column.group, static_cast<std::size_t>(lines));
    if (bars && screen.bars == i) add_bars(table, screen.columns[i]);
  }
  // Above several columns there is room.
  for (std::size_t i = 1; i < table.columns.size(); ++i) {
    if (table.columns[i].group != table.columns[i - 1].group) continue;
    table.columns[i].least = table.columns[i - 1].least = 0;
  }
  return table;
}

std::string table_of(const reading::ScreenReading& screen, const Terminal& terminal) {
  const auto fits = [&](const Table& table) {
    return natural_width(table) + kTableIndent <= std::min(terminal.width, kSlide);
  };
  Table table = table_with(screen, true, HeadLines::kOne);
  if (!fits(table)) table = table_with(screen, true, HeadLines::kTwo);
  if (!fits(table)) table = table_with(screen, true, HeadLines::kAny);
  if (!fits(table)) table = table_with(screen, false, HeadLines::kAny);
  std::string out = table_text(table, terminal, kTableIndent);
  const int width = std::min(terminal.width, kSlide) - kTableIndent;
  std::vector<std::string> below = screen.off;
  if (!screen.times.empty()) below.insert(below.begin(), screen.times);
  for (const std::string& sentence : below) {
    for (const std::string& line : wrapped(sentence, width)) {
      out += std::string(kTableIndent, ' ') + toned(line, Tone::kDim, terminal) + "\n";
    }
  }
  return out;
}

// The line of source, and which lane of a warp reads what there.
std::string map_of(const RunRecord& run, const Access& access, const Terminal& terminal) {
  const std::string line(trim(line_of(run.source_text, access.line)));
  Terminal slide = terminal;
  slide.width = std::min(terminal.width, kSlide);
  const std::string head = fmt::format("  line {}, warp 0: {}", access.line, safe_line(line));
  std::string map =
      access.space == Space::kShared ? bank_map(access, slide) : sector_map(access, slide);
  // Half of the banks show what the others show.
  map.resize(std::min(map.find("\nbank "), map.size() - 1) + 1);
  return cut(head, slide.width) + "\n" + map;
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

// Words, what is worked out, and the number; with its unit where there is room.
Table reasons_table(const reading::ScreenReading& screen, bool units) {
  int digits = 0;
  for (const reading::ScreenReasonRead& reason : screen.because) {
    digits = std::max(digits, display_width(grouped_text(reason.value)));
  }
  Table table{{{""}, {""}, {""}}};
  for (const reading::ScreenReasonRead& reason : screen.because) {
    std::string number = fmt::format("= {:>{}}", grouped_text(reason.value), digits);
    if (units && !reason.unit.empty()) number += " " + reason.unit;
    table.rows.push_back({{reason.says}, {reason.derivation, Tone::kDim}, {number}});
  }
  return table;
}

std::string reasons_text(const reading::ScreenReading& screen, const Terminal& terminal) {
  for (const bool units : {true, false}) {
    const Table table = reasons_table(screen, units);
    if (natural_width(table) + kTableIndent <= std::min(terminal.width, kSlide)) {
      return table_text(table, terminal, kTableIndent);
    }
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
                        const std::optional<Access>& map, const Terminal& terminal) {
  std::string picture = picture_of(run, lab, screen);
  if (map) picture += map_of(run, *map, terminal);
  const std::string above = lesson_text(lab, terminal) + "\n" + table_of(screen, terminal);
  const std::string below =
      picture + (picture.empty() ? "" : "\n") + reasons_text(screen, terminal);
  // Three lines stand around it: its title, how many cases were right, and what to do next.
  constexpr std::ptrdiff_t kLines = 20 - 3;
  const std::string both = above + below;
  const bool has_room = std::count(both.begin(), both.end(), '\n') < kLines;
  return above + (has_room ? "\n" : "") + below;
}

std::string screen_next(const RunRecord& run, const std::string& next, const std::string& stored_in,
                        const Terminal& terminal) {
  const std::string lab = run.called();
  std::string line = fmt::format("Next: {}   All numbers: lab run {} --all",
                                 next.empty() ? "lab start " + lab : next, lab);
  if (!stored_in.empty() && run.id > 0) {
    line += stored_in == usual_database()
                ? fmt::format("   Stored as run {}.", run.id)
                : fmt::format("   Stored as run {} in {}.", run.id, safe_line(stored_in));
  }
  std::string out;
  for (const std::string& part : wrapped(line, terminal.width)) out += part + "\n";
  return out;
}

}  // namespace lab::cli
