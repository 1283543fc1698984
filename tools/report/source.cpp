#include "tools/report/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/reading/line_costs.h"
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

std::string lines_html(const RunRecord& run, const ByLine& costs) {
  std::array<double, kCosts.size()> most = {};
  for (const auto& [line, cost] : costs) {
    for (std::size_t i = 0; i < kCosts.size(); ++i) {
      most[i] = std::max(most[i], (cost.*kCosts[i].actual).value_or(0));
    }
  }
  std::string head = "<th>line</th>";
  for (std::size_t i = 0; i < kCosts.size(); ++i) {
    if (most[i] > 0) head += element("th", kCosts[i].name);
  }
  std::string rows;
  int number = 0;
  std::string_view source = run.source_text;
  if (source.ends_with('\n')) source.remove_suffix(1);
  for (const std::string_view text : split(source, '\n')) {
    const auto found = costs.find(++number);
    const LineCost cost = found == costs.end() ? LineCost{} : found->second;
    std::string cells = fmt::format("<th>{}</th>", number);
    for (std::size_t i = 0; i < kCosts.size(); ++i) {
      if (most[i] > 0) cells += cost_cell(cost, kCosts[i], most[i]);
    }
    rows +=
        element("tr", cells + "<td class=\"code\"><code>" + escaped(text) + "</code></td>") + "\n";
  }
  head += element("th", escaped(run.source_name), "code");
  return wide_table(element("tr", head), rows, "source");
}

// ---- a warp's accesses ----

constexpr std::size_t kLanes = 32;
constexpr std::size_t kMapsShown = 8;
constexpr std::int64_t kBanks = 32;
constexpr std::int64_t kWord = 4;
constexpr std::int64_t kSector = 32;

bool is_shared(const Access& access) { return access.space == Space::kShared; }

int cost_of(const Access& access) { return is_shared(access) ? access.wavefronts : access.sectors; }

/// A square of a map: a word, and the lanes that want it.
using Words = std::map<std::int64_t, std::set<std::size_t>>;

Words words_of(const Access& access) {
  Words words;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (access.address[lane] < 0) continue;
    const std::int64_t bytes = std::max(access.bytes_per_lane, 1);
    for (std::int64_t at = access.address[lane] / kWord;
         at <= (access.address[lane] + bytes - 1) / kWord; ++at) {
      words[at].insert(lane);
    }
  }
  return words;
}

constexpr int kCell = 20;

std::string square(std::int64_t column, std::int64_t row, const std::string& text, bool used) {
  const std::int64_t x = column * kCell;
  const std::int64_t y = row * kCell;
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"/>", x, y,
                     kCell, kCell, used ? "used" : "idle") +
         (text.empty()
              ? std::string()
              : fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", x + kCell / 2, y + 14, text));
}

std::string lanes_text(const std::set<std::size_t>& lanes) {
  if (lanes.size() == 1) return std::to_string(*lanes.begin());
  return lanes.size() == kLanes ? "all" : fmt::format("{}+", *lanes.begin());
}

std::string svg(std::int64_t columns, std::int64_t rows, const std::string& label,
                const std::string& body) {
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" style=\"max-width:{0}px\" role=\"img\" aria-label=\"{2}\">{3}"
      "</svg>\n",
      columns * kCell, rows * kCell, escaped(label), body);
}

// Banks across; below each other the different words that a bank has to give, one per wavefront.
std::string bank_svg(const Access& access, const std::string& label) {
  std::array<std::int64_t, kBanks> depth = {};
  std::string body;
  for (const auto& [word, lanes] : words_of(access)) {
    const std::int64_t bank = word % kBanks;
    body += square(bank, depth[static_cast<std::size_t>(bank)]++, lanes_text(lanes), true);
  }
  const std::int64_t deepest = *std::max_element(depth.begin(), depth.end());
  for (std::int64_t bank = 0; bank < kBanks; ++bank) {
    if (depth[static_cast<std::size_t>(bank)] == 0) body += square(bank, 0, "", false);
  }
  return svg(kBanks, std::max<std::int64_t>(deepest, 1), label, body);
}

