#include "db/table_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/core/unicode.h"

namespace lab::db {
namespace {

constexpr double kLargestWhole = 9007199254740992;  // 2^53

// The shortest text that reads back as the same number.
std::string exact(double value) {
  if (std::isinf(value)) return value > 0 ? "1e999" : "-1e999";
  char buffer[32];
  const bool whole = std::abs(value) <= kLargestWhole && value == std::floor(value);
  const auto end =
      whole ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(value))
            : std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end.ptr};
}

std::string hex(const Blob& blob) {
  std::string out;
  for (const char c : blob.bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

// A text of the database must not move the cursor, colour the terminal or turn its line around.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : safe_text(text)) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out;
}

struct ForPeople {
  std::string operator()(std::monostate) const { return "-"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return number_text(value); }
  std::string operator()(const std::string& text) const { return printable(text); }
  std::string operator()(const Blob& blob) const { return "x'" + hex(blob) + "'"; }
};

bool is_number(const Value& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

std::size_t width(std::string_view text) { return static_cast<std::size_t>(display_width(text)); }

struct Layout {
  std::vector<std::size_t> widths;
  std::vector<bool> right;  ///< columns with numbers and nothing else
};

Layout layout_of(const Table& table, const std::vector<std::vector<std::string>>& cells) {
  Layout layout;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t widest = width(printable(table.columns[c]));
    bool numbers = false;
    bool others = false;
    for (std::size_t r = 0; r < cells.size(); ++r) {
      widest = std::max(widest, width(cells[r][c]));
      const Value& value = table.rows[r][c];
      numbers |= is_number(value);
      others |= !is_number(value) && !std::holds_alternative<std::monostate>(value);
    }
    layout.widths.push_back(widest);
    layout.right.push_back(numbers && !others);
  }
  return layout;
}

void append_line(std::string& out, const std::vector<std::string>& cells, const Layout& layout) {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::string padding(layout.widths[c] - width(cells[c]), ' ');
    if (c != 0) line += "  ";
    line += layout.right[c] ? padding + cells[c] : cells[c] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

// A spreadsheet would run it. What has apostrophes before it gets one more, so that no two texts
// become one.
bool is_formula(const std::string& text) {
  const std::size_t first = text.find_first_not_of('\'');
  return first != std::string::npos &&
         std::string_view("=+-@\t\r").find(text[first]) != std::string_view::npos;
}

// Texts of others, so that neither a spreadsheet nor a terminal acts on them.
std::string guarded(const std::string& text) {
  return safe_text(is_formula(text) ? "'" + text : text);
}

enum class Quotes : std::uint8_t { kWhereNeeded, kAlways };

std::string csv_field(const std::string& text, Quotes quotes = Quotes::kWhereNeeded) {
  if (quotes == Quotes::kWhereNeeded && text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string out = "\"";
  for (const char c : text) {
    out += c;
    if (c == '"') out += '"';
  }
  return out + '"';
}

struct ForCsv {
  const FormatOptions& options;
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return exact(value); }
  std::string operator()(const std::string& text) const {
    return csv_field(options.guard ? guarded(text) : text,
                     text.empty() ? Quotes::kAlways : Quotes::kWhereNeeded);
  }
  std::string operator()(const Blob& blob) const { return hex(blob); }
};

struct ForJson {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return exact(value); }
  std::string operator()(const std::string& text) const { return json_quote(text); }
  std::string operator()(const Blob& blob) const { return json_quote(hex(blob)); }
};

std::vector<std::string> unique_keys(const std::vector<std::string>& columns) {
  std::vector<std::string> keys;
  std::set<std::string> taken(columns.begin(), columns.end());
  std::set<std::string> used;
  for (const std::string& column : columns) {
    std::string key = column;
    for (int n = 2; used.count(key) != 0; ++n) {
      const std::string next = fmt::format("{}_{}", column, n);
      if (taken.count(next) == 0) key = next;
    }
    used.insert(key);
    taken.insert(key);
    keys.push_back(json_quote(key));
  }
  return keys;
}

}  // namespace

Format format_from(std::string_view name) {
  static const std::vector<std::string> kNames = {"table", "csv", "json"};
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    throw input_error(fmt::format("unknown format '{}'", name), suggestion(name, kNames));
  }
  return static_cast<Format>(found - kNames.begin());
}

std::string as_table(const Table& table) {
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : table.rows) {
    std::vector<std::string>& line = cells.emplace_back();
    for (const Value& value : row) line.push_back(std::visit(ForPeople{}, value));
  }
  const Layout layout = layout_of(table, cells);
  std::vector<std::string> header;
  std::vector<std::string> rule;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    header.push_back(printable(table.columns[c]));
    rule.emplace_back(layout.widths[c], '-');
  }
  std::string out;
  append_line(out, header, layout);
  append_line(out, rule, layout);
  for (const auto& line : cells) append_line(out, line, layout);
  return out;
}

std::string as_csv(const Table& table, const FormatOptions& options) {
  std::string out;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c];
    out += (c == 0 ? "" : ",") + csv_field(options.guard ? guarded(name) : name);
  }
  out += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      out += (c == 0 ? "" : ",") + std::visit(ForCsv{options}, row[c]);
    }
    out += '\n';
  }
  return out;
}

std::string as_json(const Table& table) {
  const std::vector<std::string> keys = unique_keys(table.columns);
  std::string out = "[";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    out += r == 0 ? "\n{" : ",\n{";
    for (std::size_t c = 0; c < keys.size(); ++c) {
      out += (c == 0 ? "" : ", ") + keys[c] + ": " + std::visit(ForJson{}, table.rows[r][c]);
    }
    out += '}';
  }
  return safe_json(out + (table.rows.empty() ? "]\n" : "\n]\n"));
}

std::string as_text(const Table& table, Format format, const FormatOptions& options) {
  switch (format) {
    case Format::kCsv:
      return as_csv(table, options);
    case Format::kJson:
      return as_json(table);
    case Format::kTable:
      break;
  }
  return as_table(table);
}

}  // namespace lab::db
