// Files that are built into the page.
#pragma once

#include <string_view>

namespace lab::report {

[[nodiscard]] std::string_view style_css();
[[nodiscard]] std::string_view charts_js();
/// Chart.js (MIT licence, its notice included).
[[nodiscard]] std::string_view chart_library();

}  // namespace lab::report
