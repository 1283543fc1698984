// Text of others, wherever it is shown: widths, and what could act on a reader's screen made
// visible. This file alone decides what may be printed.
#pragma once

#include <string>
#include <string_view>

namespace lab {

/// Columns that `text` takes: combining marks none, East Asian wide characters two.
[[nodiscard]] int display_width(std::string_view text);

/// `text` with what could act on a terminal, an editor or a page made visible: control characters
/// (C0 and C1), bytes that are not UTF-8, invisible marks and those that change the direction of
/// writing become \x1b, \u202e, ... Line ends (LF, CR LF) and tabs stay: for whole messages.
[[nodiscard]] std::string safe_text(std::string_view text);
/// The same, with line ends and tabs made visible too: for names and table cells.
[[nodiscard]] std::string safe_line(std::string_view text);
/// A JSON document with the same characters written as its escapes, \u202e: a reader of JSON gets
/// the very strings, a terminal that shows the document none of them.
[[nodiscard]] std::string safe_json(std::string_view document);

}  // namespace lab
