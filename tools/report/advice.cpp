#include "tools/report/advice.h"

#include <fmt/format.h>

#include <set>

#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/reading/case_reading.h"
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
  if (advice.unit != metrics::Saving::kNone) {
    text += fmt::format(" Saves {} of {} {}{}.", brief_text(advice.saved), brief_text(advice.total),
                        escaped(name_of(advice.unit)), escaped(metrics::gain_text(advice)));
  }
  return element("li", text) + "\n";
}

}  // namespace

std::string advice_html(const RunRecord& run, const metrics::Machine& machine) {
  std::set<std::string> told;
  std::string items;
  for (const CaseRecord& record : run.cases) {
    const bool known =
        reading::read(record).has_target && !record.accesses.empty() && !record.lines.empty();
    if (!known || record.status != CaseStatus::kOk || !told.insert(record.variant).second) continue;
    for (const metrics::Advice& advice : metrics::advise(record, machine)) {
      items += item_html(advice, run);
    }
  }
  if (items.empty()) return {};
  return element("section", element("h2", "What to change") + element("ul", items, "notes")) + "\n";
}

}  // namespace lab::report
