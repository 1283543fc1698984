#include "harness/core/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/text.h"

namespace lab {

std::string grouped_text(double value) {
  constexpr double kSixDigits = 999999.5;  // from here on, six digits are written with an exponent
  const bool whole = value == std::floor(value);
  std::string text =
      number_text(!whole && std::fabs(value) >= kSixDigits ? std::round(value) : value);
  if (text.find_first_not_of("-0123456789.") != std::string::npos) return text;  // 1e+20
  const std::size_t first = text.front() == '-' ? 1 : 0;
  std::size_t at = std::min(text.find('.'), text.size());
  for (; at > first + 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string brief_text(double value) {
  constexpr double kThreeDigits = 100;
  if (value == std::floor(value)) return grouped_text(value);
  if (std::fabs(value) >= kThreeDigits) return grouped_text(std::round(value));
  return fmt::format("{:.3g}", value);
}

}  // namespace lab
