#include "harness/labs/derivation_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/page/make.h"
#include "metrics/formulas.h"

namespace lab::labs {

namespace {

using page::Role;
using Blocks = std::vector<page::Block>;

// Definitions that are longer are said in words alone.
constexpr std::size_t kLongest = 450;
constexpr const char* kRangesName = "units_of_ranges";
constexpr const char* kRanges =
    "units_of_ranges(count, pitch, first, span, unit): of `count` ranges of `span` bytes, each "
    "`pitch` bytes after the one before, the first at byte `first`: the sum of floor((begin + span "
    "- 1) / unit) - floor(begin / unit) + 1.";

void add_steps(Blocks& blocks, const Expr& formula) {
  const std::string text = formula.text();
  bool ranges = text.find(kRangesName) != std::string::npos;
  blocks.push_back(page::sentence("= " + text, Role::kItem));
  for (const Definition& definition : definitions_of(formula)) {
    const std::string body = definition.body.text();
    blocks.push_back(page::sentence(definition.name + ": " + definition.why, Role::kBeside));
    if (body.size() > kLongest) continue;
    blocks.push_back(page::sentence("= " + body, Role::kBeside));
    ranges = ranges || body.find(kRangesName) != std::string::npos;
  }
  if (ranges) blocks.push_back(page::sentence(kRanges, Role::kBeside));
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

void add_over_defaults(Blocks& blocks, const Expr& formula, const Variant& variant) {
  if (variant.points.empty()) return;
  const auto names = metrics::names_of_sweep(variant);
  const Expr shown = formula.specialised(names);
  const std::string fixed = fixed_text(variant);
  blocks.push_back(page::sentence(
      fmt::format("Over the default points{}:", fixed.empty() ? "" : ", all with " + fixed),
      Role::kNote));
  blocks.push_back(page::sentence("= " + shown.text_with_terms(), Role::kItem));
  if (shown.operation() == Operation::kNumber) return;
  const std::size_t example = names.size() > 2 ? 2 : names.size() - 1;
  const std::string value = number_text(shown.value(names[example]));
  const std::string filled = shown.opened().with_values(names[example]).text();
  blocks.push_back(page::sentence(fmt::format("At {}: {}", variant.points[example].text(),
                                              filled == value ? value : filled + " = " + value),
                                  Role::kItem));
}

Blocks body_of(const TheoryRow& row, const Variant& variant) {
  Blocks blocks;
  const auto label = [&](const char* words) {
    blocks.push_back(page::sentence(words, Role::kNote));
  };
  if (row.as_written) {
    label("as written");
    add_steps(blocks, row.as_written->simplified());
    label("as compiled");
  }
  if (row.high) label("at least");
  add_steps(blocks, row.formula.simplified());
  if (row.high) {
    label("at most");
    add_steps(blocks, row.high->simplified());
  }
  blocks.push_back(page::sentence("Why: " + row.why, Role::kItem));
  add_over_defaults(blocks, row.formula, variant);
  return blocks;
}

// Blocks of texts alone are equal where their words are.
bool same_words(const Blocks& a, const Blocks& b) {
  const auto words = [](const page::Block& block) -> const std::string& {
    return std::get<page::Text>(block.is).words.front().text;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const auto& x, const auto& y) { return words(x) == words(y); });
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

page::Page derivation_page(const Lab& lab, const std::vector<const Variant*>& variants,
                           const std::string& metric) {
  std::vector<std::pair<Blocks, std::vector<std::string>>> told;
  for (const Variant* variant : variants) {
    const auto* row = metrics::theory_row(*variant, metric);
    if (row == nullptr) continue;
    Blocks body = body_of(*row, *variant);
    const auto same = std::find_if(told.begin(), told.end(),
                                   [&](const auto& one) { return same_words(one.first, body); });
    if (same == told.end()) {
      told.push_back({std::move(body), {variant->name}});
    } else {
      same->second.push_back(variant->name);
    }
  }
  if (told.empty()) throw not_predicted(variants, metric);
  page::Page page{{{page::Heading{1, fmt::format("Lab {}: {}", lab.called(), metric)}}}};
  for (auto& [body, names] : told) {
    page.blocks.push_back(page::paragraph(fmt::format("{}", fmt::join(names, ", "))));
    page::append(page.blocks, std::move(body));
  }
  return page;
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

}  // namespace lab::labs
