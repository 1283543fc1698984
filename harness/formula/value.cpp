#include "harness/formula/value.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"

namespace lab::language {
namespace {

using Combine = Expr (*)(const Expr&, const Expr&, const Expr&);

// Each part of two accesses by itself. A part that one of them lacks the whole lacks.
template <typename Both>
Access each_part(const Access& a, const Access& b, Both both) {
  Access out{both(a.requests, b.requests), both(a.sectors, b.sectors), both(a.bytes, b.bytes),
             std::nullopt, std::nullopt};
  if (a.lines && b.lines) out.lines = both(*a.lines, *b.lines);
  if (a.shared && b.shared) {
    out.shared = Access::Shared{both(a.shared->wavefronts, b.shared->wavefronts),
                                both(a.shared->least, b.shared->least), std::nullopt};
    if (a.shared->wavefronts_sass || b.shared->wavefronts_sass) {
      out.shared->wavefronts_sass = both(a.shared->wavefronts_sass.value_or(a.shared->wavefronts),
                                         b.shared->wavefronts_sass.value_or(b.shared->wavefronts));
    }
  }
  return out;
}

template <typename Both>
Region each_part(const Region& a, const Region& b, Both both) {
  return {both(a.sectors, b.sectors), both(a.blocks, b.blocks)};
}

template <typename Both>
Value both_of(const Value& a, const Value& b, std::string_view words, Both both) {
  if (a.index() != b.index()) {
    throw input_error(fmt::format("{} and {} are not {}", kind_of(a), kind_of(b), words));
  }
  if (const auto* access = std::get_if<Access>(&a)) {
    return each_part(*access, std::get<Access>(b), both);
  }
  if (const auto* region = std::get_if<Region>(&a)) {
    return each_part(*region, std::get<Region>(b), both);
  }
  return both(std::get<Expr>(a), std::get<Expr>(b));
}

}  // namespace

std::string_view kind_of(const Value& value) {
  constexpr std::string_view kKinds[] = {"a number", "an access", "a region"};
  return kKinds[value.index()];
}

Value add(const Value& a, const Value& b) {
  return both_of(a, b, "added", [](const Expr& x, const Expr& y) { return x + y; });
}

Value multiply(const Value& a, const Value& b) {
  if (!std::holds_alternative<Expr>(a)) {
    if (std::holds_alternative<Expr>(b)) return multiply(b, a);
    throw input_error(fmt::format("{} and {} are not multiplied", kind_of(a), kind_of(b)));
  }
  const Expr& times = std::get<Expr>(a);
  // The second operand is looked at alone.
  const auto each = [&](const Expr& x, const Expr&) { return times * x; };
  return both_of(b, b, "multiplied", each);
}

Value choose_value(const Expr& condition, const Value& taken, const Value& otherwise) {
  return both_of(taken, otherwise, "two ends of one 'if'", [&](const Expr& x, const Expr& y) {
    return same(x, y) ? x : choose(condition, x, y);
  });
}

Extent extent_of(const Value& value) {
  Extent extent;
  const auto look = [&](const Expr& formula) {
    extent.nodes = std::max(extent.nodes, formula.node().nodes);
    extent.depth = std::max(extent.depth, formula.node().depth);
  };
  if (const auto* number = std::get_if<Expr>(&value)) look(*number);
  if (const auto* region = std::get_if<Region>(&value)) {
    for (const Expr* part : {&region->sectors, &region->blocks}) look(*part);
  }
  const auto* access = std::get_if<Access>(&value);
  if (access == nullptr) return extent;
  for (const Expr* part : {&access->requests, &access->sectors, &access->bytes}) look(*part);
  if (access->lines) look(*access->lines);
  if (!access->shared) return extent;
  for (const Expr* part : {&access->shared->wavefronts, &access->shared->least}) look(*part);
  if (access->shared->wavefronts_sass) look(*access->shared->wavefronts_sass);
  return extent;
}

const Expr& number_of(const Value& value) {
  if (const auto* number = std::get_if<Expr>(&value)) return *number;
  throw input_error(fmt::format("{} is not a number", kind_of(value)),
                    "requests(...), sectors(...), lines(...), bytes(...) and blocks_of(...) are");
}

const Access& access_of(const Value& value) {
  if (const auto* access = std::get_if<Access>(&value)) return *access;
  throw input_error(fmt::format("{} is not an access", kind_of(value)),
                    "such as in_order(n, 4), or { requests = ..., sectors = ..., bytes = ... }");
}

Region run_of(const Expr& bytes) { return {ceil(bytes / 32), ceil(bytes / 64)}; }

Region region_of(const Value& value) {
  if (const auto* region = std::get_if<Region>(&value)) return *region;
  if (const auto* bytes = std::get_if<Expr>(&value)) return run_of(*bytes);
  throw input_error("an access is not a region", "such as run(4 * n), or a number of bytes");
}

bool is_condition(const Expr& expression) {
  const Operation operation = expression.operation();
  if (operation >= Operation::kLess && operation <= Operation::kNotEqual) return true;
  const auto& args = expression.args();
  if (operation == Operation::kTerm) return is_condition(args.front());
  return (operation == Operation::kMultiply || operation == Operation::kMax) &&
         std::all_of(args.begin(), args.end(), is_condition);
}

}  // namespace lab::language
