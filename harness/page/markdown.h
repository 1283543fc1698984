// A page as Markdown (GitHub's, with its tables).
#pragma once

#include <string>
#include <string_view>

#include "harness/page/page.h"

namespace lab::page {

/// `text` of others within a paragraph of Markdown: it stays text, on one line.
[[nodiscard]] std::string plain(std::string_view text);

/// `text` as a block of code, whatever it holds.
[[nodiscard]] std::string as_code(std::string_view text);

/// The whole page: Markdown has room for every rank.
[[nodiscard]] std::string markdown_of(const Page& page);

}  // namespace lab::page
