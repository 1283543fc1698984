#include "tools/cli/text/finding_text.h"

#include <fmt/format.h>

#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/reading/finding_text.h"
#include "tools/cli/text/source_line.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

std::string finding_text(const Finding& finding, const FindingOf& of, const Terminal& terminal) {
  std::string text;
  const std::string place = finding.line > 0
                                ? fmt::format("{}:{}", safe_line(finding.file), finding.line)
                                : safe_line(finding.kernel);
  if (!place.empty()) {
    const std::string source = source_line(finding.source);
    const std::string line = "  " + place + (source.empty() ? "" : "   " + source);
    text = toned(cut(line, terminal.width), Tone::kStrong, terminal) + "\n";
  }
  const std::string cases = of.cases.empty() ? "" : of.cases + ": ";
  const std::string expected = of.is_expected ? "expected: " : "";
  text += paragraph(cases + expected + safe_line(reading::sentence_of(finding)), terminal.width, 4);
  if (finding.count > 1) {
    text += paragraph(fmt::format("Seen {} times; this is the first.",
                                  grouped_text(static_cast<double>(finding.count))),
                      terminal.width, 4);
  }
  const std::string_view cure = of.is_expected ? "" : reading::cure_of(finding);
  return cure.empty() ? text : text + paragraph(cure, terminal.width, 4);
}

std::string findings_text(const CaseRecord& record, const Terminal& terminal) {
  constexpr std::size_t kMost = 6;
  std::string text;
  for (std::size_t i = 0; i < record.findings.size() && i < kMost; ++i) {
    text += finding_text(record.findings[i], {}, terminal);
  }
  if (record.findings.size() > kMost) {
    text += fmt::format("  and {} more: --json has them all\n", record.findings.size() - kMost);
  }
  for (std::size_t i = 0; i < record.remarks.size() && i < kMost; ++i) {
    text += finding_text(record.remarks[i], {}, terminal);
  }
  return text;
}

}  // namespace lab::cli
