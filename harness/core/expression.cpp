#include "harness/core/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

bool whole(double x) { return std::floor(x) == x && std::fabs(x) < 0x1p53; }

double modulo(double a, double b) {
  return b == 0 || !whole(a) || !whole(b) ? kUndefined : std::fmod(a, b);
}

double gcd_of(double a, double b) {
  if (!whole(a) || !whole(b)) return kUndefined;
  return static_cast<double>(std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
}

// Sum of floor((a i + b) / m) for i from 0 to n - 1, by the Euclidean algorithm on (a, m).
std::int64_t floor_sum(std::int64_t n, std::int64_t m, std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  while (n > 0) {
    sum += a / m * (n * (n - 1) / 2) + b / m * n;
    a %= m;
    b %= m;
    const std::int64_t highest = a * n + b;
    n = highest / m;
    b = highest % m;
    std::swap(a, m);
  }
  return sum;
}

double units(const double* arguments) {
  for (int i = 0; i < 5; ++i) {
    if (!whole(arguments[i]) || arguments[i] < 0) return kUndefined;
  }
  const auto at = [&](int i) { return static_cast<std::int64_t>(arguments[i]); };
  const auto count = at(0);
  const auto unit = at(4);
  if (count == 0) return 0;
  // Sums of products of such numbers stay below 2^63.
  if (unit == 0 || at(3) == 0 || std::max({count, at(3), unit}) >= std::int64_t{1} << 30) {
    return kUndefined;
  }
  const auto pitch = at(1) % unit;
  const auto first = at(2) % unit;
  const auto last = first + at(3) - 1;
  return static_cast<double>(floor_sum(count, unit, pitch, last) -
                             floor_sum(count, unit, pitch, first) + count);
}

Expr make(Operation operation, std::vector<Expr> args) {
  Expr::Node node;
  node.operation = operation;
  node.args = std::move(args);
  return Expr(std::move(node));
}

Expr make_term(std::string name, const Expr& definition, const std::vector<Expr>& args,
               std::string why, bool explains) {
  Expr::Node node;
  node.operation = Operation::kTerm;
  node.name = std::move(name);
  node.args = {definition};
  node.args.insert(node.args.end(), args.begin(), args.end());
  node.why = std::move(why);
  node.explains = explains;
  return Expr(std::move(node));
}

double value_of(const Expr& expression, const FormulaNames& names) {
  const auto& node = expression.node();
  switch (node.operation) {
    case Operation::kNumber:
      return node.number;
    case Operation::kName: {
      const auto at = names.find(node.name);
      if (at != names.end()) return at->second;
      std::vector<std::string> known;
      for (const auto& [name, value] : names) known.push_back(name);
      throw input_error(fmt::format("formula: unknown name '{}'", node.name),
                        suggestion(node.name, known));
    }
    case Operation::kTerm:
      return value_of(node.args.front(), names);
    default: {
      double values[5] = {};
      for (std::size_t i = 0; i < node.args.size(); ++i) {
        values[i] = value_of(node.args[i], names);
      }
      return apply(node.operation, values);
    }
  }
}

void collect_names(const Expr& expression, std::set<std::string>& names) {
  const auto& node = expression.node();
  if (node.operation == Operation::kName) names.insert(node.name);
  for (const auto& arg : node.args) collect_names(arg, names);
}

}  // namespace

double apply(Operation operation, const double* a) {
  switch (operation) {
    case Operation::kAdd:
      return a[0] + a[1];
    case Operation::kSubtract:
      return a[0] - a[1];
    case Operation::kMultiply:
      return a[0] * a[1];
    case Operation::kDivide:
      return a[1] == 0 ? kUndefined : a[0] / a[1];
    case Operation::kModulo:
      return modulo(a[0], a[1]);
    case Operation::kLess:
      return a[0] < a[1] ? 1 : 0;
    case Operation::kLessEqual:
      return a[0] <= a[1] ? 1 : 0;
    case Operation::kGreater:
      return a[0] > a[1] ? 1 : 0;
    case Operation::kGreaterEqual:
      return a[0] >= a[1] ? 1 : 0;
    case Operation::kEqual:
      return a[0] == a[1] ? 1 : 0;
    case Operation::kNotEqual:
      return a[0] != a[1] ? 1 : 0;
    case Operation::kMin:
      return std::min(a[0], a[1]);
    case Operation::kMax:
      return std::max(a[0], a[1]);
    case Operation::kGcd:
      return gcd_of(a[0], a[1]);
    case Operation::kCeil:
      return std::ceil(a[0]);
    case Operation::kFloor:
      return std::floor(a[0]);
    case Operation::kIf:
      return a[0] != 0 ? a[1] : a[2];
    case Operation::kUnits:
      return units(a);
    case Operation::kNumber:
    case Operation::kName:
    case Operation::kTerm:
      break;
  }
  return a[0];
}

