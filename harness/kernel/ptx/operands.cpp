#include "harness/kernel/ptx/grammar.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "harness/core/text.h"

namespace lab::ptx {

namespace {

using Kind = Operand::Kind;

constexpr std::array kSpecials{
    SpecialRow{"%tid", Special::kTid, Type::kU32, true},
    SpecialRow{"%ntid", Special::kNtid, Type::kU32, true},
    SpecialRow{"%ctaid", Special::kCtaid, Type::kU32, true},
    SpecialRow{"%nctaid", Special::kNctaid, Type::kU32, true},
    SpecialRow{"%laneid", Special::kLaneid, Type::kU32, false},
    SpecialRow{"%warpid", Special::kWarpid, Type::kU32, false},
    SpecialRow{"%nwarpid", Special::kNwarpid, Type::kU32, false},
    SpecialRow{"%smid", Special::kSmid, Type::kU32, false},
    SpecialRow{"%nsmid", Special::kNsmid, Type::kU32, false},
    SpecialRow{"%gridid", Special::kGridid, Type::kU64, false},
    SpecialRow{"%lanemask_eq", Special::kLanemaskEq, Type::kU32, false},
    SpecialRow{"%lanemask_le", Special::kLanemaskLe, Type::kU32, false},
    SpecialRow{"%lanemask_lt", Special::kLanemaskLt, Type::kU32, false},
    SpecialRow{"%lanemask_ge", Special::kLanemaskGe, Type::kU32, false},
    SpecialRow{"%lanemask_gt", Special::kLanemaskGt, Type::kU32, false},
    SpecialRow{"%clock", Special::kClock, Type::kU32, false},
    SpecialRow{"%clock_hi", Special::kClockHi, Type::kU32, false},
    SpecialRow{"%clock64", Special::kClock64, Type::kU64, false},
    SpecialRow{"%globaltimer", Special::kGlobaltimer, Type::kU64, false},
    SpecialRow{"%globaltimer_lo", Special::kGlobaltimerLo, Type::kU32, false},
    SpecialRow{"%globaltimer_hi", Special::kGlobaltimerHi, Type::kU32, false},
    SpecialRow{"%dynamic_smem_size", Special::kDynamicSmemSize, Type::kU32, false},
    SpecialRow{"%total_smem_size", Special::kTotalSmemSize, Type::kU32, false},
    SpecialRow{"%aggr_smem_size", Special::kUnmodelled, Type::kU32, false},
    SpecialRow{"%reserved_smem_offset_begin", Special::kReservedSmem, Type::kB32, false},
    SpecialRow{"%reserved_smem_offset_end", Special::kReservedSmem, Type::kB32, false},
    SpecialRow{"%reserved_smem_offset_cap", Special::kReservedSmem, Type::kB32, false},
    SpecialRow{"%clusterid", Special::kClusterid, Type::kU32, true},
    SpecialRow{"%nclusterid", Special::kNclusterid, Type::kU32, true},
    SpecialRow{"%cluster_ctaid", Special::kClusterCtaid, Type::kU32, true},
    SpecialRow{"%cluster_nctaid", Special::kClusterNctaid, Type::kU32, true},
    SpecialRow{"%cluster_ctarank", Special::kClusterCtarank, Type::kU32, false},
    SpecialRow{"%cluster_nctarank", Special::kClusterNctarank, Type::kU32, false},
    SpecialRow{"%is_explicit_cluster", Special::kIsExplicitCluster, Type::kPred, false},
    SpecialRow{"%current_graph_exec", Special::kUnmodelled, Type::kU64, false},
};

// %envreg0..31, %pm0..7, %pm0_64..7_64, %reserved_smem_offset_0 and _1.
bool is_numbered(std::string_view name, std::string_view prefix, std::uint64_t limit,
                 std::uint64_t& number) {
  if (name.substr(0, prefix.size()) != prefix) return false;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + prefix.size(), end, number);
  return read.ec == std::errc{} && read.ptr == end && number < limit;
}

std::optional<Operand> numbered_special(std::string_view name) {
  Operand operand{Kind::kSpecial};
  std::uint64_t number = 0;
  if (is_numbered(name, "%envreg", 32, number)) {
    operand.special = Special::kEnvreg;
  } else if (is_numbered(name, "%reserved_smem_offset_", 2, number)) {
    operand.special = Special::kReservedSmem;
  } else if (is_numbered(name.substr(0, std::min<std::size_t>(4, name.size())), "%pm", 8, number) &&
             (name.size() == 4 || name.substr(4) == "_64")) {
    operand.special = Special::kUnmodelled;
  } else {
    return {};
  }
  operand.component = static_cast<std::uint8_t>(number);
  return operand;
}

// .x, .y, .z or .w: 0 to 3.
std::optional<std::uint8_t> accept_component(Cursor& cursor, std::string_view names) {
  if (!cursor.is(Token::Kind::kDot) || cursor.peek().text.size() != 1) return {};
  const std::size_t at = names.find(cursor.peek().text[0]);
  if (at == std::string_view::npos) return {};
  cursor.next();
  return static_cast<std::uint8_t>(at % 4);
}

std::uint8_t parse_component(Cursor& cursor, const Token& name) {
  if (const auto component = accept_component(cursor, "xyzw")) return *component;
  throw cursor.fail(fmt::format("expected .x, .y, .z or .w after '{}'", name.text));
}

// A register, one component of a vector of them, or the whole vector.
Operand parse_register(Cursor& cursor, const Meaning& meaning, const Token& name) {
  Operand operand{Kind::kRegister};
  operand.reg = meaning.index;
  if (meaning.lanes == 1) return operand;
  if (const auto component = accept_component(cursor, "xyzwrgba")) {
    if (*component >= meaning.lanes) {
      throw cursor.fail(name, fmt::format("'{}' has {} components", name.text, meaning.lanes));
    }
    operand.reg += *component;
    return operand;
  }
  Operand whole{Kind::kVector};
  for (std::uint8_t lane = 0; lane < meaning.lanes; ++lane) {
    whole.parts.push_back(operand);
    ++operand.reg;
  }
  return whole;
}

Error unknown_name(const Cursor& cursor, const Token& name) {
  const bool reg = name.text[0] == '%';
  return cursor.fail(name, fmt::format("'{}' is not declared", name.text),
                     reg ? "declare it with .reg, such as: .reg .b32 %r<8>;" : "");
}

void set_meaning(Operand& operand, const Meaning& meaning, const Cursor& cursor,
                 const Token& name) {
  switch (meaning.kind) {
    case Meaning::Kind::kVariable:
      operand.kind = Kind::kSymbol;
      operand.home = meaning.home;
      operand.symbol = meaning.index;
      return;
    case Meaning::Kind::kFunction:
      operand.kind = Kind::kFunction;
      operand.target = meaning.index;
      return;
    case Meaning::Kind::kTargets:
      operand.kind = Kind::kTargets;
      operand.target = meaning.index;
      return;
    case Meaning::Kind::kRegister:
    case Meaning::Kind::kPrototype:
      break;
  }
  throw cursor.fail(name, fmt::format("the prototype '{}' can't stand here", name.text));
}

Operand parse_name(Cursor& cursor, Scopes& scopes) {
  const Token& name = cursor.next();
  if (name.text == "_") return Operand{Kind::kSink};
  Operand operand;
  if (const auto meaning = scopes.find(name.text)) {
    if (meaning->kind == Meaning::Kind::kRegister) return parse_register(cursor, *meaning, name);
    set_meaning(operand, *meaning, cursor, name);
    if (operand.kind == Kind::kSymbol) operand.offset = parse_offsets(cursor);
    return operand;
  }
  if (const SpecialRow* row = find_special(name.text)) {
    operand.kind = Kind::kSpecial;
    operand.special = row->special;
    if (row->is_vector) operand.component = parse_component(cursor, name);
    return operand;
  }
  if (const auto numbered = numbered_special(name.text)) return *numbered;
  throw unknown_name(cursor, name);
}

Operand parse_immediate(Cursor& cursor, Type type) {
  const Token& token = cursor.peek();
  const Literal literal = parse_constant(cursor);
  Operand operand{Kind::kImmediate};
  operand.is_float = literal.float_bits != 0;
  operand.bits = literal_bits(cursor, token, literal, type);
  return operand;
}

// An operand inside a vector or a pair, which is neither an address nor a vector.
Operand parse_simple(Cursor& cursor, Scopes& scopes, Type literal) {
  if (starts_constant(cursor)) return parse_immediate(cursor, literal);
  const bool negated = cursor.accept('!');
  if (!cursor.is(Token::Kind::kWord)) {
    throw cursor.fail(fmt::format("expected an operand, found {}", describe(cursor.peek())));
  }
  Operand operand = parse_name(cursor, scopes);
  operand.negated = negated;
  return operand;
}

// Constants in a vector have the element's type, since the whole may be a .b64 made of two.
Operand parse_vector(Cursor& cursor, Scopes& scopes, Type literal) {
  constexpr std::size_t kMostParts = 8;
  Operand operand{Kind::kVector};
  do {
    if (operand.parts.size() == kMostParts) {
      throw cursor.fail(fmt::format("a vector has at most {} parts", kMostParts));
    }
    operand.parts.push_back(parse_simple(cursor, scopes, literal));
  } while (cursor.accept(','));
  cursor.expect('}', "after the parts of a vector");
  return operand;
}

Operand parse_address(Cursor& cursor, Scopes& scopes, Type literal) {
  Operand operand{Kind::kAddress};
  if (cursor.is(Token::Kind::kWord)) {
    const Token& name = cursor.peek();
    const Operand base = parse_name(cursor, scopes);
    if (base.kind != Kind::kRegister && base.kind != Kind::kSymbol) {
      throw cursor.fail(name, fmt::format("'{}' is not an address", name.text));
    }
    operand.reg = base.reg;
    operand.symbol = base.symbol;
    operand.home = base.home;
    operand.offset = base.offset;
    if (base.kind == Kind::kRegister) operand.offset = parse_offsets(cursor);
  } else {
    operand.offset = static_cast<std::int64_t>(
        parse_unsigned(cursor, "an address", static_cast<std::uint64_t>(INT64_MAX)));
  }
  if (cursor.accept(',')) {
    cursor.expect('{', "before the coordinates of an image");
    operand.parts = parse_vector(cursor, scopes, literal).parts;
  }
  cursor.expect(']', "after the address");
  return operand;
}

}  // namespace

const SpecialRow* find_special(std::string_view name) {
  for (const SpecialRow& row : kSpecials) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

Operand parse_operand(Cursor& cursor, Scopes& scopes, Type literal) {
  if (cursor.accept('[')) return parse_address(cursor, scopes, literal);
  if (cursor.accept('{')) return parse_vector(cursor, scopes, literal);
  Operand first = parse_simple(cursor, scopes, literal);
  if (!cursor.accept('|')) return first;
  Operand pair{Kind::kPair};
  pair.parts.push_back(std::move(first));
  pair.parts.push_back(parse_simple(cursor, scopes, literal));
  return pair;
}

}  // namespace lab::ptx
