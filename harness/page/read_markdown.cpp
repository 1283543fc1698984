#include "harness/page/read_markdown.h"

#include <algorithm>
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

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

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

Page first_paragraph(std::string_view markdown) {
  // Markdown indents code by four characters, a printer of pages by two: it stays below the text.
  constexpr std::size_t kDeeper = 2;
  std::string text;
  std::string code;
  bool done = false;  // with the paragraph; it may lead to lines of code
  while (!markdown.empty()) {
    const std::string_view line = next_line(markdown);
    if (line.starts_with('#')) continue;
    if (trim(line).empty()) {
      done = !text.empty();
      if (!code.empty() || (done && !text.ends_with(':'))) break;
    } else if (line.starts_with("    ") && done) {
      code += std::string(line.substr(kDeeper)) + "\n";
    } else if (done) {
      break;
    } else {
      text += (text.empty() ? "" : " ") + std::string(trim(line));
    }
  }
  Page page;
  page.blocks.push_back({Text{read_words(text)}, Rank::kMain, true});
  if (!code.empty()) page.blocks.push_back({Code{code}, Rank::kMain, true});
  return page;
}

}  // namespace lab::page
