// A place in the tokens of a PTX text, and the literals that are read there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/kernel/ptx/lexer.h"
#include "harness/kernel/ptx/opcode.h"

namespace lab::ptx {

/// Reads tokens one after another. Every failure is an input error at the token concerned.
class Cursor {
 public:
  /// `source` must outlive the cursor.
  explicit Cursor(const Source& source) : source_(source), tokens_(lex(source)) {}

  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token& next() {
    const Token& token = tokens_[at_];
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  [[nodiscard]] bool at_end() const { return peek().kind == Token::Kind::kEnd; }
  [[nodiscard]] bool is(char punct, std::size_t ahead = 0) const;
  [[nodiscard]] bool is(Token::Kind kind, std::size_t ahead = 0) const {
    return peek(ahead).kind == kind;
  }
  [[nodiscard]] bool is_dot(std::string_view text) const {
    return is(Token::Kind::kDot) && peek().text == text;
  }
  /// Takes the punctuation if it is next.
  bool accept(char punct);
  bool accept_dot(std::string_view text);
  /// Takes it or fails with "expected ';' AFTER".
  void expect(char punct, std::string_view after);
  /// Takes a token of this kind or fails with "expected WHAT".
  const Token& expect(Token::Kind kind, std::string_view what);
  /// Skips past the next ';' (or to a closing brace or the end).
  void skip_statement();
  /// Skips the '{' ... '}' that is next, with everything inside.
  void skip_braces();
  void skip_parentheses();

  [[nodiscard]] Error fail(const std::string& message, std::string hint = {}) const {
    return error_at(source_, peek(), message, std::move(hint));
  }
  [[nodiscard]] Error fail(const Token& token, const std::string& message,
                           std::string hint = {}) const {
    return error_at(source_, token, message, std::move(hint));
  }

 private:
  void skip_nested(char open, char close);

  const Source& source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

/// "';'", "'.u32'", "the end of the text": a token in a message.
[[nodiscard]] std::string describe(const Token& token);

struct Literal {
  std::uint64_t bits = 0;  ///< an integer in two's complement, or a float's bit pattern
  int float_bits = 0;      ///< 32: written 0f...; 64: written 0d... or with a point; 0: an integer
  bool is_unsigned = false;  ///< of an integer: written with U, or too large for .s64
};
void negate(Literal& literal);

/// A number without a sign.
[[nodiscard]] Literal parse_number(Cursor& cursor);
/// True where a number, or an expression of numbers, comes next.
[[nodiscard]] bool starts_constant(const Cursor& cursor);
/// A number, or an expression of numbers: -4, (3+4)*2, 1<<20 | 7, WARP_SZ-1.
[[nodiscard]] Literal parse_constant(Cursor& cursor);
/// A number that must be an integer from 0 to `limit`.
[[nodiscard]] std::uint64_t parse_unsigned(Cursor& cursor, std::string_view what,
                                           std::uint64_t limit);
/// The integer offset after a symbol or register: +4, +-4, -4, +4*2, +4+4; 0 where there is none.
[[nodiscard]] std::int64_t parse_offsets(Cursor& cursor);
/// The literal's bits as a constant of this type; throws at `token` where the type can't hold it.
[[nodiscard]] std::uint64_t literal_bits(const Cursor& cursor, const Token& token,
                                         const Literal& literal, Type type);

}  // namespace lab::ptx
