#include "tools/cli/text/printed_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/text.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

constexpr std::size_t kPrintedCases = 3;
constexpr std::size_t kPrintedLines = 40;  // of a case
constexpr std::size_t kPrintedColumns = 400;

std::string printing_case(const CaseRecord& record) {
  const std::string params = record.params.text();
  return safe_line(record.variant) + (params.empty() ? "" : "  " + safe_line(params));
}

std::string printed_lines(const CaseRecord& record, const std::string& printed) {
  std::string_view all = printed;
  if (all.ends_with('\n')) all.remove_suffix(1);
  const std::vector<std::string_view> lines = split(all, '\n');
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < kPrintedLines; ++i) {
    const bool is_cut = lines[i].size() > kPrintedColumns;
    text += fmt::format("  {}{}\n", safe_line(lines[i].substr(0, kPrintedColumns)),
                        is_cut ? "..." : "");
  }
  const std::string& left_out = record.notes.printed_left_out;
  if (!left_out.empty()) {
    text += fmt::format("  Only the beginning is shown, of {}.\n", safe_line(left_out));
  } else if (lines.size() > kPrintedLines) {
    text += fmt::format("  and {} more: --json has them all\n", lines.size() - kPrintedLines);
  }
  return text;
}

}  // namespace

std::string printed_text(const RunRecord& run, const Terminal& terminal) {
  std::string text;
  std::size_t cases = 0;
  for (const CaseRecord& record : run.cases) {
    const std::string& printed = record.notes.printed;
    if (printed.empty() || ++cases > kPrintedCases) continue;
    const std::string name = run.cases.size() > 1 ? ", " + printing_case(record) : "";
    text += fmt::format("\n{}\n{}", toned("printf" + name, Tone::kStrong, terminal),
                        printed_lines(record, printed));
  }
  if (cases > kPrintedCases) {
    text += fmt::format("\nand {} more cases whose kernels print\n", cases - kPrintedCases);
  }
  return text;
}

}  // namespace lab::cli
