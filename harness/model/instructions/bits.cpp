// Bit manipulation, logic and shifts.
#include <cstdint>

#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/lanewise.h"
#include "harness/model/semantics/bits.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {
namespace {

using ptx::Op;
using ptx::Sub;
using ptx::Type;
namespace sem = semantics;

template <typename U>
constexpr U and_lane(U a, U b) noexcept {
  return static_cast<U>(a & b);
}
template <typename U>
constexpr U or_lane(U a, U b) noexcept {
  return static_cast<U>(a | b);
}
template <typename U>
constexpr U xor_lane(U a, U b) noexcept {
  return static_cast<U>(a ^ b);
}
template <typename U>
constexpr U not_lane(U a) noexcept {
  return static_cast<U>(~a);
}

// Predicates are masks: one operation for all lanes.
template <Op kOp>
LAB_HANDLER const Ins* predicate_logic(const Ins* ins, Warp& w) noexcept {
  const std::uint32_t a = w.predicate(ins->a);
  if constexpr (kOp == Op::kNot) {
    w.set_predicate(ins->d, ~a);
  } else {
    const std::uint32_t b = w.predicate(ins->b);
    w.set_predicate(ins->d, kOp == Op::kAnd ? a & b : (kOp == Op::kOr ? a | b : a ^ b));
  }
  return ins + 1;
}
template <Op kOp>
Found find_predicate_logic() {
  constexpr std::uint8_t kBool = Found::kPredicate;
  constexpr std::uint8_t kSecond = kOp == Op::kNot ? 0 : kBool;
  return {&predicate_logic<kOp>, {kBool}, {kBool, kSecond}, true};
}

template <typename U>
Found find_logic_of(Op op) {
  switch (op) {
    case Op::kAnd:
      return lanewise<&and_lane<U>>();
    case Op::kOr:
      return lanewise<&or_lane<U>>();
    case Op::kXor:
      return lanewise<&xor_lane<U>>();
    case Op::kNot:
      return lanewise<&not_lane<U>>();
    case Op::kCnot:
      return lanewise<&sem::cnot<U>>();
    default:
      return {};
  }
}
Found find_logic(const Shape& s) {
  const Op op = s.ins.op;
  switch (ptx::bits_of(s.ins.type)) {
    case 1:
      return op == Op::kAnd   ? find_predicate_logic<Op::kAnd>()
             : op == Op::kOr  ? find_predicate_logic<Op::kOr>()
             : op == Op::kXor ? find_predicate_logic<Op::kXor>()
             : op == Op::kNot ? find_predicate_logic<Op::kNot>()
                              : Found{};
    case 16:
      return find_logic_of<std::uint16_t>(op);
    case 32:
      return find_logic_of<std::uint32_t>(op);
    case 64:
      return find_logic_of<std::uint64_t>(op);
    default:
      return {};
  }
}
Found find_lop3(const Shape&) { return lanewise<&sem::lop3>(); }

Found find_shl(const Shape& s) {
  switch (ptx::bits_of(s.ins.type)) {
    case 16:
      return lanewise<&sem::shl<std::uint16_t>>();
    case 32:
      return lanewise<&sem::shl<std::uint32_t>>();
    case 64:
      return lanewise<&sem::shl<std::uint64_t>>();
    default:
      return {};
  }
}
Found find_shr(const Shape& s) {
  const bool is_signed = ptx::is_signed(s.ins.type);
  switch (ptx::bits_of(s.ins.type)) {
    case 16:
      return is_signed ? lanewise<&sem::shr<std::int16_t>>() : lanewise<&sem::shr<std::uint16_t>>();
    case 32:
      return is_signed ? lanewise<&sem::shr<std::int32_t>>() : lanewise<&sem::shr<std::uint32_t>>();
    case 64:
      return is_signed ? lanewise<&sem::shr<std::int64_t>>() : lanewise<&sem::shr<std::uint64_t>>();
    default:
      return {};
  }
}
Found find_shf(const Shape& s) {
  const bool left = s.ins.sub == Sub::kL;
  if (s.ins.sub2 == Sub::kWrap) {
    return left ? lanewise<&sem::shf<true, true>>() : lanewise<&sem::shf<false, true>>();
  }
  return left ? lanewise<&sem::shf<true, false>>() : lanewise<&sem::shf<false, false>>();
}

Found find_count(const Shape& s) {
  const bool wide = s.ins.type == Type::kB64;
  switch (s.ins.op) {
    case Op::kPopc:
      return wide ? lanewise<&sem::popc<std::uint64_t>>() : lanewise<&sem::popc<std::uint32_t>>();
    case Op::kClz:
      return wide ? lanewise<&sem::clz<std::uint64_t>>() : lanewise<&sem::clz<std::uint32_t>>();
    case Op::kBrev:
      return wide ? lanewise<static_cast<std::uint64_t (*)(std::uint64_t) noexcept>(&sem::brev)>()
                  : lanewise<static_cast<std::uint32_t (*)(std::uint32_t) noexcept>(&sem::brev)>();
    default:
      return {};
  }
}

template <typename T>
Found find_field_of(const ptx::Instruction& ins) {
  if (ins.op == Op::kBfe) return lanewise<&sem::bfe<T>>();
  const bool shift_amount = ins.sub == Sub::kShiftAmt || ins.sub2 == Sub::kShiftAmt;
  return shift_amount ? lanewise<&sem::bfind<T, true>>() : lanewise<&sem::bfind<T, false>>();
}
Found find_field(const Shape& s) {
  switch (s.ins.type) {
    case Type::kU32:
      return find_field_of<std::uint32_t>(s.ins);
    case Type::kS32:
      return find_field_of<std::int32_t>(s.ins);
    case Type::kU64:
      return find_field_of<std::uint64_t>(s.ins);
    case Type::kS64:
      return find_field_of<std::int64_t>(s.ins);
    default:
      return {};
  }
}
Found find_bfi(const Shape& s) {
  return s.ins.type == Type::kB64 ? lanewise<&sem::bfi<std::uint64_t>>()
                                  : lanewise<&sem::bfi<std::uint32_t>>();
}
Found find_fns(const Shape&) { return lanewise<&sem::fns>(); }
Found find_bmsk(const Shape& s) {
  return s.ins.sub == Sub::kWrap ? lanewise<&sem::bmsk<true>>() : lanewise<&sem::bmsk<false>>();
}
Found find_szext(const Shape& s) {
  const bool wrap = s.ins.sub == Sub::kWrap;
  if (s.ins.type == Type::kS32) {
    return wrap ? lanewise<&sem::szext<std::int32_t, true>>()
                : lanewise<&sem::szext<std::int32_t, false>>();
  }
  return wrap ? lanewise<&sem::szext<std::uint32_t, true>>()
              : lanewise<&sem::szext<std::uint32_t, false>>();
}

template <Sub kMode>
constexpr std::uint32_t prmt_mode(std::uint32_t a, std::uint32_t b, std::uint32_t c) noexcept {
  return sem::prmt(a, b, sem::prmt_selector<kMode>(c));
}
Found find_prmt(const Shape& s) {
  switch (s.ins.sub) {
    case Sub::kF4e:
      return lanewise<&prmt_mode<Sub::kF4e>>();
    case Sub::kB4e:
      return lanewise<&prmt_mode<Sub::kB4e>>();
    case Sub::kRc8:
      return lanewise<&prmt_mode<Sub::kRc8>>();
    case Sub::kEcl:
      return lanewise<&prmt_mode<Sub::kEcl>>();
    case Sub::kEcr:
      return lanewise<&prmt_mode<Sub::kEcr>>();
    case Sub::kRc16:
      return lanewise<&prmt_mode<Sub::kRc16>>();
    default:
      return lanewise<&sem::prmt>();
  }
}

constexpr Row kRows[] = {
    {Op::kAnd, find_logic},   {Op::kOr, find_logic},   {Op::kXor, find_logic},
    {Op::kNot, find_logic},   {Op::kCnot, find_logic}, {Op::kLop3, find_lop3},
    {Op::kShl, find_shl},     {Op::kShr, find_shr},    {Op::kShf, find_shf},
    {Op::kPopc, find_count},  {Op::kClz, find_count},  {Op::kBrev, find_count},
    {Op::kBfind, find_field}, {Op::kBfe, find_field},  {Op::kBfi, find_bfi},
    {Op::kFns, find_fns},     {Op::kBmsk, find_bmsk},  {Op::kSzext, find_szext},
    {Op::kPrmt, find_prmt},
};

}  // namespace

std::span<const Row> bits_rows() { return kRows; }

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
