#include "harness/reading/formulas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/page/make.h"
#include "harness/reading/case_name.h"
#include "harness/reading/metric_view.h"
#include "metrics/formulas.h"

namespace lab::reading {

namespace {

// Formulas that take more than two lines of so many characters are left to `lab show`, which
// derives them; in a ladder more than one.
constexpr std::size_t kLine = 96;
constexpr std::size_t kLines = 2;
constexpr std::size_t kLadderLine = 74;
constexpr std::size_t kLadderLines = 5;

// Returns nothing if the case has no value, such as a ratio of nothing.
std::optional<double> value_at(const Expr& formula, const FormulaNames& names) {
  try {
    return formula.value(names);
  } catch (const Error&) {
    return {};
  }
}

bool is_number(const Expr& formula) { return formula.opened().operation() == Operation::kNumber; }

// Puts in the values of the case that tells most.
void add_example(page::Formula& formula, const Expr& of, const Variant& variant,
                 const Section& section) {
  const CaseRecord& one = example_case(section);
  const FormulaNames names = metrics::names_of(variant, one);
  const Expr opened = of.opened();
  const auto value = value_at(opened, names);
  if (!value) return;
  formula.at = values_of(one, section.varying);
  formula.filled = opened.with_values(names);
  formula.comes_to = grouped_text(*value);
}

std::optional<page::Formula> formula_of_row(const TheoryRow& row, const Variant& variant,
                                            const Section& section, Formulas which) {
  const Expr is = metrics::over_cases(row.formula, variant, section.cases);
  const bool plain = is_number(is);
  const bool all = which == Formulas::kAll;
  if (!all && plain && !row.as_written) return {};
  if (!all && lines_of(is, kLine, kLines).empty()) return {};
  page::Formula formula{title_of(row.metric), {}, is};
  if (row.as_written) {
    const Expr written = metrics::over_cases(*row.as_written, variant, section.cases);
    if (!same(written, is)) formula.as_written = written;
  }
  if (which != Formulas::kBrief && !plain) add_example(formula, is, variant, section);
  if (all) formula.why = row.why;
  return formula;
}

bool alike(const page::Formula& a, const page::Formula& b) {
  if (a.is.index() != b.is.index() || a.why != b.why || a.comes_to != b.comes_to) return false;
  const auto* text = std::get_if<std::string>(&a.is);
  return text != nullptr ? *text == std::get<std::string>(b.is)
                         : same(std::get<Expr>(a.is), std::get<Expr>(b.is));
}

// `gcd(2, 32) = 2`; empty where it has no value.
std::string with_values(const Expr& formula, const FormulaNames& names) {
  const Expr opened = formula.opened();
  const auto value = value_at(opened, names);
  if (!value) return {};
  const std::string filled = opened.with_values(names).text();
  return filled == number_text(*value) ? filled : filled + " = " + grouped_text(*value);
}

// The first of these that a line holds: with the last case's values put in, as it reads over the
// variant's points and the section's cases, as it reads over the latter alone. Empty where it says
// no more than the number in the table.
std::string ladder_formula(const TheoryRow& row, const Variant& variant, const Section& section) {
  const Expr usual = metrics::over_defaults_and_cases(row.formula, variant, section.cases);
  if (is_number(usual)) return {};
  const FormulaNames names = metrics::names_of(variant, *section.cases.back());
  const Expr here = metrics::over_cases(row.formula, variant, section.cases);
  for (const std::string& text :
       {with_values(usual, names), usual.opened().text(), here.opened().text()}) {
    const bool says_more = text.find(' ') != std::string::npos;
    if (says_more && text.size() <= kLadderLine) return text;
  }
  return {};
}

struct LadderLine {
  std::string title;
  std::string formula;
  std::vector<std::string> variants = {};
};

std::vector<LadderLine> ladder_lines(const std::vector<Section>& sections, const Lab& lab,
                                     const std::vector<std::string>& metrics) {
  std::vector<LadderLine> lines;
  for (const std::string& metric : metrics) {
    for (const Section& section : sections) {
      const Variant* variant = variant_of(section, &lab);
      const TheoryRow* row = formula_of(*section.cases.front(), variant, metric).row;
      if (row == nullptr) continue;
      const std::string formula = ladder_formula(*row, *variant, section);
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

// Points that differ from the section's first case in `param` alone.
std::vector<page::Point> points_along(const Section& section, const Variant& variant,
                                      const std::string& param, const TheoryRow& row) {
  std::vector<page::Point> points;
  for (const Params& point : variant.points) {
    Params same = section.cases.front()->params;
    if (!point.has(param) || !same.has(param)) return {};
    same.set(param, point.all().find(param)->second);
    if (!(same == point)) continue;
    const double y = row.formula.value(formula_names(variant, point, variant.launch(point)));
    points.push_back({static_cast<double>(point.number(param)), y, y});
  }
  return points;
}

}  // namespace

const Variant* variant_of(const Section& section, const Lab* lab) {
  if (lab == nullptr) return nullptr;
  const auto& variants = lab->variants;
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const Variant& v) { return v.name == section.variant; });
  return found == variants.end() ? nullptr : &*found;
}

const CaseRecord& example_case(const Section& section) {
  return *section.cases[section.cases.size() > 2 ? 2 : section.cases.size() - 1];
}

std::vector<Section> telling_first(std::vector<Section> sections, const Lab* lab) {
  for (Section& section : sections) {
    const Variant* variant = variant_of(section, lab);
    if (variant == nullptr) continue;
    const bool timed = std::any_of(section.cases.begin(), section.cases.end(),
                                   [](const auto* record) { return record->timing.has_value(); });
    std::vector<Params> points = default_points(*variant, timed, false);
    if (lab->picture && lab->picture->row.variant == section.variant) {
      const auto& drawn = lab->picture->row.points;
      std::stable_partition(points.begin(), points.end(), [&](const Params& point) {
        return std::find(drawn.begin(), drawn.end(), point) != drawn.end();
      });
    }
    for (const Params& point : points) {
      const auto found =
          std::find_if(section.cases.begin(), section.cases.end(), [&](const auto* record) {
            return record->params == point && record->timing.has_value() == timed;
          });
      if (found == section.cases.end()) continue;
      std::rotate(section.cases.begin(), found, found + 1);
      break;
    }
  }
  return sections;
}

JudgedBy formula_of(const CaseRecord& record, const Variant* variant, const std::string& metric) {
  const Verdict* stored = view_of(record, metric).row;
  if (stored == nullptr || stored->formula.empty()) return {};
  const auto* row = variant == nullptr ? nullptr : metrics::theory_row(*variant, metric);
  const bool current = row != nullptr && row->formula.general_text() == stored->formula;
  return {current ? row : nullptr, stored};
}

std::vector<page::Block> formula_blocks(const Section& section, const Variant* variant,
                                        const std::vector<std::string>& metrics, Formulas which) {
  const CaseRecord& record = example_case(section);
  std::vector<page::Formula> all;
  for (const std::string& metric : metrics) {
    const auto [row, stored] = formula_of(record, variant, metric);
    if (stored == nullptr) continue;
    auto one = row != nullptr ? formula_of_row(*row, *variant, section, which)
                              : page::Formula{title_of(metric), {}, stored->formula};
    if (!one) continue;
    // `sectors per request, read and write`: one formula, said once.
    if (!all.empty() && alike(all.back(), *one)) {
      all.back().title += " and " + heading_of(one->title).own;
    } else {
      all.push_back(std::move(*one));
    }
  }
  std::vector<page::Block> blocks;
  for (page::Formula& one : all) blocks.push_back({std::move(one)});
  return blocks;
}

std::vector<page::Block> ladder_formulas(const std::vector<Section>& sections, const Lab& lab,
                                         const std::vector<std::string>& metrics) {
  std::vector<page::Block> blocks;
  std::string title;
  for (const LadderLine& line : ladder_lines(sections, lab, metrics)) {
    if (blocks.size() >= kLadderLines) break;
    if (line.title != title) blocks.push_back(page::sentence(line.title, page::Role::kNote));
    title = line.title;
    const std::size_t more = line.variants.size() - 1;
    const std::string of = line.variants.front() + (more > 0 ? fmt::format(" +{}", more) : "");
    blocks.push_back({page::Formula{{}, of, line.formula}});
  }
  if (!blocks.empty()) blocks.front().apart = true;
  return blocks;
}

std::vector<page::Block> steps_chart(const Section& section, const Variant& variant,
                                     const std::string& metric) {
  constexpr std::size_t kFewestPoints = 16;
  constexpr std::size_t kMostPoints = 64;
  constexpr double kLeastHeight = 8;
  const TheoryRow* row = metrics::theory_row(variant, metric);
  if (row == nullptr || section.varying.size() != 1) return {};
  const std::string& param = section.varying.front();
  const auto& values = section.cases.front()->params.all();
  if (!std::holds_alternative<std::int64_t>(values.find(param)->second)) return {};
  std::vector<page::Point> points = points_along(section, variant, param, *row);
  if (points.size() < kFewestPoints || points.size() > kMostPoints) return {};
  const auto [least, top] =
      std::minmax_element(points.begin(), points.end(),
                          [](const page::Point& a, const page::Point& b) { return a.y < b.y; });
  if (top->y < kLeastHeight || least->y < 1 || std::exp2(std::floor(std::log2(top->y))) != top->y) {
    return {};
  }
  page::Chart chart{page::ChartKind::kSteps, "chart-steps", title_of(metric)};
  chart.says = fmt::format("{} over {}", title_of(metric), param);
  chart.x = {param};
  chart.y = {unit_of(metric)};
  chart.series = {{"theory", std::move(points)}};
  return {{std::move(chart)}};
}

}  // namespace lab::reading
