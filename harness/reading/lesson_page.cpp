#include "harness/reading/lesson_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/core/sections.h"
#include "harness/core/text.h"
#include "harness/page/make.h"
#include "harness/reading/figures.h"
#include "harness/reading/formula_page.h"
#include "harness/reading/map_page.h"

namespace lab::reading {

namespace {

using page::Rank;
using page::Role;
using page::Tone;

page::Column heading_of_column(const ScreenColumn& column) {
  page::Column head;
  head.right = true;
  if (column.metric == kTimeColumn) {
    head.title = column.unit;
    head.group = column.title;
    head.leads = true;
  } else if (column.metric == kFindingColumn) {
    head.title = "found";
    head.right = false;
  } else {
    const Heading heading = heading_of(title_of(column.metric));
    head.title = heading.own;
    head.group = heading.above;
  }
  return head;
}

page::Cell cell_of(const ScreenColumn& column, std::size_t row) {
  page::Cell cell;
  if (column.texts.empty()) {
    cell = page::number_cell(column.values[row], page::Digits::kBrief);
    cell.marked = column.marked[row];
  } else {
    cell.is = column.texts[row];
  }
  if (column.marked[row]) cell.tone = Tone::kBad;
  return cell;
}

page::Table table_of_cases(const ScreenReading& screen) {
  page::Table table{{{""}}};
  for (const std::string& label : screen.labels) table.rows.push_back({{{label}}});
  for (std::size_t i = 0; i < screen.columns.size(); ++i) {
    table.columns.push_back(heading_of_column(screen.columns[i]));
    table.columns.back().bars = screen.bars == i;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      table.rows[row].cells.push_back(cell_of(screen.columns[i], row));
    }
  }
  return table;
}

// Words, what is worked out, and the number.
page::Table table_of_reasons(const ScreenReading& screen) {
  page::Table table{{{""}, {""}, {""}, {"", true}, {"", false, false, "", Rank::kMore}}};
  for (const ScreenReasonRead& reason : screen.because) {
    page::Row row;
    row.cells = {{reason.says}, {reason.derivation, Tone::kDim}, {std::string("=")}};
    row.cells.push_back(page::number_cell(reason.value));
    row.cells.push_back({reason.unit});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The line of source, and which lane of a warp reads what there.
std::vector<page::Block> map_of(const RunRecord& run, const Access& access) {
  const std::string line(trim(lab::line_of(run.source_text, access.line)));
  const std::string head = fmt::format("line {}, warp 0: {}", access.line, line);
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
    sweep.varying.clear();
    for (const auto& [name, value] : sweep.cases.front()->params.all()) {
      const bool varies = std::any_of(sweep.cases.begin(), sweep.cases.end(),
                                      [&, &key = name, &own = value](const CaseRecord* record) {
                                        return !(record->params.all().at(key) == own);
                                      });
      if (varies) sweep.varying.push_back(name);
    }
    return steps_chart(sweep, find_variant(lab, variant), lab.screen->curve);
  }
  return {};
}

}  // namespace

std::vector<page::Block> lesson_blocks(const ScreenReading& screen,
                                       std::vector<page::Block> picture) {
  std::vector<page::Block> blocks = {{table_of_cases(screen), Rank::kAlways, true}};
  if (!screen.times.empty()) {
    blocks.push_back(page::sentence(screen.times, Role::kNote, Tone::kDim));
  }
  for (const std::string& flaw : screen.off) {
    blocks.push_back(page::sentence(flaw, Role::kNote, Tone::kDim));
  }
  if (!picture.empty()) {
    picture.front().apart = true;
    picture.front().rank = Rank::kMore;
  }
  for (page::Block& block : picture) blocks.push_back(std::move(block));
  if (!screen.because.empty()) blocks.push_back({table_of_reasons(screen), Rank::kMain, true});
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
