#include "tools/cli/text/page_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

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

std::string block_text(const page::Fold& fold, const Terminal& terminal);

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
  std::string out = toned_paragraph(words, Tone::kStrong, terminal);
  out.pop_back();
  int column = display_width(words);
  for (const std::string& fact : heading.facts) {
    const std::string part = safe_line(fact);
    if (part.empty()) continue;
    const bool fit = column + 2 + display_width(part) <= terminal.width;
    std::string more = fit ? "  " + part : "\n" + paragraph(part, terminal.width, 2);
    if (!fit) more.pop_back();
    out += more;
    column = (fit ? column : 0) + 2 + display_width(part);
  }
  return out + "\n";
}

// Lines are broken without tones, which take no room, and then toned piece by piece.
std::string block_text(const page::Text& text, const Terminal& terminal) {
  std::string first = blanks(text.indent) + safe_line(text.mark);
  if (!text.mark.empty()) first += ' ';
  Margin margin = margin_of(text.role);
  if (!first.empty()) margin = {0, display_width(first)};
  if (first.empty()) first = blanks(margin.first);
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
    out += out.empty() ? first : blanks(margin.first + margin.more);
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
  const std::string first = wrapped(text, terminal.width - margin).front();
  std::string out = blanks(margin) + std::string(trim(first)) + "\n";
  const std::string_view rest = trim(std::string_view(text).substr(first.size()));
  for (const std::string& part : wrapped(rest, terminal.width - margin - kDeeper)) {
    out += blanks(margin + kDeeper) + std::string(trim(part)) + "\n";
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

// Side by side as long as there is room, each of them whole.
std::string block_text(const page::Steps& steps, const Terminal& terminal) {
  std::string out;
  std::string line;
  for (const page::Step& step : steps.items) {
    std::string text = safe_line(step.words);
    if (!step.command.empty()) {
      text += (text.ends_with('?') ? " " : ": ") + safe_line(step.command);
    }
    const std::string longer = line.empty() ? text : line + "   " + text;
    if (!line.empty() && display_width(longer) > terminal.width) {
      out += paragraph(std::exchange(line, text), terminal.width);
    } else {
      line = longer;
    }
  }
  return line.empty() ? out : out + paragraph(line, terminal.width);
}

// In `most` lines of `width` columns; empty: there is no room.
std::vector<std::string> formula_lines(const page::Formula& formula, int width, std::size_t most) {
  if (const auto* stored = std::get_if<std::string>(&formula.is)) {
    auto lines = wrapped(safe_line(*stored), width - 4);  // ' ...'
    if (lines.size() <= most) return lines;
    lines.resize(most);
    lines.back() += " ...";
    return lines;
  }
  // `ways where ways = ...` would name what the title names already.
  Expr is = std::get<Expr>(formula.is);
  while (is.operation() == Operation::kTerm && is.args().size() == 1) is = Expr(is.args().front());
  return lines_of(is, static_cast<std::size_t>(std::max(width, 1)), most);
}

// A formula of some beside their names, where there is room.
std::string whose_formula(const page::Formula& formula, const Terminal& terminal) {
  constexpr int kName = 20;
  constexpr int kMargin = 4;
  const std::string name = safe_line(formula.of);
  const auto* stored = std::get_if<std::string>(&formula.is);
  const std::string text =
      safe_line(stored != nullptr ? *stored : std::get<Expr>(formula.is).text());
  const int beside = kMargin + std::max(display_width(name), kName) + 2 + display_width(text);
  if (beside <= terminal.width) return fmt::format("    {:<{}}  {}\n", name, kName, text);
  return paragraph(name, terminal.width, kMargin) + paragraph(text, terminal.width, 6, 2);
}

// Beside its title in two lines, else below it.
std::string block_text(const page::Formula& formula, const Terminal& terminal) {
  constexpr std::size_t kBeside = 2;
  if (!formula.of.empty()) return whose_formula(formula, terminal);
  const std::string title = "  " + safe_line(formula.title) + " =";
  const int before = display_width(title) + 1;
  std::vector<std::string> lines = formula_lines(formula, terminal.width - before, kBeside);
  std::string out;
  if (!lines.empty() && before + display_width(lines.front()) <= terminal.width) {
    out = fmt::format("{} {}\n", title, fmt::join(lines, "\n" + blanks(before)));
  } else {
    lines = formula_lines(formula, terminal.width - 4, kBeside);
    out = paragraph(title.substr(2), terminal.width, 2);
    for (const std::string& line : lines) out += "    " + line + "\n";
    if (lines.empty()) out += paragraph(std::get<Expr>(formula.is).text(), terminal.width, 4, 2);
  }
  if (formula.as_written) {
    out += paragraph("as written: " + formula.as_written->text_with_terms(), terminal.width, 4, 2);
  }
  if (!formula.filled) return out;
  std::string example = safe_line(formula.at) + (formula.at.empty() ? "= " : ": ");
  const std::string filled = formula.filled->text();
  const std::string comes_to = safe_line(formula.comes_to);
  example += filled == comes_to ? filled : filled + " = " + comes_to;
  return out + toned_paragraph(example, Tone::kDim, terminal, 4);
}

// A column for each point, in steps of two.
std::string block_text(const page::Chart& chart, const Terminal& terminal) {
  if (chart.kind != page::ChartKind::kSteps || chart.series.empty()) return {};
  const std::vector<page::Point>& points = chart.series.front().points;
  double top = 0;
  for (const page::Point& point : points) top = std::max(top, point.y);
  const auto bar = [&](double level) {
    std::string line;
    for (const page::Point& point : points) line += point.y >= level ? '#' : ' ';
    return line.substr(0, line.find_last_not_of(' ') + 1);
  };
  std::string out;
  for (const int part : {1, 2, 4}) {
    out += fmt::format("  {:>4} |{}\n", top / part, bar(top / part));
  }
  const std::string last = fmt::format("  {:>4} +{} {} {}..{}", 1, bar(1), safe_line(chart.x.title),
                                       points.front().x, points.back().x);
  return display_width(last) > terminal.width ? std::string() : out + last + "\n";
}

/// A block of the page with its lines.
struct Laid {
  page::Block block;
  std::string text = {};
  bool put_away = false;  // a fold, of which its name is left
};

void lay(Laid& laid, bool is_first, const Terminal& terminal) {
  laid.text = std::visit([&](const auto& is) { return block_text(is, terminal); }, laid.block.is);
  if (laid.block.apart && !is_first && !laid.text.empty()) laid.text.insert(0, "\n");
}

std::string block_text(const page::Fold& fold, const Terminal& terminal) {
  return page_text({fold.blocks}, terminal);
}

bool may_go(const page::Row& row) { return row.rank >= page::Rank::kDetail; }

/// What of a block goes if there is no room for all.
enum class Goes : unsigned char { kBlankLine, kFold, kRows, kBlock };
struct Wanted {
  page::Rank rank;
  Goes part;
};

// Rows before what is folded, and blank lines last of what is as dispensable; empty: nothing may
// go.
std::optional<Wanted> least_of(const Laid& laid) {
  const auto* table = std::get_if<page::Table>(&laid.block.is);
  if (table != nullptr && std::any_of(table->rows.begin(), table->rows.end(), may_go)) {
    return Wanted{page::Rank::kDetail, Goes::kRows};
  }
  if (std::holds_alternative<page::Fold>(laid.block.is) && !laid.put_away) {
    return Wanted{laid.block.rank, Goes::kFold};
  }
  const bool whole = laid.block.rank >= page::Rank::kDetail && !laid.put_away;
  if (whole && !laid.text.empty()) return Wanted{laid.block.rank, Goes::kBlock};
  const bool blank = laid.text.starts_with('\n') && laid.block.rank > page::Rank::kAlways;
  return blank ? std::optional(Wanted{laid.block.rank, Goes::kBlankLine}) : std::nullopt;
}

// All that is put away shares a sentence, which stands where the first of it stood.
void tell_folded(std::vector<Laid>& all, const Terminal& terminal) {
  std::vector<std::string> names;
  Laid* first = nullptr;
  for (Laid& laid : all) {
    if (!laid.put_away) continue;
    names.push_back(std::get<page::Fold>(laid.block.is).name);
    if (first == nullptr) first = &laid;
    laid.text.clear();
  }
  if (first == nullptr) return;
  const auto& fold = std::get<page::Fold>(first->block.is);
  first->text =
      "\n" +
      paragraph(safe_line(fold.before + fmt::format("{}", fmt::join(names, ", ")) + fold.after),
                terminal.width);
}

std::ptrdiff_t lines_in(const std::vector<Laid>& all) {
  std::ptrdiff_t lines = 0;
  for (const Laid& laid : all) lines += std::count(laid.text.begin(), laid.text.end(), '\n');
  return lines;
}

// Takes out what has the greatest rank, and of equals the last. Returns whether there was anything.
bool shorten(std::vector<Laid>& all, const Terminal& terminal) {
  Laid* out = nullptr;
  std::optional<Wanted> least;
  for (Laid& laid : all) {
    const auto one = least_of(laid);
    if (!one) continue;
    const bool as_wanted =
        !least || std::pair(one->rank, one->part) >= std::pair(least->rank, least->part);
    if (!as_wanted) continue;
    out = &laid;
    least = one;
  }
  if (out == nullptr) return false;
  if (least->part == Goes::kRows) {
    std::erase_if(std::get<page::Table>(out->block.is).rows, may_go);
    lay(*out, out == all.data(), terminal);
  } else if (least->part == Goes::kFold) {
    out->put_away = true;
    tell_folded(all, terminal);
  } else if (least->part == Goes::kBlock) {
    out->text.clear();
  } else {
    out->text.erase(0, 1);
  }
  return true;
}

}  // namespace

std::string page_text(const page::Page& page, const Terminal& terminal, int most) {
  Terminal room = terminal;
  if (page.columns > 0) room.width = std::min(room.width, page.columns);
  std::vector<Laid> all;
  for (const page::Block& block : page.blocks) {
    const bool is_first =
        std::all_of(all.begin(), all.end(), [](const Laid& laid) { return laid.text.empty(); });
    lay(all.emplace_back(Laid{block}), is_first, room);
  }
  if (most == 0) most = page.lines;
  while (most > 0 && lines_in(all) > most && shorten(all, room)) {
  }
  std::string out;
  for (const Laid& laid : all) out += laid.text;
  return out;
}

}  // namespace lab::cli
