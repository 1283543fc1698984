#include "tools/cli/text/derivation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "metrics/formulas.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

// Definitions that take more are said in words alone.
constexpr std::size_t kMostLines = 6;
constexpr const char* kRangesName = "units_of_ranges";
constexpr const char* kRanges =
    "units_of_ranges(count, pitch, first, span, unit): of `count` ranges of `span` bytes, each "
    "`pitch` bytes after the one before, the first at byte `first`: the sum of floor((begin + span "
    "- 1) / unit) - floor(begin / unit) + 1.";

// Each line after the first is indented by as much as `= ` takes.
std::string indented(const std::string& text, int indent, int width) {
  return paragraph(text, width, indent, 2);
}

std::string definition_text(const Definition& definition, int width) {
  std::string out = indented(definition.name + ": " + definition.why, 4, width);
  const auto body = indented("= " + definition.body.text(), 6, width);
  const auto lines = static_cast<std::size_t>(std::count(body.begin(), body.end(), '\n'));
  return lines <= kMostLines ? out + body : out;
}

std::string steps_text(const Expr& formula, int width) {
  std::string out = indented("= " + formula.text(), 2, width);
  for (const auto& definition : definitions_of(formula)) out += definition_text(definition, width);
  if (out.find(kRangesName) != std::string::npos) out += indented(kRanges, 4, width);
  return out;
}

// The parameters that are the same at all default points.
std::string fixed_text(const Variant& variant) {
  std::string text;
  for (const auto& name : variant.reads) {
    std::set<std::string> values;
    for (const auto& point : variant.points) values.insert(to_text(point.all().find(name)->second));
    if (values.size() == 1)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, *values.begin());
  }
  return text;
}

std::string over_defaults_text(const Expr& formula, const Variant& variant, int width) {
  if (variant.points.empty()) return {};
  const auto names = metrics::names_of_sweep(variant);
  const Expr shown = formula.specialised(names);
  const std::string fixed = fixed_text(variant);
  std::string out =
      "  Over the default points" + (fixed.empty() ? "" : ", all with " + fixed) + ":\n";
  out += indented("= " + shown.text_with_terms(), 2, width);
  const std::size_t example = names.size() > 2 ? 2 : names.size() - 1;
  const std::string value = number_text(shown.value(names[example]));
  const std::string filled = shown.opened().with_values(names[example]).text();
  const std::string where = fmt::format("At {}: ", variant.points[example].text());
  if (shown.operation() == Operation::kNumber) return out;
  out += indented(where + (filled == value ? value : filled + " = " + value), 2, width);
  return out;
}

std::string body_text(const TheoryRow& row, const Variant& variant, int width) {
  std::string out;
  if (row.as_written) {
    out += "  as written\n" + steps_text(row.as_written->simplified(), width) + "  as compiled\n";
  }
  if (row.high) out += "  at least\n";
  out += steps_text(row.formula.simplified(), width);
  if (row.high) out += "  at most\n" + steps_text(row.high->simplified(), width);
  out += indented("Why: " + row.why, 2, width);
  return out + over_defaults_text(row.formula, variant, width);
}

Error not_predicted(const std::vector<const Variant*>& variants, const std::string& metric) {
  std::set<std::string> known;
  for (const auto* variant : variants) {
    for (const auto& row : variant->theory) known.insert(row.metric);
  }
  const std::vector<std::string> names(known.begin(), known.end());
  return input_error(fmt::format("no theory predicts '{}' here", metric),
                     suggestion(metric, names));
}

}  // namespace

std::string derivation_text(const Lab& lab, const std::vector<const Variant*>& variants,
                            const std::string& metric, const Terminal& terminal) {
  std::vector<std::pair<std::string, std::vector<std::string>>> told;
  for (const Variant* variant : variants) {
    const auto* row = metrics::theory_row(*variant, metric);
    if (row == nullptr) continue;
    const auto body = body_text(*row, *variant, terminal.width);
    const auto same =
        std::find_if(told.begin(), told.end(), [&](const auto& one) { return one.first == body; });
    if (same == told.end()) {
      told.push_back({body, {variant->name}});
    } else {
      same->second.push_back(variant->name);
    }
  }
  if (told.empty()) throw not_predicted(variants, metric);
  std::string out =
      toned(fmt::format("Lab {}: {}", lab.called(), metric), Tone::kStrong, terminal) + "\n";
  for (const auto& [body, names] : told) {
    out += "\n" + indented(fmt::format("{}", fmt::join(names, ", ")), 0, terminal.width) + body;
  }
  return out;
}

std::string latex_text(const Lab& lab, const std::vector<const Variant*>& variants,
                       const std::string& metric) {
  std::string out;
  for (const Variant* variant : variants) {
    const auto* row = metrics::theory_row(*variant, metric);
    if (row == nullptr || variant->points.empty()) continue;
    out += fmt::format("% lab {}, {}, {}\n${}$\n", lab.called(), variant->name, metric,
                       latex(metrics::over_defaults(row->formula, *variant).opened()));
  }
  if (out.empty()) throw not_predicted(variants, metric);
  return out;
}

}  // namespace lab::cli
