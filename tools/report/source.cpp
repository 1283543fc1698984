#include "tools/report/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/reading/accesses.h"
#include "harness/reading/line_costs.h"
#include "harness/reading/map_page.h"
#include "tools/report/grid_svg.h"
#include "tools/report/html.h"
#include "tools/report/values.h"

namespace lab::report {

namespace {

using reading::LineCost;

/// A kind of cost, and what it would be at least.
struct Cost {
  std::string_view name;
  std::optional<double> LineCost::*actual;
  std::optional<double> LineCost::*ideal;
};
constexpr std::array<Cost, 2> kCosts = {
    {{"sectors", &LineCost::sectors, &LineCost::ideal_sectors},
     {"wavefronts", &LineCost::wavefronts, &LineCost::ideal_wavefronts}}};

using ByLine = std::map<int, LineCost>;

std::string cost_cell(const LineCost& cost, const Cost& kind, double most) {
  const double value = (cost.*kind.actual).value_or(0);
  if (value <= 0) return "<td></td>";
  constexpr double kPercent = 100;
  const double ideal = (cost.*kind.ideal).value_or(value);
  const std::string wasted =
      ideal < value ? fmt::format(" title=\"ideal: {}\"", grouped_text(ideal)) : "";
  return fmt::format("<td class=\"cost\" style=\"--share:{:.0f}%\"{}>{}</td>",
                     std::max(kPercent * value / most, 1.0), wasted, grouped_text(value));
}

using Most = std::array<double, kCosts.size()>;

Most most_of(const ByLine& costs) {
  Most most = {};
  for (const auto& [line, cost] : costs) {
    for (std::size_t i = 0; i < kCosts.size(); ++i) {
      most[i] = std::max(most[i], (cost.*kCosts[i].actual).value_or(0));
    }
  }
  return most;
}

// Of a long source the lines that cost most, by their share of either kind.
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
std::string lines_html(const RunRecord& run, const ByLine& costs, const std::set<int>* only) {
  const Most most = most_of(costs);
  std::string head = "<th>line</th>";
  for (std::size_t i = 0; i < kCosts.size(); ++i) {
    if (most[i] > 0) head += element("th", kCosts[i].name);
  }
  std::string rows;
  int number = 0;
  std::string_view source = run.source_text;
  if (source.ends_with('\n')) source.remove_suffix(1);
  for (const std::string_view text : split(source, '\n')) {
    ++number;
    if (only != nullptr && !only->contains(number)) continue;
    if (run.source_is_labs_own && trim(text).starts_with(kStarterMark)) continue;
    const auto found = costs.find(number);
    const LineCost cost = found == costs.end() ? LineCost{} : found->second;
    std::string cells = fmt::format("<th>{}</th>", number);
    for (std::size_t i = 0; i < kCosts.size(); ++i) {
      if (most[i] > 0) cells += cost_cell(cost, kCosts[i], most[i]);
    }
    rows += element("tr", cells + "<td class=\"code\"><code>" +
                              escaped(only == nullptr ? text : trim(text)) + "</code></td>") +
            "\n";
  }
  head += element("th", escaped(run.source_name), "code");
  return wide_table(element("tr", head), rows, "source");
}

// ---- a warp's accesses ----

constexpr std::size_t kMapsShown = 8;
constexpr std::size_t kMapsOpen = 2;

std::string map_html(const Access& access, const RunRecord& run) {
  const bool shared = access.space == Space::kShared;
  const int count = reading::cost_of(access);
  const std::string cost =
      fmt::format("{} {}{}", count, shared ? "wavefront" : "sector", count == 1 ? "" : "s");
  const std::string what = fmt::format("{} {}, {} bytes per lane: {}", name_of(access.space),
                                       name_of(access.op), access.bytes_per_lane, cost);
  std::string out = element("h3", escaped(fmt::format("Line {}: {}", access.line, what)));
  const std::string_view text = trim(line_of(run.source_text, access.line));
  if (!text.empty()) out += element("p", element("code", escaped(text)));
  return out + element("div", grid_svg(reading::grids_of(access, what)), "map");
}

}  // namespace

std::string source_html(const RunRecord& run, const std::vector<Section>& sections) {
  constexpr std::ptrdiff_t kShort = 60;  // lines
  if (run.source_text.empty()) return {};
  const ByLine costs = reading::modelled_costs(run, sections);
  const std::string name = escaped(run.source_name);
  if (costs.empty()) {
    return folded("Kernel source: " + name, element("pre", escaped(run.source_text), "source"));
  }
  const bool is_short = std::count(run.source_text.begin(), run.source_text.end(), '\n') <= kShort;
  const std::string says = element("h2", "What each line costs") +
                           element("p", "The model's counts in one case of each variant.", "fixed");
  if (is_short) return element("section", says + lines_html(run, costs, nullptr)) + "\n";
  const std::set<int> costliest = lines_to_show(costs, most_of(costs));
  return element("section", says + lines_html(run, costs, &costliest) +
                                folded("The whole source", lines_html(run, costs, nullptr))) +
         "\n";
}

std::string maps_html(const RunRecord& run) {
  const std::vector<const Access*> shown = reading::costliest_accesses(run, kMapsShown);
  if (shown.empty()) return {};
  std::string first;
  std::string more;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    (i < kMapsOpen ? first : more) += map_html(*shown[i], run);
  }
  if (!more.empty()) more = folded(fmt::format("{} more", shown.size() - kMapsOpen), more);
  return element("section",
                 element("h2", "What a warp touches") +
                     element("p",
                             "Shared memory: its 32 banks across, and below each other the words "
                             "that a bank has to give one after the other. Global memory: the "
                             "sectors that move, one in each row; empty words are moved and not "
                             "asked for. Numbers are lanes, a + says that others share.",
                             "fixed") +
                     first + more) +
         "\n";
}

}  // namespace lab::report
