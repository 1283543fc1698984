#include "harness/model/semantics/directed.h"

#include <cmath>

#include "harness/model/semantics/exact.h"

namespace lab::model::semantics {
namespace {

using ptx::Round;

template <typename Host>
Host rounded(Round round, const Exact& value) noexcept {
  switch (round) {
    case Round::kRm:
      return round_to<Host, Round::kRm>(value);
    case Round::kRp:
      return round_to<Host, Round::kRp>(value);
    default:
      return round_to<Host, Round::kRz>(value);
  }
}

// Where an operand is infinite or NaN, or a divisor is zero, the host's result is exact or NaN.
template <typename Host>
Host add(Round round, Host a, Host b) noexcept {
  if (!std::isfinite(a) || !std::isfinite(b)) return a + b;
  return rounded<Host>(round, sum(exact(a), exact(b), round == Round::kRm));
}
template <typename Host>
Host mul(Round round, Host a, Host b) noexcept {
  if (!std::isfinite(a) || !std::isfinite(b)) return a * b;
  return rounded<Host>(round, multiply(exact(a), exact(b)));
}
template <typename Host>
Host fma(Round round, Host a, Host b, Host c) noexcept {
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) return std::fma(a, b, c);
  const Exact product = multiply(exact(a), exact(b));
  return rounded<Host>(round, sum(product, exact(c), round == Round::kRm));
}
template <typename Host>
Host div(Round round, Host a, Host b) noexcept {
  if (!std::isfinite(a) || !std::isfinite(b) || a == Host{0} || b == Host{0}) return a / b;
  return rounded<Host>(round, divide(exact(a), exact(b)));
}
template <typename Host>
Host sqrt(Round round, Host a) noexcept {
  if (!std::isfinite(a) || a <= Host{0}) return std::sqrt(a);
  return rounded<Host>(round, square_root(exact(a)));
}

}  // namespace

float add_directed(Round round, float a, float b) noexcept { return add(round, a, b); }
double add_directed(Round round, double a, double b) noexcept { return add(round, a, b); }
float mul_directed(Round round, float a, float b) noexcept { return mul(round, a, b); }
double mul_directed(Round round, double a, double b) noexcept { return mul(round, a, b); }
float fma_directed(Round round, float a, float b, float c) noexcept { return fma(round, a, b, c); }
double fma_directed(Round round, double a, double b, double c) noexcept {
  return fma(round, a, b, c);
}
float div_directed(Round round, float a, float b) noexcept { return div(round, a, b); }
double div_directed(Round round, double a, double b) noexcept { return div(round, a, b); }
float sqrt_directed(Round round, float a) noexcept { return sqrt(round, a); }
double sqrt_directed(Round round, double a) noexcept { return sqrt(round, a); }

float integer_to_f32(Round round, std::uint64_t magnitude, bool negative) noexcept {
  return rounded<float>(round, exact_integer(magnitude, negative));
}
double integer_to_f64(Round round, std::uint64_t magnitude, bool negative) noexcept {
  return rounded<double>(round, exact_integer(magnitude, negative));
}

}  // namespace lab::model::semantics
