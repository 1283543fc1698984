#include "harness/kernel/ptx/grammar.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/text.h"
#include "harness/kernel/ptx/check.h"

namespace lab::ptx {

namespace {

using Kind = Operand::Kind;

// An opcode with its modifiers, or why the model does not have it.
struct Opcode {
  Instruction instruction;
  std::string refusal;  // empty: modelled
  std::string hint;
};

constexpr std::size_t kLongestName = 4;  // words in the longest: cp.async.bulk.wait_group

constexpr const char* kElse = "write that line with other instructions, or in plain C++";

// "cp.async.wait_all" from the next `dots` modifiers of the opcode.
std::string joined(const Cursor& cursor, std::size_t dots) {
  std::string name(cursor.peek().text);
  for (std::size_t i = 1; i <= dots; ++i) name += "." + std::string(cursor.peek(i).text);
  return name;
}

std::size_t count_dots(const Cursor& cursor, std::size_t limit) {
  std::size_t dots = 0;
  while (dots < limit && cursor.is(Token::Kind::kDot, dots + 1)) ++dots;
  return dots;
}

void refuse(Opcode& opcode, std::string why, std::string hint) {
  if (!opcode.refusal.empty()) return;
  opcode.refusal = std::move(why);
  opcode.hint = std::move(hint);
}

// cvt.pack's accumulator is .b32. Both sources of vabsdiff2 have the same type, as compilers write
// it.
Type third_type(const Opcode& opcode, const OpcodeRow& row) {
  return row.op == Op::kCvtPack ? Type::kB32 : opcode.instruction.from;
}

void apply_matrix_type(Opcode& opcode, const OpcodeRow& row, Type type, int seen) {
  Instruction& i = opcode.instruction;
  const bool allowed = ((row.first_types >> static_cast<unsigned>(type)) & 1U) != 0;
  if (!allowed || static_cast<std::size_t>(seen) >= i.types.size()) {
    return refuse(opcode, fmt::format("'{}' is not modelled for type .{}", row.name, name_of(type)),
                  kElse);
  }
  if (seen == 0) i.type = type;
  i.types[static_cast<std::size_t>(seen)] = type;
}

void apply_type(Opcode& opcode, const OpcodeRow& row, Type type, int seen) {
  if (row.types == Types::kMatrix) return apply_matrix_type(opcode, row, type, seen);
  const std::uint32_t allowed = seen == 0 ? row.first_types : row.second_types;
  const bool third = seen == 2 && row.types == Types::kThree && type == third_type(opcode, row);
  const bool second = seen == 1 && (row.types == Types::kTwo || row.types == Types::kThree);
  if (third) return;
  if ((seen > 0 && !second) || ((allowed >> static_cast<unsigned>(type)) & 1U) == 0) {
    return refuse(opcode, fmt::format("'{}' is not modelled for type .{}", row.name, name_of(type)),
                  kElse);
  }
  (seen == 0 ? opcode.instruction.type : opcode.instruction.from) = type;
}

void apply_space(Opcode& opcode, Space space) {
  Instruction& i = opcode.instruction;
  // Copies name both, the destination first: .shared.global.
  if (i.space == Space::kGeneric) i.space = space;
}

// A third type replaces the second; rules.cpp then decides whether that is right.
void apply_sub(Instruction& i, Sub sub) { (i.sub == Sub::kNone ? i.sub : i.sub2) = sub; }

bool apply_flag(Instruction& i, Mod mod) {
  switch (mod) {
    case Mod::kFtz:
      return i.ftz = true;
    case Mod::kSat:
      return i.sat = true;
    case Mod::kApprox:
      return i.approx = true;
    case Mod::kFull:
      return i.full = true;
    case Mod::kVolatile:
      return i.is_volatile = true;
    case Mod::kUni:
      return i.uni = true;
    case Mod::kCc:
      return i.carry_out = true;
    case Mod::kNc:
      return i.non_coherent = true;
    case Mod::kRelu:
      return i.relu = true;
    case Mod::kNoftz:
      return i.has_noftz = true;
    case Mod::kNan:
      return i.nan = true;
    case Mod::kXorsign:
      return i.xorsign = true;
    case Mod::kMagnitude:
      return i.magnitude = true;
    case Mod::kSync:
      return i.sync = true;
    case Mod::kAligned:
      return i.aligned = true;
    case Mod::kTrans:
      return i.trans = true;
    case Mod::kSatfinite:
      return i.satfinite = true;
    default:
      return false;
  }
}

void apply_value(Opcode& opcode, const ModifierRow& row) {
  Instruction& i = opcode.instruction;
  switch (row.mod) {
    case Mod::kSub:
      return apply_sub(i, static_cast<Sub>(row.value));
    case Mod::kSpace:
      return apply_space(opcode, static_cast<Space>(row.value));
    case Mod::kCompare:
      i.compare = static_cast<Compare>(row.value);
      return;
    case Mod::kCombine:
      i.combine = static_cast<Combine>(row.value);
      return;
    case Mod::kRound:
      i.round = static_cast<Round>(row.value);
      return;
    case Mod::kScope:
      i.scope = static_cast<Scope>(row.value);
      return;
    case Mod::kOrder:
      i.order = static_cast<Order>(row.value);
      return;
    case Mod::kCache:
      i.cache = static_cast<CacheOp>(row.value);
      return;
    case Mod::kVector:
      i.vector = row.value;
      return;
    case Mod::kImageShape:
      i.image = static_cast<ImageShape>(row.value);
      return;
    case Mod::kShape:
      i.shape = shape_of(row.value);
      return;
    case Mod::kMatrices:
      i.matrices = row.value;
      return;
    case Mod::kLayout:
      i.layouts[i.layouts[0] == MatrixLayout::kNone ? 0 : 1] = static_cast<MatrixLayout>(row.value);
      return;
    case Mod::kHint:
      i.cache_hint = i.cache_hint || row.value != 0;
      return;
    default:
      return;
  }
}

// Each kind of modifier may occur once. Types and the like are counted elsewhere, copies name two
// spaces, and products two layouts.
void refuse_twice(const Cursor& cursor, const Token& token, const OpcodeRow& row,
                  const ModifierRow& modifier, std::uint32_t& seen) {
  const std::uint32_t bit = 1U << static_cast<unsigned>(modifier.mod);
  const bool may =
      modifier.mod == Mod::kType || modifier.mod == Mod::kSub || modifier.mod == Mod::kHint ||
      modifier.mod == Mod::kLayout ||
      (modifier.mod == Mod::kSpace && (row.op == Op::kCpAsync || row.op == Op::kCpAsyncBulk));
  if ((seen & bit) != 0 && !may) {
    throw cursor.fail(
        token, fmt::format("'{}' has two modifiers of the kind of '.{}'", row.name, token.text));
  }
  seen |= bit;
}

void apply_modifiers(Cursor& cursor, Opcode& opcode, const OpcodeRow& row) {
  int types = 0;
  std::uint32_t seen = 0;
  while (cursor.is(Token::Kind::kDot)) {
    const Token& token = cursor.next();
    const std::string_view name = token.text;
    const ModifierRow* modifier = find_modifier(row, name);
    if (modifier != nullptr) refuse_twice(cursor, token, row, *modifier, seen);
    if (modifier == nullptr) {
      refuse(opcode, fmt::format("the modifier '.{}' of '{}' is not modelled", name, row.name),
             kElse);
    } else if (modifier->mod == Mod::kType) {
      apply_type(opcode, row, static_cast<Type>(modifier->value), types++);
    } else if (!apply_flag(opcode.instruction, modifier->mod)) {
      apply_value(opcode, *modifier);
    }
  }
}

Opcode unmodelled(Cursor& cursor, std::string text, const std::string& hint) {
  Opcode opcode;
  cursor.next();
  while (cursor.is(Token::Kind::kDot)) cursor.next();
  opcode.refusal = fmt::format("the instruction '{}' is not modelled", text);
  opcode.hint = hint;
  return opcode;
}

// The longest name of a row wins: cp.async.wait_all before cp.async. Advice on a name that is not
// an opcode takes a search, and only a function's first refusal is kept.
Opcode parse_opcode(Cursor& cursor, bool advises) {
  const std::string whole = joined(cursor, count_dots(cursor, 16));
  for (std::size_t dots = count_dots(cursor, kLongestName - 1) + 1; dots-- > 0;) {
    const std::string name = joined(cursor, dots);
    if (const UnmodelledRow* row = find_unmodelled(name)) {
      return unmodelled(cursor, whole, std::string(row->hint));
    }
    const OpcodeRow* row = find_row(name);
    if (row == nullptr) continue;
    Opcode opcode;
    opcode.instruction.op = row->op;
    for (std::size_t i = 0; i <= dots; ++i) cursor.next();
    apply_modifiers(cursor, opcode, *row);
    return opcode;
  }
  if (!advises) return unmodelled(cursor, whole, "");
  const std::vector<std::string> names = opcode_names();
  const std::string near = nearest(cursor.peek().text, names);
  return unmodelled(cursor, whole, near.empty() ? kElse : fmt::format("did you mean '{}'?", near));
}

void parse_guard(Cursor& cursor, Scopes& scopes, const Function& function, Instruction& out) {
  out.guard_negated = cursor.accept('!');
  const Token& name = cursor.expect(Token::Kind::kWord, "a predicate after '@'");
  const auto meaning = scopes.find(name.text);
  if (!meaning || meaning->kind != Meaning::Kind::kRegister ||
      function.registers[meaning->index].type != Type::kPred) {
    throw cursor.fail(name, fmt::format("'{}' is not a predicate", name.text));
  }
  out.guard = meaning->index;
}

// How many operands the shortest of a row's alternatives has.
std::size_t fewest_operands(std::string_view patterns) {
  std::size_t fewest = patterns.size();
  for (const std::string_view pattern : split(patterns, '/')) {
    fewest = std::min(fewest, pattern.size());
  }
  return fewest;
}

// The letter of operand `index` in the first of a row's alternatives that has enough operands.
char letter_at(std::string_view patterns, std::size_t index) {
  while (true) {
    const std::size_t end = patterns.find('/');
    if (index < std::min(end, patterns.size())) return patterns[index];
    if (end == std::string_view::npos) return 'T';
    patterns.remove_prefix(end + 1);
  }
}

// The type of a constant at operand `index`, by the letter of the opcode's row. Whether it is a
// predicate is decided when all operands are there: bar.red may have a count in the same place.
Type literal_type(const Instruction& instruction, std::size_t index) {
  const std::string_view patterns = row_of(instruction.op).operands;
  if (instruction.cache_hint && index >= fewest_operands(patterns)) return Type::kB64;
  switch (letter_at(patterns, index)) {
    case 'f':
      return Type::kF32;
    case 'S':
    case 's':
    case 'I':
      return instruction.from;
    case 'u':
    case 'i':
    case 'p':
      return Type::kB32;
    default:
      return instruction.type;
  }
}

// A constant in place of a predicate is true or false.
void settle_predicates(Instruction& instruction) {
  for (const std::string_view pattern : split(row_of(instruction.op).operands, '/')) {
    if (pattern.size() != instruction.operands.size()) continue;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      Operand& operand = instruction.operands[i];
      const bool constant = operand.kind == Kind::kImmediate && pattern[i] == 'p';
      if (constant) operand.bits = operand.bits != 0 ? 1 : 0;
    }
    return;
  }
}

// The policy that .L2::cache_hint adds behind the other operands changes no result.
std::optional<std::string> drop_policy(const Function& function, Instruction& instruction) {
  if (!instruction.cache_hint) return {};
  const Operand* last = instruction.operands.empty() ? nullptr : &instruction.operands.back();
  const bool is_policy =
      last != nullptr && !last->negated &&
      (last->kind == Kind::kRegister ? bits_of(function.registers[last->reg].type) == 64
                                     : last->kind == Kind::kImmediate && !last->is_float);
  if (!is_policy) {
    return fmt::format("'{}' with .L2::cache_hint needs a 64-bit policy behind its other operands",
                       name_of(instruction.op));
  }
  instruction.operands.pop_back();
  return {};
}

// ld.b32 {%r1}, [..] is ld.b32 %r1, [..].
void unwrap_single(Instruction& instruction) {
  const Op op = instruction.op;
  const bool may = op == Op::kLd || op == Op::kLdu || op == Op::kSt || op == Op::kMov;
  if (!may || instruction.vector > 1) return;
  for (Operand& operand : instruction.operands) {
    if (operand.kind != Kind::kVector || operand.parts.size() != 1) continue;
    Operand only = std::move(operand.parts[0]);
    operand = std::move(only);
  }
}

Operand parse_branch_target(Cursor& cursor, Scopes& scopes, std::uint32_t instruction) {
  const Token& name = cursor.expect(Token::Kind::kWord, "a label");
  scopes.want_label(name, instruction, 0);
  return Operand{Kind::kLabel};
}

// Returns false where an operand has a mask, as SIMD video instructions may have: %r1.b10.
bool parse_operands(Cursor& cursor, Scopes& scopes, const Function& function, Instruction& out) {
  const auto index = static_cast<std::uint32_t>(function.instructions.size());
  constexpr std::size_t kMostOperands = 8;
  while (!cursor.is(';')) {
    const std::size_t at = out.operands.size();
    if (at == kMostOperands) throw cursor.fail("too many operands");
    out.operands.push_back(out.op == Op::kBra && at == 0
                               ? parse_branch_target(cursor, scopes, index)
                               : parse_operand(cursor, scopes, literal_type(out, at)));
    const bool may_mask = out.op == Op::kVabsdiff2 || out.op == Op::kVabsdiff4;
    if (may_mask && cursor.is(Token::Kind::kDot)) return false;
    if (!cursor.accept(',')) break;
  }
  cursor.expect(';', "after the operands");
  return true;
}

bool is_unmodelled_special(const Operand& operand) {
  return operand.kind == Kind::kSpecial && operand.special == Special::kUnmodelled;
}

void add_refused(Function& function, const Opcode& opcode, const Where& where) {
  if (!function.refusal) function.refusal = Refusal{opcode.refusal, opcode.hint, where};
  Instruction trap;
  trap.op = Op::kTrap;
  trap.where = where;
  function.instructions.push_back(std::move(trap));
}

}  // namespace

