#include "harness/reading/cases_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/core/numbers.h"
#include "harness/page/make.h"
#include "harness/reading/case_name.h"
#include "harness/reading/goal.h"
#include "harness/reading/times.h"
#include "metrics/catalogue.h"

namespace lab::reading {

namespace {

using page::Digits;
using page::Rank;
using page::Tone;

page::Column label(std::string title, bool right) {
  page::Column column{std::move(title), right};
  column.names = true;
  return column;
}

page::Cell param_cell(const CaseRecord& record, const std::string& name) {
  const ParamValue* const value = param_of(record, name);
  return value == nullptr ? page::number_cell({}) : page::Cell{param_text(*value)};
}

// The columns before the numbers.
page::Table labels_of_points(const Section& section) {
  page::Table table;
  for (const std::string& name : section.varying) table.columns.push_back(label(name, true));
  for (const CaseRecord* record : section.cases) {
    page::Row& row = table.rows.emplace_back();
    for (const std::string& name : section.varying) row.cells.push_back(param_cell(*record, name));
  }
  return table;
}

// Parameters that tell the case from the first one of the ladder, and from others of its variant.
std::string differing(const CaseRecord& record, const Section& section, const CaseRecord& first) {
  std::vector<std::string> names;
  for (const auto& [name, value] : record.params.all()) {
    const ParamValue* const base = param_of(first, name);
    const auto& varying = section.varying;
    const bool varies = std::find(varying.begin(), varying.end(), name) != varying.end();
    if (base == nullptr ? varies : !(*base == value)) names.push_back(name);
  }
  return values_of(record, names);
}

// Each variant's first case tells it if all is as predicted.
page::Table labels_of_variants(const std::vector<Section>& sections, const CaseRecord& first,
                               bool all_plain) {
  page::Table table{{label("variant", false), label("with", false)}};
  table.columns[1].wraps = true;
  bool any = false;
  for (const Section& section : sections) {
    std::string name = section.variant;
    for (const CaseRecord* record : section.cases) {
      const std::string with = differing(*record, section, first);
      any = any || !with.empty();
      page::Row& row = table.rows.emplace_back();
      row.rank = all_plain && record != section.cases.front() ? Rank::kDetail : Rank::kAlways;
      row.cells = {{std::exchange(name, "")}, {with, Tone::kDim}};
    }
  }
  if (!any) page::leave_out(table, 1);
  return table;
}

page::Column& add_column(page::Table& table, page::Column column, std::vector<page::Cell> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    table.rows[i].cells.push_back(std::move(cells[i]));
  }
  return table.columns.emplace_back(std::move(column));
}

// Numbers that all sources share are brief, as are those that are never judged, such as times.
Digits digits_of(const MetricFigures& figures, const Shown& shown, const Value& value) {
  if (value->low != value->high) return Digits::kExact;
  if (shown.detail == Detail::kBrief) return figures.folded ? Digits::kBrief : Digits::kExact;
  const metrics::Metric* row = metrics::find(figures.metric);
  const bool context = row != nullptr && row->metric_class == metrics::Class::kContext;
  return context && shown.detail == Detail::kFolded ? Digits::kBrief : Digits::kExact;
}

std::vector<page::Cell> cells_of(const MetricFigures& figures, const FigureLine& line,
                                 const Shown& shown) {
  std::vector<page::Cell> cells;
  for (const Value& value : line.values) {
    cells.push_back(
        value ? page::number_cell(value->low, value->high, digits_of(figures, shown, value))
              : page::number_cell({}));
  }
  return cells;
}

// Where there is no room for all, what everybody agrees on is the first to go, never the first
// metric of all; then what was measured speaks for a prediction that it fits.
void add_metric(page::Table& table, const MetricFigures& figures, const MetricFigures& first,
                const Shown& shown, bool all_plain) {
  const std::string title = title_of(figures.metric);
  const Heading heading = heading_of(title);
  const bool is_first = &figures == &first;
  for (const FigureLine& line : figures.lines) {
    page::Column column{heading.own, true, false, heading.above};
    column.called = title;
    const bool is_last = &line == &figures.lines.back();
    if (!figures.folded) {
      const std::string of(line.of.front());
      column = {of, true, false, title};
      if (!shown.side_by_side() && all_plain && !is_last) column.rank = Rank::kMain;
    }
    if (!shown.side_by_side() && figures.lines.size() == 1 && !is_first) column.rank = Rank::kMore;
    column.alike = !is_first && figures.folded && first.folded &&
                   heading.above == heading_of(title_of(first.metric)).above &&
                   same_values(line, first.lines.front());
    add_column(table, std::move(column), cells_of(figures, line, shown));
  }
}

page::Column number_column(const NumberLine& line, std::string group, Rank rank) {
  page::Column column{line.name, true, false, std::move(group)};
  column.rank = rank;
  return column;
}

/// Whether a case is as large as the one that a ladder begins with.
using SameSize = std::vector<bool>;

SameSize same_sizes(const Cases& cases, const CaseRecord& first, const Shown& shown) {
  SameSize same;
  for (const CaseRecord* record : cases) {
    same.push_back(std::all_of(shown.sizes.begin(), shown.sizes.end(), [&](const auto& name) {
      const ParamValue* const own = param_of(*record, name);
      const ParamValue* const its = param_of(first, name);
      return own == nullptr || its == nullptr || *own == *its;
    }));
  }
  return same;
}

std::vector<page::Cell> brief_cells(const NumberLine& line) {
  std::vector<page::Cell> cells;
  for (const auto& value : line.values) {
    cells.push_back(page::number_cell(value, Digits::kBrief));
    if (auto* number = std::get_if<page::Number>(&cells.back().is); number != nullptr) {
      number->unit = line.unit == "%" ? "%" : "";
    }
  }
  return cells;
}

// Times of two sizes are not compared in one column; rates are.
std::vector<page::Cell> time_cells(const NumberLine& line, const SameSize& same) {
  std::vector<page::Cell> cells = brief_cells(line);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (same[i] || !line.values[i]) continue;
    cells[i] = page::number_cell({}, Digits::kBrief, "of another size: --all has it");
  }
  return cells;
}

