// A query's result, and its three texts: a table for people, CSV, JSON. By hand: numbers read back
// exactly (a JSON library writes an infinity as null), and texts are made safe for spreadsheets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lab::db {

struct Blob {
  std::string bytes;
  friend bool operator==(const Blob&, const Blob&) = default;
};

/// std::monostate is NULL: absent, never 0 or "".
using Value = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;  ///< each as long as `columns`
};

enum class Format : std::uint8_t { kTable, kCsv, kJson };

/// The format called `name` (table, csv, json); an input error with the nearest name otherwise.
[[nodiscard]] Format format_from(std::string_view name);

struct FormatOptions {
  /// CSV only: a text or a column's name that a spreadsheet would take for a formula (it begins
  /// with = + - @, tab or carriage return, after apostrophes or none) gets an apostrophe before it,
  /// and what safe_text() makes visible is made so. Numbers never change.
  bool guard = true;
};

/// Columns aligned, numbers to the right, NULL as `-`, control characters as \n or \x1b, blobs as
/// x'hex'; reals with six significant digits. Ends in a newline.
[[nodiscard]] std::string as_table(const Table& table);

/// RFC 4180, but lines end in LF alone, as shell tools expect: a header line, then a line for each
/// row; a field with comma, quote or line end is quoted.
/// NULL is an empty field and an empty text is "". Reals are written so that they read back
/// exactly; whole numbers up to 2^53 with no decimal point.
[[nodiscard]] std::string as_csv(const Table& table, const FormatOptions& options = {});

/// An array with one object per row, its keys in column order (a repeated column name gets _2, _3).
/// Numbers as in CSV, blobs as hex text, an infinity as 1e999. Ends in a newline.
[[nodiscard]] std::string as_json(const Table& table);

[[nodiscard]] std::string as_text(const Table& table, Format format,
                                  const FormatOptions& options = {});

}  // namespace lab::db
