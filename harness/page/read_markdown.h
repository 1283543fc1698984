// Markdown of ours read into parts of a page: handouts and lessons.
#pragma once

#include <string_view>
#include <vector>

#include "harness/page/page.h"

namespace lab::page {

/// A line's words: what was marked as strong, as emphasis or as code has a tone, links are their
/// words alone.
[[nodiscard]] std::vector<Words> read_words(std::string_view text);

/// The first paragraph below the title; where it ends in a colon, with the indented lines that it
/// leads to.
[[nodiscard]] Page first_paragraph(std::string_view markdown);

}  // namespace lab::page
