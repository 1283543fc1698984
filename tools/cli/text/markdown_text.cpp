#include "tools/cli/text/markdown_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/core/text.h"
#include "harness/page/read_markdown.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t kCodeIndent = 4;

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool is_blank(std::string_view line) { return indent_of(line) == line.size(); }

// The columns that `1. ` or `* ` takes; 0: the line begins no item.
std::size_t marker_of(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && line[at] >= '0' && line[at] <= '9') ++at;
  if (at > 0) return line.substr(at, 2) == ". " ? at + 2 : 0;
  return line.substr(0, 2) == "* " || line.substr(0, 2) == "- " ? 2 : 0;
}

// A point of a list within an item.
bool is_inner_point(std::string_view line) {
  const std::size_t indent = indent_of(line);
  return indent > 0 && line.substr(indent, 2) == "- ";
}

// ---- words -------------------------------------------------------------------------------------

using Run = page::Words;  ///< part of a line in one tone
using Runs = std::vector<Run>;

std::string plain(std::string_view text) {
  std::string out;
  for (const Run& run : page::read_words(text)) out += run.text;
  return safe_line(out);
}

// Words keep the tones of their parts; spaces within code break lines, too.
std::vector<Runs> words_of(std::string_view text) {
  std::vector<Runs> words(1);
  for (const Run& run : page::read_words(text)) {
    bool first = true;
    for (const std::string_view part : split(run.text, ' ')) {
      if (!std::exchange(first, false)) words.emplace_back();
      if (!part.empty()) words.back().push_back({std::string(part), run.tone});
    }
  }
  words.erase(std::remove_if(words.begin(), words.end(), [](const Runs& w) { return w.empty(); }),
              words.end());
  return words;
}

// In lines that begin with `first`, the others with as many spaces.
std::string filled(std::string_view text, const std::string& first, const Terminal& terminal) {
  const std::string margin(first.size(), ' ');
  std::string out = first;
  int width = display_width(first);
  bool begins = true;
  for (const Runs& word : words_of(text)) {
    int wide = 0;
    for (const Run& run : word) wide += display_width(run.text);
    if (!begins && width + 1 + wide > terminal.width) {
      out += "\n" + margin;
      width = display_width(margin);
      begins = true;
    }
    if (!std::exchange(begins, false)) {
      out += ' ';
      ++width;
    }
    for (const Run& run : word) out += toned(safe_line(run.text), run.tone, terminal);
    width += wide;
  }
  return out + "\n";
}

// ---- blocks ------------------------------------------------------------------------------------

/// Reads lines from the front.
class Blocks {
 public:
  Blocks(const Lines& lines, const Terminal& terminal) : lines_(lines), terminal_(terminal) {}

  std::string text() {
    while (at_ < lines_.size()) next();
    return std::move(out_);
  }

 private:
  void next() {
    const std::string_view line = lines_[at_];
    if (is_blank(line)) {
      ++at_;
      blank_ = true;
      return;
    }
    const std::size_t indent = indent_of(line);
    if (indent < inner_ && blank_) inner_ = 0;
    if (blank_ && !out_.empty()) out_ += "\n";
    if (indent >= inner_ + kCodeIndent && (blank_ || out_.empty())) {
      code();
    } else if (line[0] == '#') {
      heading();
    } else if (line[0] == '|') {
      table();
    } else {
      paragraph();
    }
    blank_ = false;
  }

  void heading() {
    const std::string_view line = lines_[at_++];
    inner_ = 0;
    const auto words = trim(line.substr(line.find_first_not_of('#')));
    out_ += toned(plain(words), Tone::kStrong, terminal_) + "\n";
  }

  void code() {
    const std::size_t cut = inner_ + kCodeIndent;
    for (; at_ < lines_.size(); ++at_) {
      const std::string_view line = lines_[at_];
      if (is_blank(line)) {
        if (at_ + 1 >= lines_.size() || indent_of(lines_[at_ + 1]) < cut) return;
        out_ += "\n";
        continue;
      }
      if (indent_of(line) < cut) return;
      std::string margin(indent_of(line), ' ');
      const std::string_view words = line.substr(margin.size());
      for (const std::string& part :
           wrapped(words, terminal_.width - static_cast<int>(margin.size()))) {
        out_ += margin + safe_line(part) + "\n";
        margin.assign(cut + 4, ' ');
      }
    }
  }

  void table() {
    Table made;
    for (; at_ < lines_.size() && !lines_[at_].empty() && lines_[at_][0] == '|'; ++at_) {
      std::string_view line = trim(lines_[at_]);
      if (line.find_first_not_of("|-: ") == std::string_view::npos) continue;
      line = line.substr(1, line.size() - (line.back() == '|' ? 2 : 1));
      std::vector<Cell> cells;
      for (const std::string_view cell : split(line, '|')) cells.push_back({plain(trim(cell))});
      if (!made.columns.empty()) {
        cells.resize(made.columns.size());
        made.rows.push_back(std::move(cells));
        continue;
      }
      for (const Cell& cell : cells) made.columns.push_back({cell.text, Align::kLeft, true});
    }
    out_ += table_text(made, terminal_, kTableIndent);
  }

  // A paragraph, an item of a list with its first one, or a point within an item.
  void paragraph() {
    std::string_view line = lines_[at_++];
    const bool inner = is_inner_point(line);
    const std::size_t marker = inner ? indent_of(line) + 2 : marker_of(line);
    if (marker > 0 && !inner) inner_ = marker;
    std::string first(marker > 0 ? line.substr(0, marker) : std::string(inner_, ' '));
    if (marker > 0 && first[marker - 2] == '-') first[marker - 2] = '*';
    std::string text(trim(line.substr(marker)));
    for (; at_ < lines_.size(); ++at_) {
      line = lines_[at_];
      if (is_blank(line) || line[0] == '#' || line[0] == '|' || marker_of(line) > 0 ||
          is_inner_point(line)) {
        break;
      }
      text += ' ';
      text += trim(line);
    }
    out_ += filled(text, first, terminal_);
  }

  const Lines& lines_;
  const Terminal& terminal_;
  std::size_t at_ = 0;
  std::size_t inner_ = 0;  // columns of the item that a line may belong to
  bool blank_ = false;     // before the line at hand
  std::string out_ = {};
};

}  // namespace

std::string markdown_text(std::string_view markdown, const Terminal& terminal) {
  const Lines lines = split(markdown, '\n');
  return Blocks(lines, terminal).text();
}

}  // namespace lab::cli
