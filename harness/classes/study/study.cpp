#include "harness/classes/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "harness/core/error.h"
#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/core/unicode.h"
#include "harness/formula/parse.h"
#include "harness/run/starter.h"
#include "metrics/catalogue.h"
#include "metrics/formulas.h"

namespace lab::study {

namespace {

/// Mistakes that people make with any lab's numbers.
struct CommonRule {
  std::string_view metrics;  ///< what the metric's key has in it; empty: any
  std::string_view is;
  std::string_view rule;
};

constexpr std::array<CommonRule, 11> kCommonRules = {{
    {"_ways", "answer - 1",
     "You counted conflicts. A 4-way conflict has 3 of them, and takes 4 wavefronts."},
    {"_ways", "32", "You served every lane by itself. That takes 32 different words of one bank."},
    {"_ways", "1", "You saw no conflict. Some lanes want different words of one bank."},
    {"conflicts", "answer + 1", "You counted wavefronts. The first of them is not a conflict."},
    {"sectors_per_request", "32",
     "You counted a sector for each lane. Lanes that share a sector need it once."},
    {"sectors_per_request", "4",
     "You counted 32 neighbouring floats. These lanes are farther apart, or do not read floats."},
    {"sectors_per_request", "1",
     "You counted one transaction for the warp. Memory moves in sectors of 32 bytes."},
    {"sectors_per_request", "answer / 4",
     "You counted lines of 128 bytes. Each of them has 4 sectors."},
    {"sectors_per_request", "answer * 32", "You counted bytes. A sector has 32 of them."},
    {"efficiency", "1", "You counted nothing as wasted. Some bytes of the sectors are nobody's."},
    {"", "answer * 32", "You counted threads. A request is one instruction of a warp of 32."},
}};

FormulaNames names_at(const Lab& lab, const Point& point) {
  const Variant& variant = find_variant(lab, point.variant);
  return formula_names(variant, point.params, variant.launch(point.params));
}

const TheoryRow& row_of(const Lab& lab, const Point& point) {
  const TheoryRow* row = metrics::theory_row(find_variant(lab, point.variant), point.metric);
  if (row != nullptr) return *row;
  static_cast<void>(metrics::at(point.metric));  // for its error
  throw input_error(
      fmt::format("lab {} has no formula for {} of {}", lab.called(), point.metric, point.variant),
      fmt::format("lab show {} --variant {} --formulas lists them", lab.called(), point.variant));
}

// What a wrong rule is written over.
FormulaNames names_with_answer(const Lab& lab, const Point& point) {
  FormulaNames names = names_at(lab, point);
  names["answer"] = theory_at(lab, point).low;
  return names;
}

bool gives(const Expr& rule, const FormulaNames& names, double guess) {
  try {
    const double value = rule.value(names);
    return is_meant(guess, {value, value});
  } catch (const Error&) {
    return false;  // it names what this variant does not have
  }
}

}  // namespace

Point point_of(const Lab& lab, const std::string& variant, const Params& given,
               const std::string& metric) {
  const Variant& found = find_variant(lab, variant);
  if (found.points.empty()) {
    throw input_error(fmt::format("variant '{}' of lab {} needs a GPU", variant, lab.called()));
  }
  Point point{variant, {}, metric};
  for (const auto& [name, value] : found.points.front().all()) {
    point.params.set(name, find_param(lab, name).fallback);
  }
  for (const auto& [name, value] : given.all()) {
    const ParamSpec& spec = find_param(lab, name);
    const auto values = parse_sweep(spec, to_text(value));
    if (values.size() != 1) {
      throw input_error(fmt::format("'{}' is more than one value of {}", to_text(value), name));
    }
    point.params.set(name, values.front());
  }
  return point;
}

metrics::Interval theory_at(const Lab& lab, const Point& point) {
  const TheoryRow& row = row_of(lab, point);
  const FormulaNames names = names_at(lab, point);
  const double low = row.formula.value(names);
  return {low, row.high ? row.high->value(names) : low};
}

Expr formula_at(const Lab& lab, const Point& point) {
  return row_of(lab, point).formula.specialised({names_at(lab, point)});
}

std::string why_at(const Lab& lab, const Point& point) { return row_of(lab, point).why; }

std::string with_unit(const metrics::Interval& value, const std::string& metric) {
  std::string number = value.low == value.high ? grouped_text(value.low)
                                               : fmt::format("{} to {}", grouped_text(value.low),
                                                             grouped_text(value.high));
  const std::string_view unit = metrics::at(metric).unit;
  if (unit.empty() || unit == "ratio") return number;
  const std::vector<std::string_view> parts = split(unit, '/');
  const bool one = value.low == 1 && value.high == 1;
  std::string text = fmt::format("{} {}{}", number, parts.front(), one ? "" : "s");
  if (parts.size() == 2) text += fmt::format(" per {}", parts.back());
  return text;
}

std::string starter_text(const Lab& lab, const Study& study, const std::string& file) {
  const std::string command = fmt::format("Run it: lab run {} --variant {} --kernel {}",
                                          lab.called(), study.variant, safe_line(file));
  return run::as_comment(
             fmt::format("Lab {}, your part: {}. {}", lab.called(), study.variant, study.task)) +
         run::as_comment(command) + "\n" + study.starter;
}

OpenPart open_part_of(const Study& study, std::string_view source) {
  const auto is_open = [&](const std::string& line) {
    return std::find(study.open.begin(), study.open.end(), line) != study.open.end();
  };
  std::vector<std::string> lines;
  for (const std::string_view line : split(source, '\n')) lines.emplace_back(trim(line));
  // A comment says what is missing; a line of code is there, be it the wrong one.
  auto first = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.starts_with("//") && is_open(line);
  });
  if (first == lines.end()) first = std::find_if(lines.begin(), lines.end(), is_open);
  if (first == lines.end()) return {};
  const auto last = std::find_if_not(first, lines.end(), is_open);
  return {static_cast<int>(first - lines.begin()) + 1, {first, last}};
}

