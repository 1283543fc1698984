#include "metrics/metric_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "harness/page/make.h"
#include "metrics/counter_names.h"
#include "metrics/formulas.h"

namespace lab::metrics {

namespace {

constexpr std::size_t kChipsListed = 8;
constexpr std::size_t kLabsListed = 4;

void add(std::string_view label, std::string text, page::Table& table) {
  if (text.empty()) return;
  page::Row& row = table.rows.emplace_back();
  row.cells = {{std::string(label)}, {std::move(text)}};
}

std::string_view model_words(InModel model) {
  switch (model) {
    case InModel::kCounted:
      return "counted while interpreting";
    case InModel::kDerived:
      return "derived from counted metrics";
    case InModel::kCompiled:
      return "a property of the compiled kernel and the launch";
    case InModel::kNone:
      break;
  }
  return "not modelled";
}

std::string chips_text(const std::vector<std::string_view>& chips) {
  if (chips.size() == known_chips().size()) return "every chip";
  if (chips.size() <= kChipsListed) return fmt::format("{}", fmt::join(chips, " "));
  return fmt::format("{} and {} other chips", chips.front(), chips.size() - 1);
}

void add_counters(const Metric& metric, page::Table& table) {
  for (const SourceOf source : {SourceOf::kCupti, SourceOf::kSass}) {
    const std::string_view label = source == SourceOf::kSass ? "patching" : "CUPTI";
    for (const NameOnChips& one : names_on_chips(metric, source)) {
      const std::string name = one.name.empty() ? "no counter" : one.name;
      add(label, fmt::format("{} ({})", name, chips_text(one.chips)), table);
    }
  }
  add("ready-made", std::string(metric.ready_made), table);
  if (metric.scale != 1) {
    add("", fmt::format("times {}: the counter is in percent", metric.scale), table);
  }
}

// Over the variant's default points, as everything that a person reads.
std::string interval_text(const TheoryRow& row, const Variant& variant) {
  const std::string low = over_defaults(row.formula, variant).opened().text();
  if (!row.high) return low;
  const std::string high = over_defaults(*row.high, variant).opened().text();
  return low == high ? low : low + " to " + high;
}

// The formulas of the first variant of each lab that has one.
void add_theory(const Metric& metric, const std::vector<Lab>& labs, page::Table& table) {
  std::size_t count = 0;
  for (const Lab& lab : labs) {
    for (const Variant& variant : lab.variants) {
      const TheoryRow* row = theory_row(variant, std::string(metric.key));
      if (row == nullptr) continue;
      if (++count <= kLabsListed) {
        add(count == 1 ? "theory" : "",
            fmt::format("lab {}, {}: {}. {}", lab.called(), variant.name,
                        interval_text(*row, variant), row->why),
            table);
      }
      break;
    }
  }
  if (count > kLabsListed) {
    add("", fmt::format("and {} more: lab show N --formulas", count - kLabsListed), table);
  }
}

page::Table entries() { return {{{}, {"", false, true}}}; }

}  // namespace

std::string derivation_text(const Metric& metric) {
  const Derivation& derived = metric.derived;
  if (derived.rule == Rule::kSum) return fmt::format("{}", fmt::join(derived.parts, " + "));
  if (derived.rule != Rule::kRatio) return {};
  if (derived.factor == 1) return fmt::format("{} / {}", derived.parts[0], derived.parts[1]);
  return fmt::format("{} / ({} * {})", derived.parts[0], derived.factor, derived.parts[1]);
}

page::Page metric_page(const Metric& metric, const std::vector<Lab>& labs) {
  page::Table table = entries();
  add("formula", derivation_text(metric), table);
  add_counters(metric, table);
  add("in ncu", ncu_place_text(metric.ncu), table);
  add("model", std::string(model_words(metric.model)), table);
  add("measured", "by " + std::string(name_of(metric.measured)), table);
  add("may differ", std::string(metric.band.cause), table);
  add("missing", std::string(metric.why_not), table);
  add_theory(metric, labs, table);
  for (const std::string_view trap : metric.traps) add("beware", std::string(trap), table);
  page::Page page;
  page.blocks.push_back(
      {page::Heading{2,
                     std::string(metric.key),
                     {fmt::format("{}, {}", metric.unit, name_of(metric.metric_class))}},
       page::Rank::kAlways});
  page.blocks.push_back(page::sentence(std::string(metric.text)));
  page.blocks.push_back({std::move(table)});
  return page;
}

page::Page stall_page(const StallReason& reason) {
  page::Table table = entries();
  const std::string_view waits = is_stall(reason.name) ? "The warp waits for" : "It waits for";
  add("meaning", fmt::format("{} {}.", waits, reason.meaning), table);
  add("CUPTI", fmt::format("smsp__pcsamp_warps_issue_stalled_{} (PC sampling)", reason.name),
      table);
  std::string title(reason.text);
  title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  add("in ncu", "Warp State Statistics: Stall " + title, table);
  add("measured", "per source line by lab run N --stalls", table);
  page::Page page;
  page.blocks.push_back(
      {page::Heading{2, std::string(kStallPrefix) + std::string(reason.name), {"sample, context"}},
       page::Rank::kAlways});
  page.blocks.push_back({std::move(table)});
  return page;
}

}  // namespace lab::metrics
