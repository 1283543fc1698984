#include "tools/report/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "harness/core/expression.h"
#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/charts.h"
#include "harness/reading/formulas.h"
#include "harness/reading/metric_view.h"
#include "harness/reading/times.h"
#include "metrics/formulas.h"
#include "tools/report/charts.h"
#include "tools/report/html.h"
#include "tools/report/values.h"

namespace lab::report {

namespace {

std::vector<reading::MetricFigures> figures_of(const Section& section,
                                               const std::vector<std::string>& metrics) {
  return reading::all_figures(section.cases, {metrics, reading::Detail::kFolded});
}

// A value that is not an exact count has no use for six digits.
std::string cell_html(const std::string& metric, const reading::Value& value) {
  if (!value) return element("td", "&ndash;", "none");
  if (value->low == value->high) {
    return element("td", is_context(metric) ? brief_text(value->low) : shown(*value));
  }
  // Two long numbers may stand one below the other.
  const auto end = [](double at) { return shown({at, at}); };
  return element("td", end(value->low) + "..<wbr>" + end(value->high), "interval");
}

/// What launches took and the bound that they were held against; of each case, how near to a
/// ceiling the counts that were measured came.
struct TimeCells {
  reading::Times times = {};
  bool of_ceiling = false;
};

TimeCells time_columns(const Section& section, const metrics::Machine& machine) {
  TimeCells cells{reading::times_of(section.cases)};
  std::reverse(cells.times.lines.begin(),
               cells.times.lines.end());  // what was measured stands first
  for (const CaseRecord* record : section.cases) {
    cells.of_ceiling = cells.of_ceiling || reading::time_against(*record, machine).has_value();
  }
  return cells;
}

std::string time_html(const Section& section, std::size_t at, const TimeCells& cells,
                      const metrics::Machine& machine) {
  const std::string none = element("td", "&ndash;", "none");
  std::string out;
  for (const reading::NumberLine& line : cells.times.lines) {
    out += line.values[at] ? element("td", brief_text(*line.values[at])) : none;
  }
  if (!cells.of_ceiling) return out;
  const auto bound = reading::time_against(*section.cases[at], machine);
  if (!bound) return out + none;
  const metrics::Use& use = bound->uses.front();
  return out + element("td",
                       fmt::format("{} of {}", percent_text(bound->fraction(use)),
                                   escaped(name_of(use.resource))),
                       "reached");
}

std::string row_html(const Section& section, std::size_t at,
                     const std::vector<reading::MetricFigures>& all, const TimeCells& time,
                     const metrics::Machine& machine) {
  const CaseRecord& record = *section.cases[at];
  // The outcome stands first: a page has room for it, whatever else it leaves out.
  std::string cells = outcome_html(record);
  for (const std::string& name : section.varying) {
    const auto found = record.params.all().find(name);
    const bool has = found != record.params.all().end();
    cells += element("th", has ? escaped(to_text(found->second)) : "");
  }
  for (const reading::MetricFigures& figures : all) {
    for (const reading::FigureLine& line : figures.lines) {
      cells += cell_html(figures.metric, line.values[at]);
    }
  }
  return element("tr", cells + time_html(section, at, time, machine)) + "\n";
}

std::string table_html(const Section& section, const std::vector<std::string>& metrics,
                       const metrics::Machine& machine) {
  const bool target = reading::has_target(section.cases);
  const std::vector<reading::MetricFigures> all = figures_of(section, metrics);
  const TimeCells time = time_columns(section, machine);
  std::string top;
  std::string below;
  top +=
      fmt::format("<th rowspan=\"2\" class=\"verdict\">{}</th>", target ? "standing" : "verdict");
  for (const std::string& name : section.varying) {
    top += fmt::format("<th rowspan=\"2\">{}</th>", escaped(name));
  }
  for (const reading::MetricFigures& figures : all) {
    const std::string title = escaped(reading::title_of(figures.metric));
    if (figures.folded) {
      top += fmt::format("<th rowspan=\"2\" class=\"metric\">{}</th>", title);
      continue;
    }
    top += fmt::format("<th colspan=\"{}\" class=\"metric\">{}</th>", figures.lines.size(), title);
    for (const reading::FigureLine& line : figures.lines) below += element("th", line.of.front());
  }
  for (const reading::NumberLine& line : time.times.lines) {
    top += fmt::format("<th rowspan=\"2\">{}, &micro;s</th>",
                       escaped(time.times.measured ? line.name : time.times.title));
  }
  if (time.of_ceiling) top += "<th rowspan=\"2\">percent of ceiling</th>";
  std::string rows;
  for (std::size_t at = 0; at < section.cases.size(); ++at) {
    rows += row_html(section, at, all, time, machine);
  }
  return wide_table(element("tr", top) + element("tr", below), rows);
}

// Where theory, model and measurement are one number, the table does not say so by itself.
std::string alike_html(const Section& section, const std::vector<std::string>& metrics) {
  std::set<std::string_view> sources;
  for (const reading::MetricFigures& figures : figures_of(section, metrics)) {
    if (figures.folded) sources.insert(figures.lines[0].of.begin(), figures.lines[0].of.end());
  }
  if (sources.size() < 2) return {};
  return element("p",
                 sources.contains("measured") && sources.size() == 3
                     ? "Where a metric has one number, theory, model and measurement are equal."
                     : fmt::format("Where a metric has one number, {} are equal.",
                                   fmt::join(sources, " and ")),
                 "fixed");
}

// The formula over the section's cases, drawn, with an example, and the sentence that derives it.
// A formula of another version of the lab is shown as it was stored.
std::string formula_html(const Section& section, const Variant* variant,
                         const reading::JudgedBy& by) {
  const TheoryRow* row = by.row;
  if (row == nullptr) return element("code", escaped(by.stored->formula));
  const CaseRecord& example = reading::example_case(section);
  const Expr formula = metrics::over_cases(row->formula, *variant, section.cases);
  std::string text = mathml(formula);
  for (const auto& definition : definitions_of(formula)) {
    if (definition.name.back() == ')') {
      text += "<br>" + element("code", escaped(definition.name)) + ": " + prose(definition.why);
      continue;
    }
    text += "<br>" + mathml(Expr(definition.name)) + " = " + mathml(definition.body) +
            (definition.why.empty() ? "" : ", " + prose(definition.why));
  }
  const auto value = reading::view_of(example, row->metric).theory();
  if (value && formula.operation() != Operation::kNumber) {
    const auto names = metrics::names_of(*variant, example);
    text +=
        fmt::format("<br><small>{} {} = {}</small>", escaped(params_text(example, section.varying)),
                    mathml(formula.with_values(names)), number_text(value->low));
  }
  if (row->as_written) {
    text += "<br>as written: " +
            mathml(metrics::over_cases(*row->as_written, *variant, section.cases).opened());
  }
  return text + "<br>" + prose(row->why);
}

std::string formulas_html(const Section& section, const Variant* variant,
                          const std::vector<std::string>& metrics) {
  std::string items;
  for (const std::string& metric : metrics) {
    const auto by = reading::formula_of(reading::example_case(section), variant, metric);
    if (by.stored == nullptr) continue;
    items += element("dt", escaped(reading::title_of(metric))) +
             element("dd", formula_html(section, variant, by)) + "\n";
  }
  return items.empty() ? items : element("dl", items) + "\n";
}

std::string curves_html(const Section& section, const std::vector<std::string>& metrics) {
  std::string charts;
  const auto sweep = reading::sweep_of(section);
  if (!sweep) return charts;
  for (const std::string& metric : reading::curves_of(*sweep, metrics)) {
    charts +=
        fmt::format("<figure><canvas id=\"{}\" role=\"img\" aria-label=\"{}\"></canvas></figure>\n",
                    escaped(curve_id(section, metric)),
                    escaped(reading::title_of(metric) + " over " + sweep->param));
  }
  return charts.empty() ? charts : element("div", charts, "charts") + "\n";
}

// What sets the times that are expected, once where it is the same in several cases.
std::string expected_html(const Section& section) {
  std::string items;
  for (const reading::ToldTime& told : reading::told_times(section)) {
    const std::string params = params_text(*told.first, section.varying);
    items += element("li", escaped(params + (params.empty() ? "" : ": ") + told.text));
  }
  return items.empty() ? items : element("ul", items, "expected") + "\n";
}

}  // namespace

std::string outcome_html(const CaseRecord& record) {
  const reading::CaseReading read = reading::read(record);
  return element("td", escaped(reading::outcome_text(read)),
                 "verdict " + std::string(class_of(reading::mood_of(read.outcome))));
}

std::string section_html(const Section& section, const Lab* lab,
                         const std::vector<std::string>& metrics, const metrics::Machine& machine) {
  const Variant* variant = reading::variant_of(section, lab);
  std::string out = element("h2", escaped(reading::name_of(section)));
  if (variant != nullptr) out += element("p", prose(variant->summary));
  if (!section.fixed.empty()) {
    out += element("p", escaped(params_text(*section.cases.front(), section.fixed)), "fixed");
  }
  out += "\n" + table_html(section, metrics, machine) + alike_html(section, metrics);
  out += expected_html(section);
  out += curves_html(section, metrics);
  const std::string formulas = formulas_html(section, variant, metrics);
  if (!formulas.empty()) {
    out += "<details class=\"formulas\" open>" + element("summary", "Formulas") + formulas +
           "</details>\n";
  }
  return element("section", out) + "\n";
}

}  // namespace lab::report
