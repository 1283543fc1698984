#include "metrics/counter_names.h"

#include <algorithm>

#include "harness/core/text.h"

namespace lab::metrics {
namespace {

constexpr std::string_view kChips =
    "GH100 TU102 TU104 TU106 TU116 TU117 GA100 GA102 GA103 GA104 GA106 GA107 GA10B AD102 AD103 "
    "AD104 AD106 AD107 GB100 GB102 GB110 GB10B GB202 GB203 GB205 GB206 GB207 GB20B";

bool lists(std::string_view chips, std::string_view chip) {
  const auto names = split(chips, ' ');
  return std::find(names.begin(), names.end(), chip) != names.end();
}

bool names_counter(std::string_view counter, std::string_view name) {
  if (name.empty() || counter.substr(0, name.size()) != name) return false;
  return counter.size() == name.size() || counter[name.size()] == '.';
}

}  // namespace

CounterName counter_name(const Metric& metric, SourceOf source, std::string_view chip) {
  const auto name = source == SourceOf::kSass ? metric.sass : metric.cupti;
  if (name.empty()) {
    return {{},
            "no " + std::string(lab::name_of(source)) + " counter has " + std::string(metric.key) +
                (metric.why_not.empty() ? "" : ": " + std::string(metric.why_not))};
  }
  if (source == SourceOf::kCupti) {
    for (const OnChips& there : metric.elsewhere) {
      if (!lists(there.chips, chip)) continue;
      if (!there.name.empty()) return {std::string(there.name)};
      return {{}, std::string(chip) + " has no counter " + std::string(name)};
    }
  }
  return {std::string(name)};
}

std::string ncu_place_text(const NcuPlace& place) {
  if (place.section.empty()) return {};
  const std::string section(place.section);
  const std::string column(place.column);
  if (place.row.empty()) return section + ": " + column;
  return "Memory Workload Analysis, " + section + ": row " + std::string(place.row) + ", column " +
         column;
}

const std::vector<std::string_view>& known_chips() {
  static const std::vector<std::string_view> kEach = split(kChips, ' ');
  return kEach;
}

std::vector<NameOnChips> names_on_chips(const Metric& metric, SourceOf source) {
  std::vector<NameOnChips> out;
  if ((source == SourceOf::kSass ? metric.sass : metric.cupti).empty()) return out;
  for (const std::string_view chip : known_chips()) {
    const std::string name = counter_name(metric, source, chip).name;
    auto found =
        std::find_if(out.begin(), out.end(), [&](const auto& n) { return n.name == name; });
    if (found == out.end()) found = out.insert(out.end(), NameOnChips{name, {}});
    found->chips.push_back(chip);
  }
  std::stable_sort(out.begin(), out.end(), [](const NameOnChips& a, const NameOnChips& b) {
    return a.chips.size() > b.chips.size();
  });
  return out;
}

std::vector<const Metric*> rows_counted_by(std::string_view name) {
  std::vector<const Metric*> rows;
  for (const Metric& metric : catalogue()) {
    bool counted = names_counter(metric.sass, name) || names_counter(metric.ready_made, name);
    for (const NameOnChips& one : names_on_chips(metric, SourceOf::kCupti)) {
      counted = counted || names_counter(one.name, name);
    }
    if (counted) rows.push_back(&metric);
  }
  return rows;
}

}  // namespace lab::metrics
