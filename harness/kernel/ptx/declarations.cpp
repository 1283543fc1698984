#include "harness/kernel/ptx/grammar.h"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace lab::ptx {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostAlign = 1U << 20;
constexpr std::size_t kMostDimensions = 16;

struct Shape {
  std::vector<std::uint64_t> dimensions;  // 0: written []
  std::uint64_t elements = 1;
};

// The qualifiers between the directive and the name.
struct Qualifiers {
  Type type = Type::kNone;
  std::uint64_t align = 0;
  std::uint64_t vector = 1;
};

std::uint64_t parse_align(Cursor& cursor) {
  const Token& token = cursor.peek();
  const std::uint64_t align = parse_unsigned(cursor, "an alignment", kMostAlign);
  if (!std::has_single_bit(align)) {
    throw cursor.fail(token, "an alignment must be a power of two");
  }
  return align;
}

// Skips the description of a pointer parameter's target, which changes nothing here: `.ptr .global
// .align 8`.
void skip_pointee(Cursor& cursor) {
  while (cursor.is(Token::Kind::kDot)) {
    if (cursor.accept_dot("align")) {
      parse_align(cursor);
    } else if (declared_space(cursor.peek().text)) {
      cursor.next();
    } else {
      return;
    }
  }
}

bool is_opaque(std::string_view text) {
  return text == "texref" || text == "samplerref" || text == "surfref";
}

void parse_qualifier(Cursor& cursor, Qualifiers& out) {
  const Token& token = cursor.next();
  if (token.text == "align") {
    out.align = parse_align(cursor);
  } else if (token.text == "ptr") {
    skip_pointee(cursor);
  } else if (token.text == "attribute") {
    cursor.skip_parentheses();
  } else if (token.text == "v2" || token.text == "v4") {
    out.vector = token.text == "v2" ? 2 : 4;
  } else if (is_opaque(token.text)) {
    out.type = Type::kB64;
  } else if (const auto type = find_type(token.text);
             type && bits_of(*type) >= 8 && !is_fp8_pair(*type)) {
    out.type = *type;
  } else {
    throw cursor.fail(token, fmt::format("'.{}' can't stand in a declaration", token.text));
  }
}

Shape parse_shape(Cursor& cursor) {
  Shape shape;
  while (cursor.accept('[')) {
    const std::uint64_t size =
        cursor.is(']') ? 0 : parse_unsigned(cursor, "an array's size", kMostBytes);
    if (shape.dimensions.size() == kMostDimensions) throw cursor.fail("too many dimensions");
    if (size != 0 && shape.elements > kMostBytes / size) throw cursor.fail("array is too large");
    shape.elements *= size;
    shape.dimensions.push_back(size);
    cursor.expect(']', "after the size of the array");
  }
  return shape;
}

class Initialiser {
 public:
  Initialiser(Cursor& cursor, Variable& variable, const Shape& shape, std::uint64_t vector)
      : cursor_(cursor), variable_(variable), dimensions_(shape.dimensions) {
    size_ = static_cast<std::uint64_t>(bits_of(variable.type)) / 8;
    if (vector > 1) dimensions_.push_back(vector);
    open_ended_ = !dimensions_.empty() && dimensions_[0] == 0;
  }

  void parse() {
    value(0);
    require_whole_address();
    if (open_ended_) variable_.bytes = variable_.init.size();
    if (variable_.init.size() > variable_.bytes) throw cursor_.fail("too many initial values");
  }

 private:
  static constexpr std::uint64_t kAddressBytes = 8;

  void require_whole_address() const {
    if (missing_ != 0) throw cursor_.fail("an address must have all of its 8 bytes");
  }

  // Bytes of one element at this depth of nesting.
  [[nodiscard]] std::uint64_t stride(std::size_t depth) const {
    std::uint64_t bytes = size_;
    for (std::size_t i = depth; i < dimensions_.size(); ++i) bytes *= dimensions_[i];
    return bytes;
  }

  void value(std::size_t depth) {
    if (cursor_.accept('{')) return list(depth);
    const Token& token = cursor_.peek();
    const bool plain = cursor_.is(Token::Kind::kString) || cursor_.is(Token::Kind::kWord);
    const bool number = !plain || starts_constant(cursor_);
    const Literal literal = number ? parse_constant(cursor_) : Literal{};
    if (number && cursor_.accept('(')) return masked_address(token, literal.bits);
    require_whole_address();
    if (!number && cursor_.is(Token::Kind::kString)) return string();
    if (!number) return address();
    append(literal_bits(cursor_, token, literal, variable_.type), size_);
  }

  void list(std::size_t depth) {
    if (depth >= dimensions_.size()) throw cursor_.fail("more braces than dimensions");
    const std::size_t start = variable_.init.size();
    while (!cursor_.is('}')) {
      value(depth + 1);
      if (!cursor_.accept(',')) break;
    }
    cursor_.expect('}', "after the initial values");
    if (depth > 0 && variable_.init.size() != start + stride(depth)) {
      throw cursor_.fail("an inner list must give all of its values");
    }
  }

  void string() {
    for (const char c : cursor_.next().text) append(static_cast<unsigned char>(c), size_);
    append(0, size_);
  }

  // symbol, symbol+4, generic(symbol), generic(symbol)+4+8
  Variable::Relocation parse_symbol() {
    Variable::Relocation relocation{variable_.init.size(), "", 0, false};
    const Token* name = &cursor_.expect(Token::Kind::kWord, "the name of a variable");
    if (name->text == "generic" && cursor_.accept('(')) {
      relocation.generic = true;
      name = &cursor_.expect(Token::Kind::kWord, "the name of a variable");
      cursor_.expect(')', "after the name");
    }
    relocation.symbol = name->text;
    relocation.offset = parse_offsets(cursor_);
    return relocation;
  }

