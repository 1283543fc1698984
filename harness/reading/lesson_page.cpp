#include "harness/reading/lesson_page.h"

#include <fmt/format.h>

#include <utility>

#include "harness/page/make.h"
#include "harness/reading/came_to_text.h"
#include "harness/reading/figures.h"
#include "harness/reading/looked_for.h"
#include "harness/reading/run_reading.h"

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

Cases all_cases(const RunRecord& run) {
  Cases cases;
  for (const CaseRecord& record : run.cases) cases.push_back(&record);
  return cases;
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

page::Heading run_heading(const RunRecord& run, const Lab* lab, const std::string& size) {
  page::Heading heading;
  heading.words =
      run.lab == 0 ? "Probe of " + run.source_name
                   : fmt::format("Lab {}{}", run.called(), lab == nullptr ? "" : ": " + lab->title);
  if (!run.source_is_labs_own && run.lab != 0) heading.words += ", " + run.source_name;
  if (!size.empty()) heading.facts.push_back(size);
  heading.facts.insert(heading.facts.end(), {run.backend, run.arch});
  if (!run.gpu.empty()) heading.facts.push_back(run.gpu);
  return heading;
}

page::Page lesson_page(const RunRecord& run, const Lab& lab, const ScreenReading& screen,
                       LessonView view) {
  page::Page page;
  page.blocks = {{run_heading(run, &lab, screen.size), Rank::kAlways},
                 {page::sentence(lab.lesson)}};
  page::append(page, {lesson_blocks(screen, std::move(view.picture))});
  const RunReading all = read(run);
  page.blocks.push_back(page::sentence(came_to_text(run, all), Role::kResult,
                                       all.verdicts.disagrees > 0 ? Tone::kBad : Tone::kPlain));
  const std::string not_looked = not_looked_for_text(all_cases(run));
  if (!not_looked.empty()) page.blocks.push_back(page::sentence(not_looked));
  page.blocks.push_back({page::Steps{std::move(view.steps)}, Rank::kAlways});
  return page;
}

}  // namespace lab::reading
