// Numbers as people read them: thousands apart, no more digits than say something. Terminal and
// report have these; JSON, CSV and SQL have number_text.
#pragma once

#include <string>

namespace lab {

/// 12,288; six significant digits where it is not whole, 4.70667, and whole where six do not reach
/// its point: 1,234,568.
[[nodiscard]] std::string grouped_text(double value);
/// The same with three significant digits, 4.71, 0.333; whole from 100 on.
[[nodiscard]] std::string brief_text(double value);

}  // namespace lab
