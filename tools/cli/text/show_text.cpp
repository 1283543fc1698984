#include "tools/cli/text/show_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "metrics/formulas.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/markdown_text.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

constexpr std::size_t kOverviewFormulas = 7;

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

std::string variants_text(const Lab& lab, const Terminal& terminal) {
  std::size_t longest = 0;
  for (const Variant& variant : lab.variants) longest = std::max(longest, variant.name.size());
  std::string out;
  for (const Variant& variant : lab.variants) {
    std::string left = "  " + toned(variant.name, Tone::kStrong, terminal) +
                       std::string(longest - variant.name.size() + 2, ' ');
    for (const std::string& line :
         wrapped(variant.summary, terminal.width - static_cast<int>(longest) - 4)) {
      out += left + line + "\n";
      left.assign(longest + 4, ' ');
    }
  }
  return out;
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
      const std::string title = title_of(metric);
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

std::string formulas_text(const Lab& lab, const Terminal& terminal) {
  std::string out;
  for (const Shared& one : shared_formulas(lab, static_cast<std::size_t>(terminal.width) - 4)) {
    const std::string more =
        one.variants.size() > 1 ? fmt::format(" +{}", one.variants.size() - 1) : std::string();
    out += fmt::format("  {}  {}\n    {}\n", one.title,
                       toned(one.variants.front() + more, Tone::kDim, terminal), one.formula);
  }
  return out;
}

}  // namespace

std::string params_text(const Lab& lab, const std::vector<const Variant*>& variants,
                        const Terminal& terminal) {
  Table table{{{"Parameter"},
               {"Values", Align::kLeft, true},
               {"Default", Align::kRight},
               {"What it is", Align::kLeft, true},
               {"Read by", Align::kLeft, true}}};
  for (const ParamSpec& spec : lab.params) {
    const bool read = std::any_of(variants.begin(), variants.end(), [&](const Variant* variant) {
      const auto& reads = variant->reads;
      return std::find(reads.begin(), reads.end(), spec.name) != reads.end();
    });
    if (!read) continue;
    table.rows.push_back({{spec.name},
                          {allowed(spec)},
                          {to_text(spec.fallback)},
                          {spec.help},
                          {readers(lab, spec.name)}});
  }
  return table_text(table, terminal);
}

std::string overview_text(const Lab& lab, std::string_view handout, const Terminal& terminal) {
  const auto heading = [&](const std::string& words) {
    return "\n" + toned(words, Tone::kStrong, terminal) + "\n";
  };
  std::string out =
      toned(fmt::format("Lab {}: {}", lab.called(), lab.title), Tone::kStrong, terminal);
  // A lab without a handout says its lesson.
  const std::string words = handout.empty() ? lab.lesson : first_paragraph(handout);
  out += "\n" + lab.summary + ".\n\n" + markdown_text(words, terminal);
  out += heading("Variants") + variants_text(lab, terminal);
  const std::string formulas = formulas_text(lab, terminal);
  if (!formulas.empty()) out += heading("Formulas") + formulas;
  return out;
}

std::string variant_text(const Lab& lab, const Variant& variant, bool all,
                         const Terminal& terminal) {
  std::string out = fmt::format("{}  {} case{}\n", toned(variant.name, Tone::kStrong, terminal),
                                variant.points.size(), variant.points.size() == 1 ? "" : "s");
  out += paragraph(variant.summary, terminal.width, 2);
  if (variant.theory.empty()) return out;
  std::vector<TheoryRow> rows = variant.theory;
  const auto rank = [&](const TheoryRow& row) {
    return std::find(lab.headline.begin(), lab.headline.end(), row.metric) - lab.headline.begin();
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  if (!all) {
    const auto is_other = [&](const TheoryRow& row) {
      return rank(row) == std::ssize(lab.headline);
    };
    rows.erase(std::find_if(rows.begin(), rows.end(), is_other), rows.end());
  }
  Table table{{{"Metric"}, {"Theory", Align::kLeft, true}, {"Why", Align::kLeft, true}}};
  for (const TheoryRow& row : rows) {
    table.rows.push_back({{row.metric}, {formula_text(row, variant)}, {row.why, Tone::kDim}});
  }
  return out + table_text(table, terminal, 2);
}

}  // namespace lab::cli
