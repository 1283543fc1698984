// How a page's numbers are written, wherever it is printed for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/page/page.h"

namespace lab::page {

/// `1 case`, `1,286 cases`; `many` where the plural is not `one` with an s.
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one,
                                  std::string_view many = {});

/// 16,384; 4.71; 63 %; 128..256 of an interval; its unit behind it.
[[nodiscard]] std::string text_of(const Number& number);

/// The same without its unit.
[[nodiscard]] std::string digits_of(const Number& number);

/// The cell's text or number; a dash where it has none. Text of others is raw still.
[[nodiscard]] std::string text_of(const Cell& cell);

/// `12`, `12+` where others are there, too, `.` where nobody is.
[[nodiscard]] std::string text_of(const Square& square);
/// `lane 4`, `lanes 0-3, 8`.
[[nodiscard]] std::string everybody_in(const GridRow& row, const Grid& grid);

/// `file:14`, `14` where the file is not named; empty where the line is not known.
[[nodiscard]] std::string place_of(const SourceLine& line);

/// `Seen 2,976 times; this is the first.`; empty if it was seen once.
[[nodiscard]] std::string seen_text(const Remark& remark);

}  // namespace lab::page
