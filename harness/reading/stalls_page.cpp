#include "harness/reading/stalls_page.h"

#include <fmt/format.h>

#include <set>
#include <string>

#include "harness/page/make.h"
#include "harness/reading/case_name.h"
#include "metrics/stalls.h"

namespace lab::reading {

namespace {

constexpr std::size_t kReasonsShown = 4;

std::string place_of(const metrics::LineStalls& line, const RunRecord& run) {
  if (line.line == 0) return "(no line known)";
  if (line.file != run.source_name) return line.file;
  return source_line(run, line.line);
}

page::Table lines_table(const CaseRecord& record, const std::vector<metrics::LineStalls>& lines,
                        const RunRecord& run, std::size_t most) {
  const double all = metrics::all_stalls(record.lines).waiting;
  page::Table table{
      {{"line", true}, {"waited", true}, {"for", false, true}, {"source", false, true}}};
  for (std::size_t i = 0; i < lines.size() && i < most; ++i) {
    const metrics::LineStalls& line = lines[i];
    table.rows.push_back({{{line.line == 0 ? "-" : std::to_string(line.line)},
                           page::number_cell(line.waiting / all, page::Digits::kPercent),
                           {metrics::stall_shares(line, kReasonsShown)},
                           {place_of(line, run)}}});
  }
  return table;
}

void add_heading(std::vector<page::Block>& blocks, const CaseRecord& record) {
  blocks.push_back({page::heading(3, name_of(record), {record.params.text()})});
  if (record.notes.stall_samples.empty()) return;
  blocks.push_back(page::sentence("samples: " + record.notes.stall_samples, page::Role::kNote,
                                  page::Tone::kDim));
}

void add_lines(std::vector<page::Block>& blocks, const CaseRecord& record, const RunRecord& run,
               std::size_t most) {
  const auto lines = metrics::stalls_by_line(record.lines);
  blocks.push_back({lines_table(record, lines, run, most)});
  if (lines.size() <= most) return;
  blocks.push_back(
      page::sentence(fmt::format("and {} more lines", lines.size() - most), page::Role::kNote));
}

}  // namespace

std::vector<page::Block> stalls_blocks(const RunRecord& run, std::size_t most) {
  std::vector<page::Block> blocks = {
      {page::Text{{{"Where warps waited", page::Tone::kStrong},
                   {", in shares of each case's waiting samples (lab metrics NAME explains a "
                    "reason):"}}}}};
  std::set<std::string> said;
  for (const CaseRecord& record : run.cases) {
    const std::string& fact = record.notes.stalls;
    if (!metrics::stalls_by_line(record.lines).empty()) {
      add_heading(blocks, record);
      add_lines(blocks, record, run, most);
    } else if (!fact.empty() && said.insert(fact).second) {
      add_heading(blocks, record);
      blocks.push_back(page::sentence(fact, page::Role::kNote));
    }
  }
  return blocks.size() > 1 ? blocks : std::vector<page::Block>();
}

}  // namespace lab::reading
