#include "tools/cli/text/page_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/core/text.h"
#include "harness/page/fields.h"
#include "harness/page/numbers.h"
#include "tools/cli/text/page_grid.h"
#include "tools/cli/text/page_table.h"
#include "tools/cli/text/source_line.h"

namespace lab::cli {

namespace {

constexpr int kFlushAt = 80;

/// Blanks before a text's first line, and besides before the others.
struct Margin {
  int first;
  int more;
};
Margin margin_of(page::Role role) {
  switch (role) {
    case page::Role::kResult:
      return {0, 0};
    case page::Role::kItem:
      return {kTableIndent, 2};
    case page::Role::kNote:
      return {kTableIndent, 0};
    case page::Role::kBeside:
      return {6, 0};
  }
  return {0, 0};
}

std::string blanks(int count) { return std::string(static_cast<std::size_t>(count), ' '); }

// The title with its facts flush at the right; where there is no room for both, below it.
std::string title_text(const page::Heading& heading, const Terminal& terminal) {
  const std::string left = safe_line(heading.words);
  std::string right;
  for (const std::string& fact : heading.facts)
    right += (right.empty() ? "" : ", ") + safe_line(fact);
  if (right.empty()) return toned(left, Tone::kStrong, terminal) + "\n";
  const int room = std::min(terminal.width, kFlushAt) - display_width(left + right);
  return toned(left, Tone::kStrong, terminal) + (room >= 2 ? blanks(room) : "\n  ") +
         toned(right, Tone::kDim, terminal) + "\n";
}

// The words, and each fact behind them as long as there is room in the line.
std::string block_text(const page::Heading& heading, const Terminal& terminal) {
  if (heading.level == 1) return title_text(heading, terminal);
  const std::string words = safe_line(heading.words);
  std::string out = toned(words, Tone::kStrong, terminal);
  int column = display_width(words);
  for (const std::string& fact : heading.facts) {
    const std::string part = safe_line(fact);
    if (part.empty()) continue;
    const bool fit = column + 2 + display_width(part) <= terminal.width;
    out += (fit ? "  " : "\n  ") + part;
    column = (fit ? column : 0) + 2 + display_width(part);
  }
  return out + "\n";
}

// Lines are broken without tones, which take no room, and then toned piece by piece.
std::string block_text(const page::Text& text, const Terminal& terminal) {
  const Margin margin = margin_of(text.role);
  std::string all;
  std::string tones;  // of each byte
  for (const page::Words& words : text.words) {
    all += safe_line(words.text);
    tones.resize(all.size(), static_cast<char>(words.tone));
  }
  std::string out;
  std::size_t at = 0;
  const int width = terminal.width - margin.first - margin.more;
  for (const std::string& line : wrapped(all, width)) {
    at = all.find(line, at);  // a line is a part of the text, whose spaces at breaks are left out
    out += blanks(margin.first + (out.empty() ? 0 : margin.more));
    for (std::size_t i = 0; i < line.size();) {
      std::size_t end = i;
      while (end < line.size() && tones[at + end] == tones[at + i]) ++end;
      out += toned(line.substr(i, end - i), static_cast<Tone>(tones[at + i]), terminal);
      i = end;
    }
    at += line.size();
    out += "\n";
  }
  return out;
}

std::string block_text(const page::Table& table, const Terminal& terminal) {
  return page_table(table, terminal);
}

// Lines that change stand below the name of their place, other lines behind it.
std::string block_text(const page::Source& source, const Terminal& terminal) {
  std::string out;
  std::string before;
  for (const page::SourceLine& line : source.lines) {
    const std::string place = safe_line(page::place_of(line));
    const std::string text = source_line(line.text);
    if (line.sign == page::Sign::kStays) {
      out += paragraph(place + (place.empty() ? "" : ": ") + text, terminal.width, 4);
    } else {
      if (place != before && !place.empty()) out += "  " + place + "\n";
      out += fmt::format("  {} {}\n", word_of(line.sign), text);
    }
    before = place;
  }
  return out;
}

std::string block_text(const page::Remark& remark, const Terminal& terminal) {
  std::string text;
  const std::string place = remark.at.number > 0
                                ? fmt::format("{}:{}", safe_line(remark.at.file), remark.at.number)
                                : safe_line(remark.kernel);
  if (!place.empty()) {
    const std::string source = source_line(remark.at.text);
    const std::string line = "  " + place + (source.empty() ? "" : "   " + source);
    text = toned(cut(line, terminal.width), Tone::kStrong, terminal) + "\n";
  }
  const std::string of = remark.of.empty() ? "" : safe_line(remark.of) + ": ";
  const std::string expected = remark.kind == page::RemarkKind::kExpected ? "expected: " : "";
  text += paragraph(of + expected + safe_line(remark.says), terminal.width, 4);
  const std::string seen = page::seen_text(remark);
  if (!seen.empty()) text += paragraph(seen, terminal.width, 4);
  return remark.cure.empty() ? text : text + paragraph(safe_line(remark.cure), terminal.width, 4);
}

// A line as it is; one that is too wide goes on below it, deeper.
std::string code_line(std::string_view line, const Terminal& terminal) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const int margin = kTableIndent + static_cast<int>(begin);
  const std::string text = safe_text(line.substr(begin));
  if (margin + display_width(text) <= terminal.width) return blanks(margin) + text + "\n";
  constexpr int kDeeper = 4;
  std::string out;
  for (const std::string& part : wrapped(text, terminal.width - margin - kDeeper)) {
    out += blanks(margin + (out.empty() ? 0 : kDeeper));
    out += part.substr(0, part.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string block_text(const page::Code& code, const Terminal& terminal) {
  std::string_view all = code.text;
  if (all.ends_with('\n')) all.remove_suffix(1);
  std::string out;
  for (const std::string_view line : split(all, '\n')) {
    out += line.empty() ? "\n" : code_line(line, terminal);
  }
  return out;
}

std::string block_text(const page::Grid& grid, const Terminal& terminal) {
  return page_grid(grid, terminal);
}

std::string block_text(const page::Steps& steps, const Terminal& terminal) {
  std::string line;
  for (const page::Step& step : steps.items) {
    line += (line.empty() ? "" : "   ") + safe_line(step.words);
    if (!step.command.empty()) line += ": " + safe_line(step.command);
  }
  return paragraph(line, terminal.width);
}

// The block whose blank line goes first, of the greatest rank and of equals the last.
std::size_t least_apart(const page::Page& page, const std::vector<std::string>& texts) {
  std::size_t least = texts.size();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i].starts_with('\n')) continue;
    if (least == texts.size() || page.blocks[i].rank >= page.blocks[least].rank) least = i;
  }
  return least;
}

}  // namespace

std::string page_text(const page::Page& page, const Terminal& terminal, int most) {
  std::vector<std::string> texts;
  std::ptrdiff_t lines = 0;
  for (const page::Block& block : page.blocks) {
    texts.push_back(std::visit([&](const auto& is) { return block_text(is, terminal); }, block.is));
    if (block.apart && texts.size() > 1) texts.back().insert(0, "\n");
    lines += std::count(texts.back().begin(), texts.back().end(), '\n');
  }
  for (; most > 0 && lines > most; --lines) {
    const std::size_t at = least_apart(page, texts);
    if (at == texts.size()) break;
    texts[at].erase(0, 1);
  }
  return fmt::format("{}", fmt::join(texts, ""));
}

std::string text_below(const page::Page& page, const Terminal& terminal) {
  const bool apart = !page.blocks.empty() && page.blocks.front().apart;
  return (apart ? "\n" : "") + page_text(page, terminal);
}

std::string heading_text(const page::Heading& heading, const Terminal& terminal) {
  return block_text(heading, terminal) + "\n";
}

std::string remark_text(const page::Remark& remark, const Terminal& terminal) {
  return block_text(remark, terminal);
}

}  // namespace lab::cli
