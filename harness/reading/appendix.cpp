#include "harness/reading/appendix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "harness/core/text.h"
#include "harness/page/make.h"
#include "harness/reading/case_name.h"
#include "harness/reading/times.h"
#include "metrics/ceilings.h"
#include "metrics/stalls.h"

namespace lab::reading {

namespace {

constexpr std::size_t kReasonsShown = 4;

std::string place_of(const metrics::LineStalls& line, const RunRecord& run) {
  if (line.line == 0) return "(no line known)";
  if (line.file != run.source_name) return line.file;
  return source_line(run, line.line);
}

page::Table stalls_table(const CaseRecord& record, const std::vector<metrics::LineStalls>& lines,
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

void add_stalls_heading(std::vector<page::Block>& blocks, const CaseRecord& record) {
  blocks.push_back({page::heading(3, name_of(record), {record.params.text()})});
  if (record.notes.stall_samples.empty()) return;
  blocks.push_back(page::sentence("samples: " + record.notes.stall_samples, page::Role::kNote,
                                  page::Tone::kDim));
}

void add_stalls(std::vector<page::Block>& blocks, const CaseRecord& record, const RunRecord& run,
                std::size_t most) {
  const auto lines = metrics::stalls_by_line(record.lines);
  blocks.push_back({stalls_table(record, lines, run, most)});
  if (lines.size() <= most) return;
  blocks.push_back(
      page::sentence(fmt::format("and {} more lines", lines.size() - most), page::Role::kNote));
}

using metrics::Resource;
constexpr std::array<Resource, 4> kResources = {Resource::kDram, Resource::kL2,
                                                Resource::kSharedMemory, Resource::kIssue};

page::Cell percent_cell(const metrics::TimeBound& bound, Resource resource) {
  for (const metrics::Use& use : bound.uses) {
    if (use.resource != resource) continue;
    const double percent = 100 * bound.fraction(use);
    const bool first = &use == &bound.uses.front();
    return {page::Number{percent, percent, "%", page::Digits::kTenth},
            first ? page::Tone::kStrong : page::Tone::kPlain};
  }
  return page::number_cell({});
}

page::Row bounds_row(const CaseRecord& record, const metrics::TimeBound& bound) {
  const metrics::Use& sets = bound.uses.front();
  page::Row row{{{title_of(record)},
                 page::number_cell(bound.measured_ns),
                 page::number_cell(std::round(sets.least_ns)),
                 {std::string(metrics::name_of(sets.resource))},
                 percent_cell(bound, sets.resource)}};
  for (const Resource resource : kResources) row.cells.push_back(percent_cell(bound, resource));
  return row;
}

page::Table empty_bounds() {
  page::Table table{{{"case", false, true}, {"took ns", true}, {"at least ns", true}, {"bound"}}};
  page::Column of_bound{"of it", true};
  of_bound.instead = true;
  table.columns.push_back(std::move(of_bound));
  for (const char* resource : {"DRAM", "L2", "shared", "issue"}) {
    table.columns.push_back({resource, true, false, "percent of ceiling", page::Rank::kMore});
  }
  return table;
}

constexpr std::size_t kPrintedCases = 3;
constexpr std::size_t kPrintedLines = 40;   // of a case
constexpr std::size_t kPrintedBytes = 400;  // of a line

void add_printed(std::vector<page::Block>& blocks, const CaseRecord& record,
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

std::vector<page::Block> stalls_blocks(const RunRecord& run, std::size_t most) {
  std::vector<page::Block> blocks = {
      {page::Text{{{"Where warps waited", page::Tone::kStrong},
                   {", in shares of each case's waiting samples (lab metrics NAME explains a "
                    "reason):"}}}}};
  std::set<std::string> said;
  for (const CaseRecord& record : run.cases) {
    const std::string& fact = record.notes.stalls;
    if (!metrics::stalls_by_line(record.lines).empty()) {
      add_stalls_heading(blocks, record);
      add_stalls(blocks, record, run, most);
    } else if (!fact.empty() && said.insert(fact).second) {
      add_stalls_heading(blocks, record);
      blocks.push_back(page::sentence(fact, page::Role::kNote));
    }
  }
  return blocks.size() > 1 ? blocks : std::vector<page::Block>();
}

std::vector<page::Block> bounds_blocks(const RunRecord& run, const metrics::Machine& machine,
                                       std::size_t most) {
  page::Table table = empty_bounds();
  std::size_t left_out = 0;
  for (const CaseRecord& record : run.cases) {
    const auto bound = time_against(record, machine);
    if (!bound) continue;
    if (table.rows.size() < most) {
      table.rows.push_back(bounds_row(record, *bound));
    } else {
      ++left_out;
    }
  }
  if (table.rows.empty()) return {};
  std::vector<page::Block> blocks = {
      page::title(fmt::format("Time against the ceilings of {}, {}", machine.gpu, machine.origin))};
  blocks.push_back({std::move(table), page::Rank::kDetail});
  if (left_out > 0) {
    blocks.push_back(
        page::sentence(fmt::format("and {} more: --all", left_out), page::Role::kNote));
  }
  return blocks;
}

std::vector<page::Block> printed_blocks(const RunRecord& run) {
  std::vector<page::Block> blocks;
  std::size_t cases = 0;
  for (const CaseRecord& record : run.cases) {
    const std::string& printed = record.notes.printed;
    if (printed.empty() || ++cases > kPrintedCases) continue;
    const std::string name = run.cases.size() > 1 ? ", " + title_of(record) : "";
    blocks.push_back(page::paragraph("printf" + name, page::Tone::kStrong));
    add_printed(blocks, record, printed);
  }
  if (cases > kPrintedCases) {
    blocks.push_back(page::paragraph(
        fmt::format("and {} more cases whose kernels print", cases - kPrintedCases)));
  }
  return blocks;
}

}  // namespace lab::reading
