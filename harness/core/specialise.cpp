// A formula as it is at given points: what does not vary is put in, what is decided vanishes.
#include <algorithm>
#include <cmath>

#include "harness/core/error.h"
#include "harness/core/expression.h"

namespace lab {
namespace {

using enum Operation;

// An expression and its value at each point.
struct Seen {
  Expr expression;
  std::vector<double> values;
};

// The points that come to a place in the formula: a branch is not asked about others.
using Live = std::vector<bool>;

bool is_condition(Operation operation) { return operation >= kLess && operation <= kNotEqual; }
bool is_zero(const Expr& e) { return e.operation() == kNumber && e.node().number == 0; }

class Specialiser {
 public:
  explicit Specialiser(const std::vector<FormulaNames>& points) : points_(points) {
    // Where nothing varies all names would go, and with them what the formula says.
    keeps_names_ = std::all_of(points.begin(), points.end(),
                               [&](const FormulaNames& names) { return names == points.front(); });
  }

  [[nodiscard]] Expr of(const Expr& expression) const {
    return seen(expression, Live(points_.size(), true)).expression;
  }

 private:
  template <typename Test>
  static bool always(const Live& live, const Seen& seen, Test test) {
    for (std::size_t i = 0; i < live.size(); ++i) {
      if (live[i] && !test(seen.values[i])) return false;
    }
    return true;
  }
  static bool is_always(const Live& live, const Seen& seen, double value) {
    return always(live, seen, [value](double x) { return x == value; });
  }
  // For a always `order` b.
  template <typename Order>
  static bool always(const Live& live, const Seen& a, const Seen& b, Order order) {
    for (std::size_t i = 0; i < live.size(); ++i) {
      if (live[i] && !order(a.values[i], b.values[i])) return false;
    }
    return true;
  }

  [[nodiscard]] Seen number(double value) const {
    return {value, std::vector<double>(points_.size(), value)};
  }

  [[nodiscard]] Seen seen(const Expr& e, const Live& live) const {
    switch (e.operation()) {
      case kNumber:
        return number(e.node().number);
      case kName:
        return of_name(e);
      case kTerm:
        return of_term(e, live);
      case kIf:
        return of_if(e, live);
      case kUnits:
        return of_units(e, live);
      default:
        return of_operation(e, live);
    }
  }

  [[nodiscard]] Seen of_name(const Expr& e) const {
    Seen result{e, {}};
    for (const auto& names : points_) result.values.push_back(e.value(names));
    const bool varies = std::any_of(result.values.begin(), result.values.end(),
                                    [&](double v) { return v != result.values.front(); });
    if (!varies && !keeps_names_) result.expression = result.values.front();
    return result;
  }

  [[nodiscard]] Seen of_term(const Expr& e, const Live& live) const {
    auto node = e.node();
    if (node.explains) return {e, number(e.value({})).values};
    auto body = seen(node.args.front(), live);
    node.args.front() = body.expression;
    for (std::size_t i = 1; i < node.args.size(); ++i) {
      node.args[i] = seen(node.args[i], live).expression.simplified();
    }
    if (is_always(live, body, 0)) return number(0);
    return {Expr(std::move(node)), std::move(body.values)};
  }

  [[nodiscard]] Seen of_if(const Expr& e, const Live& live) const {
    const auto condition = seen(e.args()[0], live);
    if (always(live, condition, [](double x) { return x != 0; })) return seen(e.args()[1], live);
    if (is_always(live, condition, 0)) return seen(e.args()[2], live);
    Live then = live;
    Live otherwise = live;
    for (std::size_t i = 0; i < live.size(); ++i) {
      (condition.values[i] != 0 ? otherwise : then)[i] = false;
    }
    const auto a = seen(e.args()[1], then);
    const auto b = seen(e.args()[2], otherwise);
    Seen result{choose(condition.expression, a.expression, b.expression), {}};
    for (std::size_t i = 0; i < live.size(); ++i) {
      result.values.push_back(condition.values[i] != 0 ? a.values[i] : b.values[i]);
    }
    return is_always(live, result, 0) ? number(0) : result;
  }

  // Where all ranges begin alike each touches as many.
  [[nodiscard]] Seen of_units(const Expr& e, const Live& live) const {
    const auto& count = e.args()[0];
    const auto& first = e.args()[2];
    const auto& unit = e.args()[4];
    const bool alike = is_always(live, seen(e.args()[1] % unit, live), 0) ||
                       always(live, seen(count, live), [](double x) { return x <= 1; });
    if (!alike) return of_operation(e, live);
    if (is_always(live, seen(first % unit, live), 0)) {
      return seen(count * ceil(e.args()[3] / unit), live);
    }
    return seen(count * (floor((first % unit + e.args()[3] - 1) / unit) + 1), live);
  }

