#include "harness/compile/source/host_part.h"

#include <algorithm>
#include <vector>

#include "harness/compile/source/declarations.h"
#include "harness/compile/source/tokens.h"

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

}  // namespace

std::string without_device_bodies(std::string_view text, const Macros& macros) {
  std::string made(text);
  empty_bodies(made, declarations_of(tokens_of(text), macros), macros);
  return made;
}

}  // namespace lab::source
