#include "tools/cli/text/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/core/text.h"
#include "metrics/expected.h"
#include "metrics/stalls.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

constexpr int kSourceIndent = 6;
// What is less of the time than this, and touches no memory, is one row with its like.
constexpr double kShown = 0.01;

/// A line's counts by metric, of one source.
using Counts = std::map<std::string, double, std::less<>>;

/// Sums of metrics, by what they are sums of; the second of each pair is a rule of its own.
constexpr std::array<std::string_view, 4> kSectors = {"global_load_sectors", "global_store_sectors",
                                                      "global_atomic_sectors",
                                                      "global_reduction_sectors"};
constexpr std::array<std::string_view, 3> kWavefronts = {
    "shared_load_wavefronts", "shared_store_wavefronts", "shared_atomic_wavefronts"};
constexpr std::array<std::string_view, 3> kConflicts = {
    "shared_load_bank_conflicts", "shared_store_bank_conflicts", "shared_atomic_bank_conflicts"};

std::optional<double> count_in(const Counts& counts, std::string_view metric) {
  const auto found = counts.find(metric);
  return found == counts.end() ? std::nullopt : std::optional(found->second);
}

template <std::size_t N>
std::optional<double> sum_in(const Counts& counts, const std::array<std::string_view, N>& metrics) {
  std::optional<double> sum;
  for (const std::string_view metric : metrics) {
    if (const auto value = count_in(counts, metric)) sum = sum.value_or(0) + *value;
  }
  return sum;
}

/// What a line came to, of one source.
struct LineFigures {
  std::optional<double> instructions = {};
  std::optional<double> sectors = {};
  std::optional<double> ideal_sectors = {};
  std::optional<double> wavefronts = {};
  std::optional<double> ideal_wavefronts = {};
};

// Sectors that the bytes fill: one for each instruction at least.
std::optional<double> ideal_sectors(const Counts& counts) {
  if (!sum_in(counts, kSectors)) return {};
  double sum = 0;
  for (const char* op : {"load", "store"}) {
    const double bytes = count_in(counts, fmt::format("global_{}_bytes", op)).value_or(0);
    const double requests = count_in(counts, fmt::format("global_{}_requests", op)).value_or(0);
    sum += std::max(std::ceil(bytes / 32), requests);
  }
  for (const std::size_t atomic : {2U, 3U}) {  // lanes at one address wait in any layout
    sum += count_in(counts, kSectors[atomic]).value_or(0);
  }
  return sum;
}

LineFigures modelled(const Counts& counts) {
  LineFigures figures;
  figures.instructions = count_in(counts, "instructions");
  figures.sectors = sum_in(counts, kSectors);
  figures.ideal_sectors = ideal_sectors(counts);
  figures.wavefronts = sum_in(counts, kWavefronts);
  if (figures.wavefronts) {
    figures.ideal_wavefronts = *figures.wavefronts - sum_in(counts, kConflicts).value_or(0);
  }
  return figures;
}

// As patched instructions count, ours or Nsight Compute's.
LineFigures patched(const Counts& counts) {
  LineFigures figures;
  figures.instructions = count_in(counts, "instructions");
  figures.sectors = count_in(counts, "global_sectors");
  figures.ideal_sectors = count_in(counts, "global_sectors_ideal");
  figures.wavefronts = count_in(counts, "shared_wavefronts_sass");
  figures.ideal_wavefronts = count_in(counts, "shared_wavefronts_ideal");
  return figures;
}

/// A line with what each source says of it; line 0 stands for all other files.
struct CostlyLine {
  int number = 0;
  std::map<SourceOf, Counts> counts = {};
  std::vector<LineObservation> observations = {};
  double share = 0;
  int lines = 1;  ///< that it stands for

  [[nodiscard]] LineFigures figures(SourceOf source) const {
    const auto found = counts.find(source);
    if (found == counts.end()) return {};
    return source == SourceOf::kModel ? modelled(found->second) : patched(found->second);
  }
};

std::vector<CostlyLine> lines_by_number(const CaseRecord& record, const std::string& source_name) {
  std::map<int, CostlyLine> lines;
  for (const LineObservation& one : record.lines) {
    const int number = one.file == source_name ? one.line : 0;
    CostlyLine& line = lines[number];
    line.number = number;
    line.counts[one.source][one.metric] += one.value;
    line.observations.push_back(one);
  }
  std::vector<CostlyLine> all;
  for (auto& [number, line] : lines) all.push_back(std::move(line));
  return all;
}

/// Which count the shares are of, and how it is called.
struct Weight {
  std::optional<double> LineFigures::*figure = &LineFigures::instructions;
  std::string what = "the instructions";
};

// The count whose resource takes the model's least time longest.
Weight weight_of(const CaseRecord& record, const metrics::Machine& machine) {
  const std::vector<metrics::Use> uses = metrics::modelled_uses(record, machine);
  if (uses.empty()) return {};
  const metrics::Resource first = uses.front().resource;
  const std::string what = fmt::format("the least time, which {} sets", name_of(first));
  if (first == metrics::Resource::kDram || first == metrics::Resource::kL2)
    return {&LineFigures::sectors, what};
  if (first == metrics::Resource::kSharedMemory) return {&LineFigures::wavefronts, what};
  return {&LineFigures::instructions, what};
}

