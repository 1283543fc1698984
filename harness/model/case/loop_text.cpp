#include "harness/model/case/loop_text.h"

#include <algorithm>
#include <array>

#include "harness/model/case/source_words.h"

namespace lab::model {
namespace {

// Statements that are nested more deeply than this are not read: nobody writes such a text.
constexpr int kDeepestStatement = 100;
std::size_t end_of_statement(const Words& words, std::size_t at, int depth);

/// A loop's parts. `whole` begins with its first word.
struct WrittenLoop {
  WordRange whole;
  WordRange start;
  WordRange condition;
  WordRange step;
  WordRange body;
};

std::optional<WrittenLoop> loop_at(const Words& words, std::size_t at, int depth = 0) {
  const std::string_view word = words[at].text;
  if (at + 1 >= words.size()) return {};
  WrittenLoop loop;
  if (word == "do") {
    const std::size_t end = end_of_statement(words, at + 1, depth + 1);
    if (end + 1 >= words.size() || words[end].text != "while") return {};
    const std::size_t close = closing_word(words, end + 1);
    loop.body = {at + 1, end};
    loop.condition = {end + 2, close};
    loop.whole = {at, close + 1};
    return loop;
  }
  if ((word != "for" && word != "while") || words[at + 1].text != "(") return {};
  const std::size_t close = closing_word(words, at + 1);
  if (word == "for") {
    const std::size_t first = next_semicolon(words, at + 2, close);
    const std::size_t second = next_semicolon(words, first + 1, close);
    if (second >= close && first >= close) return {};  // over a range
    loop.start = {at + 2, first};
    loop.condition = {first + 1, second};
    loop.step = {std::min(second + 1, close), close};
  } else {
    loop.condition = {at + 2, close};
  }
  const std::size_t end = end_of_statement(words, close + 1, depth + 1);
  loop.body = {close + 1, end};
  loop.whole = {at, end};
  return loop;
}

std::size_t end_of_statement(const Words& words, std::size_t at, int depth) {
  if (at >= words.size() || depth > kDeepestStatement) return words.size();
  const std::string_view word = words[at].text;
  if (word == "{") return closing_word(words, at) + 1;
  if (const auto loop = loop_at(words, at, depth + 1)) return loop->whole.to;
  const bool has_head =
      (word == "if" || word == "switch") && at + 1 < words.size() && words[at + 1].text == "(";
  if (has_head) {
    const std::size_t end = end_of_statement(words, closing_word(words, at + 1) + 1, depth + 1);
    const bool otherwise = end < words.size() && words[end].text == "else";
    return otherwise ? end_of_statement(words, end + 1, depth + 1) : end;
  }
  return std::min(next_semicolon(words, at, words.size()) + 1, words.size());
}

/// The variable is given a value, or something else gets to know where it is.
bool gets_value(const Words& words, WordRange range, std::string_view name) {
  constexpr std::array<std::string_view, 13> kAssign = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
  const auto assigns = [&](std::size_t i) {
    return i < words.size() &&
           std::find(kAssign.begin(), kAssign.end(), words[i].text) != kAssign.end();
  };
  for (std::size_t i = range.from; i < range.to; ++i) {
    if (words[i].text != name) continue;
    if (assigns(i + 1) || i == 0) return true;
    const std::string_view before = words[i - 1].text;
    if (before == "++" || before == "--" || before == "&") return true;
  }
  return false;
}

bool is_plain_condition(const Words& words, WordRange range) {
  return std::none_of(words.begin() + static_cast<std::ptrdiff_t>(range.from),
                      words.begin() + static_cast<std::ptrdiff_t>(range.to), [](const Word& word) {
                        return word.text == "(" || word.text == "[" || word.text == "->" ||
                               word.text == "." || word.text == "=" || word.text == "++" ||
                               word.text == "--";
                      });
}

std::optional<std::int64_t> value_at_start(const Words& words, WordRange start,
                                           std::string_view name) {
  for (std::size_t i = start.from; i + 1 < start.to; ++i) {
    if (words[i].text != name || words[i + 1].text != "=") continue;
    std::size_t end = i + 2;
    while (end < start.to && words[end].text != ",") ++end;
    return number_of(words, {i + 2, end});
  }
  return {};
}

std::string text_of(const Words& words, WordRange range) {
  if (range.from >= range.to) return {};
  std::string text;
  const Word* before = nullptr;
  for (std::size_t i = range.from; i < range.to; ++i) {
    const bool apart =
        before != nullptr && (before->text.data() + before->text.size() != words[i].text.data());
    text += (apart ? " " : "") + std::string(words[i].text);
    before = &words[i];
  }
  return text;
}

LoopText told(const Words& words, const WrittenLoop& loop) {
  LoopText text;
  text.line = words[loop.whole.from].line;
  text.condition = text_of(words, loop.condition);
  if (text.condition.empty() || text.condition == "true" || text.condition == "1") {
    text.why = LoopText::Why::kUnconditional;
    return text;
  }
  bool changes = !is_plain_condition(words, loop.condition);
  for (std::size_t i = loop.condition.from; i < loop.condition.to; ++i) {
    if (!is_name(words[i])) continue;
    const std::string_view name = words[i].text;
    changes = changes || gets_value(words, loop.step, name) || gets_value(words, loop.body, name);
    if (text.variable.empty()) text.variable = name;
  }
  if (!changes) {
    text.why = LoopText::Why::kUnchanged;
    text.value = value_at_start(words, loop.start, text.variable);
    return text;
  }
  text.variable.clear();
  for (std::size_t i = loop.start.from; i < loop.start.to; ++i) {
    const std::string_view type = words[i].text;
    text.is_unsigned =
        text.is_unsigned || type == "unsigned" || type == "size_t" || type.starts_with("uint");
  }
  return text;
}

}  // namespace

std::optional<LoopText> loop_at_lines(std::string_view source, int first, int last) {
  const Words words = words_of(source);
  std::optional<WrittenLoop> innermost;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].line > first) break;
    const auto loop = loop_at(words, i);
    if (!loop || words[std::min(loop->whole.to, words.size()) - 1].line < last) continue;
    innermost = loop;
  }
  if (!innermost) return {};
  return told(words, *innermost);
}

}  // namespace lab::model