Expr::Expr(Node node) {
  std::uint64_t nodes = 1;
  for (const Expr& arg : node.args) {
    nodes += arg.node().nodes;
    node.depth = std::max(node.depth, arg.node().depth + 1);
  }
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  node.nodes = static_cast<std::uint32_t>(std::min(nodes, kMost));
  node_ = std::make_shared<const Node>(std::move(node));
}

Expr::Expr(double number) {
  Node node;
  node.number = number;
  node_ = std::make_shared<const Node>(std::move(node));
}

Expr::Expr(std::string name) {
  Node node;
  node.operation = Operation::kName;
  node.name = std::move(name);
  node_ = std::make_shared<const Node>(std::move(node));
}

Operation Expr::operation() const { return node_->operation; }
const std::vector<Expr>& Expr::args() const { return node_->args; }

double Expr::value(const FormulaNames& names) const {
  const double value = value_of(*this, names);
  if (std::isfinite(value)) return value;
  throw input_error("formula: its value is not defined here: " + text(),
                    "it divides by zero, or takes % or gcd of a number that is not whole");
}

std::vector<std::string> Expr::names() const {
  std::set<std::string> names;
  collect_names(*this, names);
  return {names.begin(), names.end()};
}

Expr operator+(const Expr& a, const Expr& b) { return make(Operation::kAdd, {a, b}); }
Expr operator-(const Expr& a, const Expr& b) { return make(Operation::kSubtract, {a, b}); }
Expr operator*(const Expr& a, const Expr& b) { return make(Operation::kMultiply, {a, b}); }
Expr operator/(const Expr& a, const Expr& b) { return make(Operation::kDivide, {a, b}); }
Expr operator%(const Expr& a, const Expr& b) { return make(Operation::kModulo, {a, b}); }
Expr operator<(const Expr& a, const Expr& b) { return make(Operation::kLess, {a, b}); }
Expr operator<=(const Expr& a, const Expr& b) { return make(Operation::kLessEqual, {a, b}); }
Expr operator>(const Expr& a, const Expr& b) { return make(Operation::kGreater, {a, b}); }
Expr operator>=(const Expr& a, const Expr& b) { return make(Operation::kGreaterEqual, {a, b}); }
Expr equal(const Expr& a, const Expr& b) { return make(Operation::kEqual, {a, b}); }
Expr differ(const Expr& a, const Expr& b) { return make(Operation::kNotEqual, {a, b}); }
Expr min(const Expr& a, const Expr& b) { return make(Operation::kMin, {a, b}); }
Expr max(const Expr& a, const Expr& b) { return make(Operation::kMax, {a, b}); }
Expr gcd(const Expr& a, const Expr& b) { return make(Operation::kGcd, {a, b}); }
Expr ceil(const Expr& a) { return make(Operation::kCeil, {a}); }
Expr floor(const Expr& a) { return make(Operation::kFloor, {a}); }

Expr choose(const Expr& condition, const Expr& taken, const Expr& otherwise) {
  return make(Operation::kIf, {condition, taken, otherwise});
}

Expr units_of_ranges(const Expr& count, const Expr& pitch, const Expr& first, const Expr& span,
                     const Expr& unit) {
  return make(Operation::kUnits, {count, pitch, first, span, unit});
}

Expr term(std::string name, const Expr& definition, std::string why) {
  return make_term(std::move(name), definition, {}, std::move(why), false);
}

Expr function(std::string name, const std::vector<Expr>& args, const Expr& definition,
              std::string why) {
  return make_term(std::move(name), definition, args, std::move(why), false);
}

Expr constant(std::string name, const Expr& definition, std::string why) {
  return make_term(std::move(name), definition, {}, std::move(why), true);
}

bool same(const Expr& a, const Expr& b) {
  if (&a.node() == &b.node()) return true;
  const auto& x = a.node();
  const auto& y = b.node();
  if (x.operation != y.operation || x.number != y.number || x.name != y.name ||
      x.args.size() != y.args.size()) {
    return false;
  }
  return std::equal(x.args.begin(), x.args.end(), y.args.begin(), same);
}

}  // namespace lab
