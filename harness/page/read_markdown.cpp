#include "harness/page/read_markdown.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "harness/core/text.h"

namespace lab::page {

namespace {

/// A mark around words, and how they look without it.
struct Mark {
  std::string_view mark;
  Tone tone;
};
// The longer one first.
constexpr Mark kMarks[] = {{"`", Tone::kNote}, {"**", Tone::kStrong}, {"*", Tone::kStrong}};

// A mark opens where no space follows it, and closes where none stands before it: `2 * 3` has none.
std::size_t closing(std::string_view text, const Mark& mark) {
  if (text.substr(0, mark.mark.size()) != mark.mark) return std::string_view::npos;
  text.remove_prefix(mark.mark.size());
  const std::size_t end = text.find(mark.mark);
  if (end == std::string_view::npos || end == 0) return std::string_view::npos;
  const bool code = mark.mark == "`";
  return !code && (text[0] == ' ' || text[end - 1] == ' ') ? std::string_view::npos : end;
}

// Returns the words of `[words](target)`.
std::pair<std::string_view, std::size_t> link_at(std::string_view text) {
  const std::size_t middle = text.find("](");
  if (text.empty() || text[0] != '[' || middle == std::string_view::npos) return {};
  const std::size_t end = text.find(')', middle);
  if (end == std::string_view::npos || text.find('[', 1) < middle) return {};
  return {text.substr(1, middle - 1), end + 1};
}

// ---- lines ----

constexpr std::size_t kCodeIndent = 4;
// Markdown indents code by four characters, a printer of pages by two.
constexpr std::size_t kDeeper = 2;

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

std::string plain_words(std::string_view text) {
  std::string out;
  for (const Words& words : read_words(text)) out += words.text;
  return out;
}

/// Reads lines from the front.
class Reader {
 public:
  explicit Reader(std::string_view text) : lines_(split(text, '\n')) {}

  Page page() {
    while (at_ < lines_.size()) next();
    return std::move(page_);
  }

 private:
  template <typename Kind>
  void add(Kind is) {
    page_.blocks.push_back({std::move(is), Rank::kMain, blank_});
  }

  void next() {
    const std::string_view line = lines_[at_];
    if (is_blank(line)) {
      ++at_;
      blank_ = true;
      return;
    }
    const std::size_t indent = indent_of(line);
    if (indent < inner_ && blank_) inner_ = 0;
    if (indent >= inner_ + kCodeIndent && (blank_ || page_.blocks.empty())) {
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
    const std::size_t level = line.find_first_not_of('#');
    inner_ = 0;
    add(Heading{static_cast<int>(level), plain_words(trim(line.substr(level)))});
  }

  void code() {
    const std::size_t cut = inner_ + kCodeIndent;
    std::string text;
    for (; at_ < lines_.size(); ++at_) {
      const bool blank = is_blank(lines_[at_]);
      // A blank line is the code's where more of it follows.
      const std::size_t at = at_ + (blank ? 1 : 0);
      if (at == lines_.size() || indent_of(lines_[at]) < cut) break;
      text += (blank ? "" : std::string(lines_[at_].substr(kDeeper))) + "\n";
    }
    add(Code{std::move(text)});
  }

  void table() {
    Table made;
    for (; at_ < lines_.size() && lines_[at_].starts_with('|'); ++at_) {
      std::string_view line = trim(lines_[at_]);
      if (line.find_first_not_of("|-: ") == std::string_view::npos) continue;
      line = line.substr(1, line.size() - (line.back() == '|' ? 2 : 1));
      const bool titles = made.columns.empty();
      Row row;
      for (const std::string_view cell : split(line, '|')) {
        if (titles) made.columns.push_back({plain_words(trim(cell)), false, true});
        row.cells.push_back({plain_words(trim(cell))});
      }
      row.cells.resize(made.columns.size());
      if (!titles) made.rows.push_back(std::move(row));
    }
    add(std::move(made));
  }

  // A paragraph, an item of a list with its first one, or a point within an item.
  void paragraph() {
    std::string_view line = lines_[at_++];
    const bool inner = is_inner_point(line);
    const std::size_t indent = inner ? indent_of(line) : 0;
    const std::size_t marker = inner ? indent + 2 : marker_of(line);
    if (marker > 0 && !inner) inner_ = marker;
    Text text;
    text.indent = static_cast<int>(marker > 0 ? indent : inner_);
    if (marker > 0) {
      text.role = Role::kItem;
      text.mark =
          line[indent] == '-' ? "*" : std::string(trim(line.substr(indent, marker - indent)));
    }
    std::string words(trim(line.substr(marker)));
    for (; at_ < lines_.size(); ++at_) {
      line = lines_[at_];
      if (is_blank(line) || line[0] == '#' || line[0] == '|' || marker_of(line) > 0 ||
          is_inner_point(line)) {
        break;
      }
      words += " " + std::string(trim(line));
    }
    text.words = read_words(words);
    add(std::move(text));
  }

  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  std::size_t inner_ = 0;  // columns of the item that a line may belong to
  bool blank_ = false;     // before the line at hand
  Page page_ = {};
};

}  // namespace

std::vector<Words> read_words(std::string_view text) {
  std::vector<Words> words = {{}};
  while (!text.empty()) {
    if (const auto [link, size] = link_at(text); size > 0) {
      words.back().text += link;
      text.remove_prefix(size);
      continue;
    }
    const auto* mark = std::find_if(std::begin(kMarks), std::end(kMarks), [&](const Mark& one) {
      return closing(text, one) != std::string_view::npos;
    });
    if (mark == std::end(kMarks)) {
      words.back().text += text[0];
      text.remove_prefix(1);
      continue;
    }
    const std::size_t size = closing(text, *mark);
    words.push_back({std::string(text.substr(mark->mark.size(), size)), mark->tone});
    words.emplace_back();
    text.remove_prefix(size + 2 * mark->mark.size());
  }
  return words;
}

Page read_markdown(std::string_view markdown) { return Reader(markdown).page(); }

Page first_paragraph(std::string_view markdown) {
  const std::vector<Block> all = read_markdown(markdown).blocks;
  const auto first = std::find_if(all.begin(), all.end(), [](const Block& block) {
    return std::holds_alternative<Text>(block.is);
  });
  if (first == all.end()) return {};
  Page page{{*first}};
  page.blocks.front().apart = true;
  const auto code = std::next(first);
  const bool leads = std::get<Text>(first->is).words.back().text.ends_with(':');
  if (leads && code != all.end() && std::holds_alternative<Code>(code->is)) {
    page.blocks.push_back(*code);
  }
  return page;
}

}  // namespace lab::page
