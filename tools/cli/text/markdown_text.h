// Handouts on a terminal. Of Markdown what they use: headings, paragraphs, lists, tables, indented
// code, and in their words **bold**, *emphasis*, `code` and [links](target).
#pragma once

#include <string>
#include <string_view>

#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// The text laid out for the terminal's width, with none of the marks left.
[[nodiscard]] std::string markdown_text(std::string_view markdown, const Terminal& terminal);

}  // namespace lab::cli
