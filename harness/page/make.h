// Blocks and cells as makers of pages need them most.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/page/page.h"

namespace lab::page {

/// Leaves out facts that are empty.
[[nodiscard]] Heading heading(int level, std::string words, std::vector<std::string> facts);
/// A block of one text in one tone.
[[nodiscard]] Block sentence(std::string text, Role role = Role::kResult, Tone tone = Tone::kPlain);
/// The same, with a blank line above it.
[[nodiscard]] Block paragraph(std::string text, Tone tone = Tone::kPlain);
/// A line that names what stands below it, with a blank line above.
[[nodiscard]] Block title(std::string text);

/// `title` and the first ten lines as items below it; nothing if there are none.
[[nodiscard]] std::vector<Block> list_of(std::string title, const std::vector<std::string>& lines);

/// A number, or a dash with its reason.
[[nodiscard]] Cell number_cell(const std::optional<double>& value, Digits digits = Digits::kExact,
                               std::string missing = {});
[[nodiscard]] Cell number_cell(double low, double high, Digits digits = Digits::kExact);

/// The table as it is where there is room for all of it.
[[nodiscard]] Table whole(const Table& table);
/// `sectors per request, read`: the column's name where it stands alone.
[[nodiscard]] std::string name_of(const Column& column);
/// Whether the column says of whom a row is.
[[nodiscard]] bool names_rows(const Table& table, std::size_t column);
/// Takes a column out.
void leave_out(Table& table, std::size_t column);

/// Adds the blocks of `more` to those of `page`.
void append(Page& page, Page more);
void append(std::vector<Block>& blocks, std::vector<Block> more);

}  // namespace lab::page
