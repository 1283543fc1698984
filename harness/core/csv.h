// Comma-separated text (RFC 4180), also with semicolons or tabs, as spreadsheets save it. By hand:
// a stray quote may not swallow the rest of a file, and an error names the line of a row.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// One row, with the line of the text that it begins on, from 1.
struct CsvRow {
  int line = 0;
  std::vector<std::string> cells;
};

/// Text as UTF-8 with no byte order mark: PowerShell's `>` writes UTF-16, as some editors do.
[[nodiscard]] std::string as_utf8(std::string_view bytes);

/// Reads rows one by one from a text that must outlive it.
class CsvReader {
 public:
  CsvReader(std::string_view text, char separator) : text_(text), separator_(separator) {}

  /// The next row; empty at the end. A quote that is never closed ends with its line, so that one
  /// stray quote does not swallow the rest of the text. Other quoted cells may hold line ends.
  [[nodiscard]] std::optional<CsvRow> next();

 private:
  [[nodiscard]] std::string cell();
  [[nodiscard]] std::string quoted_cell();
  [[nodiscard]] bool at_line_end() const;
  void skip_line_end();

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace lab
