// The names that a variant's formulas may use, and what they stand for.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/formula.h"
#include "harness/formula/value.h"
#include "harness/labs/section.h"

namespace lab::labs {

/// `body`'s result; its errors are told at the formula, or within it.
template <typename Body>
decltype(auto) told_at(const PlacedText& formula, Body body) {
  try {
    return body();
  } catch (const Error& error) {
    const bool within = error.place() && error.place()->file == "formula";
    if (error.place() && !within) throw;
    const int column = within ? error.place()->column : 1;
    throw input_error(error.what(), error.hint(),
                      place_within(formula, static_cast<std::size_t>(column - 1)));
  }
}

/// Letters, digits and _, with a letter first: what formulas may name, and what is printed as it
/// is.
[[nodiscard]] bool is_plain_name(std::string_view name);
inline constexpr const char* kPlainNames = "letters, digits and _, with a letter first";

/// `length` characters of a text from `first` on, without blanks around them.
[[nodiscard]] PlacedText part_of(const PlacedText& text, std::size_t first, std::size_t length);
/// Its parts between commas that stand in no parentheses, brackets or angles.
[[nodiscard]] std::vector<PlacedText> split_list(const PlacedText& text);

/// Not to be shared between threads: definitions are worked out when they are first asked for.
class Scope {
 public:
  /// `where` defines names, the rest of them stand for themselves.
  Scope(Section where, std::set<std::string> names)
      : where_(std::move(where)), names_(std::move(names)) {}

  [[nodiscard]] language::Value value(const PlacedText& formula);
  [[nodiscard]] Expr number(const PlacedText& formula);
  /// The same with one name more that stands for itself.
  [[nodiscard]] Scope with(const std::string& name) const {
    Scope wider = *this;
    wider.names_.insert(name);
    return wider;
  }
  /// Buffers: no numbers, but what a wrong name may have meant.
  void offer(std::vector<std::string> buffers) { buffers_ = std::move(buffers); }
  /// From here on formulas may name this metric: they get `value`.
  void define_metric(const std::string& metric, Expr value) {
    metrics_.insert_or_assign(metric, std::move(value));
  }

 private:
  [[nodiscard]] language::Value lookup(const std::string& name);
  [[nodiscard]] language::Value defined(const std::string& name);

  Section where_;
  std::set<std::string> names_;
  std::vector<std::string> buffers_;
  std::map<std::string, Expr> metrics_;
  std::map<std::string, language::Value> known_;
  std::vector<std::string> under_way_;
};

/// Names of parameters that formulas use, collected while they are read.
using Uses = std::set<std::string>;
void add_uses(const Expr& formula, Uses& uses);

/// A whole number; an input error at the formula where it is not.
struct WholeFormula {
  Expr formula = 0;
  PlacedText text = {};
  [[nodiscard]] std::int64_t value(const FormulaNames& names) const;
};
[[nodiscard]] WholeFormula whole_formula(Scope& scope, const PlacedText& text);

}  // namespace lab::labs