void parse_instruction(Cursor& cursor, Scopes& scopes, const Module& module, Function& function,
                       const Where& where) {
  Instruction guarded;
  if (cursor.accept('@')) parse_guard(cursor, scopes, function, guarded);
  if (!cursor.is(Token::Kind::kWord)) {
    throw cursor.fail(fmt::format("expected an instruction, found {}", describe(cursor.peek())));
  }
  const Token& start = cursor.peek();
  Opcode opcode = parse_opcode(cursor, !function.refusal);
  Instruction& instruction = opcode.instruction;
  if (!opcode.refusal.empty()) {
    add_refused(function, opcode, where);
    return cursor.skip_statement();
  }
  instruction.guard = guarded.guard;
  instruction.guard_negated = guarded.guard_negated;
  instruction.where = where;
  if (instruction.op == Op::kCall) {
    return parse_call(cursor, scopes, module, function, std::move(instruction));
  }
  if (!parse_operands(cursor, scopes, function, instruction)) {
    refuse(opcode, fmt::format("masks of '{}' are not modelled", name_of(instruction.op)), kElse);
    add_refused(function, opcode, where);
    return cursor.skip_statement();
  }
  if (std::any_of(instruction.operands.begin(), instruction.operands.end(),
                  is_unmodelled_special)) {
    refuse(opcode, "registers of performance monitors and of graphs are not modelled", kElse);
    return add_refused(function, opcode, where);
  }
  if (const auto problem = drop_policy(function, instruction)) throw cursor.fail(start, *problem);
  unwrap_single(instruction);
  settle_predicates(instruction);
  if (const auto problem = incomplete(instruction)) throw cursor.fail(start, *problem);
  if (const auto problem = misfit(function, instruction)) throw cursor.fail(start, *problem);
  function.instructions.push_back(std::move(instruction));
}

}  // namespace lab::ptx
