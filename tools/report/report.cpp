#include "tools/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "harness/core/numbers.h"
#include "harness/core/sections.h"
#include "harness/core/text.h"
#include "harness/reading/charts.h"
#include "harness/reading/run_reading.h"
#include "harness/reading/times.h"
#include "tools/report/advice.h"
#include "tools/report/assets.h"
#include "tools/report/charts.h"
#include "tools/report/html.h"
#include "tools/report/notes.h"
#include "tools/report/section.h"
#include "tools/report/source.h"
#include "tools/report/stalls.h"
#include "tools/report/values.h"

namespace lab::report {

namespace {

std::string page_title(const RunRecord& run, const Lab* lab) {
  if (run.lab == 0) return "Probe of " + run.source_name;
  const std::string number = "Lab " + run.called();
  return lab == nullptr ? number : number + ": " + lab->title;
}

std::string facts_html(const RunRecord& run) {
  std::vector<std::string> facts = {run.started_at, run.backend, run.arch};
  facts.push_back(run.gpu.empty() ? "no GPU" : run.gpu);
  if (!run.student.empty()) facts.push_back(run.student);
  if (!run.source_is_labs_own) facts.push_back("kernel " + run.source_name);
  std::string html;
  for (const std::string& fact : facts) {
    html += (html.empty() ? "" : " &middot; ") + element("span", escaped(fact));
  }
  return element("p", html, "facts");
}

// `0 of 3 on target. Furthest from it: ...`, where a student's kernel has targets.
std::string standing_html(const RunRecord& run, const reading::RunReading& read) {
  const reading::StandingCounts& counts = read.standing;
  if (counts.cases == 0) return {};
  std::string text =
      fmt::format("<b class=\"{}\">{} of {} on target</b>",
                  counts.all_on_target() ? "agrees" : "explained", counts.on_target, counts.cases);
  if (read.furthest) {
    const CaseRecord& worst = run.cases[*read.furthest];
    const reading::Against& by = *read.cases[*read.furthest].furthest;
    text += escaped(
        fmt::format(". Furthest from it: {} {}, with {} times the target in {} ({}, not {}).",
                    worst.variant, worst.params.text(), brief_text(by.excess),
                    reading::title_of(by.metric), grouped_text(by.value), grouped_text(by.target)));
  }
  return element("p", text, "summary");
}

std::string summary_html(const RunRecord& run) {
  const reading::RunReading read = reading::read(run);
  const std::size_t cases = run.cases.size();
  const std::size_t missing = run.missing_cases.value_or(0);
  std::string text = fmt::format("{} case{}", cases, cases == 1 ? "" : "s");
  if (missing > 0) {
    text = fmt::format("{} of {} cases, <b class=\"disagrees\">interrupted: {} missing</b>", cases,
                       cases + missing, missing);
  }
  if (read.failed > 0) text += fmt::format(", <b class=\"disagrees\">{} wrong</b>", read.failed);
  std::string verdicts;
  const auto add = [&](std::size_t many, std::string_view kind, std::string_view words) {
    if (many == 0) return;  // no green zero
    verdicts += fmt::format("{}<b class=\"{}\">{} {}</b>", verdicts.empty() ? "" : ", ", kind,
                            grouped_text(static_cast<double>(many)), words);
  };
  add(read.verdicts.agrees, "agrees", "agree");
  add(read.verdicts.explained, "explained", "explained");
  add(read.verdicts.disagrees, "disagrees", "disagree");
  if (!verdicts.empty()) text += " &middot; " + verdicts;
  return element("p", text, "summary") + standing_html(run, read);
}

// Parameters that have one value in all first cases that have them: said once.
std::vector<std::string> shared_params(const std::vector<Section>& sections) {
  std::map<std::string, std::set<ParamValue>> values;
  for (const Section& section : sections) {
    for (const auto& [name, value] : section.cases.front()->params.all()) {
      values[name].insert(value);
    }
  }
  std::vector<std::string> shared;
  for (const auto& [name, all] : values) {
    if (all.size() == 1) shared.push_back(name);
  }
  return shared;
}

std::vector<std::string> other_params(const CaseRecord& record,
                                      const std::vector<std::string>& shared) {
  std::vector<std::string> others;
  for (const auto& [name, value] : record.params.all()) {
    if (std::find(shared.begin(), shared.end(), name) == shared.end()) others.push_back(name);
  }
  return others;
}

std::string percent_of_ceiling(const CaseRecord& record, const metrics::Machine& machine) {
  const auto bound = reading::time_against(record, machine);
  if (!bound) return element("td", "&ndash;", "none");
  return element("td", percent_text(bound->fraction(bound->uses.front())));
}

/// What an overview shows of each variant's first case.
struct Overview {
  std::vector<std::string> metrics = {};
  reading::Times times = {};
  std::vector<std::string> shared = {};  // parameters that need no mention
};

std::string glance_row(const Section& section, std::size_t at, const Overview& overview,
                       const metrics::Machine& machine) {
  const CaseRecord& record = *section.cases.front();
  const reading::Times& times = overview.times;
  std::string cells =
      element(
          "th",
          escaped(reading::name_of(section)) + " " +
              element("small", escaped(params_text(record, other_params(record, overview.shared)))),
          "text") +
      outcome_html(record);
  const auto add = [&](const std::optional<double>& value) {
    cells += value ? element("td", brief_text(*value)) : element("td", "&ndash;", "none");
  };
  for (const std::string& metric : overview.metrics) add(reading::best_value(record, metric));
  for (const reading::NumberLine& line : times.lines) add(line.values[at]);
  if (times.measured) cells += percent_of_ceiling(record, machine);
  return element("tr", cells) + "\n";
}

// A row per variant: its first case, as the terminal's ladder has it.
std::string glance_html(const std::vector<Section>& sections, std::vector<std::string> metrics,
                        const metrics::Machine& machine) {
  if (sections.size() < 2) return {};
  reading::Cases firsts;
  for (const Section& section : sections) firsts.push_back(section.cases.front());
  const Overview overview{reading::overview_of(std::move(metrics), firsts),
                          reading::times_of(firsts), shared_params(sections)};
  const reading::Times& times = overview.times;
  std::string head = "<th class=\"text\">variant</th><th class=\"verdict\">verdict</th>";
  for (const std::string& metric : overview.metrics) {
    head += element("th", escaped(reading::title_of(metric)), "metric");
  }
  for (const reading::NumberLine& line : times.lines) {
    head += element("th", escaped(times.measured ? line.name : times.title) + ", &micro;s");
  }
  if (times.measured) head += "<th class=\"metric\">percent of ceiling</th>";
  std::string rows;
  std::string params;  // of the first case that has each
  for (std::size_t at = 0; at < sections.size(); ++at) {
    rows += glance_row(sections[at], at, overview, machine);
  }
  for (const std::string& name : overview.shared) {
    for (const Section& section : sections) {
      const std::string text = params_text(*section.cases.front(), {name});
      if (text.empty()) continue;
      params += " " + text;
      break;
    }
  }
  return element("h2", "At a glance") +
         element("p",
                 "The first case of each variant" +
                     (params.empty() ? std::string() : " at" + escaped(params)) +
                     "; what was measured, else the model.",
                 "fixed") +
         wide_table(element("tr", head), rows);
}

std::string charts_html(const std::vector<RunChart>& charts) {
  std::string out;
  for (const RunChart& chart : charts) {
    out += fmt::format(
        "<figure class=\"{}\"><canvas id=\"{}\" role=\"img\" "
        "aria-label=\"{}\"></canvas></figure>\n",
        chart.id, chart.id, escaped(chart.label));
  }
  return out.empty() ? out : element("div", out, "charts") + "\n";
}

std::string environment_html(const RunRecord& run) {
  std::string rows;
  for (const auto& [key, value] : run.environment) {
    rows += element("tr", element("th", escaped(key)) + element("td", escaped(value))) + "\n";
  }
  rows += element("tr", element("th", "lab") + element("td", escaped(run.program_version)));
  rows += element("tr", element("th", "run") + element("td", escaped(run.uuid)));
  return element("details", element("summary", "Machine and program") + element("table", rows));
}

}  // namespace

std::string report_html(const RunRecord& run, const Lab* lab, const metrics::Machine& machine) {
  const std::vector<Section> sections = sections_of(run);
  const std::vector<std::string> metrics = reading::metrics_of(run, lab);
  const std::vector<RunChart> of_run = run_charts(run, sections, metrics, machine);
  const std::string title = escaped(page_title(run, lab));
  std::string body = element("header", element("h1", title) + facts_html(run) + summary_html(run));
  const std::string first = glance_html(sections, metrics, machine) + charts_html(of_run);
  if (!first.empty()) body += "\n" + element("section", first, "glance") + "\n";
  body += advice_html(run, machine);
  for (const Section& section : sections) {
    body += "\n" + section_html(section, lab, metrics, machine);
  }
  body += notes_html(run) + maps_html(run) + stalls_html(run);
  body += element("footer", source_html(run) + environment_html(run)) + "\n";
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
  // Nothing may be loaded from anywhere, whatever stands in the page.
  page +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += element("title", title) + "\n" + "<style>\n";
  page += style_css();
  page += "</style></head>\n<body>\n" + body;
  page += "<script type=\"application/json\" id=\"charts\">" +
          charts_json(sections, metrics, of_run) + "</script>\n<script>";
  page += chart_library();
  page += "</script>\n<script>\n";
  page += charts_js();
  return page + "</script>\n</body></html>\n";
}

}  // namespace lab::report
