// Rules for an opcode's modifiers beyond those of its row (PTX ISA, "Instruction Set").
#include <fmt/format.h>

#include <algorithm>

#include "harness/kernel/ptx/check.h"

namespace lab::ptx {

namespace {

bool is_rounding(Round round) { return round >= Round::kRn && round <= Round::kRp; }
bool is_integer_rounding(Round round) { return round >= Round::kRni; }
bool has_precision(const Instruction& i) { return i.approx || i.full || is_rounding(i.round); }

bool is_float_to_integer(const Instruction& i) { return is_float(i.from) && !is_float(i.type); }
bool is_integer_to_float(const Instruction& i) { return !is_float(i.from) && is_float(i.type); }
// bf16 and f16 have no order of width; a conversion between them rounds too.
bool narrows(const Instruction& i) {
  return is_float(i.from) && is_float(i.type) && i.from != i.type &&
         bits_of(i.type) <= bits_of(i.from);
}

bool is_one_of(Type type, std::initializer_list<Type> list) {
  return std::find(list.begin(), list.end(), type) != list.end();
}

// The types each operation of atom and red is defined for.
bool atom_allows(const Instruction& i) {
  using enum Type;
  switch (i.sub) {
    case Sub::kAdd:
      return is_one_of(i.type, {kU32, kS32, kU64, kF16, kF16x2, kBF16, kBF16x2, kF32, kF64});
    case Sub::kInc:
    case Sub::kDec:
      return i.type == kU32;
    case Sub::kMin:
    case Sub::kMax:
      return is_one_of(i.type, {kU32, kS32, kU64, kS64});
    case Sub::kCas:
      return is_one_of(i.type, {kB16, kB32, kB64});
    default:
      return is_one_of(i.type, {kB32, kB64});
  }
}

bool redux_allows(const Instruction& i) {
  const bool bitwise = i.sub == Sub::kAnd || i.sub == Sub::kOr || i.sub == Sub::kXor;
  return bitwise == (i.type == Type::kB32);
}

bool compares(const Instruction& i, Type type) {
  if (i.compare == Compare::kNone) return false;
  if (i.compare == Compare::kEq || i.compare == Compare::kNe) return true;
  if (is_float(type)) {
    return i.compare >= Compare::kEqu || (i.compare >= Compare::kLt && i.compare <= Compare::kGe);
  }
  const bool untyped = is_one_of(type, {Type::kB16, Type::kB32, Type::kB64});
  if (untyped || i.compare >= Compare::kEqu) return false;
  return i.compare <= Compare::kGe || !is_signed(type);
}

// PTX ISA, "cvt": what two sources, or a pair, may become.
bool has_pair_types(const Instruction& i) {
  if (is_fp8_pair(i.from)) return i.type == Type::kF16x2 && i.operands.size() == 2;
  if (i.from == Type::kF16x2) return is_fp8_pair(i.type) && i.operands.size() == 2;
  if (i.from == Type::kBF16x2) return false;
  const bool packs = is_fp8_pair(i.type) || is_one_of(i.type, {Type::kF16x2, Type::kBF16x2});
  return packs == (i.operands.size() == 3) && (!packs || i.from == Type::kF32);
}
// Numbers of 8 bits are rounded to nearest, and never to infinity.
bool has_fp8_modifiers(const Instruction& i) {
  if (!is_fp8_pair(i.type) && !is_fp8_pair(i.from)) return true;
  return i.round == Round::kRn && i.satfinite == is_fp8_pair(i.type) && !i.sat && !i.ftz;
}
bool has_satfinite_types(const Instruction& i) {
  if (!i.satfinite || is_fp8_pair(i.type)) return true;
  const bool half =
      is_one_of(i.type, {Type::kF16, Type::kBF16, Type::kF16x2, Type::kBF16x2, Type::kTF32});
  return half && i.from == Type::kF32 && !i.sat;
}

bool is_cp_async_size(const Instruction& i) {
  if (i.operands.size() < 3) return true;
  const std::uint64_t bytes = i.operands[2].bits;
  if (i.cache == CacheOp::kCg) return bytes == 16;
  return i.cache == CacheOp::kCa && (bytes == 4 || bytes == 8 || bytes == 16);
}

bool is_barrier_whole(const Instruction& i) {
  const std::size_t operands = i.operands.size();
  const bool combines = i.sub2 == Sub::kPopc || i.sub2 == Sub::kAnd || i.sub2 == Sub::kOr;
  switch (i.sub) {
    case Sub::kRed:
      return operands >= 3 && combines && (i.sub2 == Sub::kPopc) == (i.type == Type::kU32);
    case Sub::kArrive:
      return operands == 2 && i.sub2 == Sub::kNone && i.type == Type::kNone;
    case Sub::kWarp:
      return operands == 1 && i.sub2 == Sub::kSync && i.type == Type::kNone;
    default:
      return operands <= 2 && i.sub == Sub::kSync && i.sub2 == Sub::kNone && i.type == Type::kNone;
  }
}

bool is_pair(const Instruction& i) {
  return !i.operands.empty() && i.operands[0].kind == Operand::Kind::kPair;
}

bool is_in(const Instruction& i, std::initializer_list<Space> spaces) {
  return std::find(spaces.begin(), spaces.end(), i.space) != spaces.end();
}
bool is_atomic_space(const Instruction& i) {
  return is_in(i, {Space::kGeneric, Space::kGlobal, Space::kShared});
}

// Only for the high half: the low one has nothing to saturate.
bool saturates_24(const Instruction& i) {
  return !i.sat || (i.type == Type::kS32 && i.sub == Sub::kHi);
}
bool is_vector_size(const Instruction& i) { return i.vector * bits_of(i.type) <= 256; }
bool is_moved_vector(const Instruction& i) {
  return i.vector == 1 || (i.vector <= 4 && bits_of(i.type) > 1);
}
bool has_texels(const Instruction& i) { return i.vector * bits_of(i.type) <= 128 && i.vector <= 4; }
// In a thread's own memory and in read-only spaces there is no other thread to order with.
bool is_unordered_space(const Instruction& i) {
  return is_atomic_space(i) ||
         (!i.is_volatile && (i.order == Order::kNone || i.order == Order::kWeak));
}

bool saturates(const Instruction& i) {
  const bool half = i.op == Op::kMad && i.sub != Sub::kHi;
  return !i.sat || is_float(i.type) || (i.type == Type::kS32 && !half);
}

bool has_carry_type(const Instruction& i) {
  return !i.carry_out || (!is_float(i.type) && !is_short_pair(i.type) && bits_of(i.type) >= 32 &&
                          i.sub != Sub::kWide);
}

// Rounding, flushing and precision belong to floating point.
bool has_integer_type(const Instruction& i) {
  return i.type != Type::kNone && !is_float(i.type) && !is_float(i.from);
}

// Magnitudes with the product's sign: both modifiers or neither, for the floats that have them.
bool has_xorsign_whole(const Instruction& i) {
  return i.xorsign == i.magnitude && (!i.xorsign || (is_float(i.type) && i.type != Type::kF64));
}
bool has_nan_type(const Instruction& i) {
  return !i.nan || (is_float(i.type) && i.type != Type::kF64);
}
bool has_relu_type(const Instruction& i) {
  return !i.relu || is_one_of(i.type, {Type::kS32, Type::kS16x2});
}

bool has_load_order(const Instruction& i) {
  return i.order != Order::kRelease && i.order != Order::kAcqRel && i.order != Order::kSc;
}
bool has_store_order(const Instruction& i) {
  return i.order != Order::kAcquire && i.order != Order::kAcqRel && i.order != Order::kSc;
}
// Weak and volatile accesses have no scope; the others name theirs.
bool has_scope_with_order(const Instruction& i) {
  const bool ordered = i.order != Order::kNone && i.order != Order::kWeak;
  return ordered == (i.scope != Scope::kNone) && !(ordered && i.is_volatile);
}
bool is_cached_load(const Instruction& i) {
  return !i.non_coherent || (i.space == Space::kGlobal && !i.is_volatile &&
                             (i.order == Order::kNone || i.order == Order::kWeak));
}
bool is_half_noftz(const Instruction& i) {
  return !is_float(i.type) || bits_of(i.type) > 32 || i.type == Type::kF32 || i.has_noftz;
}
bool has_barrier_number(const Instruction& i) {
  constexpr std::uint64_t kBarriers = 16;
  const std::size_t at = i.sub == Sub::kRed ? 1 : 0;
  if (i.sub == Sub::kWarp || at >= i.operands.size()) return true;
  const Operand& number = i.operands[at];
  return number.kind != Operand::Kind::kImmediate || number.bits < kBarriers;
}

// Broken where `holds` is false: "'OP' NEEDS".
struct ModifierRule {
  Op op;
  bool (*holds)(const Instruction&);
  std::string_view needs;
};

constexpr std::string_view kPrecision = "needs .rn, .rz, .rm or .rp, or .approx";
constexpr std::string_view kApprox = "needs .approx";
constexpr std::string_view kSync = "needs .sync";
constexpr std::string_view kXorsign =
    "has .xorsign.abs, both or neither, for .f32 and 16-bit floating point only";
constexpr std::string_view kNanType = "has .NaN for .f32 and 16-bit floating point only";
constexpr std::string_view kRelu = "has .relu for .s32 and .s16x2 only";
constexpr std::string_view kVector = "has vectors of 256 bits or less";
constexpr std::string_view kTexels = "moves up to four elements, 128 bits or less";
constexpr std::string_view kOrdered =
    "is .volatile or ordered in generic, .global and .shared memory only";
constexpr std::string_view kCompare = "needs a comparison that its type has";

bool is_whole_matrix(const Instruction& i) { return i.sync && i.aligned && i.shape.m != 0; }
constexpr std::string_view kWholeMatrix = "needs .sync, .aligned and a shape";
constexpr std::string_view kInShared = "works on .shared addresses";
bool is_shared_or_generic(const Instruction& i) {
  return is_in(i, {Space::kGeneric, Space::kShared});
}

bool has_hint_space(const Instruction& i) {
  return !i.cache_hint || is_in(i, {Space::kGeneric, Space::kGlobal});
}
constexpr std::string_view kHinted = "has .L2::cache_hint for generic and .global addresses only";
// Without a space the address is generic, and no variable's name stands for that.
bool has_cluster_address(const Instruction& i) {
  const bool symbol = i.operands.size() > 1 && i.operands[1].kind == Operand::Kind::kSymbol;
  const bool generic = i.space == Space::kGeneric && i.type == Type::kU64 && !symbol;
  return generic || i.space == Space::kShared;
}
constexpr std::string_view kClusterAddress =
    "takes a .shared::cluster address, or a generic one in a 64-bit register";

bool is_approx(const Instruction& i) { return i.approx; }
bool is_sync(const Instruction& i) { return i.sync; }
bool has_space(const Instruction& i) { return i.space != Space::kGeneric; }

constexpr ModifierRule kRules[] = {
    {Op::kFma, [](const Instruction& i) { return is_rounding(i.round); },
     "needs .rn, .rz, .rm or .rp"},
    {Op::kMad, [](const Instruction& i) { return !is_float(i.type) || is_rounding(i.round); },
     "needs .rn, .rz, .rm or .rp"},
    {Op::kDiv, [](const Instruction& i) { return !is_float(i.type) || has_precision(i); },
     kPrecision},
    {Op::kRcp, has_precision, kPrecision},
    {Op::kSqrt, has_precision, kPrecision},
    {Op::kRsqrt, is_approx, kApprox},
    {Op::kSin, is_approx, kApprox},
    {Op::kCos, is_approx, kApprox},
    {Op::kLg2, is_approx, kApprox},
    {Op::kEx2, is_approx, kApprox},
    {Op::kTanh, is_approx, kApprox},
    {Op::kVote, is_sync, kSync},
    {Op::kMatch, is_sync, kSync},
    {Op::kRedux, is_sync, kSync},
    {Op::kShfl, is_sync, kSync},
    {Op::kElect, is_sync, kSync},
    {Op::kCvta, has_space, "needs a state space, such as .global"},
    {Op::kIsspacep, has_space, "needs a state space, such as .global"},
    {Op::kSetp, [](const Instruction& i) { return compares(i, i.type); }, kCompare},
    {Op::kSet, [](const Instruction& i) { return compares(i, i.from); }, kCompare},
    {Op::kSetp,
     [](const Instruction& i) { return (i.combine != Combine::kNone) == (i.operands.size() == 4); },
     "has a fourth operand where, and only where, it has .and, .or or .xor"},
    {Op::kSet,
     [](const Instruction& i) { return (i.combine != Combine::kNone) == (i.operands.size() == 4); },
     "has a fourth operand where, and only where, it has .and, .or or .xor"},
    {Op::kSetp,
     [](const Instruction& i) {
       return is_pair(i) || !is_one_of(i.type, {Type::kF16x2, Type::kBF16x2});
     },
     "needs two predicates, p|q, for two halves"},
    {Op::kCvt,
     [](const Instruction& i) { return !is_float_to_integer(i) || is_integer_rounding(i.round); },
     "from floating point to an integer needs .rni, .rzi, .rmi or .rpi"},
    {Op::kCvt, [](const Instruction& i) { return !is_integer_to_float(i) || is_rounding(i.round); },
     "from an integer to floating point needs .rn, .rz, .rm or .rp"},
    {Op::kCvt,
     [](const Instruction& i) {
       const bool to_tf32 = i.type == Type::kTF32 && i.round == Round::kRna;
       return !narrows(i) || is_rounding(i.round) || to_tf32;
     },
     "to a floating-point type no wider than its source needs .rn, .rz, .rm or .rp"},
    {Op::kCvt, has_pair_types,
     "packs two .f32 sources into .f16x2, .bf16x2, .e4m3x2 or .e5m2x2, converts .f16x2 to and "
     "from the last two, else has one source"},
    {Op::kCvt, has_fp8_modifiers, "needs .rn, and .satfinite where its result has 8 bits"},
    {Op::kCvt, has_satfinite_types, "has .satfinite from .f32 to 16 bits or less, without .sat"},
    {Op::kAtom, atom_allows, "does not have this operation for its type"},
    {Op::kRed, atom_allows, "does not have this operation for its type"},
    {Op::kAtom,
     [](const Instruction& i) { return (i.sub == Sub::kCas) == (i.operands.size() == 4); },
     "has a fourth operand with .cas only"},
    {Op::kRedux, redux_allows, "does not have this operation for its type"},
    {Op::kVote,
     [](const Instruction& i) { return (i.sub == Sub::kBallot) == (i.type == Type::kB32); },
     "is .b32 for .ballot and .pred for the others"},
    {Op::kBar, is_barrier_whole, "has operands or a type that its kind does not"},
    {Op::kBarrier, is_barrier_whole, "has operands or a type that its kind does not"},
    {Op::kMatch, [](const Instruction& i) { return i.sub == Sub::kAll || !is_pair(i); },
     "gives a predicate with .all only"},
    {Op::kCpAsync, is_cp_async_size, "copies 4, 8 or 16 bytes with .ca, and 16 bytes with .cg"},
    {Op::kCpAsync, [](const Instruction& i) { return i.space == Space::kShared; },
     "copies from .global to .shared"},
    {Op::kLdmatrix, is_whole_matrix, kWholeMatrix},
    {Op::kStmatrix, is_whole_matrix, kWholeMatrix},
    {Op::kMovmatrix, is_whole_matrix, kWholeMatrix},
    {Op::kMma, is_whole_matrix, kWholeMatrix},
    {Op::kWmmaLoadA, is_whole_matrix, kWholeMatrix},
    {Op::kWmmaLoadB, is_whole_matrix, kWholeMatrix},
    {Op::kWmmaLoadC, is_whole_matrix, kWholeMatrix},
    {Op::kWmmaStore, is_whole_matrix, kWholeMatrix},
    {Op::kWmmaMma, is_whole_matrix, kWholeMatrix},
    {Op::kLdmatrix, is_shared_or_generic, kInShared},
    {Op::kStmatrix, is_shared_or_generic, kInShared},
    {Op::kMbarrierInit, is_shared_or_generic, kInShared},
    {Op::kMbarrierInval, is_shared_or_generic, kInShared},
    {Op::kMbarrierArrive, is_shared_or_generic, kInShared},
    {Op::kMbarrierArriveExpectTx, is_shared_or_generic, kInShared},
    {Op::kMbarrierArriveDrop, is_shared_or_generic, kInShared},
    {Op::kMbarrierExpectTx, is_shared_or_generic, kInShared},
    {Op::kMbarrierCompleteTx, is_shared_or_generic, kInShared},
    {Op::kMbarrierTestWait, is_shared_or_generic, kInShared},
    {Op::kMbarrierTestWaitParity, is_shared_or_generic, kInShared},
    {Op::kMbarrierTryWait, is_shared_or_generic, kInShared},
    {Op::kMbarrierTryWaitParity, is_shared_or_generic, kInShared},
    {Op::kCpAsyncMbarrierArrive, is_shared_or_generic, kInShared},
    {Op::kCpAsyncBulk,
     [](const Instruction& i) {
       const bool to_shared = i.space == Space::kShared;
       return (i.sub == Sub::kCompleteTx) == to_shared && (i.operands.size() == 4) == to_shared &&
              is_in(i, {Space::kShared, Space::kGlobal});
     },
     "copies from .global to .shared with an mbarrier, or from .shared to .global in a group"},
    {Op::kCvt, [](const Instruction& i) { return !has_integer_type(i) || i.round == Round::kNone; },
     "between integers does not round"},
    {Op::kSt, [](const Instruction& i) { return i.space != Space::kConst; },
     "can't write to .const"},
    {Op::kAtom, is_atomic_space, "works on generic, .global and .shared addresses"},
    {Op::kRed, is_atomic_space, "works on generic, .global and .shared addresses"},
    {Op::kAtom, is_half_noftz, "needs .noftz for 16-bit floating point"},
    {Op::kRed, is_half_noftz, "needs .noftz for 16-bit floating point"},
    {Op::kPrefetch,
     [](const Instruction& i) {
       return is_in(i, {Space::kGeneric, Space::kGlobal, Space::kLocal});
     },
     "works on generic, .global and .local addresses"},
    {Op::kLd, is_cached_load, "has .nc for plain .global loads only"},
    {Op::kLd, has_load_order, "has .weak, .relaxed or .acquire order"},
    {Op::kSt, has_store_order, "has .weak, .relaxed or .release order"},
    {Op::kLd, has_scope_with_order, "has a scope with .relaxed or .acquire, and only then"},
    {Op::kSt, has_scope_with_order, "has a scope with .relaxed or .release, and only then"},
    {Op::kBar, has_barrier_number, "has 16 barriers, 0 to 15"},
    {Op::kBarrier, has_barrier_number, "has 16 barriers, 0 to 15"},
    {Op::kFma,
     [](const Instruction& i) { return !i.relu || (i.type != Type::kF32 && i.type != Type::kF64); },
     "has .relu for 16-bit floating point only"},
    {Op::kMin, has_xorsign_whole, kXorsign},
    {Op::kMax, has_xorsign_whole, kXorsign},
    {Op::kMin, has_nan_type, kNanType},
    {Op::kMax, has_nan_type, kNanType},
    {Op::kMin, has_relu_type, kRelu},
    {Op::kMax, has_relu_type, kRelu},
    {Op::kAdd, has_carry_type, "has .cc for 32- and 64-bit integers only"},
    {Op::kSub, has_carry_type, "has .cc for 32- and 64-bit integers only"},
    {Op::kMad, has_carry_type, "has .cc for 32- and 64-bit integers only"},
    {Op::kMul, [](const Instruction& i) { return !i.sat || is_float(i.type); },
     "saturates floating point only"},
    {Op::kMad24, saturates_24, "saturates .hi.s32 only"},
    {Op::kTex, [](const Instruction& i) { return i.vector == 4; }, "returns four values: .v4"},
    {Op::kSuld, has_texels, kTexels},
    {Op::kSust, has_texels, kTexels},
    {Op::kMov, is_moved_vector, "has .v2 and .v4, but not of predicates"},
    {Op::kLd, has_hint_space, kHinted},
    {Op::kSt, has_hint_space, kHinted},
    {Op::kAtom, has_hint_space, kHinted},
    {Op::kRed, has_hint_space, kHinted},
    {Op::kAtom, [](const Instruction& i) { return !i.cache_hint || i.sub != Sub::kCas; },
     "has no .L2::cache_hint with .cas"},
    {Op::kMapa, has_cluster_address, kClusterAddress},
    {Op::kGetctarank, has_cluster_address, kClusterAddress},
    {Op::kBarrierClusterArrive,
     [](const Instruction& i) {
       return i.order == Order::kNone || i.order == Order::kRelease || i.order == Order::kRelaxed;
     },
     "has .release or .relaxed order"},
    {Op::kBarrierClusterWait,
     [](const Instruction& i) { return i.order == Order::kNone || i.order == Order::kAcquire; },
     "has .acquire order"},
    {Op::kLd, is_vector_size, kVector},
    {Op::kSt, is_vector_size, kVector},
    {Op::kLd, is_unordered_space, kOrdered},
    {Op::kSt, is_unordered_space, kOrdered},
    {Op::kAdd, saturates, "saturates .s32 and floating point only"},
    {Op::kSub, saturates, "saturates .s32 and floating point only"},
    {Op::kMad, saturates, "saturates .hi.s32 and floating point only"},
};

std::optional<std::string> lacks_sub(const Instruction& i, const OpcodeRow& row) {
  const bool integer_only = row.needs == Needs::kSubForIntegers;
  if (integer_only && is_float(i.type)) {
    if (i.sub == Sub::kNone) return {};
    return fmt::format("'{}' has no .lo, .hi or .wide for floating point", row.name);
  }
  if (row.needs != Needs::kNothing && i.sub == Sub::kNone) {
    return fmt::format("'{}' lacks the modifier that says which kind it is", row.name);
  }
  const bool funnel =
      (i.sub == Sub::kL || i.sub == Sub::kR) && (i.sub2 == Sub::kClamp || i.sub2 == Sub::kWrap);
  if (row.needs == Needs::kTwoSubs && !funnel) {
    return fmt::format("'{}' needs .l or .r, then .clamp or .wrap", row.name);
  }
  const bool barrier = i.op == Op::kBar || i.op == Op::kBarrier;
  if (row.needs != Needs::kTwoSubs && !barrier && i.sub2 != Sub::kNone) {
    return fmt::format("'{}' has two modifiers of one kind", row.name);
  }
  return {};
}

std::optional<std::string> lacks_type(const Instruction& i, const OpcodeRow& row) {
  const bool optional = row.types == Types::kNo || row.types == Types::kOptional;
  if (!optional && i.type == Type::kNone) return fmt::format("'{}' has no type", row.name);
  const bool two = row.types == Types::kTwo || row.types == Types::kThree;
  if (two && i.from == Type::kNone) return fmt::format("'{}' needs two types", row.name);
  if (i.sub == Sub::kWide && bits_of(i.type) == 64) {
    return fmt::format("'{}' has .wide for 16- and 32-bit types only", row.name);
  }
  if (row.types == Types::kMatrix) return {};
  const bool precise = i.round != Round::kNone || i.ftz || i.approx || i.full;
  if (has_integer_type(i) && precise && i.op != Op::kCvt) {
    return fmt::format("'{}' does not round or flush integers", row.name);
  }
  if ((i.approx ? 1 : 0) + (i.full ? 1 : 0) + (i.round != Round::kNone ? 1 : 0) > 1) {
    return fmt::format("'{}' has more than one precision", row.name);
  }
  if (i.round >= Round::kRna && i.op != Op::kCvt) {
    return fmt::format("'{}' rounds with .rn, .rz, .rm or .rp", row.name);
  }
  return {};
}

}  // namespace

std::optional<std::string> incomplete(const Instruction& instruction) {
  const OpcodeRow& row = row_of(instruction.op);
  if (auto problem = lacks_type(instruction, row)) return problem;
  if (auto problem = lacks_sub(instruction, row)) return problem;
  if (auto problem = wrong_float_modifier(instruction)) return problem;
  for (const ModifierRule& rule : kRules) {
    if (rule.op == instruction.op && !rule.holds(instruction)) {
      return fmt::format("'{}' {}", row.name, rule.needs);
    }
  }
  return {};
}

}  // namespace lab::ptx
