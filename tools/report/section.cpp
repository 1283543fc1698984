#include "tools/report/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "harness/core/expression.h"
#include "harness/core/text.h"
#include "metrics/catalogue.h"
#include "metrics/formulas.h"
#include "metrics/values.h"
#include "tools/report/html.h"

namespace lab::report {

namespace {

const Verdict* verdict_of(const CaseRecord& record, const std::string& metric) {
  const auto& all = record.verdicts;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Verdict& v) { return v.metric == metric; });
  return found == all.end() ? nullptr : &*found;
}

using Values = std::optional<metrics::Interval>;

Values theory_of(const CaseRecord& record, const std::string& metric) {
  return metrics::formula_value(metrics::find_observation(record, metric, SourceOf::kTheory),
                                verdict_of(record, metric));
}

Values model_of(const CaseRecord& record, const std::string& metric) {
  const Observation* model = metrics::find_observation(record, metric, SourceOf::kModel);
  if (model == nullptr || !model->has_value()) return {};
  return metrics::interval_of(*model);
}

Values measured_of(const CaseRecord& record, const std::string& metric) {
  const Verdict* verdict = verdict_of(record, metric);
  if (verdict == nullptr || !verdict->measured) return {};
  return metrics::Interval{*verdict->measured, *verdict->measured};
}

/// A column below a metric, and a series in its chart.
struct Series {
  std::string_view name;
  Values (*value)(const CaseRecord&, const std::string&);
};
constexpr std::size_t kSeries = 3;
const Series kAllSeries[kSeries] = {
    {"theory", theory_of}, {"model", model_of}, {"measured", measured_of}};

std::vector<Series> series_in(const Section& section, const std::vector<std::string>& metrics) {
  std::vector<Series> there;
  for (const Series& series : kAllSeries) {
    const bool any = std::any_of(section.cases.begin(), section.cases.end(), [&](const auto* c) {
      return std::any_of(metrics.begin(), metrics.end(),
                         [&](const auto& metric) { return series.value(*c, metric).has_value(); });
    });
    if (any) there.push_back(series);
  }
  return there;
}

std::string params_text(const CaseRecord& record, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const auto found = record.params.all().find(name);
    if (found == record.params.all().end()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, to_text(found->second));
  }
  return text;
}

std::string_view outcome_of(const CaseRecord& record) {
  if (record.status != CaseStatus::kOk) return name_of(record.status);
  std::set<VerdictKind> kinds;
  for (const Verdict& verdict : record.verdicts) kinds.insert(verdict.kind);
  for (const VerdictKind kind :
       {VerdictKind::kDisagrees, VerdictKind::kExplained, VerdictKind::kAgrees}) {
    if (kinds.count(kind) > 0) return name_of(kind);
  }
  return "no comparison";
}

std::string row_html(const Section& section, const CaseRecord& record,
                     const std::vector<std::string>& metrics, const std::vector<Series>& series) {
  std::string cells;
  for (const std::string& name : section.varying) {
    const auto found = record.params.all().find(name);
    const bool has = found != record.params.all().end();
    cells += element("th", has ? escaped(to_text(found->second)) : "");
  }
  for (const std::string& metric : metrics) {
    for (const Series& one : series) {
      const auto value = one.value(record, metric);
      cells += value ? element("td", metrics::cell_text(*value)) : element("td", "&ndash;", "none");
    }
  }
  const std::string outcome(outcome_of(record));
  std::string kind = outcome.substr(0, outcome.find(' '));
  return element("tr", cells + element("td", outcome, "verdict " + kind)) + "\n";
}

std::string table_html(const Section& section, const std::vector<std::string>& metrics,
                       const std::vector<Series>& series) {
  std::string top;
  std::string below;
  for (const std::string& name : section.varying) {
    top += fmt::format("<th rowspan=\"2\">{}</th>", escaped(name));
  }
  for (const std::string& metric : metrics) {
    top += fmt::format("<th colspan=\"{}\">{}</th>", series.size(), escaped(metric));
    for (const Series& one : series) below += element("th", one.name);
  }
  std::string rows;
  for (const CaseRecord* record : section.cases) {
    rows += row_html(section, *record, metrics, series);
  }
  return "<div class=\"wide\"><table>\n<thead>" +
         element("tr", top + "<th rowspan=\"2\">verdict</th>") + element("tr", below) +
         "</thead>\n<tbody>\n" + rows + "</tbody></table></div>\n";
}

