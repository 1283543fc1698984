#include "harness/labs/scope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "harness/core/text.h"
#include "harness/core/unicode.h"
#include "harness/formula/parse.h"
#include "harness/labs/keys.h"

namespace lab::labs {
namespace {

constexpr std::size_t kMostUnderWay = 20;  // each is a parser more on the stack

}  // namespace

bool is_plain_name(std::string_view name) {
  const bool plain = std::all_of(name.begin(), name.end(),
                                 [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return plain && !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
}

PlacedText part_of(const PlacedText& text, std::size_t first, std::size_t length) {
  std::string_view part = std::string_view(text.text).substr(first, length);
  const std::size_t blanks = std::min(part.find_first_not_of(" \n"), part.size());
  part.remove_prefix(blanks);
  const std::size_t last = part.find_last_not_of(" \n");
  return {std::string(part.substr(0, last + 1)), place_within(text, first + blanks)};
}

std::vector<PlacedText> split_list(const PlacedText& text) {
  std::vector<PlacedText> parts;
  int depth = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i <= text.text.size(); ++i) {
    const char c = i < text.text.size() ? text.text[i] : ',';
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    if (c != ',' || (depth > 0 && i < text.text.size())) continue;
    parts.push_back(part_of(text, first, i - first));
    first = i + 1;
  }
  return parts;
}

language::Value Scope::value(const PlacedText& formula) {
  return told_at(formula, [&] {
    return language::parse_value(formula.text,
                                 [this](const std::string& name) { return lookup(name); });
  });
}

Expr Scope::number(const PlacedText& formula) {
  return told_at(formula, [&] { return language::number_of(value(formula)); });
}

language::Value Scope::lookup(const std::string& name) {
  if (where_.has(name)) return defined(name);
  if (names_.contains(name)) return Expr(name);
  if (const auto metric = metrics_.find(name); metric != metrics_.end()) return metric->second;
  if (std::find(buffers_.begin(), buffers_.end(), name) != buffers_.end()) {
    throw input_error(fmt::format("'{}' is a buffer, not a number", name));
  }
  std::vector<std::string> known = where_.keys();
  known.insert(known.end(), buffers_.begin(), buffers_.end());
  known.insert(known.end(), names_.begin(), names_.end());
  for (const auto& [metric, value] : metrics_) known.push_back(metric);
  throw input_error(fmt::format("unknown name '{}'", name), suggestion(name, known));
}

language::Value Scope::defined(const std::string& name) {
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  if (std::find(under_way_.begin(), under_way_.end(), name) != under_way_.end()) {
    throw where_.wrong(name, fmt::format("'{}' is defined by itself: {} -> {}", name,
                                         fmt::join(under_way_, " -> "), name));
  }
  if (under_way_.size() >= kMostUnderWay) {
    throw where_.wrong(
        name, fmt::format("'{}' is defined through more than {} other names", name, kMostUnderWay));
  }
  under_way_.push_back(name);
  const Section table = where_.kind(name) == TomlKind::kTable ? where_.row(name) : Section();
  table.expect_only(keys_of(KeyOf::kName));
  const auto formula = table.empty() ? where_.formula(name) : table.formula("is");
  if (!formula) throw where_.wrong(name, fmt::format("'{}' needs `is = \"formula\"`", name));
  language::Value made = value(*formula);
  const auto why = table.text("why");
  if (why) {
    const Expr body = told_at(*formula, [&] { return language::number_of(made); });
    made = body.names().empty() ? constant(name, body, safe_line(*why))
                                : term(name, body, safe_line(*why));
  }
  under_way_.pop_back();
  known_.emplace(name, made);
  return made;
}

void add_uses(const Expr& formula, Uses& uses) {
  for (std::string& name : formula.names()) uses.insert(std::move(name));
}

std::int64_t WholeFormula::value(const FormulaNames& names) const {
  const double number = told_at(text, [&] { return formula.value(names); });
  constexpr double kMost = 9007199254740992.0;  // 2^53: beyond, doubles skip whole numbers
  if (number != std::floor(number) || std::fabs(number) > kMost) {
    throw input_error(fmt::format("{} is {}, which is not a whole number", text.text, number), {},
                      text.place);
  }
  return static_cast<std::int64_t>(number);
}

WholeFormula whole_formula(Scope& scope, const PlacedText& text) {
  return {scope.number(text), text};
}

}  // namespace lab::labs
