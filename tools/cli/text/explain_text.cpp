#include "tools/cli/text/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "harness/core/text.h"
#include "harness/reading/line_costs.h"
#include "harness/reading/times.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/source_line.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

constexpr int kSourceIndent = 6;

using reading::CostlyLine;
using reading::LineCost;

Cell count_cell(const std::optional<double>& value, Tone tone = Tone::kPlain) {
  return {value && *value != 0 ? grouped_text(*value) : "", tone};
}

std::string source_word(SourceOf source) {
  return source == SourceOf::kModel ? "model" : source == SourceOf::kNcu ? "ncu" : "measured";
}

/// The table, with the lines' own texts below their rows.
class Explanation {
 public:
  Explanation(const std::vector<CostlyLine>& lines, const Terminal& terminal)
      : terminal_(terminal) {
    for (const CostlyLine& line : lines) {
      for (const auto& [source, cost] : line.costs) {
        instructions_ |= cost.instructions.value_or(0) > 0;
        sectors_ |= cost.sectors.value_or(0) > 0;
        wavefronts_ |= cost.wavefronts.value_or(0) > 0;
        sources_.insert(source);
      }
    }
    table_.columns = {{"line", Align::kRight}, {"share", Align::kRight}};
    if (sources_.size() > 1) table_.columns.push_back({"counts of"});
    if (instructions_) table_.columns.push_back({"instructions", Align::kRight});
    if (sectors_) add_pair("sectors");
    if (wavefronts_) add_pair("wavefronts");
  }

  void add(const CostlyLine& line, std::string below) {
    bool first = true;
    for (const SourceOf source : {SourceOf::kModel, SourceOf::kSass, SourceOf::kNcu}) {
      if (!line.costs.contains(source)) continue;
      add_row(line, source, first);
      below_.emplace_back();
      first = false;
    }
    if (!below_.empty()) below_.back() = std::move(below);
  }

  // A row of the table is a line of its text: no column wraps.
  [[nodiscard]] std::string text() const {
    const std::string whole = table_text(table_, terminal_);
    std::vector<std::string_view> lines = split(whole, '\n');
    if (!lines.empty() && lines.back().empty()) lines.pop_back();
    const std::size_t heading = lines.size() - std::min(lines.size(), below_.size());
    std::string out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      out += std::string(lines[i]) + "\n";
      if (i >= heading) out += below_[i - heading];
    }
    return out;
  }

 private:
  void add_pair(const std::string& group) {
    table_.columns.push_back({"ideal", Align::kRight, false, group});
    table_.columns.push_back({"actual", Align::kRight, false, group});
  }

  void add_row(const CostlyLine& line, SourceOf source, bool first) {
    const LineCost& cost = line.costs.at(source);
    std::vector<Cell> row = {
        {first && line.number > 0 ? std::to_string(line.number) : ""},
        {first ? fmt::format("{:.0f} %", 100 * line.share) : "", Tone::kStrong}};
    if (sources_.size() > 1) row.push_back({source_word(source)});
    if (instructions_) row.push_back(count_cell(cost.instructions));
    if (sectors_) add_cells(cost.ideal_sectors, cost.sectors, row);
    if (wavefronts_) add_cells(cost.ideal_wavefronts, cost.wavefronts, row);
    table_.rows.push_back(std::move(row));
  }

  static void add_cells(const std::optional<double>& ideal, const std::optional<double>& actual,
                        std::vector<Cell>& row) {
    const bool more = actual.value_or(0) > ideal.value_or(0);
    row.push_back(count_cell(ideal));
    row.push_back(count_cell(actual, more ? Tone::kNote : Tone::kPlain));
  }

  Terminal terminal_;
  Table table_;
  bool instructions_ = false;
  bool sectors_ = false;
  bool wavefronts_ = false;
  std::set<SourceOf> sources_;
  std::vector<std::string> below_;  // by row of the table
};

std::string below_text(const std::string& text, Tone tone, const Terminal& terminal) {
  return toned_paragraph(text, tone, terminal, kSourceIndent);
}

std::string waited_text(const CostlyLine& line) {
  if (line.waited == 0) return {};
  return fmt::format("waited here {:.0f} % of all: {}", 100 * line.waited,
                     metrics::stall_shares(line.stalls, 2));
}

std::string name_of_line(const CostlyLine& line, const std::string& source_text) {
  if (line.number > 0) return source_line(source_text, line.number);
  return line.number == CostlyLine::kOtherFiles
             ? "(other files)"
             : fmt::format("({} lines with no access to memory)", line.lines);
}

std::string share_text(const reading::CostlyLines& costly) {
  using reading::ShareOf;
  if (costly.of == ShareOf::kInstructions) return "Share: of the instructions.";
  const std::string_view many =
      costly.of == ShareOf::kTimeOfMany ? " of many such blocks in one launch" : "";
  return fmt::format(
      "Share: of the expected time{}, by what it would be less without the line; {:.0f} % are of "
      "the "
      "launch and its blocks' starts and ends.",
      many, 100 * costly.rest);
}

std::string head_text(const CaseRecord& record, const reading::CostlyLines& costly,
                      const Terminal& terminal) {
  std::string text;
  const std::string expected = reading::expected_text(record);
  if (!expected.empty()) {
    const bool any = record.expected->ns.has_value();
    text = any ? "Expected: " + expected + ".\n" : "Time: " + expected + ".\n";
  }
  std::string out;
  for (const std::string& said : {text, share_text(costly)}) {
    if (!said.empty()) out += paragraph(trim(said), terminal.width);
  }
  return out;
}

}  // namespace

std::string explain_text(const RunRecord& run, const CaseRecord& record,
                         const metrics::Machine& machine,
                         const std::map<int, std::string>& compiled, const Terminal& terminal) {
  const reading::CostlyLines costly = reading::costly_lines(record, run.source_name, machine);
  Explanation explanation(costly.lines, terminal);
  for (const CostlyLine& line : costly.lines) {
    std::string below = below_text(name_of_line(line, run.source_text), Tone::kPlain, terminal);
    const auto code = compiled.find(line.number);
    if (code != compiled.end()) below += below_text(code->second, Tone::kDim, terminal);
    const std::string waited = waited_text(line);
    if (!waited.empty()) below += below_text(waited, Tone::kNote, terminal);
    explanation.add(line, below);
  }
  return head_text(record, costly, terminal) + "\n" + explanation.text();
}

}  // namespace lab::cli
