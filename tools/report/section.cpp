#include "tools/report/section.h"

#include <fmt/format.h>

#include <set>

#include "harness/core/expression.h"
#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/reading/charts.h"
#include "harness/reading/formulas.h"
#include "harness/reading/metric_view.h"
#include "harness/reading/times.h"
#include "metrics/formulas.h"
#include "tools/report/cases_table.h"
#include "tools/report/charts.h"
#include "tools/report/html.h"
#include "tools/report/values.h"

namespace lab::report {

namespace {

std::vector<reading::MetricFigures> figures_of(const Section& section,
                                               const std::vector<std::string>& metrics) {
  return reading::all_figures(section.cases, {metrics, reading::Detail::kFolded});
}

std::string table_html(const Section& section, const std::vector<std::string>& metrics,
                       const metrics::Machine& machine) {
  RowLabels labels;
  for (const std::string& name : section.varying) {
    labels.headings.push_back(element("th", escaped(name)));
  }
  for (const CaseRecord* record : section.cases) {
    std::vector<std::string>& row = labels.rows.emplace_back();
    for (const std::string& name : section.varying) {
      const auto found = record->params.all().find(name);
      const bool has = found != record->params.all().end();
      row.push_back(element("th", has ? escaped(to_text(found->second)) : ""));
    }
  }
  return cases_table(labels, section.cases, {metrics, reading::Detail::kFolded}, machine);
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

std::string curves_html(const Section& section, const std::vector<std::string>& metrics,
                        const std::string& drawn_above) {
  std::string charts;
  const auto sweep = reading::sweep_of(section);
  if (!sweep) return charts;
  for (const std::string& metric : reading::curves_of(*sweep, metrics)) {
    const std::string id = curve_id(section, metric);
    if (id != drawn_above)
      charts += figure(id, reading::title_of(metric) + " over " + sweep->param);
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

std::string section_html(const Section& section, const Lab* lab,
                         const std::vector<std::string>& metrics, const metrics::Machine& machine,
                         const SectionPlace& place) {
  const Variant* variant = reading::variant_of(section, lab);
  const std::string name = escaped(reading::name_of(section));
  const std::string says = variant == nullptr ? std::string() : prose(variant->summary);
  std::string out;
  if (!section.fixed.empty()) {
    out += element("p", escaped(params_text(*section.cases.front(), section.fixed)), "fixed");
  }
  out += "\n" + table_html(section, metrics, machine) + alike_html(section, metrics);
  out += expected_html(section);
  out += curves_html(section, metrics, place.drawn_above);
  const std::string formulas = formulas_html(section, variant, metrics);
  if (!formulas.empty()) out += folded("Formulas", formulas, "formulas");
  if (place.folded) {
    const std::string of = says.empty() ? name : element("b", name) + ": " + says;
    return folded(of, out, "variant");
  }
  if (!says.empty()) out = element("p", says) + out;
  return element("section", element("h2", name) + out) + "\n";
}

}  // namespace lab::report
