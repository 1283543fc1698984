#include "harness/kernel/compile/source/host_part.h"

#include <algorithm>
#include <vector>

#include "harness/kernel/compile/source/declarations.h"
#include "harness/kernel/compile/source/tokens.h"

namespace lab::source {
namespace {

// A host may need the body of what is constant, has no written type, or sets up members.
bool may_need_body(const Token& token, const Macros& macros) {
  constexpr std::string_view kWords[] = {"__host__", "constexpr", "consteval", "auto"};
  return std::find(std::begin(kWords), std::end(kWords), token.text) != std::end(kWords) ||
         macros.defined.contains(token.text);
}

bool runs_on_device_alone(std::string_view head, const Macros& macros) {
  const std::vector<Token> tokens = tokens_of(head);
  const auto has = [&](std::string_view word) {
    return std::any_of(tokens.begin(), tokens.end(),
                       [&](const Token& token) { return token.text == word; });
  };
  if (has("__global__")) return true;
  if (!has("__device__")) return false;
  if (std::any_of(tokens.begin(), tokens.end(),
                  [&](const Token& token) { return may_need_body(token, macros); })) {
    return false;
  }
  // A single colon begins a constructor's list of members.
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool colon = tokens[i].text == ":";
    const bool beside =
        (i > 0 && tokens[i - 1].text == ":" && tokens[i - 1].end == tokens[i].begin) ||
        (i + 1 < tokens.size() && tokens[i + 1].text == ":" &&
         tokens[i + 1].begin == tokens[i].end);
    if (colon && !beside) return false;
  }
  return true;
}

void blank(std::string& text, std::size_t from, std::size_t to) {
  const std::vector<Token> inside = tokens_of(std::string_view(text).substr(from, to - from));
  // Directives stay, so that conditions remain balanced.
  std::vector<bool> kept(to - from, false);
  for (const Token& token : inside) {
    if (token.kind != TokenKind::kDirective || directive_of(token.text).name == "pragma") continue;
    std::fill(kept.begin() + std::ptrdiff_t(token.begin), kept.begin() + std::ptrdiff_t(token.end),
              true);
  }
  for (std::size_t at = from; at < to; ++at) {
    if (text[at] != '\n' && text[at] != '\r' && !kept[at - from]) text[at] = ' ';
  }
}

void empty_bodies(std::string& text, const std::vector<Declaration>& all, const Macros& macros) {
  for (const Declaration& one : all) {
    empty_bodies(text, one.members, macros);
    if (one.kind != DeclarationKind::kFunction || one.expansion != nullptr) continue;
    if (one.head_end >= one.end || text[one.head_end] != '{' || text[one.end - 1] != '}') continue;
    const std::string head = text.substr(one.begin, one.head_end - one.begin);
    if (runs_on_device_alone(head, macros)) blank(text, one.head_end + 1, one.end - 1);
  }
}

// Three marks in a row with blanks between them, as some editors write a launch's brackets.
bool are_three(const std::vector<Token>& tokens, std::size_t at, std::string_view mark) {
  return at + 2 < tokens.size() && tokens[at].text == mark && tokens[at + 1].text == mark &&
         tokens[at + 2].text == mark;
}
void join(std::string& text, const Token& first, const Token& last) {
  for (std::size_t at = first.begin; at < last.end; ++at) {
    if (text[at] == '\n') continue;
    text[at] = at < first.begin + 3 ? first.text.front() : ' ';
  }
}

// nvcc takes `<< <` for `<<<`, and clang does not.
void join_launch_brackets(std::string& text) {
  const std::string before = text;
  const std::vector<Token> tokens = tokens_of(before);
  for (std::size_t open = 1; open < tokens.size(); ++open) {
    if (!are_three(tokens, open, "<")) continue;
    join(text, tokens[open], tokens[open + 2]);
    for (std::size_t close = open + 3; close < tokens.size(); ++close) {
      if (tokens[close].text == ";") break;
      const bool ends = are_three(tokens, close, ">") && close + 3 < tokens.size() &&
                        tokens[close + 3].text == "(";
      if (!ends) continue;
      join(text, tokens[close], tokens[close + 2]);
      open = close + 2;
      break;
    }
  }
}

}  // namespace

std::string without_device_bodies(std::string_view text, const Macros& macros) {
  std::string made(text);
  empty_bodies(made, declarations_of(tokens_of(text), macros), macros);
  join_launch_brackets(made);
  return made;
}

}  // namespace lab::source
