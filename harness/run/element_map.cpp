#include "harness/run/element_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "harness/page/make.h"
#include "harness/reading/case_name.h"

namespace lab::run {

namespace {

constexpr int kWarpLanes = 32;
constexpr std::uint64_t kWindowRows = 32;
constexpr std::uint64_t kWindowColumns = 64;

/// The part of the matrix that is drawn: rows in which something is touched.
struct Window {
  std::vector<std::uint64_t> rows = {};
  std::uint64_t column = 0;
  std::uint64_t columns = 0;
  bool whole = true;  ///< nothing that is touched is outside
};

Window window_of(const ElementMap& map) {
  Window window;
  if (map.threads.empty()) return window;
  std::uint64_t last_column = 0;
  window.column = ~std::uint64_t{0};
  for (const auto& [element, threads] : map.threads) {  // in the order of rows
    const std::uint64_t row = element / map.columns;
    if (window.rows.empty() || window.rows.back() != row) window.rows.push_back(row);
    window.column = std::min(window.column, element % map.columns);
    last_column = std::max(last_column, element % map.columns);
  }
  const std::uint64_t columns = last_column - window.column + 1;
  window.columns = std::min(columns, kWindowColumns);
  window.whole = window.rows.size() <= kWindowRows && window.columns == columns;
  if (window.rows.size() > kWindowRows) window.rows.resize(kWindowRows);
  return window;
}

const std::vector<int>* threads_at(const ElementMap& map, std::uint64_t row, std::uint64_t column) {
  const auto found = map.threads.find(row * map.columns + column);
  return found == map.threads.end() ? nullptr : &found->second;
}

std::string map_title(const ElementMap& map) {
  return fmt::format("{}, line {}, {}", map.array, map.line, lab::name_of(map.op));
}

page::GridRow row_of(const ElementMap& map, const Window& window, std::size_t at) {
  page::GridRow row;
  row.label = std::to_string(window.rows[at]);
  row.gap = at > 0 && window.rows[at] > window.rows[at - 1] + 1;
  for (std::uint64_t i = 0; i < window.columns; ++i) {
    const std::vector<int>* threads = threads_at(map, window.rows[at], window.column + i);
    row.squares.push_back(threads == nullptr ? page::Square{}
                                             : page::Square{threads->front(), threads->size() > 1});
  }
  return row;
}

page::Grid grid_of(const ElementMap& map, const Window& window) {
  page::Grid grid{map_title(map) + ": the thread at each element", "thread", "column", "row"};
  for (std::uint64_t i = 0; i < window.columns; ++i) {
    grid.columns.push_back(std::to_string(window.column + i));
  }
  for (std::size_t i = 0; i < window.rows.size(); ++i) grid.rows.push_back(row_of(map, window, i));
  return grid;
}

/// Accesses of a trace that belong to one map.
using Key = std::tuple<int, int, AccessOp>;  // array, line, op

bool is_wanted(const TracedAccess& traced, const std::string& name, const MatrixOptions& options) {
  return (options.array.empty() || options.array == name) &&
         (!options.op || options.op == traced.access.op) &&
         (options.line == 0 || options.line == traced.access.line);
}

/// A map that is being put together.
struct Drawn {
  ElementMap map = {};
  std::vector<std::uint64_t> first = {};  // elements of the warps' first lanes

  void add(const TracedAccess& traced, std::uint32_t element) {
    const auto bytes = static_cast<std::uint64_t>(traced.access.bytes_per_lane);
    bool is_first = true;
    for (std::size_t lane = 0; lane < traced.access.address.size(); ++lane) {
      if (traced.access.address[lane] < 0) continue;
      const auto address = static_cast<std::uint64_t>(traced.access.address[lane]);
      if (std::exchange(is_first, false)) first.push_back(address / element);
      for (std::uint64_t one = address / element; one <= (address + bytes - 1) / element; ++one) {
        map.threads[one].push_back(static_cast<int>(traced.warp) * kWarpLanes +
                                   static_cast<int>(lane));
      }
    }
  }

  // Where nothing tells the length of a row, it is what lies between two warps, or 32 elements.
  [[nodiscard]] std::uint64_t guessed_columns() {
    std::sort(first.begin(), first.end());
    std::uint64_t least = ~std::uint64_t{0};
    for (std::size_t i = 1; i < first.size(); ++i) {
      if (first[i] > first[i - 1]) least = std::min(least, first[i] - first[i - 1]);
    }
    return least >= kWarpLanes && least != ~std::uint64_t{0} ? least : kWarpLanes;
  }

  [[nodiscard]] ElementMap finished() && {
    if (map.columns == 0) map.columns = guessed_columns();
    for (auto& [element, threads] : map.threads) {
      std::sort(threads.begin(), threads.end());
      threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
    }
    return std::move(map);
  }
};

const ArrayFix* described(const std::vector<ArrayFix>& arrays, const TracedArray& array) {
  const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const ArrayFix& one) {
    return one.array.name == array.name && one.array.space == array.space;
  });
  return found == arrays.end() ? nullptr : &*found;
}

}  // namespace

std::vector<ElementMap> element_maps(const CaseOutcome& outcome,
                                     const std::vector<ArrayFix>& arrays,
                                     const MatrixOptions& options) {
  std::map<Key, Drawn> maps;
  std::vector<Key> order;
  std::map<std::pair<Key, std::uint32_t>, std::size_t> times;  // that a warp was there
  for (const TracedAccess& traced : outcome.traced) {
    if (traced.array < 0) continue;
    const TracedArray& array = outcome.arrays[static_cast<std::size_t>(traced.array)];
    const ArrayFix* fix = described(arrays, array);
    if (fix == nullptr || !is_wanted(traced, fix->name, options)) continue;
    const Key key(traced.array, traced.access.line, traced.access.op);
    if (++times[{key, traced.warp}] != options.nth) continue;
    const auto [at, is_new] = maps.try_emplace(key);
    if (is_new) {
      order.push_back(key);
      const std::vector<std::uint64_t>& columns = fix->problem.columns;
      at->second.map = {fix->name, traced.access.op, traced.access.line,
                        columns.empty() ? 0 : columns.front()};
    }
    at->second.add(traced, fix->problem.element);
  }
  std::vector<ElementMap> all;
  for (const Key& key : order) all.push_back(std::move(maps[key]).finished());
  return all;
}

page::Grid grid_of(const ElementMap& map) { return grid_of(map, window_of(map)); }

page::Page matrix_page(const CaseRecord& record, std::uint32_t block,
                       const std::vector<ElementMap>& maps) {
  constexpr std::size_t kMostShown = 4;
  page::Page page;
  page.blocks.push_back(
      {reading::case_heading(record, fmt::format("block {}", block)), page::Rank::kAlways});
  for (std::size_t i = 0; i < maps.size() && i < kMostShown; ++i) {
    const Window window = window_of(maps[i]);
    page.blocks.push_back({page::Heading{2, map_title(maps[i])}, page::Rank::kAlways, true});
    page.blocks.push_back({grid_of(maps[i], window)});
    if (window.whole) continue;
    page.blocks.push_back(page::sentence(fmt::format(
        "{} elements are touched; what lies further on is left out", maps[i].threads.size())));
  }
  if (maps.size() > kMostShown) {
    page.blocks.push_back(page::paragraph(
        fmt::format("and {} more: --array, --line and --op choose", maps.size() - kMostShown)));
  }
  return page;
}

}  // namespace lab::run
