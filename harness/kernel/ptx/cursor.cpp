#include "harness/kernel/ptx/cursor.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>

namespace lab::ptx {

bool Cursor::is(char punct, std::size_t ahead) const {
  const Token& token = peek(ahead);
  return token.kind == Token::Kind::kPunct && token.text[0] == punct;
}

bool Cursor::accept(char punct) {
  if (!is(punct)) return false;
  next();
  return true;
}

bool Cursor::accept_dot(std::string_view text) {
  if (!is_dot(text)) return false;
  next();
  return true;
}

void Cursor::expect(char punct, std::string_view after) {
  if (accept(punct)) return;
  throw fail(fmt::format("expected '{}' {}, found {}", punct, after, describe(peek())));
}

const Token& Cursor::expect(Token::Kind kind, std::string_view what) {
  if (peek().kind != kind) {
    throw fail(fmt::format("expected {}, found {}", what, describe(peek())));
  }
  return next();
}

void Cursor::skip_statement() {
  while (!at_end() && !is(';') && !is('}')) {
    if (is('{')) {
      skip_braces();
    } else {
      next();
    }
  }
  accept(';');
}

void Cursor::skip_nested(char open, char close) {
  const Token& first = peek();
  std::size_t depth = 0;
  do {
    if (at_end()) throw fail(first, fmt::format("this '{}' is never closed", open));
    if (is(open)) ++depth;
    if (is(close)) --depth;
    next();
  } while (depth > 0);
}

void Cursor::skip_braces() { skip_nested('{', '}'); }
void Cursor::skip_parentheses() { skip_nested('(', ')'); }

std::string describe(const Token& token) {
  switch (token.kind) {
    case Token::Kind::kEnd:
      return "the end of the text";
    case Token::Kind::kDot:
      return fmt::format("'.{}'", token.text);
    case Token::Kind::kString:
      return "a string";
    default:
      return fmt::format("'{}'", token.text);
  }
}

namespace {

bool from_chars_all(std::string_view digits, int base, std::uint64_t& value) {
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return result.ec == std::errc{} && result.ptr == digits.data() + digits.size();
}

struct Prefix {
  char letter;
  int base;
  int float_bits;
};
constexpr std::array kPrefixes{Prefix{'x', 16, 0}, Prefix{'b', 2, 0}, Prefix{'f', 16, 32},
                               Prefix{'d', 16, 64}};

bool parse_prefixed(std::string_view text, Literal& literal) {
  for (const Prefix& prefix : kPrefixes) {
    if ((text[1] | 0x20) != prefix.letter) continue;
    literal.float_bits = prefix.float_bits;
    const std::string_view digits = text.substr(2);
    if (prefix.float_bits != 0 && digits.size() * 4 != static_cast<std::size_t>(prefix.float_bits))
      return false;
    return from_chars_all(digits, prefix.base, literal.bits);
  }
  return false;
}

bool parse_text(std::string_view text, Literal& literal) {
  literal.is_unsigned = text.back() == 'U';
  if (literal.is_unsigned) text.remove_suffix(1);
  if (text.size() > 2 && text[0] == '0' && (text[1] | 0x20) >= 'a' && (text[1] | 0x20) != 'e')
    return parse_prefixed(text, literal);
  if (text.find_first_of(".eE") != std::string_view::npos) {
    literal.float_bits = 64;
    literal.bits = std::bit_cast<std::uint64_t>(std::strtod(std::string(text).c_str(), nullptr));
    return true;
  }
  const bool octal = text.size() > 1 && text[0] == '0';
  return from_chars_all(text, octal ? 8 : 10, literal.bits);
}

}  // namespace

void negate(Literal& literal) {
  if (literal.float_bits == 0) {
    literal.bits = 0 - literal.bits;
  } else {
    literal.bits ^= std::uint64_t{1} << static_cast<unsigned>(literal.float_bits - 1);
  }
}

Literal parse_number(Cursor& cursor) {
  const Token& token = cursor.expect(Token::Kind::kNumber, "a number");
  Literal literal;
  if (!parse_text(token.text, literal)) {
    throw cursor.fail(token, fmt::format("'{}' is not a number of 64 bits or less", token.text));
  }
  literal.is_unsigned |= literal.float_bits == 0 && literal.bits > INT64_MAX;
  return literal;
}

std::uint64_t parse_unsigned(Cursor& cursor, std::string_view what, std::uint64_t limit) {
  const Token& token = cursor.peek();
  bool negative = false;
  while (cursor.is('-') || cursor.is('+')) negative ^= cursor.next().text == "-";
  Literal literal = parse_number(cursor);
  if (negative) negate(literal);
  if (literal.float_bits != 0 || literal.bits > limit) {
    throw cursor.fail(token, fmt::format("{} must be an integer from 0 to {}", what, limit));
  }
  return literal.bits;
}

std::int64_t parse_offsets(Cursor& cursor) {
  const Token& sign = cursor.peek();
  if (!cursor.accept('+') && !cursor.is('-')) return 0;
  const Literal literal = parse_constant(cursor);
  if (literal.float_bits != 0) throw cursor.fail(sign, "an offset must be an integer");
  return static_cast<std::int64_t>(literal.bits);
}

std::uint64_t literal_bits(const Cursor& cursor, const Token& token, const Literal& literal,
                           Type type) {
  const int bits = bits_of(type);
  if (type == Type::kPred) return literal.bits != 0 ? 1 : 0;
  if (literal.float_bits == 0) {
    if (!is_float(type)) return literal.bits;
    throw cursor.fail(token, fmt::format("an integer can't stand for a .{} value", name_of(type)),
                      "write it with a point, or as 0f and 8 hex digits (0d and 16 for .f64)");
  }
  const bool untyped = type == Type::kB32 || type == Type::kB64;
  if (literal.float_bits == bits && (untyped || is_float(type))) return literal.bits;
  if (type == Type::kF32) {
    const auto wide = std::bit_cast<double>(literal.bits);
    return std::bit_cast<std::uint32_t>(static_cast<float>(wide));
  }
  if (type == Type::kF64) {
    const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(literal.bits));
    return std::bit_cast<std::uint64_t>(static_cast<double>(narrow));
  }
  throw cursor.fail(
      token, fmt::format("a floating-point number can't stand for a .{} value", name_of(type)));
}

}  // namespace lab::ptx