// Bandwidth follows from the time, and the bound is theory's: they are the first to go.
void add_times(page::Table& table, const Cases& cases, const Shown& shown, bool is_sweep,
               const SameSize& same) {
  const Times times = times_of(cases);
  for (const NumberLine& line : times.lines) {
    const bool last = &line == &times.lines.back();
    const bool may_go = is_sweep || shown.side_by_side();
    const Rank rank = !last ? Rank::kDetail : may_go ? Rank::kMain : Rank::kAlways;
    add_column(table, number_column(line, times.title, rank), time_cells(line, same)).leads = last;
  }
  if (times.lines.empty()) return;
  for (const NumberLine& line : rate_lines(cases, shown)) {
    add_column(table, number_column(line, "", Rank::kDetail), brief_cells(line));
  }
}

// Says the outcome in a word or two.
page::Cell outcome_cell(const CaseRecord& record) {
  const CaseReading one = read(record);
  return {outcome_text(one), tone_of(one.outcome)};
}

// Why a case was skipped, or what explains a difference, is said below the table.
bool says_all(const CaseRecord* record, const Shown& shown) {
  return all_plain({record}, shown) || record->status == CaseStatus::kSkipped;
}

void add_outcomes(page::Table& table, const Cases& cases, const Shown& shown) {
  const bool brief = shown.detail == Detail::kBrief;
  const auto plain = [&](const CaseRecord* record) { return says_all(record, shown); };
  if (brief && std::all_of(cases.begin(), cases.end(), plain)) return;
  std::vector<page::Cell> cells;
  for (const CaseRecord* record : cases) cells.push_back(outcome_cell(*record));
  page::Column column{has_target(cases) && shown.detail == Detail::kFolded ? "against target"
                                                                           : "verdict"};
  column.leads = true;
  if (std::all_of(cases.begin(), cases.end(), plain)) column.rank = Rank::kDetail;
  add_column(table, std::move(column), std::move(cells));
}

// `8 % of DRAM`: how near the counts that were measured came.
page::Cell ceiling_cell(const CaseRecord& record, const metrics::Machine& machine) {
  const auto bound = has_mistake(record) ? std::nullopt : time_against(record, machine);
  if (!bound) return page::number_cell({});
  const metrics::Use& use = bound->uses.front();
  constexpr double kPercent = 100;
  const double percent = kPercent * bound->fraction(use);
  const std::string share = percent < 1 ? "under 1 %" : fmt::format("{:.0f} %", percent);
  return {fmt::format("{} of {}", share, metrics::name_of(use.resource))};
}