// The formula over the section's cases, drawn, with an example, and the sentence that derives it.
// A formula of another version of the lab is shown as it was stored.
std::string formula_html(const Section& section, const Variant* variant, const Verdict& verdict,
                         const CaseRecord& example) {
  const auto* row = variant == nullptr ? nullptr : metrics::theory_row(*variant, verdict.metric);
  if (row == nullptr || row->formula.general_text() != verdict.formula) {
    return element("code", escaped(verdict.formula));
  }
  const Expr formula = metrics::over_cases(row->formula, *variant, section.cases);
  std::string text = mathml(formula);
  for (const auto& definition : definitions_of(formula)) {
    if (definition.name.back() == ')') {
      text += "<br>" + element("code", escaped(definition.name)) + ": " + escaped(definition.why);
      continue;
    }
    text += "<br>" + mathml(Expr(definition.name)) + " = " + mathml(definition.body) +
            (definition.why.empty() ? "" : ", " + escaped(definition.why));
  }
  if (const auto value = theory_of(example, verdict.metric)) {
    const auto names = metrics::names_of(*variant, example);
    text +=
        fmt::format("<br><small>{} {} = {}</small>", escaped(params_text(example, section.varying)),
                    mathml(formula.with_values(names)), number_text(value->low));
  }
  if (row->as_written) {
    text += "<br>as written: " +
            mathml(metrics::over_cases(*row->as_written, *variant, section.cases).opened());
  }
  return text + "<br>" + escaped(row->why);
}

std::string formulas_html(const Section& section, const Variant* variant,
                          const std::vector<std::string>& metrics) {
  const CaseRecord& example = *section.cases[section.cases.size() / 2];
  std::string items;
  for (const std::string& metric : metrics) {
    const Verdict* verdict = verdict_of(example, metric);
    if (verdict == nullptr || verdict->formula.empty()) continue;
    items += element("dt", escaped(metric)) +
             element("dd", formula_html(section, variant, *verdict, example)) + "\n";
  }
  return items.empty() ? items : element("dl", items) + "\n";
}

std::string finding_html(const Finding& finding) {
  std::string text = escaped(fmt::format("{}: {}", name_of(finding.kind), finding.message));
  if (finding.line > 0) {
    text = escaped(fmt::format("{}:{}: ", finding.file, finding.line)) + text;
  }
  if (!finding.source.empty()) text += "<br>" + element("code", escaped(finding.source));
  return text;
}

// Equal notes of many cases are one item.
std::string notes_html(const Section& section) {
  std::vector<std::pair<std::string, std::vector<std::string>>> notes;
  const auto add = [&](const std::string& html, const CaseRecord& record) {
    const std::string name = params_text(record, section.varying);
    for (auto& [known, cases] : notes) {
      if (known == html) {
        cases.push_back(name);
        return;
      }
    }
    notes.push_back({html, {name}});
  };
  for (const CaseRecord* record : section.cases) {
    for (const Finding& finding : record->findings) add(finding_html(finding), *record);
    if (!record->reason.empty()) add(element("pre", escaped(record->reason)), *record);
    for (const Verdict& verdict : record->verdicts) {
      if (verdict.kind != VerdictKind::kDisagrees && verdict.kind != VerdictKind::kExplained) {
        continue;
      }
      add(escaped(fmt::format("{} {}: {}", verdict.metric, name_of(verdict.kind), verdict.reason)),
          *record);
    }
  }
  std::string items;
  for (const auto& [html, cases] : notes) {
    std::string of = escaped(cases.front());
    if (cases.size() > 1) of += fmt::format(" and {} more", cases.size() - 1);
    items += element("li", (of.empty() ? of : element("b", of) + " ") + html) + "\n";
  }
  return items.empty() ? items : element("ul", items, "notes") + "\n";
}

