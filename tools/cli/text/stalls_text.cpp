#include "tools/cli/text/stalls_text.h"

#include <fmt/format.h>

#include <set>

#include "harness/core/text.h"
#include "metrics/stalls.h"
#include "tools/cli/text/source_line.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

constexpr std::size_t kMostStalls = 6;
constexpr std::size_t kReasonsShown = 3;

std::string stalls_title(const CaseRecord& record, const Terminal& terminal) {
  std::string text = "  " + toned(safe_line(record.variant), Tone::kStrong, terminal);
  const std::string params = record.params.text();
  if (!params.empty()) text += "  " + safe_line(params);
  const std::string& samples = record.notes.stall_samples;
  if (!samples.empty()) {
    text += "\n    " + toned("samples: " + safe_line(samples), Tone::kDim, terminal);
  }
  return text + "\n";
}

std::string place_of(const metrics::LineStalls& line, const RunRecord& run) {
  if (line.line == 0) return "(no line known)";
  if (line.file != run.source_name) return safe_line(line.file);
  return source_line(run.source_text, line.line);
}

std::string lines_table(const CaseRecord& record, const RunRecord& run, const Terminal& terminal) {
  constexpr double kPercent = 100;
  const auto lines = metrics::stalls_by_line(record.lines);
  const double all = metrics::all_stalls(record.lines).waiting;
  Table table{{{"line", Align::kRight},
               {"waited", Align::kRight},
               {"for", Align::kLeft, true},
               {"source", Align::kLeft, true}}};
  for (std::size_t i = 0; i < lines.size() && i < kMostStalls; ++i) {
    const metrics::LineStalls& line = lines[i];
    table.rows.push_back({{line.line == 0 ? "-" : std::to_string(line.line)},
                          {fmt::format("{:.0f} %", kPercent * line.waiting / all)},
                          {metrics::stall_shares(line, kReasonsShown)},
                          {place_of(line, run)}});
  }
  std::string out = table_text(table, terminal, 4);
  if (lines.size() > kMostStalls) {
    out += fmt::format("    and {} more lines\n", lines.size() - kMostStalls);
  }
  return out;
}

}  // namespace

std::string stalls_text(const RunRecord& run, const Terminal& terminal) {
  std::string out;
  std::set<std::string> said;
  for (const CaseRecord& record : run.cases) {
    const std::string& fact = record.notes.stalls;
    const auto lines = metrics::stalls_by_line(record.lines);
    if (!lines.empty()) {
      out += stalls_title(record, terminal) + lines_table(record, run, terminal);
    } else if (!fact.empty() && said.insert(fact).second) {
      out += stalls_title(record, terminal) + "    " + safe_line(fact) + "\n";
    }
  }
  if (out.empty()) return out;
  return toned("Where warps waited", Tone::kStrong, terminal) +
         ", in shares of each case's waiting samples (lab metrics NAME explains a reason):\n" + out;
}

}  // namespace lab::cli
