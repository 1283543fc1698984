#include "harness/reading/explain_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "harness/core/text.h"
#include "harness/page/make.h"
#include "harness/reading/case_name.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/line_costs.h"
#include "harness/reading/remarks.h"
#include "harness/reading/times.h"
#include "metrics/stalls.h"

namespace lab::reading {

namespace {

/// Which counts any line has.
struct Countables {
  bool instructions = false;
  bool sectors = false;
  bool wavefronts = false;
  std::set<SourceOf> sources = {};
};

Countables countables_of(const std::vector<CostlyLine>& lines) {
  Countables any;
  for (const CostlyLine& line : lines) {
    for (const auto& [source, cost] : line.costs) {
      any.instructions |= cost.instructions.value_or(0) > 0;
      any.sectors |= cost.sectors.value_or(0) > 0;
      any.wavefronts |= cost.wavefronts.value_or(0) > 0;
      any.sources.insert(source);
    }
  }
  return any;
}

std::vector<page::Column> columns_of(const Countables& any) {
  std::vector<page::Column> columns = {{"line", true}, {"share", true}};
  if (any.sources.size() > 1) columns.push_back({"counts of"});
  if (any.instructions) columns.push_back({"instructions", true});
  for (const auto& [is_there, group] :
       {std::pair{any.sectors, "sectors"}, std::pair{any.wavefronts, "wavefronts"}}) {
    if (!is_there) continue;
    columns.push_back({"ideal", true, false, group});
    columns.push_back({"actual", true, false, group});
  }
  return columns;
}

std::string source_word(SourceOf source) {
  return source == SourceOf::kModel ? "model" : source == SourceOf::kNcu ? "ncu" : "measured";
}

// A line that has none of them has no zero in the table either: what costs something stands out.
page::Cell count_cell(const std::optional<double>& value, page::Tone tone = page::Tone::kPlain) {
  page::Cell cell{std::string(), tone};
  if (value && *value != 0) cell.is = page::Number{*value, *value};
  return cell;
}

void add_pair(const std::optional<double>& ideal, const std::optional<double>& actual,
              page::Row& row) {
  const bool more = actual.value_or(0) > ideal.value_or(0);
  row.cells.push_back(count_cell(ideal));
  row.cells.push_back(count_cell(actual, more ? page::Tone::kNote : page::Tone::kPlain));
}

page::Row row_of(const CostlyLine& line, SourceOf source, bool is_first, const Countables& any) {
  const LineCost& cost = line.costs.at(source);
  page::Row row;
  row.cells = {{is_first && line.number > 0 ? std::to_string(line.number) : std::string()},
               {std::string(), page::Tone::kStrong}};
  if (is_first)
    row.cells.back().is = page::Number{line.share, line.share, {}, page::Digits::kPercent};
  if (any.sources.size() > 1) row.cells.push_back({source_word(source)});
  if (any.instructions) row.cells.push_back(count_cell(cost.instructions));
  if (any.sectors) add_pair(cost.ideal_sectors, cost.sectors, row);
  if (any.wavefronts) add_pair(cost.ideal_wavefronts, cost.wavefronts, row);
  return row;
}

std::string name_of_line(const CostlyLine& line, const std::string& source_text) {
  if (line.number > 0) return std::string(trim(line_of(source_text, line.number)));
  return line.number == CostlyLine::kOtherFiles
             ? "(other files)"
             : fmt::format("({} lines with no access to memory)", line.lines);
}

std::vector<page::Words> below_of(const CostlyLine& line, const std::string& source_text,
                                  const std::map<int, std::string>& compiled) {
  std::vector<page::Words> below = {{name_of_line(line, source_text)}};
  const auto code = compiled.find(line.number);
  if (code != compiled.end()) below.push_back({code->second, page::Tone::kDim});
  if (line.waited > 0) {
    below.push_back({fmt::format("waited here {:.0f} % of all: {}", 100 * line.waited,
                                 metrics::stall_shares(line.stalls, 2)),
                     page::Tone::kNote});
  }
  return below;
}

page::Table table_of(const std::vector<CostlyLine>& lines, const std::string& source_text,
                     const std::map<int, std::string>& compiled) {
  const Countables any = countables_of(lines);
  page::Table table{columns_of(any)};
  for (const CostlyLine& line : lines) {
    bool is_first = true;
    for (const SourceOf source : {SourceOf::kModel, SourceOf::kSass, SourceOf::kNcu}) {
      if (!line.costs.contains(source)) continue;
      table.rows.push_back(row_of(line, source, is_first, any));
      is_first = false;
    }
    if (!table.rows.empty()) table.rows.back().below = below_of(line, source_text, compiled);
  }
  return table;
}

std::string share_text(const CostlyLines& costly) {
  if (costly.of == ShareOf::kInstructions) return "Share: of the instructions.";
  const std::string_view many =
      costly.of == ShareOf::kTimeOfMany ? " of many such blocks in one launch" : "";
  return fmt::format(
      "Share: of the expected time{}, by what it would be less without the line; {:.0f} % are of "
      "the launch and its blocks' starts and ends.",
      many, 100 * costly.rest);
}

}  // namespace

page::Page explain_page(const RunRecord& run, const CaseRecord& record,
                        const metrics::Machine& machine,
                        const std::map<int, std::string>& compiled) {
  const CostlyLines costly = costly_lines(record, run.source_name, machine);
  page::Page page;
  page.blocks.push_back({case_heading(record, run.source_name), page::Rank::kAlways});
  if (has_mistake(record)) {  // what its lines cost is no matter
    page::append(page.blocks, remarks_of(record));
    return page;
  }
  const std::string expected = expected_text(record);
  if (!expected.empty()) {
    const bool timed = record.expected->ns.has_value();
    page.blocks.push_back(page::paragraph((timed ? "Expected: " : "Time: ") + expected + "."));
  }
  page.blocks.push_back(page::sentence(share_text(costly)));
  page.blocks.back().apart = expected.empty();
  page.blocks.push_back(
      {table_of(costly.lines, run.source_text, compiled), page::Rank::kAlways, true});
  return page;
}

}  // namespace lab::reading
