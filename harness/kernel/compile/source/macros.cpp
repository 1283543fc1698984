#include "harness/kernel/compile/source/macros.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "harness/core/text.h"

namespace lab::source {
namespace {

constexpr std::array<std::string_view, 6> kDeviceWords = {
    "__device__", "__global__", "__constant__", "__shared__", "__managed__", "__grid_constant__"};

// Deeper than any that people write: macros and their arguments within each other.
constexpr int kDeepest = 200;
// Each invocation costs this much of the budget beside its text, so that empty ones end too.
constexpr std::size_t kInvocation = 16;

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// A `#` at its beginning would be read as a directive's.
constexpr std::string_view kGuard = "; ";

std::vector<Token> body_tokens(const std::string& guarded) {
  std::vector<Token> tokens = tokens_of(guarded);
  tokens.erase(tokens.begin());
  return tokens;
}

// `name(a, b, ...) text`, or `name text`.
Macro macro_of(std::string_view definition, const std::vector<Token>& parts) {
  Macro made;
  std::size_t from = parts.front().end;
  // The parenthesis of a function-like macro touches its name.
  if (parts.size() > 1 && parts[1].text == "(" && parts[1].begin == from) {
    const std::size_t close = closing(parts, 1);
    made.function_like = true;
    for (std::size_t i = 2; i < close; ++i) {
      if (parts[i].kind == TokenKind::kName) made.parameters.emplace_back(parts[i].text);
      if (parts[i].text == "." && parts[i - 1].text != ".") {
        made.parameters.emplace_back("__VA_ARGS__");
      }
    }
    from = close < parts.size() ? parts[close].end : definition.size();
  }
  made.body = std::string(kGuard) + std::string(trim(definition.substr(from)));
  return made;
}

class Expander {
 public:
  Expander(const Macros& macros, std::size_t& budget) : macros_(macros), budget_(budget) {}

  std::string expand(std::string_view text) {
    if (deep_ == kDeepest) exhausted_ = true;
    if (exhausted_) return {};
    ++deep_;
    std::string out = expand_tokens(text, tokens_of(text));
    --deep_;
    return out;
  }

  [[nodiscard]] bool exhausted() const { return exhausted_; }

 private:
  std::string expand_tokens(std::string_view text, const std::vector<Token>& tokens) {
    std::string out;
    for (std::size_t i = 0; i < tokens.size() && !exhausted_; ++i) {
      if (i > 0 && tokens[i].begin != tokens[i - 1].end) out += ' ';
      const auto macro = macros_.defined.find(tokens[i].text);
      const bool takes = tokens[i].kind == TokenKind::kName && macro != macros_.defined.end() &&
                         !hidden_.contains(tokens[i].text);
      const bool called = i + 1 < tokens.size() && tokens[i + 1].text == "(";
      if (!takes || (macro->second.function_like && !called)) {
        out += tokens[i].text;
        continue;
      }
      std::vector<std::string> arguments;
      if (macro->second.function_like) {
        const std::size_t close = closing(tokens, i + 1);
        if (close == tokens.size()) {
          exhausted_ = true;
          break;
        }
        arguments = arguments_of(text, tokens, i + 1, close);
        i = close;
      }
      append(out, invoked(macro->first, macro->second, arguments));
    }
    return out;
  }

  // The texts between the commas of (...).
  static std::vector<std::string> arguments_of(std::string_view text,
                                               const std::vector<Token>& tokens, std::size_t open,
                                               std::size_t close) {
    std::vector<std::string> found;
    std::size_t from = tokens[open].end;
    for (std::size_t i = open + 1; i <= close; ++i) {
      const std::string_view mark = tokens[i].text;
      if (i == close || mark == ",") {
        found.emplace_back(trim(text.substr(from, tokens[i].begin - from)));
        from = tokens[i].end;
      } else if (mark == "(") {
        i = closing(tokens, i);
      }
    }
    return found;
  }

  // Names that would touch stay two.
  static void append(std::string& out, const std::string& piece) {
    if (!out.empty() && !piece.empty() && is_name_character(out.back()) &&
        is_name_character(piece.front())) {
      out += ' ';
    }
    out += piece;
  }

