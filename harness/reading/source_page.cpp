#include "harness/reading/source_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/core/lab.h"
#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/page/make.h"
#include "harness/page/numbers.h"
#include "harness/reading/accesses.h"
#include "harness/reading/case_name.h"
#include "harness/reading/line_costs.h"
#include "harness/reading/map_page.h"

namespace lab::reading {

namespace {

using page::Role;

/// A kind of cost, and what it would be at least.
struct Cost {
  const char* name;
  std::optional<double> LineCost::*actual;
  std::optional<double> LineCost::*ideal;
};
constexpr std::array<Cost, 2> kCosts = {
    {{"sectors", &LineCost::sectors, &LineCost::ideal_sectors},
     {"wavefronts", &LineCost::wavefronts, &LineCost::ideal_wavefronts}}};

using ByLine = std::map<int, LineCost>;
using Most = std::array<double, kCosts.size()>;

page::Cell cost_cell(const LineCost& cost, const Cost& kind) {
  const double value = (cost.*kind.actual).value_or(0);
  if (value <= 0) return {std::string()};
  page::Cell cell = page::number_cell(value);
  const double ideal = (cost.*kind.ideal).value_or(value);
  if (ideal < value) cell.beside = "ideal: " + grouped_text(ideal);
  return cell;
}

Most most_of(const ByLine& costs) {
  Most most = {};
  for (const auto& [line, cost] : costs) {
    for (std::size_t i = 0; i < kCosts.size(); ++i) {
      most[i] = std::max(most[i], (cost.*kCosts[i].actual).value_or(0));
    }
  }
  return most;
}

// Chooses the lines of a long source that cost most, by their share of either kind.
std::set<int> lines_to_show(const ByLine& costs, const Most& most) {
  constexpr std::size_t kCostliest = 12;
  std::vector<std::pair<double, int>> shares;
  for (const auto& [line, cost] : costs) {
    double share = 0;
    for (std::size_t i = 0; i < kCosts.size(); ++i) {
      if (most[i] > 0) share = std::max(share, (cost.*kCosts[i].actual).value_or(0) / most[i]);
    }
    shares.emplace_back(-share, line);
  }
  std::sort(shares.begin(), shares.end());
  std::set<int> lines;
  for (const auto& [share, line] : shares) {
    if (lines.size() < kCostliest) lines.insert(line);
  }
  return lines;
}

// All lines, or those of `only`.
page::Block lines_table(const RunRecord& run, const ByLine& costs, const std::set<int>* only) {
  const Most most = most_of(costs);
  page::Table table{{{"line", true}}};
  table.columns.front().names = true;
  for (std::size_t i = 0; i < kCosts.size(); ++i) {
    if (most[i] == 0) continue;
    table.columns.push_back({kCosts[i].name, true});
    table.columns.back().bars = true;
  }
  table.columns.push_back({run.source_name});
  table.columns.back().code = true;
  int number = 0;
  std::string_view source = run.source_text;
  if (source.ends_with('\n')) source.remove_suffix(1);
  for (const std::string_view text : split(source, '\n')) {
    ++number;
    if (only != nullptr && !only->contains(number)) continue;
    if (run.source_is_labs_own && trim(text).starts_with(kStarterMark)) continue;
    const auto found = costs.find(number);
    const LineCost cost = found == costs.end() ? LineCost{} : found->second;
    page::Row row{{{std::to_string(number)}}};
    for (std::size_t i = 0; i < kCosts.size(); ++i) {
      if (most[i] > 0) row.cells.push_back(cost_cell(cost, kCosts[i]));
    }
    row.cells.push_back({std::string(only == nullptr ? text : trim(text))});
    table.rows.push_back(std::move(row));
  }
  return {std::move(table)};
}

std::vector<page::Block> map_of(const Access& access, const RunRecord& run) {
  const bool shared = access.space == Space::kShared;
  const auto count = static_cast<std::uint64_t>(reading::cost_of(access));
  const std::string what = fmt::format("{} {}, {} bytes per lane: {}", lab::name_of(access.space),
                                       lab::name_of(access.op), access.bytes_per_lane,
                                       page::counted(count, shared ? "wavefront" : "sector"));
  std::vector<page::Block> blocks = {
      {page::Heading{3, fmt::format("Line {}: {}", access.line, what)}}};
  const std::string text = source_line(run, access.line);
  if (!text.empty()) blocks.push_back({page::Source{{{{}, 0, text}}}});
  for (page::Grid& grid : grids_of(access, what)) blocks.push_back({std::move(grid)});
  return blocks;
}

}  // namespace

std::vector<page::Block> source_blocks(const RunRecord& run, const std::vector<Section>& sections) {
  constexpr std::ptrdiff_t kShort = 60;  // lines
  if (run.source_text.empty()) return {};
  const ByLine costs = modelled_costs(run, sections);
  if (costs.empty()) {
    return {{page::Fold{
        "Kernel source: " + run.source_name, {}, {}, {}, {{page::Code{run.source_text}}}}}};
  }
  std::vector<page::Block> blocks = {
      {page::Heading{2, "What each line costs"}},
      page::sentence("The model's counts in one case of each variant.", Role::kNote)};
  if (std::count(run.source_text.begin(), run.source_text.end(), '\n') <= kShort) {
    blocks.push_back(lines_table(run, costs, nullptr));
    return blocks;
  }
  const std::set<int> costliest = lines_to_show(costs, most_of(costs));
  blocks.push_back(lines_table(run, costs, &costliest));
  blocks.push_back(
      {page::Fold{"The whole source", {}, {}, {}, {lines_table(run, costs, nullptr)}}});
  return blocks;
}

std::vector<page::Block> touched_blocks(const RunRecord& run) {
  constexpr std::size_t kShown = 8;
  constexpr std::size_t kOpen = 2;
  const std::vector<const Access*> shown = costliest_accesses(run, kShown);
  if (shown.empty()) return {};
  std::vector<page::Block> blocks = {
      {page::Heading{2, "What a warp touches"}},
      page::sentence("Shared memory: its 32 banks across, and below each other the words that a "
                     "bank has to give one after the other. Global memory: the sectors that move, "
                     "one in each row; empty words are moved and not asked for. Numbers are lanes, "
                     "a + says that others share.",
                     Role::kNote)};
  page::Fold more;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    auto& to = i < kOpen ? blocks : more.blocks;
    for (page::Block& block : map_of(*shown[i], run)) to.push_back(std::move(block));
  }
  if (shown.size() > kOpen) {
    more.name = fmt::format("{} more", shown.size() - kOpen);
    blocks.push_back({std::move(more)});
  }
  return blocks;
}

}  // namespace lab::reading
