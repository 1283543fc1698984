#include "harness/ptx/outline.h"

#include <algorithm>
#include <utility>

#include "harness/ptx/cursor.h"
#include "harness/ptx/grammar.h"

namespace lab::ptx {
namespace {

// Takes tokens through the brace or parenthesis that closes the next one, and gives each to `each`.
template <typename Each>
const Token& skip_nested(Cursor& cursor, const Each& each) {
  for (int depth = 0;;) {
    const Token& token = cursor.next();
    if (token.kind == Token::Kind::kPunct) {
      depth += token.text == "{" || token.text == "(" || token.text == "[" ? 1 : 0;
      depth -= token.text == "}" || token.text == ")" || token.text == "]" ? 1 : 0;
    }
    if (depth <= 0 || cursor.at_end()) return token;
    each(token);
  }
}

constexpr auto kIgnore = [](const Token&) {};

// After .entry or .func: (results) NAME (parameters) .maxntid 256, 1, 1 { body }
Outline::Function function_at(Cursor& cursor) {
  Outline::Function made;
  made.is_entry = cursor.is_dot("entry");
  const char* const begin = cursor.next().text.data() - 1;
  while (!cursor.at_end() && !cursor.is(';') && !cursor.is('{')) {
    if (cursor.is_dot("pragma")) {
      cursor.skip_statement();
      continue;
    }
    const bool is_name = made.name.empty() && cursor.is(Token::Kind::kWord);
    const Token& token = skip_nested(cursor, kIgnore);
    if (is_name) made.name = token.text;
  }
  if (!cursor.is('{')) return made;
  const Token& end = skip_nested(cursor, [&](const Token& token) {
    if (token.kind == Token::Kind::kWord) made.words.push_back(token.text);
  });
  made.text = {begin, static_cast<std::size_t>(end.text.data() - begin)};
  return made;
}

// After .global and the other spaces: .align 4 .b8 NAME[128] = {1, 2}, NAME;
void add_variables(Cursor& cursor, Space space, bool is_extern, Outline& made) {
  for (bool is_named = false; !cursor.at_end() && !cursor.is(';');) {
    if (!is_named && cursor.is(Token::Kind::kWord)) {
      made.variables.push_back({cursor.peek().text, space, is_extern});
      is_named = true;
    }
    if (cursor.is(',')) is_named = false;
    skip_nested(cursor, kIgnore);
  }
}

}  // namespace

const Outline::Function* Outline::find_entry(std::string_view name) const {
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const Function& one) {
    return one.is_entry && one.name == name && !one.text.empty();
  });
  return found == functions.end() ? nullptr : &*found;
}

bool Outline::may_use(std::string_view entry, std::string_view word) const {
  const Function* const kernel = find_entry(entry);
  if (kernel == nullptr) return false;
  const auto has = [](const Function& one, std::string_view wanted) {
    return std::find(one.words.begin(), one.words.end(), wanted) != one.words.end();
  };
  if (has(*kernel, word)) return true;
  return has(*kernel, "call") &&
         std::any_of(functions.begin(), functions.end(),
                     [&](const Function& one) { return !one.is_entry && has(one, word); });
}

Outline outline(std::string_view text, std::string name) {
  const Source source = make_source(text, std::move(name));
  Cursor cursor(source);
  Outline made;
  while (!cursor.at_end()) {
    const bool is_extern = skip_linking(cursor);
    const auto space =
        cursor.is(Token::Kind::kDot) ? declared_space(cursor.peek().text) : std::optional<Space>();
    if (cursor.is_dot("entry") || cursor.is_dot("func")) {
      made.functions.push_back(function_at(cursor));
    } else if (space) {
      add_variables(cursor, *space, is_extern, made);
    } else {
      skip_nested(cursor, kIgnore);
    }
  }
  return made;
}

std::vector<std::string> entry_names(std::string_view text, std::string name) {
  std::vector<std::string> names;
  for (const Outline::Function& one : outline(text, std::move(name)).functions) {
    if (one.is_entry && !one.name.empty()) names.emplace_back(one.name);
  }
  return names;
}

}  // namespace lab::ptx
