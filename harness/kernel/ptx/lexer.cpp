#include "harness/kernel/ptx/lexer.h"

#include <fmt/format.h>

#include <cctype>

#include "harness/core/text.h"

namespace lab::ptx {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word_start(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source), text_(source.text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    tokens.reserve(text_.size() / 5 + 1);
    while (skip_blank()) tokens.push_back(next());
    tokens.push_back(token(Token::Kind::kEnd, at_, at_));
    return tokens;
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  // A token of text [from, to); its column is where the current token starts.
  [[nodiscard]] Token token(Token::Kind kind, std::size_t from, std::size_t to) const {
    return {kind, line_, static_cast<std::uint32_t>(start_ - line_start_ + 1),
            text_.substr(from, to - from)};
  }

  [[nodiscard]] Error fail(const std::string& message) const {
    return error_at(source_, token(Token::Kind::kPunct, start_, start_), message);
  }

  // Skips blanks, comments and lines of the preprocessor; false at the end of the text.
  bool skip_blank() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      } else if ((c == '/' && peek(1) == '/') || (c == '#' && at_ == line_start_)) {
        while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      } else if (c == '/' && peek(1) == '*') {
        skip_block_comment();
      } else if (!is_space(c)) {
        start_ = at_;
        return true;
      }
    }
    start_ = at_;
    return false;
  }

  // Leaves `at_` on the comment's last character.
  void skip_block_comment() {
    start_ = at_;
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) throw fail("this comment has no end");
    for (; at_ < end + 1; ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      line_start_ = at_ + 1;
    }
  }

  Token next() {
    const char c = peek();
    if (is_word_start(c)) return word();
    if (is_digit(c)) return number();
    if (c == '.' && (is_word(peek(1)) || peek(1) == '%')) return dot();
    if (c == '"') return string();
    constexpr std::string_view kPuncts = "{}()[]<>,;:+-*/|!~@=&^?.";
    if (kPuncts.find(c) == std::string_view::npos) {
      const auto byte = static_cast<unsigned char>(c);
      throw fail(byte >= 0x20 && byte < 0x7f ? fmt::format("unexpected character '{}'", c)
                                             : fmt::format("unexpected byte 0x{:02x}", byte));
    }
    ++at_;
    return token(Token::Kind::kPunct, start_, at_);
  }

  Token word() {
    do ++at_;
    while (is_word(peek()));
    return token(Token::Kind::kWord, start_, at_);
  }

  // .u32, .shared::cta, .L2::128B, .mbarrier::complete_tx::bytes
  Token dot() {
    ++at_;
    while (is_word(peek()) || (peek() == ':' && peek(1) == ':' && is_word(peek(2)))) {
      at_ += peek() == ':' ? 2 : 1;
    }
    return token(Token::Kind::kDot, start_ + 1, at_);
  }

  Token number() {
    const char second = peek(1);
    const bool prefixed = peek() == '0' && is_letter(second) && second != 'e' && second != 'E';
    if (prefixed) {
      at_ += 2;
      while (is_hex(peek()) || peek() == 'U') ++at_;
    } else {
      decimal();
    }
    if (is_word(peek())) {
      while (is_word(peek())) ++at_;
      throw fail(fmt::format("'{}' is not a number", text_.substr(start_, at_ - start_)));
    }
    return token(Token::Kind::kNumber, start_, at_);
  }

  void decimal() {
    while (is_digit(peek())) ++at_;
    if (peek() == '.' && is_digit(peek(1))) {
      ++at_;
      while (is_digit(peek())) ++at_;
    }
    const bool sign = peek(1) == '+' || peek(1) == '-';
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(sign ? 2 : 1))) {
      at_ += sign ? 2 : 1;
      while (is_digit(peek())) ++at_;
    }
    if (peek() == 'U') ++at_;
  }

  Token string() {
    for (++at_; peek() != '"'; ++at_) {
      if (at_ >= text_.size() || peek() == '\n') throw fail("this string has no end");
      if (peek() == '\\' && peek(1) == '"') ++at_;
    }
    ++at_;
    return token(Token::Kind::kString, start_ + 1, at_ - 1);
  }

  const Source& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;  // of the current token
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace

Source make_source(std::string_view text, std::string name) {
  Source source{std::move(name), text, split(text, '\n')};
  for (std::string_view& line : source.lines) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  }
  return source;
}

Error error_at(const Source& source, const Token& token, const std::string& message,
               std::string hint) {
  constexpr std::size_t kLongest = 300;  // a line of data can have a million characters
  std::string line;
  if (token.line >= 1 && token.line <= source.lines.size()) line = source.lines[token.line - 1];
  if (line.size() > kLongest) line.clear();
  return input_error(message, std::move(hint),
                     Place{source.name, static_cast<int>(token.line),
                           static_cast<int>(token.column), std::move(line)});
}

std::vector<Token> lex(const Source& source) { return Lexer(source).run(); }

}  // namespace lab::ptx
