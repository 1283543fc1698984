#include "tools/cli/text/metric_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/labs/registry.h"
#include "metrics/formulas.h"
#include "metrics/ncu_names.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

constexpr int kLabelWidth = 12;
constexpr std::size_t kChipsListed = 8;
constexpr std::size_t kLabsListed = 4;

// A label and its text, which goes on below itself.
std::string entry(std::string_view label, const std::string& text, const Terminal& terminal) {
  if (text.empty()) return {};
  std::string out;
  std::string left = fmt::format("  {:<{}}", label, kLabelWidth);
  for (const std::string& line : wrapped(text, terminal.width - kLabelWidth - 2)) {
    out += left + line + "\n";
    left = std::string(kLabelWidth + 2, ' ');
  }
  return out;
}

std::string_view model_words(metrics::InModel model) {
  switch (model) {
    case metrics::InModel::kCounted:
      return "counted while interpreting";
    case metrics::InModel::kDerived:
      return "derived from counted metrics";
    case metrics::InModel::kCompiled:
      return "a property of the compiled kernel and the launch";
    case metrics::InModel::kNone:
      break;
  }
  return "not modelled";
}

std::string chips_text(const std::vector<std::string_view>& chips) {
  if (chips.size() == metrics::known_chips().size()) return "every chip";
  if (chips.size() <= kChipsListed) return fmt::format("{}", fmt::join(chips, " "));
  return fmt::format("{} and {} other chips", chips.front(), chips.size() - 1);
}

std::string counters_text(const metrics::Metric& metric, const Terminal& terminal) {
  std::string out;
  for (const SourceOf source : {SourceOf::kCupti, SourceOf::kSass}) {
    const std::string label(source == SourceOf::kSass ? "patching" : "CUPTI");
    for (const metrics::NameOnChips& one : names_on_chips(metric, source)) {
      const std::string name = one.name.empty() ? "no counter" : one.name;
      out += entry(label, fmt::format("{} ({})", name, chips_text(one.chips)), terminal);
    }
  }
  return out;
}

// Over the variant's default points, as everything that a person reads.
std::string interval_text(const TheoryRow& row, const Variant& variant) {
  const std::string low = metrics::over_defaults(row.formula, variant).opened().text();
  if (!row.high) return low;
  const std::string high = metrics::over_defaults(*row.high, variant).opened().text();
  return low == high ? low : low + " to " + high;
}

// The formulas of the first variant of each lab that has one.
std::string theory_text(const metrics::Metric& metric, const Terminal& terminal) {
  std::string out;
  std::size_t labs = 0;
  for (const Lab& lab : all_labs()) {
    const auto of_metric = [&](const TheoryRow& row) { return row.metric == metric.key; };
    for (const Variant& variant : lab.variants) {
      const auto row = std::find_if(variant.theory.begin(), variant.theory.end(), of_metric);
      if (row == variant.theory.end()) continue;
      if (++labs <= kLabsListed) {
        out += entry(labs == 1 ? "theory" : "",
                     fmt::format("lab {}, {}: {}. {}", lab.called(), variant.name,
                                 interval_text(*row, variant), row->why),
                     terminal);
      }
      break;
    }
  }
  if (labs > kLabsListed) {
    out +=
        entry("", fmt::format("and {} more: lab show N --formulas", labs - kLabsListed), terminal);
  }
  return out;
}

}  // namespace

std::string derivation_text(const metrics::Metric& metric) {
  const metrics::Derivation& derived = metric.derived;
  if (derived.rule == metrics::Rule::kSum)
    return fmt::format("{}", fmt::join(derived.parts, " + "));
  if (derived.rule != metrics::Rule::kRatio) return {};
  if (derived.factor == 1) return fmt::format("{} / {}", derived.parts[0], derived.parts[1]);
  return fmt::format("{} / ({} * {})", derived.parts[0], derived.factor, derived.parts[1]);
}

std::string metric_text(const metrics::Metric& metric, const Terminal& terminal) {
  std::string out = fmt::format("{}  {}, {}\n", toned(metric.key, Tone::kStrong, terminal),
                                metric.unit, name_of(metric.metric_class));
  out += paragraph(metric.text, terminal.width, 2);
  out += entry("formula", derivation_text(metric), terminal);
  out += counters_text(metric, terminal);
  if (metric.scale != 1) {
    out += entry("", fmt::format("times {}: the counter is in percent", metric.scale), terminal);
  }
  out += entry("in ncu", metrics::ncu_place_text(metric.key), terminal);
  out += entry("model", std::string(model_words(metric.model)), terminal);
  out += entry("measured", "by " + std::string(name_of(metric.measured)), terminal);
  out += entry("may differ", std::string(metric.band.cause), terminal);
  out += entry("missing", std::string(metric.why_not), terminal);
  out += theory_text(metric, terminal);
  for (const std::string_view trap : metrics::traps_of(metric.key)) {
    out += entry("beware", std::string(trap), terminal);
  }
  return out;
}

std::string stall_reason_text(const metrics::StallReason& reason, const Terminal& terminal) {
  const std::string key = std::string(metrics::kStallPrefix) + std::string(reason.name);
  std::string out = fmt::format("{}  sample, context\n", toned(key, Tone::kStrong, terminal));
  const std::string waits =
      metrics::is_stall(reason.name) ? "The warp waits for " : "It waits for ";
  out += entry("meaning", waits + std::string(reason.meaning) + ".", terminal);
  out +=
      entry("CUPTI", fmt::format("smsp__pcsamp_warps_issue_stalled_{} (PC sampling)", reason.name),
            terminal);
  std::string title(reason.text);
  title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  out += entry("in ncu", "Warp State Statistics: Stall " + title, terminal);
  out += entry("measured", "per source line by lab run N --stalls", terminal);
  return out;
}

}  // namespace lab::cli
