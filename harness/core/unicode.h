// Text of others, made fit for a terminal: widths, and what could act on it made visible.
#pragma once

#include <string>
#include <string_view>

namespace lab {

/// Columns that `text` takes: combining marks none, East Asian wide characters two.
[[nodiscard]] int display_width(std::string_view text);

/// `text` with what could act on a terminal made visible: control characters, bytes that are not
/// UTF-8 and marks that change the direction of writing become \x1b, \u202e, ... Line ends and tabs
/// stay: for whole messages.
[[nodiscard]] std::string safe_text(std::string_view text);
/// The same, with line ends and tabs made visible too: for names and table cells.
[[nodiscard]] std::string safe_line(std::string_view text);

}  // namespace lab
