#include "tools/report/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "harness/core/numbers.h"
#include "harness/core/screen.h"
#include "harness/core/sections.h"
#include "harness/reading/came_to_text.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/goal.h"
#include "harness/reading/run_reading.h"
#include "tools/report/html.h"
#include "tools/report/values.h"

namespace lab::report {

namespace {

std::string heading_of_column(const reading::ScreenColumn& column) {
  if (column.metric == kTimeColumn) {
    return escaped(column.title) + ", " + (column.unit == "us" ? "&micro;s" : column.unit);
  }
  if (column.metric == kFindingColumn) return "found";
  return escaped(reading::title_of(column.metric));
}

std::string cell_html(const reading::ScreenColumn& column, std::size_t row, bool bars) {
  if (!column.texts.empty()) {
    return element("td", escaped(column.texts[row]), column.marked[row] ? "text worst" : "text");
  }
  const auto& value = column.values[row];
  if (!value) return element("td", "&ndash;", "none");
  const std::string text = brief_text(*value);
  const std::string worst = column.marked[row] ? " worst" : "";
  if (!bars) return element("td", text, column.marked[row] ? "worst" : "");
  double most = 0;
  for (const auto& other : column.values) most = std::max(most, other.value_or(0));
  constexpr double kPercent = 100;
  const double share = most > 0 ? kPercent * *value / most : 0;
  return fmt::format("<td class=\"cost{}\" style=\"--share:{:.0f}%\">{}</td>", worst, share, text);
}

std::string reasons_html(const reading::ScreenReading& screen) {
  std::string items;
  for (const reading::ScreenReasonRead& reason : screen.because) {
    const std::string value =
        grouped_text(reason.value) + (reason.unit.empty() ? "" : " " + reason.unit);
    items += element("li", escaped(reason.says) + ": " +
                               (reason.derivation.empty()
                                    ? std::string()
                                    : element("code", escaped(reason.derivation)) + " = ") +
                               element("b", value)) +
             "\n";
  }
  return element("ul", items, "reasons");
}

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
  // Times come first, since a phone shows the left of a table.
  std::vector<std::size_t> order(screen.columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t i) { return screen.columns[i].metric == kTimeColumn; });
  std::string head = "<th></th>";
  for (const std::size_t i : order) {
    head += element("th", heading_of_column(screen.columns[i]), "metric");
  }
  std::string rows;
  for (std::size_t row = 0; row < screen.labels.size(); ++row) {
    std::string cells = element("th", name_html(screen.labels[row]), "text");
    for (const std::size_t i : order) {
      cells += cell_html(screen.columns[i], row, screen.bars == i);
    }
    rows += element("tr", cells) + "\n";
  }
  std::string notes = screen.times.empty() ? "" : element("p", escaped(screen.times), "fixed");
  for (const std::string& one : screen.off) notes += element("p", escaped(one), "fixed");
  return element("section", element("p", escaped(screen.size), "fixed") +
                                wide_table(element("tr", head), rows, "lesson") + notes +
                                reasons_html(screen)) +
         "\n";
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
