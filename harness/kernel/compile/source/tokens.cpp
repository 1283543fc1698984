#include "harness/kernel/compile/source/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "harness/core/text.h"

namespace lab::source {
namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool goes_on(char c) { return begins_name(c) || is_digit(c) || (c & 0x80) != 0; }

// One pass over the text, token by token, conditions not yet looked at.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool sees(std::string_view what) const {
    return text_.substr(at_).starts_with(what);
  }

  void step() {
    const char c = text_[at_];
    if (c == '\n') at_line_start_ = true;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (const std::size_t spliced = splice(at_); spliced > 0) {
      at_ += spliced;
    } else if (sees("//") || sees("/*")) {
      skip_comment();
    } else if (c == '#' && at_line_start_) {
      take_directive();
    } else {
      at_line_start_ = false;
      take_token(c);
    }
  }

  // The length of a backslash with the end of line behind it, 0 where there is none.
  [[nodiscard]] std::size_t splice(std::size_t at) const {
    if (text_[at] != '\\') return 0;
    if (text_.substr(at + 1).starts_with("\n")) return 2;
    return text_.substr(at + 1).starts_with("\r\n") ? 3 : 0;
  }

  void skip_comment() {
    if (sees("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
      return;
    }
    while (at_ < text_.size() && text_[at_] != '\n') at_ += std::max<std::size_t>(splice(at_), 1);
  }

  void take_token(char c) {
    const std::size_t begin = at_;
    TokenKind kind = TokenKind::kMark;
    if (c == '"') {
      kind = TokenKind::kText;
      skip_literal('"');
    } else if (c == '\'') {
      kind = TokenKind::kCharacter;
      skip_literal('\'');
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      kind = TokenKind::kNumber;
      skip_number();
    } else if (begins_name(c) || (c & 0x80) != 0) {
      while (at_ < text_.size() && goes_on(text_[at_])) ++at_;
      kind = name_or_literal(begin);
    } else {
      ++at_;
    }
    add(kind, begin);
  }

  // A name directly before a quote is the literal's prefix: L"", u8R"(...)".
  TokenKind name_or_literal(std::size_t begin) {
    constexpr std::array kPrefixes = {"L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"};
    const std::string_view name = text_.substr(begin, at_ - begin);
    const char quote = peek();
    if ((quote != '"' && quote != '\'') ||
        std::find(kPrefixes.begin(), kPrefixes.end(), name) == kPrefixes.end()) {
      return TokenKind::kName;
    }
    if (name.back() == 'R' && quote == '"') {
      skip_raw();
    } else {
      skip_literal(quote);
    }
    return quote == '"' ? TokenKind::kText : TokenKind::kCharacter;
  }

  void skip_literal(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return;
      }
      if (const std::size_t spliced = splice(at_); spliced > 0) {
        at_ += spliced - 1;
      } else if (text_[at_] == '\\' && peek(1) != '\n') {
        ++at_;
      }
    }
  }

  // R"delimiter( ... )delimiter"
  void skip_raw() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos || open - at_ > 17) {  // a delimiter has 16 at most
      skip_literal('"');
      return;
    }
    std::string close = ")";
    close += text_.substr(at_ + 1, open - at_ - 1);
    close += '"';
    const std::size_t end = text_.find(close, open);
    at_ = end == std::string_view::npos ? text_.size() : end + close.size();
  }

  void skip_number() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const char before = at_ == 0 ? '\0' : text_[at_ - 1];
      const bool sign = (c == '+' || c == '-') &&
                        (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator = c == '\'' && goes_on(peek(1));
      if (!goes_on(c) && c != '.' && !sign && !separator) return;
      ++at_;
    }
  }

  void take_directive() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (const std::size_t spliced = splice(at_); spliced > 0) {
        at_ += spliced;
      } else if (sees("//") || sees("/*")) {
        skip_comment();
      } else if (text_[at_] == '"') {
        skip_literal('"');
      } else {
        ++at_;
      }
    }
    add(TokenKind::kDirective, begin);
  }

  void add(TokenKind kind, std::size_t begin) {
    tokens_.push_back({kind, begin, at_, text_.substr(begin, at_ - begin)});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool at_line_start_ = true;
  std::vector<Token> tokens_;
};

