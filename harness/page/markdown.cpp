#include "harness/page/markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/text.h"
#include "harness/core/unicode.h"
#include "harness/page/fields.h"
#include "harness/page/make.h"
#include "harness/page/numbers.h"

namespace lab::page {

namespace {

std::string spans(const std::vector<Words>& words) {
  std::string out;
  for (const Words& one : words) {
    const bool strong = one.tone == Tone::kStrong && !trim(one.text).empty();
    out += strong ? fmt::format("**{}**", plain(one.text)) : plain(one.text);
  }
  return out;
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + cell + " |";
  return out + "\n";
}

std::string cell_of(const Cell& cell) {
  const std::string text = plain(text_of(cell));
  const std::string& more = cell.missing.empty() ? cell.beside : cell.missing;
  return more.empty() ? text : fmt::format("{} ({})", text, plain(more));
}

std::string block_of(const Heading& heading) {
  std::string out = fmt::format("{} {}", std::string(static_cast<std::size_t>(heading.level), '#'),
                                plain(heading.words));
  for (const std::string& fact : heading.facts) out += ", " + plain(fact);
  return out + "\n";
}

std::string block_of(const Text& text) {
  const std::string mark = text.mark.empty() ? "*" : text.mark;
  const std::string indent(static_cast<std::size_t>(text.indent), ' ');
  return indent + (text.role == Role::kItem ? mark + " " : "") + spans(text.words) + "\n";
}

std::string block_of(const Table& of) {
  const Table table = whole(of);
  std::vector<std::string> titles;
  std::vector<std::string> rules;
  for (const Column& column : table.columns) {
    titles.push_back(
        plain(column.group.empty() ? column.title : column.group + " " + column.title));
    rules.emplace_back(column.right ? "---:" : "---");
  }
  std::string out = line_of(titles) + line_of(rules);
  for (const Row& row : table.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row.cells) cells.push_back(cell_of(cell));
    for (const Words& below : row.below) cells.back() += "<br>" + plain(below.text);
    out += line_of(cells);
  }
  return out;
}

std::string block_of(const Remark& remark) {
  const SourceLine& at = remark.at;
  const std::string place =
      at.number > 0 ? fmt::format("{}:{}", plain(at.file), at.number) : plain(remark.kernel);
  std::string out = "* ";
  if (!place.empty()) out += fmt::format("**{}** {} ", place, plain(at.text));
  if (!remark.of.empty()) out += plain(remark.of) + ": ";
  if (remark.kind == RemarkKind::kExpected) out += "expected: ";
  out += plain(remark.says);
  for (const std::string& more : {seen_text(remark), remark.cure}) {
    if (!more.empty()) out += " " + plain(more);
  }
  return out + "\n";
}

// Writes a diff, which names each place once.
std::string block_of(const Source& source) {
  std::string out;
  std::string before;
  for (const SourceLine& line : source.lines) {
    const std::string place = place_of(line);
    const bool changes = line.sign != Sign::kStays;
    if (changes && place != before) out += place + "\n";
    before = place;
    out += changes || place.empty() ? std::string(word_of(line.sign)) + " " : place + ": ";
    out += safe_line(trim(line.text)) + "\n";
  }
  return as_code(out);
}

std::string block_of(const Code& code) { return as_code(code.text); }

// Draws each row as a line of code.
std::string block_of(const Grid& grid) {
  std::string out = safe_line(grid.title) + "\n";
  for (const GridRow& row : grid.rows) {
    out += fmt::format("{:>8} ", safe_line(row.label));
    for (const Square& square : row.squares) out += fmt::format("{:>4}", text_of(square));
    out += "\n";
  }
  return as_code(out);
}

// A fence longer than any run of backticks in it.
std::string code_span(std::string_view text) {
  const std::string shown = safe_line(text);
  std::string fence = "`";
  while (shown.find(fence) != std::string::npos) fence += '`';
  const std::string_view gap = fence.size() > 1 ? " " : "";
  return fmt::format("{}{}{}{}{}", fence, gap, shown, gap, fence);
}

// The formula, what its terms are, and why it holds.
std::string block_of(const Formula& formula) {
  const auto text = [](const Expr& is) { return code_span(is.text_with_terms()); };
  const auto* stored = std::get_if<std::string>(&formula.is);
  std::string out = "* " + plain(formula.title);
  if (!formula.of.empty()) out += fmt::format(" ({})", plain(formula.of));
  out += " = " + (stored != nullptr ? code_span(*stored) : text(std::get<Expr>(formula.is)));
  if (formula.as_written) out += "; as written: " + text(*formula.as_written);
  if (formula.filled) {
    out += fmt::format("; {}{}{} = {}", plain(formula.at), formula.at.empty() ? "" : ": ",
                       code_span(formula.filled->text()), plain(formula.comes_to));
  }
  return out + (formula.why.empty() ? "" : ": " + plain(formula.why)) + "\n";
}

// A picture that text cannot draw is told.
std::string block_of(const Chart& chart) { return plain(chart.says) + "\n"; }

std::string block_of(const Fold& fold) {
  return fmt::format("### {}\n\n{}", plain(fold.name), markdown_of({fold.blocks}));
}

std::string block_of(const Steps& steps) {
  std::string out;
  for (const Step& step : steps.items) {
    out += fmt::format("* {}{}\n", plain(step.words),
                       step.command.empty() ? "" : ": " + code_span(step.command));
  }
  return out;
}

}  // namespace

std::string plain(std::string_view text) {
  std::string out;
  for (const char c : safe_text(text)) {
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
    } else if (c == '<') {
      out += "&lt;";
    } else {
      if (std::string_view("\\`*_[]|#").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

// Indented by four, text is code in Markdown, whatever it holds.
std::string as_code(std::string_view text) {
  std::string out;
  const std::string shown = safe_text(trim(text));
  for (const std::string_view line : split(shown, '\n')) out += fmt::format("    {}\n", line);
  return out;
}

std::string markdown_of(const Page& page) {
  std::string out;
  bool in_list = false;  // whose items stand below each other
  for (const Block& block : page.blocks) {
    const std::string text = std::visit([](const auto& is) { return block_of(is); }, block.is);
    const auto* words = std::get_if<Text>(&block.is);
    const bool item = text.starts_with("* ") || (words != nullptr && words->role == Role::kItem);
    if (!out.empty() && !(in_list && item)) out += '\n';
    in_list = item;
    out += text;
  }
  return out;
}

}  // namespace lab::page
