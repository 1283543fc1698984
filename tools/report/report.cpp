#include "tools/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "harness/core/sections.h"
#include "harness/reading/came_to_text.h"
#include "harness/reading/charts.h"
#include "harness/reading/formulas.h"
#include "harness/reading/looked_for.h"
#include "harness/reading/run_reading.h"
#include "harness/reading/screen.h"
#include "harness/reading/times.h"
#include "tools/report/advice.h"
#include "tools/report/assets.h"
#include "tools/report/cases_table.h"
#include "tools/report/charts.h"
#include "tools/report/html.h"
#include "tools/report/lesson.h"
#include "tools/report/notes.h"
#include "tools/report/section.h"
#include "tools/report/source.h"
#include "tools/report/stalls.h"
#include "tools/report/values.h"

namespace lab::report {

namespace {

std::string page_title(const RunRecord& run, const Lab* lab) {
  if (run.lab == 0) return "Probe of " + run.source_name;
  std::string title = "Lab " + run.called() + (lab == nullptr ? "" : ": " + lab->title);
  if (!run.source_is_labs_own) title += ", " + run.source_name;
  return title;
}

std::string facts_html(const RunRecord& run) {
  std::vector<std::string> facts = {run.started_at, run.backend, run.arch};
  facts.push_back(run.gpu.empty() ? "no GPU" : run.gpu);
  if (!run.student.empty()) facts.push_back(run.student);
  std::string html;
  for (const std::string& fact : facts) {
    html += (html.empty() ? "" : " &middot; ") + element("span", escaped(fact));
  }
  return element("p", html, "facts");
}

// What the run came to, as the terminal says it.
std::string summary_html(const RunRecord& run, const reading::RunReading& read) {
  const bool bad = read.failed > 0 || read.verdicts.disagrees > 0;
  std::string text =
      element("span", escaped(reading::came_to_text(run, read)), bad ? "disagrees" : "");
  if (read.summary.missing > 0) {
    text +=
        fmt::format(" <b class=\"disagrees\">interrupted: {} missing</b>", read.summary.missing);
  }
  reading::Cases cases;
  for (const CaseRecord& record : run.cases) cases.push_back(&record);
  const std::string looked = reading::looked_for_text(cases);
  return element("p", text, "summary") +
         (looked.empty() ? looked : element("p", escaped(looked), "facts"));
}

// The lesson is the title of a lab's page.
std::string header_html(const RunRecord& run, const Lab* lab) {
  const std::string title = escaped(page_title(run, lab));
  const bool lesson = lab != nullptr && !lab->lesson.empty();
  return element("header", (lesson ? element("p", title, "kicker") : std::string()) +
                               element("h1", lesson ? prose(lab->lesson) : title) +
                               facts_html(run) + summary_html(run, reading::read(run)));
}

// Parameters that have one value wherever a first case has them, and most have: said once.
std::vector<std::string> shared_params(const reading::Cases& firsts) {
  std::map<std::string, std::vector<ParamValue>> values;
  for (const CaseRecord* record : firsts) {
    for (const auto& [name, value] : record->params.all()) values[name].push_back(value);
  }
  std::vector<std::string> shared;
  for (const auto& [name, all] : values) {
    const bool one = std::count(all.begin(), all.end(), all.front()) == std::ssize(all);
    if (one && 2 * all.size() >= firsts.size()) shared.push_back(name);
  }
  return shared;
}

std::string shared_text(const reading::Cases& firsts, const std::vector<std::string>& shared) {
  std::string text;
  for (const std::string& name : shared) {
    const auto has = std::find_if(firsts.begin(), firsts.end(),
                                  [&](const auto* record) { return record->params.has(name); });
    text += " " + params_text(**has, {name});
  }
  return text;
}

// A row per variant: its first case, as the terminal's ladder has it.
std::string glance_html(std::vector<Section> sections, const reading::Shown& shown,
                        const metrics::Machine& machine) {
  if (sections.size() < 2) return {};
  sections = reading::fastest_first(std::move(sections));
  reading::Cases firsts;
  for (const Section& section : sections) firsts.push_back(section.cases.front());
  const std::vector<std::string> shared = shared_params(firsts);
  RowLabels labels{{element("th", "variant", "text")}};
  for (const Section& section : sections) {
    std::vector<std::string> others;
    for (const auto& [name, value] : section.cases.front()->params.all()) {
      const bool known = std::find(shared.begin(), shared.end(), name) != shared.end();
      if (!known) others.push_back(name);
    }
    const std::string with = params_text(*section.cases.front(), others);
    labels.rows.push_back(
        {element("th", name_html(reading::name_of(section)) + " " + element("small", escaped(with)),
                 "text")});
  }
  const std::string params = shared_text(firsts, shared);
  return element("h2", "All variants") +
         element(
             "p",
             "One case of each" + (params.empty() ? std::string() : " at" + escaped(params)) + ".",
             "fixed") +
         cases_table(labels, firsts, shown, machine);
}

/// The curve that shows a lab's lesson.
struct LeadCurve {
  std::string id = {};
  std::string label = {};
};

LeadCurve lead_curve(const std::vector<Section>& sections, const Lab* lab,
                     const std::vector<std::string>& metrics) {
  if (lab == nullptr || !lab->screen || lab->screen->curve.empty()) return {};
  const std::string& metric = lab->screen->curve;
  for (const Section& section : sections) {
    const auto sweep = reading::sweep_of(section);
    if (section.variant != lab->screen->rows.front().variant || !sweep) continue;
    const auto curves = reading::curves_of(*sweep, metrics);
    if (std::find(curves.begin(), curves.end(), metric) == curves.end()) continue;
    return {curve_id(section, metric), reading::title_of(metric) + " over " + sweep->param};
  }
  return {};
}

std::string charts_html(const LeadCurve& lead, const std::vector<RunChart>& charts) {
  std::string out = lead.id.empty() ? "" : figure(lead.id, lead.label);
  for (const RunChart& chart : charts) out += figure(chart.id, chart.label);
  return out.empty() ? out : element("div", out, "charts") + "\n";
}

// A single variant is what the page is about, and so is whatever a student wrote.
std::string sections_html(const std::vector<Section>& sections, const Lab* lab,
                          const std::vector<std::string>& metrics, const metrics::Machine& machine,
                          const LeadCurve& lead) {
  std::string out;
  std::string others;
  for (const Section& section : sections) {
    const bool is_the_point = sections.size() == 1 || reading::has_target(section.cases);
    (is_the_point ? out : others) +=
        "\n" + section_html(section, lab, metrics, machine, {!is_the_point, lead.id});
  }
  if (others.empty()) return out;
  return out + element("section", element("h2", "Every case") + others) + "\n";
}

std::string environment_html(const RunRecord& run) {
  std::string rows;
  for (const auto& [key, value] : run.environment) {
    rows += element("tr", element("th", escaped(key)) + element("td", escaped(value))) + "\n";
  }
  rows += element("tr", element("th", "lab") + element("td", escaped(run.program_version)));
  rows += element("tr", element("th", "run") + element("td", escaped(run.uuid)));
  return folded("Machine and program", element("table", rows));
}

}  // namespace

std::string report_html(const RunRecord& run, const Lab* lab, const metrics::Machine& machine) {
  const std::vector<Section> sections = sections_of(run);
  const std::vector<std::string> metrics = reading::metrics_of(run, lab);
  const std::vector<Section> telling = reading::telling_first(sections, lab);
  const std::vector<RunChart> of_run = run_charts(run, telling, metrics, machine);
  const LeadCurve lead = lead_curve(sections, lab, metrics);
  const reading::Shown shown = lab == nullptr
                                   ? reading::Shown{metrics, reading::Detail::kBrief}
                                   : reading::headline_of(run, *lab, reading::Detail::kBrief);
  std::string body = header_html(run, lab) + "\n";
  const auto screen = lab == nullptr ? std::nullopt : reading::screen_of(run, *lab);
  if (screen) body += lesson_html(*screen);
  body += standing_html(run, lab);
  // What was found in a student's kernel is what they want to know.
  const std::string notes = notes_html(run, lab);
  if (!run.source_is_labs_own) body += notes + advice_html(run, lab, machine);
  body += source_html(run, telling) + maps_html(run);
  const std::string first = charts_html(lead, of_run) + glance_html(telling, shown, machine);
  if (!first.empty()) body += element("section", first) + "\n";
  if (run.source_is_labs_own) body += notes;
  body += sections_html(sections, lab, metrics, machine, lead) + stalls_html(run);
  body += element("footer", environment_html(run)) + "\n";
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
  // Nothing may be loaded from anywhere, whatever stands in the page.
  page +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += element("title", escaped(page_title(run, lab))) + "\n" + "<style>\n";
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