// Whether NVRTC has it defined; empty: that is not known.
std::optional<bool> is_defined(std::string_view name) {
  constexpr std::array kDefined = {"__CUDACC_RTC__", "__CUDACC__", "__CUDA_ARCH__", "__cplusplus"};
  constexpr std::array kUndefined = {"__NVCC__", "_WIN32", "WIN32", "_MSC_VER", "__APPLE__"};
  if (std::find(kDefined.begin(), kDefined.end(), name) != kDefined.end()) return true;
  if (std::find(kUndefined.begin(), kUndefined.end(), name) != kUndefined.end()) return false;
  return std::nullopt;
}

std::optional<bool> negated(std::optional<bool> value) {
  return value ? std::optional(!*value) : value;
}

// `0`, `1`, `defined X`, `defined(X)`, and these with `!` before: what is more is not known.
std::optional<bool> value_of(std::string_view condition) {
  condition = trim(condition.substr(0, std::min(condition.find("//"), condition.find("/*"))));
  if (condition.starts_with("!")) return negated(value_of(condition.substr(1)));
  if (condition == "0" || condition == "false") return false;
  if (condition == "1" || condition == "true") return true;
  constexpr std::string_view kIs = "defined";
  if (!condition.starts_with(kIs)) return is_defined(condition);
  std::string_view name = trim(condition.substr(kIs.size()));
  if (name.starts_with("(") && name.ends_with(")")) name = trim(name.substr(1, name.size() - 2));
  return is_defined(name);
}

// Which branches of the conditions around a place are left out.
class Conditions {
 public:
  [[nodiscard]] bool left_out() const { return !open_.empty() && open_.back().left_out; }

  void see(const Directive& directive) {
    const std::string_view name = directive.name;
    if (name == "if") open(value_of(directive.rest));
    if (name == "ifdef") open(is_defined(first_word(directive.rest)));
    if (name == "ifndef") open(negated(is_defined(first_word(directive.rest))));
    if (open_.empty()) return;
    if (name == "elif") turn(value_of(directive.rest));
    if (name == "else") turn(true);
    if (name == "endif") open_.pop_back();
  }

 private:
  struct Open {
    bool outer = false;     // what is around it is left out
    bool taken = false;     // a branch before this one was taken for certain
    bool left_out = false;  // this branch is
  };

  static std::string_view first_word(std::string_view text) {
    return text.substr(0, text.find_first_of(" \t/"));
  }

  void open(std::optional<bool> value) {
    Open made;
    made.outer = left_out();
    made.left_out = made.outer || value == false;
    made.taken = value == true;
    open_.push_back(made);
  }

  void turn(std::optional<bool> value) {
    Open& top = open_.back();
    top.left_out = top.outer || top.taken || value == false;
    top.taken = top.taken || value == true;
  }

  std::vector<Open> open_;
};

}  // namespace

Directive directive_of(std::string_view text) {
  text = trim(text);
  if (text.starts_with("#")) text = trim(text.substr(1));
  std::size_t end = 0;
  while (end < text.size() && begins_name(text[end])) ++end;
  return {text.substr(0, end), trim(text.substr(end))};
}

std::vector<Token> tokens_of(std::string_view source) {
  std::vector<Token> kept;
  Conditions conditions;
  for (const Token& token : Lexer(source).run()) {
    const bool directive = token.kind == TokenKind::kDirective;
    const bool before = conditions.left_out();
    if (directive) conditions.see(directive_of(token.text));
    // Of a branch that is left out, what ends it is there.
    if (!before || !conditions.left_out()) kept.push_back(token);
  }
  return kept;
}

}  // namespace lab::source
