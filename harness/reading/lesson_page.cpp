#include "harness/reading/lesson_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/core/sections.h"
#include "harness/page/make.h"
#include "harness/reading/case_name.h"
#include "harness/reading/formula_page.h"
#include "harness/reading/map_page.h"

namespace lab::reading {

namespace {

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
