#include "tools/cli/text/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "harness/core/text.h"
#include "metrics/stalls.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

/// A column: the sum of some metrics of one source.
struct CostColumn {
  std::string_view title;
  SourceOf source;
  std::array<std::string_view, 4> metrics;
};

constexpr std::array<CostColumn, 9> kColumns = {{
    {"instructions", SourceOf::kModel, {"instructions"}},
    {"measured instructions", SourceOf::kSass, {"instructions"}},
    {"global sectors",
     SourceOf::kModel,
     {"global_load_sectors", "global_store_sectors", "global_atomic_sectors",
      "global_reduction_sectors"}},
    {"measured sectors", SourceOf::kSass, {"global_sectors"}},
    {"ideal sectors", SourceOf::kSass, {"global_sectors_ideal"}},
    {"shared wavefronts",
     SourceOf::kModel,
     {"shared_load_wavefronts", "shared_store_wavefronts", "shared_atomic_wavefronts"}},
    {"measured wavefronts", SourceOf::kSass, {"shared_wavefronts_sass"}},
    {"ideal wavefronts", SourceOf::kSass, {"shared_wavefronts_ideal"}},
    {"bank conflicts",
     SourceOf::kModel,
     {"shared_load_bank_conflicts", "shared_store_bank_conflicts", "shared_atomic_bank_conflicts"}},
}};
// Bytes asked for, of which global sectors are the price.
constexpr std::array<std::string_view, 2> kBytes = {"global_load_bytes", "global_store_bytes"};

/// A line's counts by metric and source; line 0 stands for all other files.
using Counts = std::map<std::pair<std::string, SourceOf>, double>;

std::map<int, Counts> counts_by_line(const CaseRecord& record, const std::string& source_name) {
  std::map<int, Counts> lines;
  for (const LineObservation& one : record.lines) {
    lines[one.file == source_name ? one.line : 0][{one.metric, one.source}] += one.value;
  }
  return lines;
}

template <std::size_t N>
std::optional<double> sum_of(const Counts& counts, const std::array<std::string_view, N>& metrics,
                             SourceOf source) {
  std::optional<double> sum;
  for (const std::string_view metric : metrics) {
    const auto found = counts.find({std::string(metric), source});
    if (found != counts.end()) sum = sum.value_or(0) + found->second;
  }
  return sum;
}

// Bytes asked for over bytes moved, where the line has global loads or stores.
std::string efficiency_text(const Counts& counts) {
  constexpr std::array<std::string_view, 2> kSectors = {"global_load_sectors",
                                                        "global_store_sectors"};
  const auto bytes = sum_of(counts, kBytes, SourceOf::kModel);
  const auto sectors = sum_of(counts, kSectors, SourceOf::kModel);
  if (!bytes || !sectors || *sectors == 0) return {};
  return fmt::format("{:.0f} %", std::min(100.0, 100 * *bytes / (32 * *sectors)));
}

// What the warps waited for at each line, where that was sampled.
class StallColumns {
 public:
  StallColumns(const CaseRecord& record, const std::string& source_name)
      : all_(metrics::all_stalls(record.lines).waiting) {
    std::map<int, std::vector<LineObservation>> by_line;
    for (const LineObservation& one : record.lines) {
      by_line[one.file == source_name ? one.line : 0].push_back(one);
    }
    for (const auto& [number, lines] : by_line) lines_[number] = metrics::all_stalls(lines);
  }

  void add_columns(Table& table) const {
    if (all_ == 0) return;
    table.columns.push_back({"waited", Align::kRight});
    table.columns.push_back({"for", Align::kLeft});
  }

  void add_cells(int number, std::vector<Cell>& row) const {
    if (all_ == 0) return;
    const auto line = lines_.find(number);
    const bool none = line == lines_.end() || line->second.waiting == 0;
    row.push_back({none ? "" : fmt::format("{:.0f} %", 100 * line->second.waiting / all_)});
    row.push_back({none ? "" : metrics::stall_shares(line->second, 1)});
  }

 private:
  double all_;
  std::map<int, metrics::LineStalls> lines_;
};

// Source lines give way to the numbers; 20 columns of them stay.
void cut_last_column(Table& table, int width) {
  int longest = 0;
  for (const auto& row : table.rows) longest = std::max(longest, display_width(row.back().text));
  const int room = std::max(longest - (natural_width(table) - width), 20);
  for (auto& row : table.rows) row.back().text = cut(std::move(row.back().text), room);
}

}  // namespace

std::string explain_text(const CaseRecord& record, const std::string& source_name,
                         const std::string& source_text, const Terminal& terminal) {
  const std::map<int, Counts> lines = counts_by_line(record, source_name);
  std::vector<const CostColumn*> columns;
  for (const CostColumn& column : kColumns) {
    const bool any = std::any_of(lines.begin(), lines.end(), [&](const auto& line) {
      return sum_of(line.second, column.metrics, column.source).value_or(0) > 0;
    });
    if (any) columns.push_back(&column);
  }
  const bool efficiency = std::any_of(
      lines.begin(), lines.end(), [](const auto& l) { return !efficiency_text(l.second).empty(); });
  Table table{{{"line", Align::kRight}}};
  for (const CostColumn* column : columns) {
    const std::size_t space = column->title.find(' ');
    const std::string title(column->title);
    const bool two = space != std::string::npos;
    table.columns.push_back({two ? title.substr(space + 1) : title, Align::kRight, false,
                             two ? title.substr(0, space) : ""});
  }
  if (efficiency) table.columns.push_back({"used", Align::kRight, false, "bytes"});
  const StallColumns stalls(record, source_name);
  stalls.add_columns(table);
  table.columns.push_back({"source"});
  for (const auto& [number, counts] : lines) {
    std::vector<Cell> row = {{number == 0 ? "" : std::to_string(number)}};
    for (const CostColumn* column : columns) {
      const auto value = sum_of(counts, column->metrics, column->source);
      const bool bad = column->title == "bank conflicts" && value.value_or(0) > 0;
      row.push_back({value ? number_text(*value) : "", bad ? Tone::kNote : Tone::kPlain});
    }
    if (efficiency) {
      const std::string used = efficiency_text(counts);
      row.push_back({used, used.empty() || used == "100 %" ? Tone::kPlain : Tone::kNote});
    }
    stalls.add_cells(number, row);
    row.push_back({number == 0 ? "(other files)" : safe_line(trim(line_of(source_text, number)))});
    table.rows.push_back(std::move(row));
  }
  cut_last_column(table, terminal.width);
  return table_text(table, terminal);
}

}  // namespace lab::cli
