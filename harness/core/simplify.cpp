// Formulas made shorter without a change of value: fractions folded, like terms collected.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "harness/core/expression.h"

namespace lab {
namespace {

using enum Operation;

// A ratio of whole numbers in lowest terms, the lower one positive.
struct Fraction {
  std::int64_t up = 1;
  std::int64_t down = 1;
};

Fraction reduced(std::int64_t up, std::int64_t down) {
  const auto common = std::max<std::int64_t>(1, std::gcd(up, down));
  return {up / common, down / common};
}

// Counts of any lab's formulas stay far below 2^53: products of lowest terms fit.
Fraction times(const Fraction& a, const Fraction& b) {
  const auto x = reduced(a.up, b.down);
  const auto y = reduced(b.up, a.down);
  return {x.up * y.up, x.down * y.down};
}
Fraction plus(const Fraction& a, const Fraction& b) {
  return reduced(a.up * b.down + b.up * a.down, a.down * b.down);
}

struct Product {
  Fraction factor;
  std::vector<Expr> up = {};
  std::vector<Expr> down = {};
};

Expr rebuilt(const Expr& expression, std::vector<Expr> args) {
  auto node = expression.node();
  node.args = std::move(args);
  return Expr(std::move(node));
}

bool is_number(const Expr& e) { return e.operation() == kNumber; }
bool is_number(const Expr& e, double value) { return is_number(e) && e.node().number == value; }
bool is_comparison(const Expr& e) { return e.operation() >= kLess && e.operation() <= kNotEqual; }

bool is_whole_number(const Expr& e) {
  return is_number(e) && std::floor(e.node().number) == e.node().number &&
         std::fabs(e.node().number) < 0x1p53;
}

Product product_of(const Expr& e) {
  if (is_whole_number(e)) return {{static_cast<std::int64_t>(e.node().number), 1}};
  if (e.operation() != kMultiply && e.operation() != kDivide) return {{}, {e}};
  auto a = product_of(e.args()[0]);
  auto b = product_of(e.args()[1]);
  if (e.operation() == kDivide) {
    if (b.factor.up == 0) return {{}, {e}};
    if (b.factor.up < 0) b.factor = {-b.factor.up, -b.factor.down};
    b.factor = {b.factor.down, b.factor.up};
    std::swap(b.up, b.down);
  }
  a.factor = times(a.factor, b.factor);
  a.up.insert(a.up.end(), b.up.begin(), b.up.end());
  a.down.insert(a.down.end(), b.down.begin(), b.down.end());
  return a;
}

Expr number(std::int64_t value) { return {static_cast<double>(value)}; }

std::optional<Expr> joined(const std::vector<Expr>& factors, std::int64_t factor) {
  std::optional<Expr> all;
  if (factor != 1) all = number(factor);
  for (const auto& one : factors) all = all ? *all * one : one;
  return all;
}

Expr expr_of(const Product& product) {
  if (product.factor.up == 0) return 0;
  const auto up = joined(product.up, product.factor.up);
  const auto down = joined(product.down, product.factor.down);
  const Expr above = up.value_or(Expr(1));
  return down ? above / *down : above;
}

void cancel(Product& product) {
  for (auto i = product.up.begin(); i != product.up.end();) {
    const auto match = std::find_if(product.down.begin(), product.down.end(),
                                    [&](const Expr& other) { return same(*i, other); });
    if (match == product.down.end()) {
      ++i;
    } else {
      product.down.erase(match);
      i = product.up.erase(i);
    }
  }
}

bool is_permutation_of(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return a.size() == b.size() && std::is_permutation(a.begin(), a.end(), b.begin(), same);
}

// Whether both are products of the same factors, in whatever order.
bool alike(const Expr& a, const Expr& b) {
  const auto x = product_of(a);
  const auto y = product_of(b);
  return is_permutation_of(x.up, y.up) && is_permutation_of(x.down, y.down);
}

// One summand: a fraction times the rest, which is 1 for a constant.
struct Summand {
  Fraction factor;
  Expr rest;
};

Summand summand_of(const Expr& e) {
  auto product = product_of(e);
  const auto factor = product.factor;
  product.factor = {};
  return {factor, expr_of(product)};
}

void add_summands(const Expr& e, std::int64_t sign, std::vector<Summand>& sum) {
  if (e.operation() == kAdd || e.operation() == kSubtract) {
    add_summands(e.args()[0], sign, sum);
    add_summands(e.args()[1], e.operation() == kAdd ? sign : -sign, sum);
    return;
  }
  auto one = summand_of(e);
  one.factor.up *= sign;
  const auto like = std::find_if(sum.begin(), sum.end(),
                                 [&](const Summand& other) { return alike(other.rest, one.rest); });
  if (like == sum.end()) {
    sum.push_back(one);
  } else {
    like->factor = plus(like->factor, one.factor);
  }
}

std::vector<Summand> summands_of(const Expr& e) {
  std::vector<Summand> sum;
  add_summands(e, 1, sum);
  sum.erase(
      std::remove_if(sum.begin(), sum.end(), [](const Summand& s) { return s.factor.up == 0; }),
      sum.end());
  // Constants last; what is taken away after what is there.
  std::stable_partition(sum.begin(), sum.end(),
                        [](const Summand& s) { return !is_number(s.rest); });
  std::stable_partition(sum.begin(), sum.end(), [](const Summand& s) { return s.factor.up > 0; });
  return sum;
}

Expr expr_of(const Summand& summand) {
  auto product = product_of(summand.rest);
  product.factor = times(product.factor, summand.factor);
  return expr_of(product);
}

Expr expr_of(const std::vector<Summand>& sum) {
  std::optional<Expr> all;
  for (auto one : sum) {
    const bool less = one.factor.up < 0 && all;
    if (less) one.factor.up = -one.factor.up;
    const auto e = expr_of(one);
    all = !all ? e : less ? *all - e : *all + e;
  }
  return all.value_or(Expr(0));
}

// (8 a + 16) / 8 is a + 2: a factor that all summands have goes to the product's own.
void pull_common_factor(Product& product) {
  if (product.factor.down == 1) return;
  for (auto& factor : product.up) {
    if (factor.operation() != kAdd && factor.operation() != kSubtract) continue;
    auto sum = summands_of(factor);
    std::int64_t common = product.factor.down;
    for (const auto& one : sum) common = one.factor.down == 1 ? std::gcd(common, one.factor.up) : 1;
    if (common <= 1) continue;
    for (auto& one : sum) one.factor.up /= common;
    factor = expr_of(sum);
    product.factor = times(product.factor, {common, 1});
  }
}

bool is_whole(const Expr& e) {
  switch (e.operation()) {
    case kNumber:
      return is_whole_number(e);
    case kDivide:
      return false;
    case kTerm:
      return is_whole(e.args().front());
    case kIf:
      return is_whole(e.args()[1]) && is_whole(e.args()[2]);
    case kAdd:
    case kSubtract:
    case kMultiply:
    case kMin:
    case kMax:
      return is_whole(e.args()[0]) && is_whole(e.args()[1]);
    default:
      return true;  // names are parameters and counts
  }
}

bool is_never_negative(const Expr& e) {
  if (e.operation() == kNumber) return e.node().number >= 0;
  if (e.operation() == kSubtract) return false;
  if (e.operation() == kTerm) return is_never_negative(e.args().front());
  return std::all_of(e.args().begin(), e.args().end(), is_never_negative);
}

// if(c, a, b) / if(c, x, y) is if(c, a / x, b / y).
void join_branches(Product& product) {
  for (auto& up : product.up) {
    if (up.operation() != kIf) continue;
    const auto down =
        std::find_if(product.down.begin(), product.down.end(), [&](const Expr& other) {
          return other.operation() == kIf && same(other.args()[0], up.args()[0]);
        });
    if (down == product.down.end()) continue;
    const auto& over = down->args();
    up = choose(up.args()[0], up.args()[1] / over[1], up.args()[2] / over[2]).simplified();
    product.down.erase(down);
  }
}

Expr simplified_sum(const Expr& e) { return expr_of(summands_of(e)); }

Expr simplified_product(const Expr& e) {
  auto product = product_of(e);
  cancel(product);
  join_branches(product);
  pull_common_factor(product);
  // Once a common factor is pulled out, a product or a sum that is left may cancel.
  auto again = product_of(expr_of(product));
  cancel(again);
  return expr_of(again);
}

Expr simplified_modulo(const Expr& e) {
  const auto& modulus = e.args()[1];
  if (!is_whole_number(modulus) || modulus.node().number < 1) return e;
  if (is_number(modulus, 1)) return 0;
  const auto m = static_cast<std::int64_t>(modulus.node().number);
  // Multiples of the modulus make no difference, where nothing is taken away.
  auto sum = summands_of(e.args()[0]);
  if (!is_never_negative(e.args()[0])) return e;
  sum.erase(std::remove_if(sum.begin(), sum.end(),
                           [&](const Summand& s) {
                             return s.factor.down == 1 && s.factor.up % m == 0 && is_whole(s.rest);
                           }),
            sum.end());
  const auto rest = expr_of(sum);
  if (is_whole_number(rest)) return std::fmod(rest.node().number, modulus.node().number);
  return rest % modulus;
}

Expr simplified_extreme(const Expr& e) {
  const auto& a = e.args()[0];
  const auto& b = e.args()[1];
  if (same(a, b)) return a;
  if (e.operation() == kMax && is_number(a, 0) && is_never_negative(b)) return b;
  if (e.operation() == kMax && is_number(b, 0) && is_never_negative(a)) return a;
  return e;
}

Expr simplified_gcd(const Expr& e) {
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (is_number(e.args()[i], 1)) return 1;
    if (is_number(e.args()[i], 0)) return e.args()[1 - i];
  }
  return e;
}

Expr simplified_if(const Expr& e) {
  const auto& condition = e.args()[0];
  const auto& taken = e.args()[1];
  const auto& otherwise = e.args()[2];
  if (is_number(condition)) return condition.node().number != 0 ? taken : otherwise;
  if (same(taken, otherwise)) return taken;
  if (is_comparison(condition) && is_number(taken, 1) && is_number(otherwise, 0)) return condition;
  return e;
}

Expr simplified_comparison(const Expr& e) {
  const auto& a = e.args()[0];
  const auto& b = e.args()[1];
  if (same(a, b)) {
    return e.operation() == kLessEqual || e.operation() == kGreaterEqual || e.operation() == kEqual
               ? 1
               : 0;
  }
  if (e.operation() == kGreaterEqual && is_number(b, 0) && is_never_negative(a)) return 1;
  if (e.operation() == kGreaterEqual && is_number(a, 0) && is_never_negative(b)) {
    return equal(b, a);
  }
  return e;
}

Expr simplified_node(const Expr& e) {
  switch (e.operation()) {
    case kAdd:
    case kSubtract:
      return simplified_sum(e);
    case kMultiply:
    case kDivide:
      return simplified_product(e);
    case kModulo:
      return simplified_modulo(e);
    case kMin:
    case kMax:
      return simplified_extreme(e);
    case kGcd:
      return simplified_gcd(e);
    case kCeil:
    case kFloor:
      return is_whole(e.args()[0]) ? e.args()[0] : e;
    case kIf:
      return simplified_if(e);
    default:
      return is_comparison(e) ? simplified_comparison(e) : e;
  }
}

bool is_folded_as_fraction(Operation operation) {
  return operation == kAdd || operation == kSubtract || operation == kMultiply ||
         operation == kDivide;
}

// Functions of constants alone.
std::optional<Expr> folded(const Expr& e) {
  if (is_folded_as_fraction(e.operation())) return {};
  double values[5] = {};
  for (std::size_t i = 0; i < e.args().size(); ++i) {
    const auto product = product_of(e.args()[i]);
    if (!product.up.empty() || !product.down.empty()) return {};
    values[i] = static_cast<double>(product.factor.up) / static_cast<double>(product.factor.down);
  }
  const double value = apply(e.operation(), values);
  if (!std::isfinite(value) || std::floor(value) != value) return {};
  return Expr(value);
}

}  // namespace

Expr Expr::simplified() const {
  if (operation() == kNumber || operation() == kName || node().explains) return *this;
  std::vector<Expr> parts;
  for (const auto& arg : args()) parts.push_back(arg.simplified());
  const auto e = rebuilt(*this, std::move(parts));
  if (operation() == kTerm) {
    const auto& body = e.args().front();
    return is_number(body) || body.operation() == kName ? body : e;
  }
  if (const auto constant = folded(e)) return *constant;
  return simplified_node(e);
}

}  // namespace lab