void add_ceilings(page::Table& table, const Cases& cases, const metrics::Machine& machine) {
  std::vector<page::Cell> cells;
  for (const CaseRecord* record : cases) cells.push_back(ceiling_cell(*record, machine));
  if (std::all_of(cells.begin(), cells.end(), [](const page::Cell& cell) {
        return std::holds_alternative<std::monostate>(cell.is);
      })) {
    return;
  }
  add_column(table, {"percent of ceiling", false, true}, std::move(cells));
}

// The goal's metric in the case that it is compared with; empty: the metric is not of the goal.
std::optional<double> from_of(const CaseRecord& record, const Lab* lab, const std::string& metric) {
  if (lab == nullptr) return {};
  for (const GoalLine& line : goal_lines(record, *lab)) {
    if (line.metric == metric) return line.from;
  }
  return {};
}

// This metric alone is meant: others may be on target.
page::Cell excess_cell(const CaseRecord& record, const std::optional<Against>& against) {
  const bool stands = read(record).outcome == Outcome::kAboveTarget;
  if (stands && against && against->above()) {
    return {brief_text(against->excess) + " x", Tone::kNote};
  }
  return stands && !against ? page::Cell{"no target", Tone::kDim} : outcome_cell(record);
}

}  // namespace

std::string shared_params(const std::vector<Section>& sections) {
  const Section& first = sections.front();
  if (sections.size() == 1) return values_of(*first.cases.front(), first.fixed);
  std::vector<std::string> names;
  for (const auto& [name, value] : first.cases.front()->params.all()) names.push_back(name);
  return values_of(*first.cases.front(), names);
}

CasesTable cases_table(const std::vector<Section>& sections, const Shown& shown,
                       const metrics::Machine* machine) {
  const std::vector<Section> ordered = fastest_first(sections);
  const Cases cases = cases_of(ordered);
  const bool plain = all_plain(cases, shown);
  const bool one = ordered.size() == 1;
  const bool is_sweep = one && plain && shown.detail != Detail::kFolded;
  CasesTable made;
  page::Table& table = made.table;
  table = one ? labels_of_points(ordered.front())
              : labels_of_variants(ordered, *sections.front().cases.front(), plain);
  // One variant's points are told by what changes with them; a ladder compares all metrics.
  std::vector<MetricFigures> metrics = all_figures(cases, shown);
  if (is_sweep) metrics = worth_showing(std::move(metrics), shown);
  for (const MetricFigures& figures : metrics) {
    add_metric(table, figures, metrics.front(), shown, plain);
    made.metrics.push_back(figures.metric);
  }
  // A sweep has its sizes beside the times; of a ladder those of one size are compared.
  const CaseRecord& first = *sections.front().cases.front();
  add_times(table, cases, shown, is_sweep,
            one ? SameSize(cases.size(), true) : same_sizes(cases, first, shown));
  add_outcomes(table, cases, shown);
  if (machine != nullptr) add_ceilings(table, cases, *machine);
  table.may_turn = one && !metrics.empty() && (plain || cases.size() == 1);
  return made;
}

page::Table target_table(const Section& section, const Lab* lab, const std::string& metric) {
  page::Table table = labels_of_points(section);
  const bool has_from = from_of(*section.cases.front(), lab, metric).has_value();
  const Heading heading = heading_of(title_of(metric));
  if (has_from) table.columns.push_back({lab->goal->from->variant, true});
  table.columns.push_back({heading.own, true, false, heading.above});
  table.columns.back().called = title_of(metric);
  table.columns.push_back({"target", true});
  table.columns.push_back({"", true});
  for (std::size_t i = 0; i < section.cases.size(); ++i) {
    const CaseRecord& record = *section.cases[i];
    const auto against = against_target(record, metric);
    std::vector<page::Cell>& row = table.rows[i].cells;
    if (has_from) row.push_back(page::number_cell(from_of(record, lab, metric)));
    row.push_back(
        page::number_cell(has_mistake(record) ? std::nullopt : best_value(record, metric)));
    row.push_back(page::number_cell(against ? std::optional(against->target) : std::nullopt));
    row.push_back(excess_cell(record, against));
  }
  return table;
}

}  // namespace lab::reading