  std::string invoked(const std::string& name, const Macro& macro,
                      const std::vector<std::string>& arguments) {
    const std::string made = substituted(macro, arguments);
    const std::size_t cost = made.size() + kInvocation;
    if (cost > budget_) exhausted_ = true;
    if (exhausted_) return {};
    budget_ -= cost;
    hidden_.insert(name);
    std::string out = expand(made);
    hidden_.erase(name);
    return out;
  }

  // The body with arguments for parameters; `#` makes a text of one, `##` glues.
  std::string substituted(const Macro& macro, const std::vector<std::string>& arguments) {
    const std::vector<Token> tokens = body_tokens(macro.body);
    const auto is_glue = [&](std::size_t i) {
      return i + 1 < tokens.size() && tokens[i].text == "#" && tokens[i + 1].text == "#";
    };
    std::string out;
    bool glued = false;
    for (std::size_t i = 0; i < tokens.size() && !exhausted_; ++i) {
      if (is_glue(i)) {
        glued = true;
        ++i;
        continue;
      }
      const bool apart = i > 0 && tokens[i].begin != tokens[i - 1].end;
      if (apart && !glued && !is_glue(i)) out += ' ';
      const bool as_text =
          tokens[i].text == "#" && i + 1 < tokens.size() && argument(macro, tokens[i + 1], {});
      if (as_text) ++i;
      const auto given = argument(macro, tokens[i], arguments);
      if (as_text) {
        out += json_quote(*given);
      } else if (given && (glued || is_glue(i + 1))) {
        if (given->empty() && out.ends_with(",")) out.pop_back();  // , ##__VA_ARGS__
        out += *given;
      } else if (given) {
        append(out, expand(*given));
      } else {
        out += tokens[i].text;
      }
      glued = false;
    }
    return out;
  }

  // The argument given for a parameter; empty where the token is not a parameter.
  static std::optional<std::string> argument(const Macro& macro, const Token& token,
                                             const std::vector<std::string>& arguments) {
    const auto at = std::find(macro.parameters.begin(), macro.parameters.end(), token.text);
    if (at == macro.parameters.end()) return std::nullopt;
    auto index = static_cast<std::size_t>(at - macro.parameters.begin());
    std::string text = index < arguments.size() ? arguments[index] : std::string();
    if (*at != "__VA_ARGS__") return text;
    while (++index < arguments.size()) text += ", " + arguments[index];
    return text;
  }

  const Macros& macros_;
  std::size_t& budget_;
  std::set<std::string, std::less<>> hidden_;  // those being put in: they do not call themselves
  int deep_ = 0;                               // macros and arguments within each other
  bool exhausted_ = false;
};

}  // namespace

bool is_device_word(std::string_view text) {
  return std::find(kDeviceWords.begin(), kDeviceWords.end(), text) != kDeviceWords.end();
}

std::size_t closing(const std::vector<Token>& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    const std::string_view text = tokens[at].text;
    if (text == "(" || text == "[" || text == "{") ++depth;
    if ((text == ")" || text == "]" || text == "}") && --depth == 0) return at;
  }
  return tokens.size();
}

void add_macros(const std::vector<Token>& tokens, Macros& macros) {
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::kDirective) continue;
    const Directive directive = directive_of(token.text);
    if (directive.name != "define") continue;
    const std::vector<Token> parts = tokens_of(directive.rest);
    if (parts.empty()) continue;
    const std::string name(parts.front().text);
    bool makes_kernel = false;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (is_device_word(parts[i].text) || macros.device.contains(parts[i].text)) {
        macros.device.insert(name);
      }
      makes_kernel =
          makes_kernel || parts[i].text == "__global__" || macros.kernel.contains(parts[i].text);
    }
    if (makes_kernel) macros.kernel.insert(name);
    if (makes_kernel || !macros.defined.contains(name)) {
      macros.defined[name] = macro_of(directive.rest, parts);
    }
  }
}

std::optional<std::string> expanded(std::string_view text, const Macros& macros,
                                    std::size_t& budget) {
  Expander expander(macros, budget);
  std::string made = expander.expand(text);
  if (expander.exhausted()) return std::nullopt;
  return made;
}

}  // namespace lab::source