  [[nodiscard]] Seen of_operation(const Expr& e, const Live& live) const {
    std::vector<Seen> args;
    for (const auto& arg : e.args()) args.push_back(seen(arg, live));
    if (const auto* decided = decided_by(e.operation(), args, live)) return *decided;
    auto node = e.node();
    for (std::size_t i = 0; i < args.size(); ++i) node.args[i] = args[i].expression;
    Seen result{Expr(std::move(node)), {}};
    for (std::size_t point = 0; point < live.size(); ++point) {
      double values[5] = {};
      for (std::size_t i = 0; i < args.size(); ++i) values[i] = args[i].values[point];
      result.values.push_back(apply(e.operation(), values));
    }
    if (is_always(live, result, 0)) return number(0);
    if (is_condition(e.operation()) && is_always(live, result, 1)) return number(1);
    return result;
  }

  // The argument that is the result at all points; null where there is none.
  [[nodiscard]] static const Seen* decided_by(Operation operation, const std::vector<Seen>& args,
                                              const Live& live) {
    const auto is_less = [](double a, double b) { return a <= b; };
    switch (operation) {
      case kAdd:
        if (is_always(live, args[0], 0)) return &args[1];
        return is_always(live, args[1], 0) ? args.data() : nullptr;
      case kSubtract:
        return is_always(live, args[1], 0) ? args.data() : nullptr;
      case kMin:
        if (always(live, args[0], args[1], is_less)) return args.data();
        return always(live, args[1], args[0], is_less) ? &args[1] : nullptr;
      case kMax:
        if (always(live, args[0], args[1], is_less)) return &args[1];
        return always(live, args[1], args[0], is_less) ? args.data() : nullptr;
      case kFloor:
      case kCeil:
        return always(live, args[0], [](double x) { return std::floor(x) == x; }) ? args.data()
                                                                                  : nullptr;
      case kModulo:
        return always(live, args[0], args[1], [](double a, double b) { return a < b && a >= 0; })
                   ? args.data()
                   : nullptr;
      default:
        return nullptr;
    }
  }

  const std::vector<FormulaNames>& points_;
  bool keeps_names_ = false;
};

bool has_ranges(const Expr& e) {
  return e.operation() == kUnits || std::any_of(e.args().begin(), e.args().end(), has_ranges);
}

Expr rebuilt(const Expr& e, Expr (*change)(const Expr&)) {
  auto node = e.node();
  for (auto& arg : node.args) arg = change(arg);
  return Expr(std::move(node));
}

// A function of the field that has become simple arithmetic needs no name.
Expr with_simple_functions_opened(const Expr& e) {
  const bool is_function = e.operation() == kTerm && e.args().size() > 1;
  if (is_function && !has_ranges(e.args().front())) {
    return with_simple_functions_opened(e.args().front());
  }
  return e.args().empty() || e.node().explains ? e : rebuilt(e, with_simple_functions_opened);
}

Expr with_terms_opened(const Expr& e) {
  if (e.operation() == kTerm && e.args().size() == 1 && !e.node().explains) {
    return with_terms_opened(e.args().front());
  }
  return e.args().empty() || e.node().explains ? e : rebuilt(e, with_terms_opened);
}

// 1 or 0; the condition itself where a part of it is not defined.
Expr decided(const Expr& condition) {
  try {
    return condition.value({});
  } catch (const Error&) {
    return condition;
  }
}

}  // namespace

Expr Expr::specialised(const std::vector<FormulaNames>& points) const {
  if (points.empty()) return simplified();
  return with_simple_functions_opened(Specialiser(points).of(*this)).simplified();
}

Expr Expr::opened() const { return with_terms_opened(*this).simplified(); }

Expr Expr::with_values(const FormulaNames& names) const {
  if (operation() == kName) {
    const auto at = names.find(node().name);
    return at == names.end() ? *this : Expr(at->second);
  }
  if (node().explains) return value({});
  if (operation() == kTerm && args().size() == 1) return args().front().with_values(names);
  if (operation() == kIf) {
    const Expr condition = args()[0].with_values(names);
    if (condition.operation() == kNumber) {
      return args()[condition.node().number != 0 ? 1 : 2].with_values(names);
    }
  }
  auto node = this->node();
  for (auto& arg : node.args) arg = arg.with_values(names);
  Expr filled(std::move(node));
  if (is_condition(operation()) && filled.names().empty()) return decided(filled);
  if (operation() == kAdd && is_zero(filled.args()[1])) return filled.args()[0];
  return filled;
}

}  // namespace lab
