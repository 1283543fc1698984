// A line of somebody's source, as a person reads it beside what is said of it.
#pragma once

#include <string>
#include <string_view>

namespace lab::cli {

/// `line` without the blanks at its ends, tabs within it as blanks, and safe to show.
[[nodiscard]] std::string source_line(std::string_view line);

}  // namespace lab::cli
