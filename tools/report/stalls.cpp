#include "tools/report/stalls.h"

#include <fmt/format.h>

#include "harness/core/text.h"
#include "metrics/stalls.h"
#include "tools/report/html.h"

namespace lab::report {

namespace {

constexpr std::size_t kLinesShown = 12;
constexpr std::size_t kReasonsShown = 4;

std::string stall_rows(const CaseRecord& record, const RunRecord& run) {
  constexpr double kPercent = 100;
  const auto lines = metrics::stalls_by_line(record.lines);
  const double all = metrics::all_stalls(record.lines).waiting;
  std::string rows;
  for (std::size_t i = 0; i < lines.size() && i < kLinesShown; ++i) {
    const metrics::LineStalls& line = lines[i];
    const bool ours = line.line > 0 && line.file == run.source_name;
    const std::string text = ours ? std::string(trim(line_of(run.source_text, line.line)))
                             : line.line > 0 ? line.file
                                             : "no line known";
    rows += element("tr",
                    element("th", line.line > 0 ? std::to_string(line.line) : "&ndash;") +
                        element("td", fmt::format("{:.0f} %", kPercent * line.waiting / all)) +
                        element("td", escaped(metrics::stall_shares(line, kReasonsShown)), "text") +
                        element("td", element("code", escaped(text)), "text")) +
            "\n";
  }
  return rows;
}

}  // namespace

std::string stalls_html(const RunRecord& run) {
  std::string out;
  for (const CaseRecord& record : run.cases) {
    const std::string rows = stall_rows(record, run);
    if (rows.empty()) continue;
    out += element("h3", escaped(record.variant + " " + record.params.text())) +
           wide_table("<tr><th>line</th><th>waited</th><th>for</th><th>source</th></tr>", rows);
  }
  if (out.empty()) return out;
  return element("section", element("h2", "Where warps waited") +
                                element("p",
                                        "Shares of each case's samples in which a warp waited, by "
                                        "the line that it waited at (PC sampling).") +
                                "\n" + out) +
         "\n";
}

}  // namespace lab::report