// Sectors of 8 words, four across: a row is a line of 128 bytes.
std::string sector_svg(const Access& access, const std::string& label) {
  constexpr std::int64_t kWordsPerSector = kSector / kWord;
  constexpr std::int64_t kAcross = 4;
  const Words words = words_of(access);
  std::set<std::int64_t> lines;
  for (const auto& [word, lanes] : words) lines.insert(word / (kWordsPerSector * kAcross));
  std::string body;
  std::int64_t row = 0;
  for (const std::int64_t line : lines) {
    for (std::int64_t place = 0; place < kWordsPerSector * kAcross; ++place) {
      const std::int64_t word = line * kWordsPerSector * kAcross + place;
      const std::int64_t first = word - word % kWordsPerSector;
      const auto found = words.find(word);
      const auto next = words.lower_bound(first);
      const bool moved = next != words.end() && next->first < first + kWordsPerSector;
      if (found != words.end()) {
        body += square(place, row, lanes_text(found->second), true);
      } else if (moved) {
        body += square(place, row, "", false);
      }
    }
    ++row;
  }
  return svg(kWordsPerSector * kAcross, std::max<std::int64_t>(row, 1), label, body);
}

std::string map_html(const Access& access, const RunRecord& run) {
  const bool shared = is_shared(access);
  const std::string cost =
      shared ? fmt::format("{} wavefront{}", access.wavefronts, access.wavefronts == 1 ? "" : "s")
             : fmt::format("{} sector{}", access.sectors, access.sectors == 1 ? "" : "s");
  const std::string what = fmt::format("{} {}, {} bytes per lane: {}", name_of(access.space),
                                       name_of(access.op), access.bytes_per_lane, cost);
  std::string out = element("h3", escaped(fmt::format("Line {}: {}", access.line, what)));
  const std::string_view text = trim(line_of(run.source_text, access.line));
  if (!text.empty()) out += element("p", element("code", escaped(text)));
  return out + element("div", shared ? bank_svg(access, what) : sector_svg(access, what), "map");
}

}  // namespace

std::string source_html(const RunRecord& run) {
  if (run.source_text.empty()) return {};
  const ByLine costs = reading::modelled_costs(run);
  const std::string summary =
      element("summary", "Kernel source: " + escaped(run.source_name) +
                             (costs.empty() ? "" : ", with what each line costs"));
  if (costs.empty()) {
    return element("details", summary + element("pre", escaped(run.source_text), "source"));
  }
  const std::string open = run.source_is_labs_own ? "<details>" : "<details open>";
  return open + summary +
         element("p", "The model's counts in the first case of each variant.", "fixed") +
         lines_html(run, costs) + "</details>\n";
}

std::string maps_html(const RunRecord& run) {
  std::vector<const Access*> shown;
  std::set<std::tuple<int, Space, AccessOp, int>> known;
  for (const CaseRecord& record : run.cases) {
    for (const Access& access : record.accesses) {
      if (access.line < 1 || (!is_shared(access) && access.space != Space::kGlobal)) continue;
      // Of a line's accesses of one cost the first stands for all.
      if (!known.emplace(access.line, access.space, access.op, cost_of(access)).second) continue;
      shown.push_back(&access);
    }
  }
  if (shown.empty()) return {};
  std::stable_sort(shown.begin(), shown.end(),
                   [](const Access* a, const Access* b) { return cost_of(*a) > cost_of(*b); });
  if (shown.size() > kMapsShown) shown.resize(kMapsShown);
  std::string maps;
  for (const Access* access : shown) maps += map_html(*access, run);
  return element("section",
                 element("h2", "What a warp touches") +
                     element("p",
                             "Shared memory: its 32 banks across, and below each other the words "
                             "that a bank has to give one after the other. Global memory: the "
                             "sectors that move, a line of 128 bytes in each row; pale words are "
                             "moved and not asked for. Numbers are lanes.",
                             "fixed") +
                     maps) +
         "\n";
}

}  // namespace lab::report
