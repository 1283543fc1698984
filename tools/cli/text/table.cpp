#include "tools/cli/text/table.h"

#include <algorithm>

#include "harness/core/text.h"

namespace lab::cli {

namespace {

constexpr int kGap = 2;

using Widths = std::vector<int>;

/// Columns [first, last) below one heading.
struct Span {
  std::size_t first;
  std::size_t last;
  std::string group;
};

std::vector<Span> spans_of(const std::vector<Column>& columns) {
  std::vector<Span> spans;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& group = columns[i].group;
    if (!spans.empty() && !group.empty() && spans.back().group == group) {
      spans.back().last = i + 1;
    } else {
      spans.push_back({i, i + 1, group});
    }
  }
  return spans;
}

int sum(const Widths& widths, std::size_t first, std::size_t last) {
  int total = 0;
  for (std::size_t i = first; i < last; ++i) total += widths[i] + (i > first ? kGap : 0);
  return total;
}

// A heading may break after an underscore or at a space: metric names are long.
std::vector<std::string> heading_parts(const std::string& group) {
  std::vector<std::string> parts(1);
  for (const char c : group) {
    if (c != ' ') parts.back() += c;
    if (c == '_' || c == ' ') parts.emplace_back();
  }
  return parts;
}

std::vector<std::string> heading_lines(const std::string& group, int width) {
  std::vector<std::string> lines(1);
  for (const std::string& part : heading_parts(group)) {
    const bool joined = !lines.back().empty() && lines.back().back() != '_';
    const std::string longer = lines.back() + (joined ? " " : "") + part;
    if (lines.back().empty() || display_width(longer) <= width) {
      lines.back() = longer;
    } else {
      lines.push_back(part);
    }
  }
  return lines;
}

int heading_width(const std::string& group) {
  int width = 0;
  for (const std::string& part : heading_parts(group)) width = std::max(width, display_width(part));
  return width;
}

Widths natural_widths(const Table& table) {
  Widths widths;
  for (const Column& column : table.columns) {
    widths.push_back(std::max(column.least, display_width(column.title)));
  }
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i].text));
    }
  }
  // A heading wider than its columns widens the first of them.
  for (const Span& span : spans_of(table.columns)) {
    const int lacking = heading_width(span.group) - sum(widths, span.first, span.last);
    if (lacking > 0) widths[span.first] += lacking;
  }
  return widths;
}

int longest_word(std::string_view text) {
  int longest = 0;
  for (const std::string_view word : split(text, ' ')) {
    longest = std::max(longest, display_width(word));
  }
  return longest;
}

// Words stay whole.
Widths narrowest_widths(const Table& table) {
  Widths narrowest;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    int word = longest_word(table.columns[i].title);
    for (const auto& row : table.rows) {
      if (i < row.size()) word = std::max(word, longest_word(row[i].text));
    }
    narrowest.push_back(word);
  }
  return narrowest;
}

// Takes from the widest of the columns that may wrap, one column at a time.
void shrink(Widths& widths, const Table& table, int excess) {
  const std::vector<Column>& columns = table.columns;
  const Widths narrowest = narrowest_widths(table);
  for (; excess > 0; --excess) {
    int* widest = nullptr;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!columns[i].wraps || widths[i] <= narrowest[i]) continue;
      if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
    }
    if (widest == nullptr) return;
    --*widest;
  }
}

std::string spaces(int count) {
  return std::string(static_cast<std::size_t>(std::max(count, 0)), ' ');
}

std::string padded(const Cell& cell, int width, Align align, const Terminal& terminal) {
  const std::string fill = spaces(width - display_width(cell.text));
  const std::string text = toned(cell.text, cell.tone, terminal);
  return align == Align::kRight ? fill + text : text + fill;
}

void append_line(std::string& out, std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  out += line + '\n';
}

std::string repeated(std::string_view unit, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += unit;
  return out;
}

class Writer {
 public:
  Writer(const Table& table, const Terminal& terminal, int indent)
      : table_(table),
        terminal_(terminal),
        margin_(spaces(indent)),
        widths_(natural_widths(table)) {
    shrink(widths_, table, sum(widths_, 0, widths_.size()) + indent - terminal.width);
  }

  std::string text() const {
    std::string out = groups();
    std::vector<Cell> titles;
    for (const Column& column : table_.columns) titles.push_back({column.title, Tone::kStrong});
    const bool untitled = std::all_of(titles.begin(), titles.end(),
                                      [](const Cell& title) { return title.text.empty(); });
    if (!untitled) out += row(titles) + rule();
    for (std::size_t i = 0; i < table_.rows.size(); ++i) {
      out += row(table_.rows[i]);
      if (i < table_.below.size()) out += table_.below[i];
    }
    return out;
  }

 private:
  std::string groups() const {
    const std::vector<Span> spans = spans_of(table_.columns);
    const auto named = [](const Span& span) { return !span.group.empty(); };
    if (std::none_of(spans.begin(), spans.end(), named)) return {};
    std::vector<std::vector<std::string>> headings;
    std::size_t height = 0;
    for (const Span& span : spans) {
      headings.push_back(heading_lines(span.group, sum(widths_, span.first, span.last)));
      height = std::max(height, headings.back().size());
    }
    std::string out;
    for (std::size_t line = 0; line < height; ++line) {
      std::string text = margin_;
      for (std::size_t i = 0; i < spans.size(); ++i) {
        const std::size_t above = height - headings[i].size();  // headings stand on their titles
        const std::string part = line < above ? std::string() : headings[i][line - above];
        const int width = sum(widths_, spans[i].first, spans[i].last);
        text += padded({part, Tone::kStrong}, width, Align::kRight, terminal_) + spaces(kGap);
      }
      append_line(out, text);
    }
    return out;
  }

  std::string rule() const {
    std::string line = margin_;
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      line += repeated(terminal_.unicode ? "\u2500" : "-", widths_[i]) + spaces(kGap);
    }
    std::string out;
    append_line(out, line);
    return out;
  }

  std::string row(const std::vector<Cell>& cells) const {
    std::vector<std::vector<std::string>> parts;
    std::size_t height = 1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool wraps = table_.columns[i].wraps && display_width(cells[i].text) > widths_[i];
      parts.push_back(wraps ? wrapped(cells[i].text, widths_[i])
                            : std::vector<std::string>{cells[i].text});
      height = std::max(height, parts.back().size());
    }
    std::string out;
    for (std::size_t line = 0; line < height; ++line) {
      std::string text = margin_;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const Cell part{line < parts[i].size() ? parts[i][line] : std::string(), cells[i].tone};
        text += padded(part, widths_[i], table_.columns[i].align, terminal_) + spaces(kGap);
      }
      append_line(out, text);
    }
    return out;
  }

  const Table& table_;
  const Terminal& terminal_;
  std::string margin_;
  Widths widths_;
};

}  // namespace

int natural_width(const Table& table) {
  const Widths widths = natural_widths(table);
  return sum(widths, 0, widths.size());
}

int least_width(const Table& table) {
  Widths widths = natural_widths(table);
  shrink(widths, table, sum(widths, 0, widths.size()));
  return sum(widths, 0, widths.size());
}

std::string table_text(const Table& table, const Terminal& terminal, int indent) {
  return Writer(table, terminal, indent).text();
}

}  // namespace lab::cli
