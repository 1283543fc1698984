// Prints a page in the terminal.
#pragma once

#include <string>

#include "harness/page/page.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// The page's blocks, one below the other, as wide as the terminal. What others wrote is made safe
/// here. A page of more than `most` lines loses blank lines; 0: it may have any number.
[[nodiscard]] std::string page_text(const page::Page& page, const Terminal& terminal, int most = 0);

/// The same below text that has another printer still.
[[nodiscard]] std::string text_below(const page::Page& page, const Terminal& terminal);

/// Parts of pages that have other printers still: a heading with an empty line below it, a remark.
[[nodiscard]] std::string heading_text(const page::Heading& heading, const Terminal& terminal);
[[nodiscard]] std::string remark_text(const page::Remark& remark, const Terminal& terminal);

}  // namespace lab::cli
