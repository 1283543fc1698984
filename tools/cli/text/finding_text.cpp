#include "tools/cli/text/finding_text.h"

#include <fmt/format.h>

#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/reading/finding_text.h"
#include "tools/cli/text/source_line.h"
#include "tools/cli/text/table.h"

namespace lab::cli {
namespace {

// `diff.cu:3   out[i] = in[i + 1] - in[i];`, and below it who did what, and the cure.
std::string told(const Finding& finding, const Terminal& terminal) {
  std::string text;
  if (finding.line > 0) {
    const std::string place = fmt::format("  {}:{}   {}", safe_line(finding.file), finding.line,
                                          source_line(finding.source));
    text = toned(cut(place, terminal.width), Tone::kStrong, terminal) + "\n";
  }
  text += paragraph(safe_line(reading::sentence_of(finding)), terminal.width, 4);
  if (finding.count > 1) {
    text += paragraph(fmt::format("Seen {} times; this is the first.",
                                  grouped_text(static_cast<double>(finding.count))),
                      terminal.width, 4);
  }
  const std::string_view cure = reading::cure_of(finding);
  return cure.empty() ? text : text + paragraph(cure, terminal.width, 4);
}

}  // namespace

std::string findings_text(const CaseRecord& record, const Terminal& terminal) {
  constexpr std::size_t kMost = 6;
  std::string text;
  for (std::size_t i = 0; i < record.findings.size() && i < kMost; ++i) {
    text += told(record.findings[i], terminal);
  }
  if (record.findings.size() > kMost) {
    text += fmt::format("  and {} more: --json has them all\n", record.findings.size() - kMost);
  }
  for (std::size_t i = 0; i < record.remarks.size() && i < kMost; ++i) {
    text += told(record.remarks[i], terminal);
  }
  return text;
}

}  // namespace lab::cli
