// Closed formulas as trees: what is evaluated is what is simplified, specialised and printed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/formula.h"

namespace lab {

enum class Operation : std::uint8_t {
  kNumber,
  kName,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kMin,
  kMax,
  kGcd,
  kCeil,
  kFloor,
  kIf,
  kUnits,  ///< of ranges; see units_of_ranges
  kTerm,   ///< a named sub-term or function of the field; the first argument is its definition
};

/// An immutable expression over a case's parameters and launch (see formula_names). A small value:
/// copies share their nodes. `/` is real division; `%` and gcd take whole numbers (gcd(a, 0) is a);
/// comparisons are 1 or 0.
class Expr {
 public:
  struct Node;

  Expr(int number) : Expr(static_cast<double>(number)) {}  // implicit: formulas mix both
  Expr(double number);
  /// A parameter or a name of the launch.
  Expr(const char* name) : Expr(std::string(name)) {}
  Expr(std::string name);
  explicit Expr(Node node);

  [[nodiscard]] const Node& node() const { return *node_; }
  [[nodiscard]] Operation operation() const;
  [[nodiscard]] const std::vector<Expr>& args() const;

  /// Throws an input error that names an unknown name, or where a part that counts is not defined
  /// (a division by zero, a `%` or gcd of a number that is not whole).
  [[nodiscard]] double value(const FormulaNames& names) const;
  /// Names used, sorted, each once.
  [[nodiscard]] std::vector<std::string> names() const;

  /// Constants folded, like terms collected, what cancels cancelled.
  [[nodiscard]] Expr simplified() const;
  /// The same formula as it is at these points and at no others: names that are equal at all are
  /// put in (but where nothing varies names stay), and branches that none of them takes vanish,
  /// `floor` of what is whole at all of them among them. Simplified.
  [[nodiscard]] Expr specialised(const std::vector<FormulaNames>& points) const;
  /// The same with values for names, conditions decided, nothing else folded: `blocks * 32` ->
  /// `4 * 32`, `if(n > 2, a + (n > 9), b)` -> `a`. Terms are opened.
  [[nodiscard]] Expr with_values(const FormulaNames& names) const;
  /// Terms without arguments replaced by their definitions.
  [[nodiscard]] Expr opened() const;

  /// One line; terms by their names.
  [[nodiscard]] std::string text() const;
  /// The same, and what its terms stand for: `32 * T where T = min(32, 4 * stride)`.
  [[nodiscard]] std::string text_with_terms() const;
  /// As it reads in general: simplified, with its terms. Worked out once.
  [[nodiscard]] const std::string& general_text() const;

 private:
  std::shared_ptr<const Node> node_;
};

/// A text worked out once, whichever thread asks first. A copy begins anew.
class TextMemo {
 public:
  TextMemo() = default;
  TextMemo(const TextMemo&) {}
  TextMemo& operator=(const TextMemo&) { return *this; }
  ~TextMemo() { delete text_.load(); }

  template <typename Make>
  const std::string& get(Make make) const {
    if (const auto* known = text_.load()) return *known;
    auto fresh = std::make_unique<const std::string>(make());
    const std::string* expected = nullptr;
    if (text_.compare_exchange_strong(expected, fresh.get())) return *fresh.release();
    return *expected;
  }

 private:
  mutable std::atomic<const std::string*> text_ = nullptr;
};

struct Expr::Node {
  Operation operation = Operation::kNumber;
  double number = 0;
  std::string name = {};
  std::vector<Expr> args = {};
  std::string why = {};  ///< of a term: what it is, in a few words
  TextMemo memo = {};
  bool explains = false;  ///< a term whose definition says where a constant comes from
  /// Of the tree, set when the node becomes an expression. Expressions share nodes, so that a tree
  /// may be far larger than what is stored; from 2^32 - 1 nodes on it is that number.
  std::uint32_t nodes = 1;
  std::uint32_t depth = 1;
};

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
Expr operator%(const Expr& a, const Expr& b);
Expr operator<(const Expr& a, const Expr& b);
Expr operator<=(const Expr& a, const Expr& b);
Expr operator>(const Expr& a, const Expr& b);
Expr operator>=(const Expr& a, const Expr& b);
Expr equal(const Expr& a, const Expr& b);
Expr differ(const Expr& a, const Expr& b);
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr gcd(const Expr& a, const Expr& b);
Expr ceil(const Expr& a);
Expr floor(const Expr& a);
/// `taken` where `condition` is not 0, else `otherwise`; an undefined branch not taken does no
/// harm.
Expr choose(const Expr& condition, const Expr& taken, const Expr& otherwise);

/// Units of `unit` bytes that `count` ranges touch, each by itself: range i is the `span` bytes
/// from byte first + i * pitch. All are whole numbers below 2^30, none negative.
///   sum over i of floor((first + i pitch + span - 1) / unit) - floor((first + i pitch) / unit) + 1
/// Evaluated in logarithmic time (Graham, Knuth, Patashnik: Concrete Mathematics, section 3.5).
Expr units_of_ranges(const Expr& count, const Expr& pitch, const Expr& first, const Expr& span,
                     const Expr& unit);

/// A sub-term with a name of its own; `why` says in a few words what it is.
Expr term(std::string name, const Expr& definition, std::string why);
/// A function of the field, printed as `name(args)`; `definition` is its closed form.
Expr function(std::string name, const std::vector<Expr>& args, const Expr& definition,
              std::string why);
/// A constant that says where it comes from: printed by its name, its definition as written.
Expr constant(std::string name, const Expr& definition, std::string why);

/// The definition that a term or function of the field stands for.
struct Definition {
  std::string name;  ///< with its arguments, as printed
  Expr body;
  std::string why;
};
/// Of all terms that the expression's text names, in that order, then of those in them.
[[nodiscard]] std::vector<Definition> definitions_of(const Expr& expression);

/// The expression in at most `most` lines of `width` columns: opened where one line holds it, else
/// with its terms and as many of their definitions as fit. Empty where not even the bare expression
/// does.
[[nodiscard]] std::vector<std::string> lines_of(const Expr& expression, std::size_t width,
                                                std::size_t most);

/// Whether both are the same tree.
[[nodiscard]] bool same(const Expr& a, const Expr& b);

/// For formulas on slides: TeX mathematics without the dollars.
[[nodiscard]] std::string latex(const Expr& expression);
/// A `<math>` element of MathML, which browsers draw.
[[nodiscard]] std::string mathml(const Expr& expression);

/// One operation on values, `arity` of them; NaN says "not defined there".
[[nodiscard]] double apply(Operation operation, const double* arguments);

}  // namespace lab
