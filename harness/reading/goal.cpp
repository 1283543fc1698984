#include "harness/reading/goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <string_view>

#include "harness/core/error.h"
#include "harness/core/metric_keys.h"
#include "harness/core/numbers.h"
#include "metrics/formulas.h"
#include "metrics/values.h"

namespace lab::reading {

namespace {

// The formula of the goal's other case, with the student's values of what both have.
std::optional<double> from_of(const CaseRecord& record, const Lab& lab, const std::string& metric) {
  if (!lab.goal->from) return {};
  const Variant& variant = find_variant(lab, lab.goal->from->variant);
  const TheoryRow* row = metrics::theory_row(variant, metric);
  if (row == nullptr) return {};
  Params params = lab.goal->from->points.front();
  for (const auto& [name, value] : record.params.all()) {
    if (params.has(name)) params.set(name, value);
  }
  return row->formula.value(formula_names(variant, params, variant.launch(params)));
}

bool is_ways(std::string_view metric) {
  return metric == metric::kSharedLoadWays || metric == metric::kSharedStoreWays ||
         metric == metric::kSharedAtomicWays;
}

std::string less_text(const GoalLine& line) {
  const std::string value = grouped_text(line.value);
  if (is_ways(line.metric)) {
    const std::string now = line.value == 1 ? "none" : value + "-way";
    return fmt::format("{}-way bank conflict -> {}", grouped_text(*line.from), now);
  }
  return fmt::format("{}: {} instead of {}", title_of(line.metric), value,
                     grouped_text(*line.from));
}

// More than the other case, or as much: the goal is another gain.
std::string compared_text(const GoalLine& line, const Goal& goal) {
  if (line.from && line.value < *line.from) return less_text(line);
  std::string value = fmt::format("{}: {}", title_of(line.metric), grouped_text(line.value));
  if (!line.from) return value;
  if (line.value == *line.from) return fmt::format("{}, as in {}", value, goal.from->variant);
  return fmt::format("{}, where {} has {}", value, goal.from->variant, grouped_text(*line.from));
}

}  // namespace

std::vector<GoalLine> goal_lines(const CaseRecord& record, const Lab& lab) {
  std::vector<GoalLine> lines;
  if (!lab.goal || lab.goal->variant != record.variant) return lines;
  for (const std::string& metric : lab.goal->metrics) {
    const auto value = metrics::best_value(record, metric);
    if (value) lines.push_back({metric, from_of(record, lab, metric), *value});
  }
  return lines;
}

std::string goal_sentence(const std::vector<GoalLine>& lines, const Goal& goal) {
  if (lines.empty()) return {};
  std::vector<std::string> parts;
  if (!goal.says.empty()) parts.push_back(goal.says);
  const std::size_t said = parts.size();
  // A conflict that is gone is said first.
  for (const bool ways : {true, false}) {
    for (const GoalLine& line : lines) {
      if (is_ways(line.metric) != ways || !line.from || *line.from == line.value) continue;
      parts.push_back(compared_text(line, goal));
    }
  }
  // One case's number, compared with none, says less than words.
  const bool needs_number = parts.size() == said && (said == 0 || lines.front().from);
  if (needs_number) parts.push_back(compared_text(lines.front(), goal));
  std::string text = fmt::format("{}", fmt::join(parts, "; "));
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

bool all_on_target(const Cases& cases) {
  return std::all_of(cases.begin(), cases.end(), [](const CaseRecord* record) {
    return read(*record).standing == Standing::kOnTarget;
  });
}

std::string success_sentence(const Cases& cases, const Lab* lab) {
  if (lab == nullptr || !lab->goal || !all_on_target(cases)) return {};
  const std::string text = goal_sentence(goal_lines(*cases.front(), *lab), *lab->goal);
  return text.empty() ? text : text + ".";
}

std::string told_metric(const Cases& cases, const Against& furthest, const Lab* lab) {
  const bool has_goal = lab != nullptr && lab->goal && lab->goal->variant == cases.front()->variant;
  if (!has_goal) return furthest.metric;
  const std::vector<std::string>& goal = lab->goal->metrics;
  const bool other = std::find(goal.begin(), goal.end(), furthest.metric) == goal.end();
  return furthest.above() && other ? furthest.metric : goal.front();
}

Results results_of(const Cases& cases) {
  const auto count = [&](bool correct) {
    return std::count_if(cases.begin(), cases.end(),
                         [&](const auto* record) { return record->correct == correct; });
  };
  if (count(true) == std::ssize(cases)) return Results::kAllRight;
  if (count(true) > 0) return Results::kSomeRight;
  return count(false) > 0 ? Results::kNoneRight : Results::kNotChecked;
}

Cases without_mistakes(const Cases& cases) {
  Cases clean;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(clean),
               [](const auto* record) { return !has_mistake(*record); });
  return clean;
}

// `15,872 of 16,384 results are wrong`: of all cases; without the numbers in runs of before they
// were kept.
std::string wrong_text(const Cases& cases) {
  std::uint64_t wrong = 0;
  std::uint64_t compared = 0;
  for (const CaseRecord* record : cases) {
    if (record->correct != false) continue;
    if (record->notes.wrong_results == 0) return "results are wrong";
    wrong += record->notes.wrong_results;
    compared += record->notes.compared_results;
  }
  return fmt::format("{} of {} results are wrong", grouped_text(static_cast<double>(wrong)),
                     grouped_text(static_cast<double>(compared)));
}

std::string target_sentence(const Cases& all) {
  const Cases cases = without_mistakes(all);
  if (cases.empty()) return {};
  std::size_t held = 0;  // against a target
  std::size_t good = 0;
  std::size_t right = 0;
  std::string_view less;
  const Results results = results_of(cases);
  Cases counted;  // a wrong kernel's counts say little beside a right one's
  for (const CaseRecord* record : cases) {
    const bool counts = results != Results::kSomeRight || record->correct == true;
    if (counts) counted.push_back(record);
    const CaseReading one = read(*record);
    held += one.standing != Standing::kNone ? 1 : 0;
    good += one.standing == Standing::kOnTarget ? 1 : 0;
    right += record->correct == true ? 1 : 0;
    if (counts && less.empty()) less = sentence_of(one.shortfall);
  }
  const std::string some = fmt::format("{} of {} results are right", right, cases.size());
  const std::array<std::string, 4> told = {"results are right", some, wrong_text(cases),
                                           "results were not checked"};
  const std::size_t mistaken = all.size() - cases.size();
  const std::string apart =
      mistaken == 0 ? ": " : fmt::format(", {} with a mistake: the others' ", mistaken);
  std::string text = fmt::format("{} of {} on target{}{}", good, held + mistaken, apart,
                                 told[static_cast<std::size_t>(results)]);
  if (const auto furthest = furthest_of(counted); furthest && furthest->above()) {
    text += fmt::format("; {} times the target in {}", brief_text(furthest->excess),
                        title_of(furthest->metric));
  }
  // A kernel that writes nothing reads too little: that is no news beside a wrong result.
  const bool says_less = !less.empty() && results != Results::kNoneRight;
  return text + (says_less ? fmt::format("; {}.", less) : ".");
}

}  // namespace lab::reading
