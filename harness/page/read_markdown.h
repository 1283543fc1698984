// Markdown of ours read into a page: handouts and lessons. They use headings, paragraphs, lists,
// tables, indented code, and in their words **bold**, *emphasis*, `code` and [links](target).
#pragma once

#include <string_view>
#include <vector>

#include "harness/page/page.h"

namespace lab::page {

/// A line's words: what was marked as strong, as emphasis or as code has a tone, links are their
/// words alone.
[[nodiscard]] std::vector<Words> read_words(std::string_view text);

/// The whole text, with none of the marks left.
[[nodiscard]] Page read_markdown(std::string_view markdown);

/// The first paragraph below the title; where it ends in a colon, with the indented lines that it
/// leads to.
[[nodiscard]] Page first_paragraph(std::string_view markdown);

}  // namespace lab::page
