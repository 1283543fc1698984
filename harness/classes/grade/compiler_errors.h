// A compiler's errors, cut to those that tell a student something.
#pragma once

#include <string>
#include <string_view>

namespace lab::grade {

/// The first errors, each with its line and the place it points at, and how many there are more.
/// What follows from them, warnings, and how a template came to be are left out: of half a megabyte
/// a screen is left. A text without an error that can be told from the rest is cut.
[[nodiscard]] std::string first_errors(std::string_view log);

}  // namespace lab::grade
