#include "tools/cli/text/target_table.h"

#include <fmt/format.h>

#include <optional>

#include "harness/core/text.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/goal.h"
#include "harness/reading/line_costs.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/source_line.h"

namespace lab::cli {

namespace {

// Of this metric alone: others may be on target.
Cell excess_cell(const CaseRecord& record, const std::optional<reading::Against>& against) {
  const reading::CaseReading read = reading::read(record);
  const bool stands = read.outcome == reading::Outcome::kAboveTarget;
  if (stands && against && against->above()) {
    return {brief_text(against->excess) + " x", Tone::kNote};
  }
  return stands && !against ? Cell{"no target", Tone::kDim} : outcome_cell(record);
}

// The goal's metric in the case that it is compared with; empty: the metric is not of the goal.
std::optional<double> from_of(const CaseRecord& record, const Lab* lab, const std::string& metric) {
  if (lab == nullptr) return {};
  for (const reading::GoalLine& line : reading::goal_lines(record, *lab)) {
    if (line.metric == metric) return line.from;
  }
  return {};
}

Table table_of(const Section& section, const Lab* lab, const std::string& metric) {
  Table table;
  for (const std::string& name : section.varying) table.columns.push_back({name, Align::kRight});
  const bool has_from = from_of(*section.cases.front(), lab, metric).has_value();
  if (has_from) table.columns.push_back({lab->goal->from->variant, Align::kRight});
  const Heading heading = heading_of(title_of(metric));
  table.columns.push_back({heading.own, Align::kRight, false, heading.above});
  table.columns.push_back({"target", Align::kRight});
  table.columns.push_back({"", Align::kRight});
  for (const CaseRecord* record : section.cases) {
    const auto against = reading::against_target(*record, metric);
    std::vector<Cell> row;
    for (const std::string& name : section.varying) row.push_back(param_cell(*record, name));
    if (has_from) row.push_back(number_cell(from_of(*record, lab, metric)));
    const bool mistaken = record->status == CaseStatus::kFinding;
    row.push_back(number_cell(mistaken ? std::nullopt : reading::best_value(*record, metric)));
    row.push_back(number_cell(against ? std::optional(against->target) : std::nullopt));
    row.push_back(excess_cell(*record, against));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// `mine.cu:14   sum += tile[...];`: the line with most of the metric, where that is known.
std::string costliest_line(const RunRecord& run, const Section& section,
                           const std::string& metric) {
  const auto line = reading::costliest_line(*section.cases.front(), run.source_name, metric);
  if (!line) return {};
  return fmt::format("  {}:{}   {}\n", safe_line(run.source_name), *line,
                     source_line(run.source_text, *line));
}

}  // namespace

std::string target_text(const RunRecord& run, const Lab* lab, const Section& section,
                        const Terminal& terminal) {
  const std::string sentence = reading::target_sentence(section.cases);
  if (sentence.empty()) return {};
  const reading::Cases clean = reading::without_mistakes(section.cases);
  const auto furthest = reading::furthest_of(clean);
  std::string out = paragraph(sentence, terminal.width);
  if (furthest && furthest->above()) out += costliest_line(run, section, furthest->metric);
  // A wrong kernel's counts are not held against the target.
  const bool any_right = reading::results_of(clean) != reading::Results::kNoneRight;
  if (furthest && any_right) {
    const Table table = table_of(section, lab, reading::told_metric(clean, *furthest, lab));
    out += "\n" + table_text(table, terminal, kTableIndent);
  }
  const std::string success = reading::success_sentence(section.cases, lab);
  return success.empty() ? out : out + "\n" + toned_paragraph(success, Tone::kGood, terminal);
}

}  // namespace lab::cli