// Whose counts the shares are of: the model's; without it what was measured.
SourceOf leading(const std::vector<CostlyLine>& lines) {
  for (const SourceOf source : {SourceOf::kModel, SourceOf::kSass}) {
    const bool any = std::any_of(lines.begin(), lines.end(), [&](const CostlyLine& line) {
      return line.counts.contains(source);
    });
    if (any) return source;
  }
  return SourceOf::kNcu;
}

void rank_lines(const Weight& weight, std::vector<CostlyLine>& lines) {
  const SourceOf source = leading(lines);
  double total = 0;
  for (CostlyLine& line : lines) {
    line.share = (line.figures(source).*weight.figure).value_or(0);
    total += line.share;
  }
  for (CostlyLine& line : lines) line.share = total > 0 ? line.share / total : 0;
  std::stable_sort(lines.begin(), lines.end(), [&](const CostlyLine& a, const CostlyLine& b) {
    const auto key = [source](const CostlyLine& one) {
      const LineFigures figures = one.figures(source);
      return std::tuple(one.number == 0, -one.share,
                        -figures.sectors.value_or(0) - figures.wavefronts.value_or(0),
                        -figures.instructions.value_or(0));
    };
    return key(a) < key(b);
  });
}

bool is_quiet(const CostlyLine& line) {
  if (line.number == 0 || line.share >= kShown) return false;
  return std::all_of(line.counts.begin(), line.counts.end(), [&](const auto& one) {
    const LineFigures figures = line.figures(one.first);
    return figures.sectors.value_or(0) + figures.wavefronts.value_or(0) == 0;
  });
}

// Lines of index arithmetic and the like as one, where that saves any.
void put_quiet_together(std::vector<CostlyLine>& lines) {
  CostlyLine quiet;
  quiet.number = -1;
  quiet.lines = 0;
  for (const CostlyLine& line : lines) {
    if (!is_quiet(line)) continue;
    ++quiet.lines;
    quiet.share += line.share;
    for (const auto& [source, counts] : line.counts) {
      for (const auto& [metric, value] : counts) quiet.counts[source][metric] += value;
    }
    quiet.observations.insert(quiet.observations.end(), line.observations.begin(),
                              line.observations.end());
  }
  if (quiet.lines < 2) return;
  std::erase_if(lines, is_quiet);
  lines.push_back(std::move(quiet));
}

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
      for (const auto& [source, counts] : line.counts) {
        const LineFigures figures = line.figures(source);
        instructions_ |= figures.instructions.value_or(0) > 0;
        sectors_ |= figures.sectors.value_or(0) > 0;
        wavefronts_ |= figures.wavefronts.value_or(0) > 0;
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
      if (!line.counts.contains(source)) continue;
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
    const LineFigures figures = line.figures(source);
    std::vector<Cell> row = {
        {first && line.number > 0 ? std::to_string(line.number) : ""},
        {first ? fmt::format("{:.0f} %", 100 * line.share) : "", Tone::kStrong}};
    if (sources_.size() > 1) row.push_back({source_word(source)});
    if (instructions_) row.push_back(count_cell(figures.instructions));
    if (sectors_) add_cells(figures.ideal_sectors, figures.sectors, row);
    if (wavefronts_) add_cells(figures.ideal_wavefronts, figures.wavefronts, row);
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
  std::string out;
  for (const std::string& line : wrapped(text, terminal.width - kSourceIndent)) {
    out += fmt::format("{:{}}{}\n", "", kSourceIndent, toned(line, tone, terminal));
  }
  return out;
}

std::string waited_text(const CostlyLine& line, double all) {
  double waiting = 0;
  for (const metrics::LineStalls& one : metrics::stalls_by_line(line.observations)) {
    waiting += one.waiting;
  }
  if (all == 0 || waiting == 0) return {};
  const metrics::LineStalls here = metrics::all_stalls(line.observations);
  return fmt::format("waited here {:.0f} % of all: {}", 100 * waiting / all,
                     metrics::stall_shares(here, 2));
}

std::string name_of_line(const CostlyLine& line, const std::string& source_text) {
  if (line.number > 0) return safe_line(trim(line_of(source_text, line.number)));
  return line.number == 0 ? "(other files)"
                          : fmt::format("({} lines with no access to memory)", line.lines);
}

}  // namespace

std::string explain_text(const CaseRecord& record, const std::string& source_name,
                         const std::string& source_text, const metrics::Machine& machine,
                         const std::map<int, std::string>& compiled, const Terminal& terminal) {
  std::vector<CostlyLine> lines = lines_by_number(record, source_name);
  const Weight weight = weight_of(record, machine);
  rank_lines(weight, lines);
  put_quiet_together(lines);
  const double waiting = metrics::all_stalls(record.lines).waiting;
  Explanation explanation(lines, terminal);
  for (const CostlyLine& line : lines) {
    std::string below = below_text(name_of_line(line, source_text), Tone::kPlain, terminal);
    const auto code = compiled.find(line.number);
    if (code != compiled.end()) below += below_text(code->second, Tone::kDim, terminal);
    const std::string waited = waited_text(line, waiting);
    if (!waited.empty()) below += below_text(waited, Tone::kNote, terminal);
    explanation.add(line, below);
  }
  return fmt::format("Share: of {}.\n\n", weight.what) + explanation.text();
}

}  // namespace lab::cli
