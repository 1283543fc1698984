#include "harness/reading/printed_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "harness/core/text.h"
#include "harness/page/make.h"
#include "harness/reading/case_name.h"

namespace lab::reading {

namespace {

constexpr std::size_t kPrintedCases = 3;
constexpr std::size_t kPrintedLines = 40;   // of a case
constexpr std::size_t kPrintedBytes = 400;  // of a line

void add_lines(std::vector<page::Block>& blocks, const CaseRecord& record,
               std::string_view printed) {
  if (printed.ends_with('\n')) printed.remove_suffix(1);
  const std::vector<std::string_view> lines = split(printed, '\n');
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < kPrintedLines; ++i) {
    text += lines[i].substr(0, kPrintedBytes);
    text += lines[i].size() > kPrintedBytes ? "...\n" : "\n";
  }
  blocks.push_back({page::Code{std::move(text)}});
  const std::string& left_out = record.notes.printed_left_out;
  std::string more;
  if (!left_out.empty()) {
    more = fmt::format("Only the beginning is shown, of {}.", left_out);
  } else if (lines.size() > kPrintedLines) {
    more = fmt::format("and {} more: --json has them all", lines.size() - kPrintedLines);
  }
  if (!more.empty()) blocks.push_back(page::sentence(std::move(more), page::Role::kNote));
}

}  // namespace

std::vector<page::Block> printed_blocks(const RunRecord& run) {
  std::vector<page::Block> blocks;
  std::size_t cases = 0;
  for (const CaseRecord& record : run.cases) {
    const std::string& printed = record.notes.printed;
    if (printed.empty() || ++cases > kPrintedCases) continue;
    const std::string name = run.cases.size() > 1 ? ", " + title_of(record) : "";
    blocks.push_back(page::paragraph("printf" + name, page::Tone::kStrong));
    add_lines(blocks, record, printed);
  }
  if (cases > kPrintedCases) {
    blocks.push_back(page::paragraph(
        fmt::format("and {} more cases whose kernels print", cases - kPrintedCases)));
  }
  return blocks;
}

}  // namespace lab::reading