std::optional<double> numeric_param(const CaseRecord& record, const std::string& name) {
  const auto found = record.params.all().find(name);
  if (found == record.params.all().end()) return {};
  const auto* number = std::get_if<std::int64_t>(&found->second);
  return number == nullptr ? std::nullopt : std::optional(static_cast<double>(*number));
}

bool has_charts(const Section& section) {
  return section.varying.size() == 1 && section.cases.size() > 2 &&
         std::all_of(section.cases.begin(), section.cases.end(), [&](const auto* record) {
           return numeric_param(*record, section.varying.front()).has_value();
         });
}

std::string chart_id(const Section& section, const std::string& metric) {
  return fmt::format("chart-{}-{}", section.variant, metric);
}

std::string series_json(const Section& section, const Series& series, const std::string& metric) {
  std::string points;
  for (const CaseRecord* record : section.cases) {
    const auto y = series.value(*record, metric);
    if (!y) continue;
    points += fmt::format("{}{{\"x\":{},\"y\":{}", points.empty() ? "" : ",",
                          script_number(*numeric_param(*record, section.varying.front())),
                          script_number(y->low));
    if (y->low != y->high) points += fmt::format(",\"high\":{}", script_number(y->high));
    points += "}";
  }
  return fmt::format("{{\"name\":{},\"points\":[{}]}}", script_string(series.name), points);
}

const Variant* variant_called(const Lab* lab, const std::string& name) {
  if (lab == nullptr) return nullptr;
  const auto found = std::find_if(lab->variants.begin(), lab->variants.end(),
                                  [&](const Variant& variant) { return variant.name == name; });
  return found == lab->variants.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> metrics_of(const RunRecord& run, const Lab* lab) {
  if (lab != nullptr && !lab->headline.empty()) return lab->headline;
  std::set<std::string> there;
  for (const CaseRecord& record : run.cases) {
    for (const Observation& one : record.observations) {
      if (one.has_value()) there.insert(one.metric);
    }
  }
  return {there.begin(), there.end()};
}

std::string section_html(const Section& section, const Lab* lab,
                         const std::vector<std::string>& metrics) {
  const Variant* variant = variant_called(lab, section.variant);
  const std::string name =
      section.variant.empty() ? section.cases.front()->kernel : section.variant;
  std::string out = element("h2", escaped(name));
  if (variant != nullptr) out += element("p", escaped(variant->summary));
  if (!section.fixed.empty()) {
    out += element("p", escaped(params_text(*section.cases.front(), section.fixed)), "fixed");
  }
  out += "\n" + formulas_html(section, variant, metrics);
  if (has_charts(section)) {
    std::string charts;
    for (const std::string& metric : metrics) {
      charts += fmt::format(
          "<figure><canvas id=\"{}\" role=\"img\" aria-label=\"{}\"></canvas>"
          "</figure>\n",
          escaped(chart_id(section, metric)), escaped(metric + " over " + section.varying.front()));
    }
    out += element("div", charts, "charts") + "\n";
  }
  out += table_html(section, metrics, series_in(section, metrics)) + notes_html(section);
  return element("section", out) + "\n";
}

std::string charts_json(const std::vector<Section>& sections,
                        const std::vector<std::string>& metrics) {
  std::string charts;
  for (const Section& section : sections) {
    if (!has_charts(section)) continue;
    for (const std::string& metric : metrics) {
      std::string series;
      for (const Series& one : series_in(section, {metric})) {
        series += (series.empty() ? "" : ",") + series_json(section, one, metric);
      }
      const metrics::Metric* row = metrics::find(metric);
      const std::string unit = row == nullptr ? std::string() : std::string(row->unit);
      charts += fmt::format("{}{{\"id\":{},\"title\":{},\"unit\":{},\"x\":{},\"series\":[{}]}}",
                            charts.empty() ? "" : ",\n", script_string(chart_id(section, metric)),
                            script_string(metric), script_string(unit),
                            script_string(section.varying.front()), series);
    }
  }
  return "[" + charts + "]";
}

}  // namespace lab::report
