#include "tools/cli/text/matrix_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "harness/core/text.h"
#include "tools/cli/text/svg.h"

namespace lab::cli {

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

// The first thread; a + says that others touch the element, too.
std::string threads_text(const std::vector<int>* threads) {
  if (threads == nullptr) return ".";
  return fmt::format("{}{}", threads->front(), threads->size() > 1 ? "+" : "");
}

// ECMA-48 colours of the foreground, by warp; nothing is told by colour alone.
std::string in_colour(const std::string& text, const std::vector<int>* threads,
                      const Terminal& terminal) {
  constexpr std::array kColours = {36, 33, 32, 35, 34, 31};
  if (!terminal.colour || threads == nullptr) return text;
  const auto warp = static_cast<std::size_t>(threads->front() / kWarpLanes);
  return fmt::format("\x1b[{}m{}\x1b[0m", kColours[warp % kColours.size()], text);
}

std::size_t cell_width(const ElementMap& map, const Window& window) {
  std::size_t width = std::to_string(window.column + window.columns - 1).size();
  for (const auto& [element, threads] : map.threads) {
    width = std::max(width, threads_text(&threads).size());
  }
  return width + 1;
}

std::string map_title(const ElementMap& map) {
  return fmt::format("{}, line {}, {}", safe_line(map.array), map.line, name_of(map.op));
}

std::size_t label_width(const Window& window) {
  return std::to_string(window.rows.empty() ? 0 : window.rows.back()).size() + 4;
}

// Some columns of all rows of the window; rows that nobody touches are three points.
std::string window_text(const ElementMap& map, const Window& window, std::uint64_t first,
                        std::uint64_t last, std::size_t width, const Terminal& terminal) {
  const std::size_t label = label_width(window);
  std::string head = fmt::format("{:<{}}", "row", label);
  for (std::uint64_t column = first; column < last; ++column) {
    head += fmt::format("{:>{}}", column, width);
  }
  std::string out = toned(head, Tone::kDim, terminal) + "\n";
  for (std::size_t i = 0; i < window.rows.size(); ++i) {
    const std::uint64_t row = window.rows[i];
    if (i > 0 && row > window.rows[i - 1] + 1) {
      out += toned(fmt::format("{:>{}}", "...", label - 1), Tone::kDim, terminal) + "\n";
    }
    out += toned(fmt::format("{:>{}} ", row, label - 1), Tone::kDim, terminal);
    for (std::uint64_t column = first; column < last; ++column) {
      const std::vector<int>* threads = threads_at(map, row, column);
      out += in_colour(fmt::format("{:>{}}", threads_text(threads), width), threads, terminal);
    }
    out += "\n";
  }
  return out;
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

const run::ArrayFix* described(const std::vector<run::ArrayFix>& arrays, const TracedArray& array) {
  const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const run::ArrayFix& one) {
    return one.array.name == array.name && one.array.space == array.space;
  });
  return found == arrays.end() ? nullptr : &*found;
}

}  // namespace

std::vector<ElementMap> element_maps(const CaseOutcome& outcome,
                                     const std::vector<run::ArrayFix>& arrays,
                                     const MatrixOptions& options) {
  std::map<Key, Drawn> maps;
  std::vector<Key> order;
  std::map<std::pair<Key, std::uint32_t>, std::size_t> times;  // that a warp was there
  for (const TracedAccess& traced : outcome.traced) {
    if (traced.array < 0) continue;
    const TracedArray& array = outcome.arrays[static_cast<std::size_t>(traced.array)];
    const run::ArrayFix* fix = described(arrays, array);
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

std::string matrix_text(const ElementMap& map, const Terminal& terminal) {
  const Window window = window_of(map);
  const std::size_t width = cell_width(map, window);
  const std::size_t label = label_width(window);
  const std::size_t room =
      std::max<std::size_t>(static_cast<std::size_t>(terminal.width), label + width);
  const std::uint64_t fit = (room - label) / width;
  std::string out = toned(map_title(map), Tone::kStrong, terminal) + "\n";
  const std::uint64_t end = window.column + window.columns;
  for (std::uint64_t first = window.column; first < end; first += fit) {
    out += window_text(map, window, first, std::min(first + fit, end), width, terminal);
  }
  if (!window.whole) {
    out += fmt::format("{} elements are touched; what lies further on is left out\n",
                       map.threads.size());
  }
  return out;
}

std::string matrix_svg(const ElementMap& map) {
  const Window window = window_of(map);
  constexpr int kSquare = 26;
  constexpr int kEdge = 40;
  const std::string title = map_title(map) + ": the thread at each element";
  const int across = kEdge + static_cast<int>(window.columns) * kSquare + 10;
  Svg svg(std::max(across, Svg::width_of(title)),
          kEdge + static_cast<int>(window.rows.size()) * kSquare + 10, title);
  svg.text(10, 16, title);
  for (std::uint64_t c = 0; c < window.columns; ++c) {
    svg.label(kEdge + static_cast<int>(c) * kSquare + kSquare / 2, kEdge - 6,
              std::to_string(window.column + c));
  }
  for (std::size_t r = 0; r < window.rows.size(); ++r) {
    const int y = kEdge + static_cast<int>(r) * kSquare;
    svg.label(kEdge / 2, y + kSquare / 2 + 4, std::to_string(window.rows[r]));
    for (std::uint64_t c = 0; c < window.columns; ++c) {
      const std::vector<int>* threads = threads_at(map, window.rows[r], window.column + c);
      const int lane = threads == nullptr ? -1 : threads->front() % kWarpLanes;
      svg.cell(kEdge + static_cast<int>(c) * kSquare, y, kSquare, lane,
               threads == nullptr ? "" : threads_text(threads));
    }
  }
  return std::move(svg).finished();
}

}  // namespace lab::cli
