#include "tools/cli/text/screen_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/core/sections.h"
#include "harness/core/text.h"
#include "harness/page/make.h"
#include "harness/reading/lesson_page.h"
#include "harness/reading/map_page.h"
#include "tools/cli/arguments/command.h"
#include "tools/cli/text/curve_text.h"
#include "tools/cli/text/page_text.h"

namespace lab::cli {

namespace {

constexpr int kSlide = 80;  // columns

// The line of source, and which lane of a warp reads what there.
std::vector<page::Block> map_of(const RunRecord& run, const Access& access) {
  const std::string line(trim(line_of(run.source_text, access.line)));
  const std::string head = fmt::format("line {}, warp 0: {}", access.line, line);
  page::Grid grid = reading::grids_of(access, head).front();
  // Half of the banks show what the others show.
  if (!grid.columns.empty()) {
    grid.columns.resize(grid.together);
    for (page::GridRow& row : grid.rows) row.squares.resize(grid.together);
  }
  return {page::sentence(head, page::Role::kNote), {std::move(grid)}};
}

std::string curve_of(const RunRecord& run, const Lab& lab, const reading::ScreenReading& screen) {
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

std::vector<page::Step> steps_of(const RunRecord& run, const std::string& next,
                                 const std::string& stored_in) {
  const std::string lab = run.called();
  std::vector<page::Step> steps = {{"Next", next.empty() ? "lab start " + lab : next},
                                   {"All numbers", fmt::format("lab run {} --all", lab)}};
  if (stored_in.empty() || run.id == 0) return steps;
  const std::string where = stored_in == usual_database() ? "" : " in " + stored_in;
  steps.push_back({fmt::format("Stored as run {}{}.", run.id, where)});
  return steps;
}

}  // namespace

std::string screen_text(const RunRecord& run, const Lab& lab, const reading::ScreenReading& screen,
                        const ScreenAround& around, const Terminal& terminal) {
  constexpr int kLines = 20;
  Terminal slide = terminal;
  slide.width = std::min(terminal.width, kSlide);
  reading::LessonView view{{}, steps_of(run, around.next, around.stored_in)};
  const std::string curve = curve_of(run, lab, screen);
  if (!curve.empty()) view.picture.push_back({page::Code{curve}});
  if (around.map) {
    for (page::Block& block : map_of(run, *around.map)) view.picture.push_back(std::move(block));
  }
  if (!around.has_picture) {
    view.picture.push_back(page::sentence(
        "The picture was not stored with this run: lab map " + run.called() + " draws it.",
        page::Role::kNote, Tone::kDim));
  }
  return page_text(reading::lesson_page(run, lab, screen, std::move(view)), slide, kLines);
}

}  // namespace lab::cli
