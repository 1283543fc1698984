// Constant expressions: PTX ISA, "Constant Expressions". Precedence is C's. Integers are .s64 or
// .u64, and beside a .u64 both are .u64. Where the guide is silent, it is as ptxas 13 evaluates
// them: % gives .u64, a shift counts modulo 64, and `c ? a : b` keeps the type of the one chosen.
#include <fmt/format.h>

#include <array>
#include <bit>

#include "harness/kernel/ptx/cursor.h"

namespace lab::ptx {

namespace {

enum class Do : std::uint8_t {
  kEither,
  kBoth,
  kOr,
  kXor,
  kAnd,
  kEq,
  kNe,
  kLe,
  kGe,
  kShl,
  kShr,
  kLt,
  kGt,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kRem,
};

struct Operator {
  std::string_view text;
  int level;  ///< a higher one binds tighter
  Do what;
};
// Longer spellings first.
constexpr std::array kOperators{
    Operator{"||", 0, Do::kEither}, Operator{"&&", 1, Do::kBoth}, Operator{"==", 5, Do::kEq},
    Operator{"!=", 5, Do::kNe},     Operator{"<=", 6, Do::kLe},   Operator{">=", 6, Do::kGe},
    Operator{"<<", 7, Do::kShl},    Operator{">>", 7, Do::kShr},  Operator{"|", 2, Do::kOr},
    Operator{"^", 3, Do::kXor},     Operator{"&", 4, Do::kAnd},   Operator{"<", 6, Do::kLt},
    Operator{">", 6, Do::kGt},      Operator{"+", 8, Do::kAdd},   Operator{"-", 8, Do::kSub},
    Operator{"*", 9, Do::kMul},     Operator{"/", 9, Do::kDiv},   Operator{"%", 9, Do::kRem},
};

Literal integer(std::uint64_t bits, bool is_unsigned = false) { return {bits, 0, is_unsigned}; }
Literal real(double value) { return {std::bit_cast<std::uint64_t>(value), 64}; }

std::int64_t as_signed(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

std::uint64_t shifted_right(const Literal& a, std::uint64_t count) {
  const std::uint64_t by = count % 64;
  return a.is_unsigned ? a.bits >> by : static_cast<std::uint64_t>(as_signed(a.bits) >> by);
}

// b is not zero.
std::uint64_t quotient(std::uint64_t a, std::uint64_t b, bool is_unsigned) {
  if (is_unsigned) return a / b;
  if (b == ~std::uint64_t{0}) return 0 - a;  // the least number by -1 has no quotient in .s64
  return static_cast<std::uint64_t>(as_signed(a) / as_signed(b));
}

template <typename T>
bool compare(Do what, T a, T b) {
  switch (what) {
    case Do::kEq:
      return a == b;
    case Do::kNe:
      return a != b;
    case Do::kLe:
      return a <= b;
    case Do::kGe:
      return a >= b;
    case Do::kLt:
      return a < b;
    default:
      return a > b;
  }
}
bool is_comparison(Do what) {
  return what == Do::kEq || what == Do::kNe || what == Do::kLe || what == Do::kGe ||
         what == Do::kLt || what == Do::kGt;
}

Literal of_integers(Do what, const Literal& a, const Literal& b) {
  const bool is_unsigned = a.is_unsigned || b.is_unsigned;
  if (is_comparison(what)) {
    return integer(is_unsigned ? compare(what, a.bits, b.bits)
                               : compare(what, as_signed(a.bits), as_signed(b.bits)));
  }
  switch (what) {
    case Do::kEither:
      return integer(a.bits != 0 || b.bits != 0);
    case Do::kBoth:
      return integer(a.bits != 0 && b.bits != 0);
    case Do::kOr:
      return integer(a.bits | b.bits, is_unsigned);
    case Do::kXor:
      return integer(a.bits ^ b.bits, is_unsigned);
    case Do::kAnd:
      return integer(a.bits & b.bits, is_unsigned);
    case Do::kShl:
      return integer(a.bits << (b.bits % 64), a.is_unsigned);
    case Do::kShr:
      return integer(shifted_right(a, b.bits), a.is_unsigned);
    case Do::kAdd:
      return integer(a.bits + b.bits, is_unsigned);
    case Do::kSub:
      return integer(a.bits - b.bits, is_unsigned);
    case Do::kMul:
      return integer(a.bits * b.bits, is_unsigned);
    case Do::kDiv:
      return integer(quotient(a.bits, b.bits, is_unsigned), is_unsigned);
    default:
      return integer(a.bits % b.bits, true);
  }
}

class Expression {
 public:
  explicit Expression(Cursor& cursor) : cursor_(cursor) {}

  // a ? b : c
  Literal choice() {
    enter();
    const Token& start = cursor_.peek();
    Literal value = binary(0);
    if (cursor_.accept('?')) {
      const Literal yes = choice();
      cursor_.expect(':', "between the values of '?'");
      const Literal no = choice();
      const bool whole = value.float_bits == 0 && yes.float_bits == 0 && no.float_bits == 0;
      if (!whole) throw cursor_.fail(start, "'?' chooses between integers only");
      value = value.bits != 0 ? yes : no;
    }
    --depth_;
    return value;
  }

 private:
  static constexpr int kDeepest = 64;

  void enter() {
    if (++depth_ > kDeepest) {
      throw cursor_.fail(fmt::format("a constant nests deeper than {}", kDeepest));
    }
  }

  [[nodiscard]] const Operator* next_operator() const {
    // A '%' alone is lexed as the start of a name.
    const std::string_view word = cursor_.is(Token::Kind::kWord) ? cursor_.peek().text : "";
    for (const Operator& each : kOperators) {
      if (each.text == word) return &each;
      if (!cursor_.is(each.text[0])) continue;
      if (each.text.size() == 1 || cursor_.is(each.text[1], 1)) return &each;
    }
    return nullptr;
  }

  Literal binary(int level) {
    Literal left = unary();
    while (const Operator* next = next_operator()) {
      if (next->level < level) break;
      const Token& token = cursor_.peek();
      for (std::size_t i = 0; i < next->text.size(); ++i) cursor_.next();
      left = apply(*next, token, left, binary(next->level + 1));
    }
    return left;
  }

  Literal apply(const Operator& op, const Token& token, const Literal& a, const Literal& b) const {
    if (a.float_bits != b.float_bits || a.float_bits == 32) throw mismatch(op, token);
    const bool divides = op.what == Do::kDiv || op.what == Do::kRem;
    const bool zero = a.float_bits == 0 ? b.bits == 0 : b.bits << 1U == 0;
    if (divides && zero) throw cursor_.fail(token, "a constant can't be divided by zero");
    if (a.float_bits == 0) return of_integers(op.what, a, b);
    const auto x = std::bit_cast<double>(a.bits);
    const auto y = std::bit_cast<double>(b.bits);
    if (is_comparison(op.what)) return integer(compare(op.what, x, y));
    switch (op.what) {
      case Do::kAdd:
        return real(x + y);
      case Do::kSub:
        return real(x - y);
      case Do::kMul:
        return real(x * y);
      case Do::kDiv:
        return real(x / y);
      default:
        throw mismatch(op, token);
    }
  }
  [[nodiscard]] Error mismatch(const Operator& op, const Token& token) const {
    return cursor_.fail(token, fmt::format("'{}' can't join these two constants", op.text),
                        "both must be integers, or decimal numbers with a point");
  }

  Literal unary() {
    const Token& token = cursor_.peek();
    const bool sign = cursor_.is('-') || cursor_.is('+');
    if (!sign && !cursor_.is('!') && !cursor_.is('~')) return primary();
    enter();
    cursor_.next();
    Literal value = unary();
    --depth_;
    if (sign) {
      if (token.text == "-") negate(value);
      return value;
    }
    if (value.float_bits != 0) throw cursor_.fail(token, "this needs an integer");
    return token.text == "!" ? integer(value.bits == 0) : integer(~value.bits, true);
  }

  Literal primary() {
    if (cursor_.is(Token::Kind::kWord) && cursor_.peek().text == "WARP_SZ") {
      cursor_.next();
      return integer(32);
    }
    if (!cursor_.is('(')) return parse_number(cursor_);
    cursor_.next();
    if (cursor_.is_dot("s64") || cursor_.is_dot("u64")) return cast();
    const Literal value = choice();
    cursor_.expect(')', "after the constant");
    return value;
  }

  // (.s64)-1
  Literal cast() {
    const bool to_unsigned = cursor_.next().text == "u64";
    cursor_.expect(')', "after the type");
    const Token& token = cursor_.peek();
    enter();
    const Literal value = unary();
    --depth_;
    if (value.float_bits != 0) throw cursor_.fail(token, "this needs an integer");
    return integer(value.bits, to_unsigned);
  }

  Cursor& cursor_;
  int depth_ = 0;
};

}  // namespace

bool starts_constant(const Cursor& cursor) {
  std::size_t at = 0;
  while (cursor.is('-', at) || cursor.is('+', at) || cursor.is('!', at) || cursor.is('~', at)) ++at;
  return cursor.is(Token::Kind::kNumber, at) || cursor.is('(', at) ||
         (cursor.is(Token::Kind::kWord, at) && cursor.peek(at).text == "WARP_SZ");
}

Literal parse_constant(Cursor& cursor) { return Expression(cursor).choice(); }

}  // namespace lab::ptx