bool is_meant(double guess, const metrics::Interval& answer) {
  constexpr double kThreeDigits = 5e-4;
  const double slack = kThreeDigits * std::max(std::abs(answer.low), std::abs(answer.high));
  return guess >= answer.low - slack && guess <= answer.high + slack;
}

std::string rule_for(const Lab& lab, const Point& point, const std::vector<WrongRule>& own,
                     double guess) {
  const metrics::Interval answer = theory_at(lab, point);
  if (is_meant(guess, answer)) return {};
  const FormulaNames names = names_with_answer(lab, point);
  for (const WrongRule& wrong : own) {
    if (gives(wrong.is, names, guess)) return wrong.rule;
  }
  for (const CommonRule& common : kCommonRules) {
    const bool fits = point.metric.find(common.metrics) != std::string::npos;
    if (fits && gives(language::parse_expression(common.is), names, guess))
      return std::string(common.rule);
  }
  return {};
}

namespace {

std::optional<double> plain_number(std::string text) {
  std::erase(text, ',');  // 1,024
  const std::string digits(trim(text));
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || error != std::errc() || stop != end || !std::isfinite(value)) return {};
  return value;
}

}  // namespace

namespace {

// A wrong rule is over names that are there, and gives a wrong number.
std::string problem_of(const WrongRule& wrong, const metrics::Interval& answer,
                       const FormulaNames& names) {
  try {
    const double value = wrong.is.value(names);
    if (!is_meant(value, answer)) return {};
    return fmt::format("'{}' gives the right number, {}", wrong.rule, value);
  } catch (const Error& error) {
    return fmt::format("'{}' has no value: {}", wrong.rule, error.what());
  }
}

void add_problems_of_number(const Lab& lab, const std::string& of, const Point& point,
                            const std::vector<WrongRule>& wrong,
                            std::vector<std::string>& problems) {
  try {
    const metrics::Interval answer = theory_at(lab, point);
    const FormulaNames names = names_with_answer(lab, point);
    for (const WrongRule& one : wrong) {
      const std::string problem = problem_of(one, answer, names);
      if (!problem.empty()) problems.push_back(fmt::format("{}: {}", of, problem));
    }
  } catch (const Error& error) {
    problems.push_back(fmt::format("{}: {}", of, error.what()));
  }
}

void add_problems_of_choices(const std::string& of, const Question& question,
                             std::vector<std::string>& problems) {
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const Choice& choice = question.choices[i];
    if (i == question.right || !choice.wrong.empty()) continue;
    problems.push_back(fmt::format("{}: nothing says why '{}' is wrong", of, choice.says));
  }
}

}  // namespace

std::vector<std::string> problems_of(const Lab& lab, const Study& study) {
  constexpr std::size_t kFewestSteps = 3;
  constexpr std::size_t kMostSteps = 5;
  std::vector<std::string> problems;
  if (study.steps.size() < kFewestSteps || study.steps.size() > kMostSteps) {
    problems.push_back(fmt::format("a lab has {} to {} steps", kFewestSteps, kMostSteps));
  } else if (study.steps.back().kind != StepKind::kFix) {
    problems.emplace_back("the last step is `fix`: it solves the lab");
  }
  if (study.guesses.empty()) problems.emplace_back("there is nothing to guess");
  if (study.questions.empty()) problems.emplace_back("there is no question");
  if (study.hints.empty()) problems.emplace_back("there is no hint");
  if (trim(study.answer).empty()) problems.emplace_back("'answer' is empty");
  for (std::size_t i = 0; i < study.guesses.size(); ++i) {
    const GuessTask& task = study.guesses[i];
    add_problems_of_number(lab, fmt::format("guess {}", i + 1), task.point, task.wrong, problems);
  }
  for (std::size_t i = 0; i < study.questions.size(); ++i) {
    const Question& question = study.questions[i];
    const std::string of = fmt::format("question {}", i + 1);
    if (question.point) {
      add_problems_of_number(lab, of, *question.point, question.wrong, problems);
    } else {
      add_problems_of_choices(of, question, problems);
    }
  }
  return problems;
}

double read_number(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto above = plain_number(text.substr(0, slash));
  const auto below = slash == std::string::npos ? 1.0 : plain_number(text.substr(slash + 1));
  if (above && below && *below != 0) return *above / *below;
  throw input_error(fmt::format("'{}' is not a number", trim(text)),
                    "write it as 4, 0.125, 1/8 or 1,024");
}

}  // namespace lab::study
