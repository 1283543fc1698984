#include "harness/labs/show_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/page/make.h"
#include "harness/page/read_markdown.h"
#include "harness/reading/figures.h"
#include "metrics/formulas.h"

namespace lab::labs {

namespace {

constexpr std::size_t kOverviewFormulas = 6;
constexpr std::size_t kFormulaWidth = 74;  // below its title, on a screen of 80 columns

std::string allowed(const ParamSpec& spec) {
  if (spec.accepts) return "a text";
  if (!spec.choices.empty()) return fmt::format("{}", fmt::join(spec.choices, ", "));
  if (!spec.only.empty()) return fmt::format("{}", fmt::join(spec.only, ", "));
  return fmt::format("{} to {}", spec.min, spec.max);
}

std::string readers(const Lab& lab, const std::string& param) {
  std::vector<std::string> names;
  for (const Variant& variant : lab.variants) {
    const auto& reads = variant.reads;
    if (std::find(reads.begin(), reads.end(), param) != reads.end()) names.push_back(variant.name);
  }
  if (names.size() == lab.variants.size() && names.size() > 1) return "all variants";
  if (names.size() > 4) return fmt::format("{} variants", names.size());
  return fmt::format("{}", fmt::join(names, ", "));
}

// In as few words as may be: long formulas by the names of their terms.
std::string brief(const Expr& formula, const Variant& variant) {
  constexpr std::size_t kColumns = 80;
  const auto lines = lines_of(metrics::over_defaults(formula, variant), kColumns, 2);
  return lines.empty() ? "see --formula" : fmt::format("{}", fmt::join(lines, " "));
}

// Over the default points; what the source asks for beside what its machine code does.
std::string formula_text(const TheoryRow& row, const Variant& variant) {
  std::string text = brief(row.formula, variant);
  if (row.high) {
    const std::string high = brief(*row.high, variant);
    if (high != text) text += " to " + high;
  }
  if (!row.as_written) return text;
  const std::string written = brief(*row.as_written, variant);
  return written == text ? text : text + " (as written: " + written + ")";
}

/// A formula over the default points, and the variants that have it.
struct Shared {
  std::string title;
  std::string formula;
  std::vector<std::string> variants = {};
};

// Formulas that say more than a number, in a line each; those of most variants first.
std::vector<Shared> shared_formulas(const Lab& lab, std::size_t width) {
  std::vector<Shared> all;
  for (const std::string& metric : lab.headline) {
    for (const Variant& variant : lab.variants) {
      const TheoryRow* row = metrics::theory_row(variant, metric);
      if (row == nullptr) continue;
      const auto formula = metrics::over_defaults(row->formula, variant).opened();
      const auto lines = lines_of(formula, width, 1);
      if (lines.empty() || lines.front().find(' ') == std::string::npos) continue;
      const std::string title = reading::title_of(metric);
      const auto known = std::find_if(all.begin(), all.end(), [&](const Shared& one) {
        return one.title == title && one.formula == lines.front();
      });
      if (known == all.end()) {
        all.push_back({title, lines.front(), {variant.name}});
      } else {
        known->variants.push_back(variant.name);
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Shared& a, const Shared& b) {
    return a.variants.size() > b.variants.size();
  });
  if (all.size() > kOverviewFormulas) all.resize(kOverviewFormulas);
  return all;
}

page::Table variants_table(const Lab& lab) {
  page::Table table{{{}, {"", false, true}}};
  for (const Variant& variant : lab.variants) {
    page::Row& row = table.rows.emplace_back();
    row.cells = {{variant.name, page::Tone::kStrong}, {variant.summary}};
  }
  return table;
}

void add_formulas(const Lab& lab, page::Page& page) {
  const std::vector<Shared> formulas = shared_formulas(lab, kFormulaWidth);
  if (!formulas.empty()) page.blocks.push_back({page::Heading{2, "Formulas"}, {}, true});
  for (const Shared& one : formulas) {
    std::string who = one.variants.front();
    if (one.variants.size() > 1) who += fmt::format(" +{}", one.variants.size() - 1);
    page.blocks.push_back(
        {page::Text{{{one.title + "  "}, {who, page::Tone::kDim}}, page::Role::kItem}});
    page.blocks.push_back(page::sentence(one.formula, page::Role::kBeside));
  }
}

page::Table formulas_table(const std::vector<TheoryRow>& rows, const Variant& variant) {
  page::Table table{{{"Metric"}, {"Theory", false, true}, {"Why", false, true}}};
  for (const TheoryRow& theory : rows) {
    page::Row& row = table.rows.emplace_back();
    row.cells = {{theory.metric}, {formula_text(theory, variant)}, {theory.why, page::Tone::kDim}};
  }
  return table;
}

// The headline metrics' first, in their order; the others' only where all are asked for.
std::vector<TheoryRow> rows_of(const Lab& lab, const Variant& variant, bool all) {
  std::vector<TheoryRow> rows = variant.theory;
  const auto rank = [&](const TheoryRow& row) {
    return std::find(lab.headline.begin(), lab.headline.end(), row.metric) - lab.headline.begin();
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  const auto is_other = [&](const TheoryRow& row) { return rank(row) == std::ssize(lab.headline); };
  if (!all) rows.erase(std::find_if(rows.begin(), rows.end(), is_other), rows.end());
  return rows;
}

}  // namespace

page::Table params_table(const Lab& lab, const std::vector<const Variant*>& variants) {
  page::Table table{{{"Parameter"},
                     {"Values", false, true, "", page::Rank::kMore},
                     {"Default", true},
                     {"What it is", false, true},
                     {"Read by", false, true, "", page::Rank::kDetail}}};
  for (const ParamSpec& spec : lab.params) {
    const bool read = std::any_of(variants.begin(), variants.end(), [&](const Variant* variant) {
      const auto& reads = variant->reads;
      return std::find(reads.begin(), reads.end(), spec.name) != reads.end();
    });
    if (!read) continue;
    page::Row& row = table.rows.emplace_back();
    row.cells = {{spec.name},
                 {allowed(spec)},
                 {to_text(spec.fallback)},
                 {spec.help},
                 {readers(lab, spec.name)}};
  }
  return table;
}

page::Page overview_page(const Lab& lab, std::string_view handout) {
  page::Page page;
  page.blocks.push_back(
      {page::Heading{1, fmt::format("Lab {}: {}", lab.called(), lab.title)}, page::Rank::kAlways});
  page.blocks.push_back(page::sentence(lab.summary + "."));
  // A lab without a handout says its lesson.
  append(page, page::first_paragraph(handout.empty() ? std::string_view(lab.lesson) : handout));
  page.blocks.push_back({page::Heading{2, "Variants"}, page::Rank::kAlways, true});
  page.blocks.push_back({variants_table(lab)});
  add_formulas(lab, page);
  return page;
}

page::Page variant_page(const Lab& lab, const Variant& variant, bool all) {
  const std::size_t cases = variant.points.size();
  page::Page page;
  page.blocks.push_back(
      {page::Heading{2, variant.name, {fmt::format("{} case{}", cases, cases == 1 ? "" : "s")}},
       page::Rank::kAlways, true});
  page.blocks.push_back(page::sentence(variant.summary));
  if (variant.theory.empty()) return page;
  page.blocks.push_back({formulas_table(rows_of(lab, variant, all), variant)});
  return page;
}

}  // namespace lab::labs
