#include "tools/report/report.h"

#include <fmt/format.h>

#include "harness/core/text.h"
#include "tools/report/assets.h"
#include "tools/report/html.h"
#include "tools/report/section.h"
#include "tools/report/stalls.h"

namespace lab::report {

namespace {

struct Counts {
  std::size_t cases = 0;
  std::size_t wrong = 0;
  std::size_t agrees = 0;
  std::size_t explained = 0;
  std::size_t disagrees = 0;
};

Counts count(const RunRecord& run) {
  Counts counts;
  counts.cases = run.cases.size();
  for (const CaseRecord& record : run.cases) {
    const bool fine = record.status == CaseStatus::kOk || record.status == CaseStatus::kSkipped;
    counts.wrong += fine ? 0 : 1;
    for (const Verdict& verdict : record.verdicts) {
      counts.agrees += verdict.kind == VerdictKind::kAgrees ? 1 : 0;
      counts.explained += verdict.kind == VerdictKind::kExplained ? 1 : 0;
      counts.disagrees += verdict.kind == VerdictKind::kDisagrees ? 1 : 0;
    }
  }
  return counts;
}

std::string title_of(const RunRecord& run, const Lab* lab) {
  if (run.lab == 0) return "Probe of " + run.source_name;
  const std::string number = fmt::format("Lab {}", run.lab);
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

std::string summary_html(const RunRecord& run) {
  const Counts counts = count(run);
  const std::size_t missing = run.missing_cases.value_or(0);
  std::string text = fmt::format("{} cases", counts.cases);
  if (missing > 0) {
    text = fmt::format("{} of {} cases, <b class=\"disagrees\">interrupted: {} missing</b>",
                       counts.cases, counts.cases + missing, missing);
  }
  if (counts.wrong > 0) text += fmt::format(", <b class=\"disagrees\">{} wrong</b>", counts.wrong);
  text += fmt::format(" &middot; <b class=\"agrees\">{} agree</b>", counts.agrees);
  if (counts.explained > 0) {
    text += fmt::format(", <b class=\"explained\">{} explained</b>", counts.explained);
  }
  if (counts.disagrees > 0) {
    text += fmt::format(", <b class=\"disagrees\">{} disagree</b>", counts.disagrees);
  }
  return element("p", text, "summary");
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

std::string source_html(const RunRecord& run) {
  if (run.source_text.empty()) return {};
  return element("details", element("summary", "Kernel source: " + escaped(run.source_name)) +
                                element("pre", escaped(run.source_text), "source"));
}

}  // namespace

std::string report_html(const RunRecord& run, const Lab* lab) {
  const std::vector<Section> sections = sections_of(run);
  const std::vector<std::string> metrics = metrics_of(run, lab);
  const std::string title = escaped(title_of(run, lab));
  std::string body = element("header", element("h1", title) + facts_html(run) + summary_html(run));
  for (const Section& section : sections) body += "\n" + section_html(section, lab, metrics);
  body += stalls_html(run);
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
  page += "<script type=\"application/json\" id=\"charts\">" + charts_json(sections, metrics) +
          "</script>\n<script>";
  page += chart_library();
  page += "</script>\n<script>\n";
  page += charts_js();
  return page + "</script>\n</body></html>\n";
}

}  // namespace lab::report