  void address() {
    const Token& token = cursor_.peek();
    variable_.relocations.push_back(parse_symbol());
    if (size_ != kAddressBytes) {
      throw cursor_.fail(token, "an address needs an element of 8 bytes");
    }
    append(0, kAddressBytes);
  }

  // 0xFF(symbol), 0xFF00(symbol), ...: an address byte by byte, beginning with the first form.
  void masked_address(const Token& token, std::uint64_t mask) {
    if (size_ != 1 || mask == 0 || (mask >> std::countr_zero(mask)) != 0xff) {
      throw cursor_.fail(token, "an address mask must select one byte of an array of bytes");
    }
    Variable::Relocation relocation = parse_symbol();
    cursor_.expect(')', "after the address");
    append(0, 1);
    const int place = std::countr_zero(mask);
    if (place == 0) {
      require_whole_address();
      missing_ = kAddressBytes - 1;
      return variable_.relocations.push_back(std::move(relocation));
    }
    const std::uint64_t next = 8 * (kAddressBytes - missing_);
    if (missing_ == 0 || static_cast<std::uint64_t>(place) != next ||
        !is_same_address(variable_.relocations.back(), relocation)) {
      throw cursor_.fail(token, "the bytes of an address must follow each other");
    }
    --missing_;
  }

  static bool is_same_address(const Variable::Relocation& a, const Variable::Relocation& b) {
    return a.symbol == b.symbol && a.offset == b.offset && a.generic == b.generic;
  }

  void append(std::uint64_t bits, std::uint64_t bytes) {
    const std::size_t at = variable_.init.size();
    variable_.init.resize(at + bytes);
    for (std::size_t i = 0; i < bytes && i < 8; ++i) {
      variable_.init[at + i] = static_cast<std::byte>(bits >> (8 * i));
    }
  }

  Cursor& cursor_;
  Variable& variable_;
  std::vector<std::uint64_t> dimensions_;
  std::uint64_t size_ = 1;
  std::uint64_t missing_ = 0;  // bytes of a masked address that are still to come
  bool open_ended_ = false;
};

Qualifiers parse_qualifiers(Cursor& cursor) {
  Qualifiers qualifiers;
  while (cursor.is(Token::Kind::kDot)) parse_qualifier(cursor, qualifiers);
  if (qualifiers.type == Type::kNone) throw cursor.fail("this declaration has no type");
  return qualifiers;
}

// NAME, NAME[4][4], NAME = 3
Declared parse_declarator(Cursor& cursor, const Qualifiers& qualifiers, Space space,
                          bool is_extern) {
  const Token& name = cursor.expect(Token::Kind::kWord, "the name of a variable");
  const auto element = static_cast<std::uint64_t>(bits_of(qualifiers.type)) / 8 * qualifiers.vector;
  const Shape shape = parse_shape(cursor);
  if (shape.elements > kMostBytes / element) throw cursor.fail(name, "array is too large");
  Variable variable{std::string(name.text), space, qualifiers.type};
  variable.align = static_cast<std::uint32_t>(qualifiers.align != 0 ? qualifiers.align : element);
  variable.bytes = element * shape.elements;
  variable.is_extern = is_extern;
  if (cursor.is('=') && space != Space::kGlobal && space != Space::kConst) {
    throw cursor.fail(fmt::format("a .{} variable has no initial value", name_of(space)),
                      "store the value at the beginning of the kernel");
  }
  if (cursor.accept('=')) Initialiser(cursor, variable, shape, qualifiers.vector).parse();
  return {std::move(variable), name};
}

}  // namespace

std::optional<Space> declared_space(std::string_view directive) {
  constexpr std::array kSpaces{Space::kGlobal, Space::kShared, Space::kLocal, Space::kConst,
                               Space::kParam};
  for (const Space space : kSpaces) {
    if (name_of(space) == directive) return space;
  }
  return {};
}

std::vector<Declared> parse_variables(Cursor& cursor, Space space, bool is_extern) {
  const Qualifiers qualifiers = parse_qualifiers(cursor);
  std::vector<Declared> list;
  do list.push_back(parse_declarator(cursor, qualifiers, space, is_extern));
  while (cursor.accept(','));
  cursor.expect(';', "after the variable");
  return list;
}

std::vector<Declared> parse_params(Cursor& cursor, bool in_registers) {
  std::vector<Declared> params;
  cursor.expect('(', "before the parameters");
  while (!cursor.is(')')) {
    const bool in_register = in_registers && cursor.accept_dot("reg");
    if (!in_register && !cursor.accept_dot("param")) {
      throw cursor.fail(fmt::format("expected '.param', found {}", describe(cursor.peek())),
                        "pass parameters in .param variables, not in registers");
    }
    const Qualifiers qualifiers = parse_qualifiers(cursor);
    params.push_back(parse_declarator(cursor, qualifiers, Space::kParam, false));
    Declared& param = params.back();
    param.variable.in_register = in_register;
    const auto whole = static_cast<std::uint64_t>(bits_of(qualifiers.type)) / 8;
    if (in_register && (param.variable.bytes != whole || whole > 8)) {
      throw cursor.fail(param.name, "a register that is passed has 8 to 64 bits and no components",
                        "pass the components one by one");
    }
    if (!cursor.accept(',')) break;
  }
  cursor.expect(')', "after the parameters");
  return params;
}

bool skip_linking(Cursor& cursor) {
  bool is_extern = false;
  while (cursor.is_dot("visible") || cursor.is_dot("extern") || cursor.is_dot("weak") ||
         cursor.is_dot("common")) {
    is_extern |= cursor.next().text == "extern";
  }
  return is_extern;
}

}  // namespace lab::ptx
