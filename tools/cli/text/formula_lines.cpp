#include "tools/cli/text/formula_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/reading/formulas.h"
#include "metrics/formulas.h"
#include "tools/cli/text/cells.h"

namespace lab::cli {

namespace {

// Formulas that take more are left to `lab show`, which derives them.
constexpr std::size_t kFormulaLines = 2;
constexpr std::size_t kLadderLines = 5;

// As it was stored by a version whose lab had another formula, or no lab.
std::vector<std::string> stored_formula(const std::string& formula, std::size_t width) {
  auto lines = wrapped(formula, static_cast<int>(width) - 4);  // ' ...'
  if (lines.size() <= kFormulaLines) return lines;
  lines.resize(kFormulaLines);
  lines.back() += " ...";
  return lines;
}

// Empty where the case has no value, such as a ratio of nothing.
std::optional<double> value_at(const Expr& formula, const FormulaNames& names) {
  try {
    return formula.value(names);
  } catch (const Error&) {
    return {};
  }
}

// `gcd(2, 32) = 2`; the value alone where the formula is nothing more; empty where it has none.
std::string with_values(const Expr& formula, const FormulaNames& names) {
  const Expr opened = formula.opened();
  const auto value = value_at(opened, names);
  if (!value) return {};
  const std::string filled = opened.with_values(names).text();
  const std::string result = number_text(*value);
  return filled == result ? result : filled + " = " + grouped_text(*value);
}

bool is_number(const Expr& formula) { return formula.opened().operation() == Operation::kNumber; }

std::string as_written(const TheoryRow& row, const Variant& variant, const Section& section,
                       std::size_t width) {
  if (!row.as_written) return {};
  const auto formula = metrics::over_cases(*row.as_written, variant, section.cases);
  if (same(formula, metrics::over_cases(row.formula, variant, section.cases))) return {};
  constexpr std::string_view kLabel = "as written: ";
  const auto lines = lines_of(formula, width - kLabel.size(), 1);
  return lines.empty() ? std::string() : std::string(kLabel) + lines.front();
}

// `ways where ways = ...` would name what the title names already.
Expr unnamed(Expr formula) {
  while (formula.operation() == Operation::kTerm && formula.args().size() == 1) {
    formula = Expr(formula.args().front());
  }
  return formula;
}

/// A formula and the titles of the metrics that have it.
struct Entry {
  std::string title;
  std::vector<std::string> lines;
  std::string below = {};  // as written, with values
  bool under = false;      // the title has a line of its own
};

// Beside its title in two lines, else below it in one.
Entry entry_of(const std::string& title, const Expr& formula, std::size_t width) {
  const std::size_t beside = title.size() + 5;  // `  title = `
  Entry entry{title, lines_of(formula, width - beside, kFormulaLines)};
  if (!entry.lines.empty()) return entry;
  entry.under = true;
  entry.lines = lines_of(formula, width - 4, 1);
  return entry;
}

std::string text_of(const Entry& entry) {
  const std::string first = "  " + entry.title + " =";
  const std::string margin = entry.under ? "    " : std::string(first.size() + 1, ' ');
  return fmt::format("{}{}{}\n{}", first, entry.under ? "\n    " : " ",
                     fmt::join(entry.lines, "\n" + margin), entry.below);
}

// Below the formula the same with a case's values put in.
std::string example_line(const Expr& formula, const Variant& variant, const Section& section,
                         const Terminal& terminal) {
  const CaseRecord& one = reading::example_case(section);
  const std::string filled = with_values(formula, metrics::names_of(variant, one));
  const std::string where = values_of(one, section.varying);
  const std::string line = where.empty() ? "= " + filled : where + ": " + filled;
  if (filled.empty() || line.size() + 4 > static_cast<std::size_t>(terminal.width)) return {};
  return "    " + toned(line, Tone::kDim, terminal) + "\n";
}

// Without lines where the formula is a number, which the table has, or too long to be shown.
Entry entry_of(const TheoryRow& row, const Variant& variant, const Section& section, bool example,
               const Terminal& terminal) {
  const Expr formula = unnamed(metrics::over_cases(row.formula, variant, section.cases));
  const bool plain = is_number(formula);
  if (plain && !row.as_written) return {};
  const auto width = static_cast<std::size_t>(terminal.width);
  Entry entry = entry_of(title_of(row.metric), formula, width);
  const std::string written = as_written(row, variant, section, width - 4);
  if (!written.empty()) entry.below = "    " + written + "\n";
  if (example && !plain) entry.below += example_line(formula, variant, section, terminal);
  return entry;
}

Entry entry_of(const Verdict& stored, std::size_t width) {
  Entry entry{title_of(stored.metric), stored_formula(safe_line(stored.formula), width - 4)};
  entry.under = entry.title.size() + 5 + entry.lines.front().size() > width;
  return entry;
}

struct LadderLine {
  std::string title;
  std::string formula;
  std::vector<std::string> variants = {};
};

// The first of these that a line holds: with the last case's values put in, as it reads over the
// variant's points and the section's cases, as it reads over the latter alone. Empty where it says
// no more than the number in the table.
std::string ladder_formula(const TheoryRow& row, const Variant& variant, const Section& section,
                           std::size_t width) {
  const Expr usual = metrics::over_defaults_and_cases(row.formula, variant, section.cases);
  if (is_number(usual)) return {};
  const FormulaNames names = metrics::names_of(variant, *section.cases.back());
  const Expr here = metrics::over_cases(row.formula, variant, section.cases);
  for (const std::string& text :
       {with_values(usual, names), usual.opened().text(), here.opened().text()}) {
    const bool says_more = text.find(' ') != std::string::npos;
    if (says_more && text.size() <= width) return text;
  }
  return {};
}

std::string who(const std::vector<std::string>& variants) {
  const std::string more =
      variants.size() > 1 ? fmt::format(" +{}", variants.size() - 1) : std::string();
  return variants.front() + more;
}

std::vector<LadderLine> ladder_lines(const std::vector<Section>& sections, const Lab& lab,
                                     const std::vector<std::string>& metrics, std::size_t width) {
  std::vector<LadderLine> lines;
  for (const std::string& metric : metrics) {
    for (const Section& section : sections) {
      const Variant* variant = reading::variant_of(section, &lab);
      const TheoryRow* row = reading::formula_of(*section.cases.front(), variant, metric).row;
      if (row == nullptr) continue;
      const std::string formula = ladder_formula(*row, *variant, section, width);
      if (formula.empty()) continue;
      const std::string title = title_of(metric);
      const auto known = std::find_if(lines.begin(), lines.end(), [&](const LadderLine& line) {
        return line.formula == formula && line.title == title;
      });
      if (known == lines.end()) {
        lines.push_back({title, formula, {section.variant}});
      } else {
        known->variants.push_back(section.variant);
      }
    }
  }
  return lines;
}

}  // namespace

std::string formula_lines(const Section& section, const Variant* variant,
                          const std::vector<std::string>& metrics, bool example,
                          const Terminal& terminal) {
  const CaseRecord& record = reading::example_case(section);
  std::vector<Entry> entries;
  for (const std::string& metric : metrics) {
    const auto [row, stored] = reading::formula_of(record, variant, metric);
    if (stored == nullptr) continue;
    Entry entry = row != nullptr ? entry_of(*row, *variant, section, example, terminal)
                                 : entry_of(*stored, static_cast<std::size_t>(terminal.width));
    if (entry.lines.empty()) continue;
    // `sectors per request, read and write`: one formula, said once.
    if (!entries.empty() && entries.back().lines == entry.lines) {
      entries.back().title += " and " + heading_of(entry.title).own;
    } else {
      entries.push_back(std::move(entry));
    }
  }
  std::string out;
  for (const Entry& entry : entries) out += text_of(entry);
  return out;
}

std::string ladder_formulas(const std::vector<Section>& sections, const Lab& lab,
                            const std::vector<std::string>& metrics, const Terminal& terminal) {
  const auto width = static_cast<std::size_t>(terminal.width) - 6;
  std::string out;
  std::string title;
  std::size_t count = 0;
  for (const LadderLine& line : ladder_lines(sections, lab, metrics, width)) {
    if (count >= kLadderLines) break;
    if (line.title != title) out += "  " + line.title + "\n";
    count += line.title != title ? 2 : 1;
    title = line.title;
    const std::string label = who(line.variants);
    constexpr std::size_t kLabel = 20;
    const bool beside = std::max(label.size(), kLabel) + 2 + line.formula.size() + 4 <= width + 6;
    out += beside ? fmt::format("    {:<{}}  {}\n", label, kLabel, line.formula)
                  : fmt::format("    {}\n      {}\n", label, line.formula);
    count += beside ? 0 : 1;
  }
  return out;
}

}  // namespace lab::cli
