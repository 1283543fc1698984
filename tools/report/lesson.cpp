#include "tools/report/lesson.h"

#include <fmt/format.h>

#include <vector>

#include "harness/core/numbers.h"
#include "harness/core/sections.h"
#include "harness/page/make.h"
#include "harness/reading/came_to_text.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/goal.h"
#include "harness/reading/lesson_page.h"
#include "harness/reading/run_reading.h"
#include "tools/report/html.h"
#include "tools/report/page_html.h"
#include "tools/report/values.h"

namespace lab::report {

namespace {

/// The goal's numbers of a student's case, as a table.
std::string goal_html(const CaseRecord& record, const Lab& lab) {
  const std::vector<reading::GoalLine> lines = reading::goal_lines(record, lab);
  if (lines.empty()) return {};
  const auto cell = [](const std::optional<double>& value) {
    return value ? element("td", grouped_text(*value)) : element("td", "&ndash;", "none");
  };
  std::string rows;
  for (const reading::GoalLine& line : lines) {
    const auto against = reading::against_target(record, line.metric);
    const bool above = against && against->above();
    rows += element("tr", element("th", escaped(reading::title_of(line.metric)), "text") +
                              cell(line.from) +
                              element("td", grouped_text(line.value), above ? "worst" : "best") +
                              cell(against ? std::optional(against->target) : std::nullopt)) +
            "\n";
  }
  const std::string from = lab.goal->from ? lab.goal->from->variant : "from";
  return wide_table(
      element("tr", "<th></th>" + element("th", escaped(from)) + "<th>yours</th><th>target</th>"),
      rows);
}

}  // namespace

std::string lesson_html(const reading::ScreenReading& screen) {
  page::Page page;
  page.blocks.push_back(page::sentence(screen.size, page::Role::kNote));
  page::append(page, {reading::lesson_blocks(screen, {})});
  return element("section", page_html(page), "lesson") + "\n";
}

std::string standing_html(const RunRecord& run, const Lab* lab) {
  const std::vector<Section> sections = sections_of(run);
  const bool one = sections.size() == 1 && reading::has_target(sections.front().cases);
  const std::string all = one ? std::string() : reading::standing_sentence(run, reading::read(run));
  std::string out = all.empty() ? all : element("p", escaped(all), "summary");
  for (const Section& section : sections) {
    if (!reading::has_target(section.cases)) continue;
    const CaseRecord& first = *section.cases.front();
    const std::string moment = reading::success_sentence(section.cases, lab);
    if (!moment.empty()) out += element("p", escaped(moment), "summary agrees");
    out += element("p",
                   element("b", escaped(section.variant)) + ": " +
                       escaped(reading::target_sentence(section.cases)),
                   reading::all_on_target(section.cases) ? "" : "explained");
    // A wrong kernel's counts are not held against the target.
    const bool any = reading::results_of(section.cases) != reading::Results::kNoneRight;
    if (any && lab != nullptr) out += goal_html(first, *lab);
  }
  return out.empty() ? out : element("section", out) + "\n";
}

}  // namespace lab::report
