#include "tools/report/advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/reading/run_reading.h"
#include "metrics/advice.h"
#include "tools/report/html.h"
#include "tools/report/values.h"

namespace lab::report {

namespace {

std::string item_html(const metrics::Advice& advice, const RunRecord& run) {
  std::string place =
      escaped(advice.line > 0 ? fmt::format("{}:{}", advice.file, advice.line) : run.source_name);
  std::string text = element("b", place);
  if (advice.line > 0 && advice.file == run.source_name) {
    text += " " + element("code", escaped(trim(line_of(run.source_text, advice.line))));
  }
  text += "<br>" + escaped(advice.finding) + ". " + escaped(advice.cure);
  for (const int line : advice.also) text += fmt::format(" Also line {}.", line);
  if (advice.unit != metrics::Saving::kNone) {
    text += fmt::format(" Saves {} of {} {}{}.", brief_text(advice.saved), brief_text(advice.total),
                        escaped(name_of(advice.unit)), escaped(metrics::gain_text(advice)));
  }
  return element("li", text) + "\n";
}

}  // namespace

std::string advice_html(const RunRecord& run, const Lab* lab, const metrics::Machine& machine) {
  std::string items;
  std::string hidden;
  for (const auto& cases : reading::to_advise(run)) {
    const auto known = std::find_if(cases.begin(), cases.end(), [](const CaseRecord* record) {
      return record->status == CaseStatus::kOk && !record->accesses.empty() &&
             !record->lines.empty();
    });
    if (known == cases.end()) continue;
    const Forbidden forbidden = forbidden_in(lab, **known);
    for (const metrics::Advice& advice : metrics::advise(**known, machine, forbidden)) {
      (advice.hidden ? hidden : items) += item_html(advice, run);
    }
  }
  std::string out;
  const auto add = [&](const char* title, const std::string& list) {
    if (!list.empty()) out += element("h2", title) + element("ul", list, "notes");
  };
  add("What to change", items);
  add("Wasted, though a change saves no time here", hidden);
  return out.empty() ? out : element("section", out) + "\n";
}

}  // namespace lab::report
