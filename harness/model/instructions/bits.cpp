// Bit manipulation, logic and shifts.
#include <cstdint>

#include "harness/model/instructions/choose.h"
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
std::size_t bytes_of(Type type) { return static_cast<std::size_t>(ptx::bits_of(type)) / 8; }
Found find_logic(const Shape& s) {
  const Op op = s.ins.op;
  if (s.ins.type == Type::kPred) {
    return choose<Op::kAnd, Op::kOr, Op::kXor, Op::kNot>(
        op, []<Op kOp>() { return find_predicate_logic<kOp>(); });
  }
  return choose_register(bytes_of(s.ins.type), [&]<typename U>() { return find_logic_of<U>(op); });
}
Found find_lop3(const Shape&) { return lanewise<&sem::lop3>(); }

Found find_shl(const Shape& s) {
  return choose_register(bytes_of(s.ins.type),
                         []<typename U>() { return lanewise<&sem::shl<U>>(); });
}
Found find_shr(const Shape& s) {
  return choose_integer(s.ins.type, []<typename T>() { return lanewise<&sem::shr<T>>(); });
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
  return choose_type<Type::kU32, Type::kS32, Type::kU64, Type::kS64>(
      s.ins.type, [&]<typename T>() { return find_field_of<T>(s.ins); });
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
  const Found found = choose<Sub::kF4e, Sub::kB4e, Sub::kRc8, Sub::kEcl, Sub::kEcr, Sub::kRc16>(
      s.ins.sub, []<Sub kMode>() { return lanewise<&prmt_mode<kMode>>(); });
  return found.fn != nullptr ? found : lanewise<&sem::prmt>();
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
