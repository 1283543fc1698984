#include "harness/kernel/ptx/outline.h"

#include <algorithm>
#include <utility>

#include "harness/kernel/ptx/cursor.h"
#include "harness/kernel/ptx/grammar.h"

namespace lab::ptx {
namespace {

// Takes a token; one that opens something, with all through the one that closes it. The last one.
const Token& skip_nested(Cursor& cursor, std::vector<std::string_view>* words = nullptr) {
  for (int depth = 0;;) {
    const Token& token = cursor.next();
    if (token.kind == Token::Kind::kPunct) {
      depth += token.text == "{" || token.text == "(" || token.text == "[" ? 1 : 0;
      depth -= token.text == "}" || token.text == ")" || token.text == "]" ? 1 : 0;
    }
    if (depth <= 0 || cursor.at_end()) return token;
    if (words != nullptr && token.kind == Token::Kind::kWord) words->push_back(token.text);
  }
}

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
    const Token& token = skip_nested(cursor);
    if (is_name) made.name = token.text;
  }
  if (!cursor.is('{')) return made;
  const Token& end = skip_nested(cursor, &made.words);
  made.text = {begin, static_cast<std::size_t>(end.text.data() - begin)};
  return made;
}

// After .global and the other spaces: .align 4 .b8 NAME[128] = {1, 2}, NAME;
void add_variables(Cursor& cursor, Space space, bool is_extern, Outline& made) {
  for (bool is_named = false; !cursor.at_end() && !cursor.is(';');) {
    const Token& token = skip_nested(cursor);
    if (token.kind == Token::Kind::kWord && !std::exchange(is_named, true)) {
      made.variables.push_back({token.text, space, is_extern});
    }
    if (token.text == ",") is_named = false;
  }
}

}  // namespace

const Outline::Function* Outline::find_entry(std::string_view name) const {
  for (const Function& one : functions) {
    if (one.is_entry && one.name == name && !one.text.empty()) return &one;
  }
  return nullptr;
}

bool Outline::may_use(std::string_view entry, std::string_view word) const {
  const Function* const kernel = find_entry(entry);
  const auto has = [](const Function& one, std::string_view wanted) {
    return std::find(one.words.begin(), one.words.end(), wanted) != one.words.end();
  };
  return kernel != nullptr && std::any_of(functions.begin(), functions.end(), [&](const auto& one) {
           return (&one == kernel || (!one.is_entry && has(*kernel, "call"))) && has(one, word);
         });
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
      skip_nested(cursor);
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
