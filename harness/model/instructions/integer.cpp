// Integer arithmetic.
#include <cstdint>

#include "harness/model/instructions/choose.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/lanewise.h"
#include "harness/model/semantics/integer.h"
#include "harness/model/semantics/packed.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {
namespace {

using ptx::Op;
using ptx::Sub;
using ptx::Type;
namespace sem = semantics;

template <typename F>
Found with_integer(Type type, F f) {
  return choose_type<Type::kU16, Type::kS16, Type::kU32, Type::kS32, Type::kU64, Type::kS64>(type,
                                                                                             f);
}

// The carry flag: what one lane does, and the handlers that read it, write it, or both.
enum class Chain : std::uint8_t { kAdd, kSub, kMadLo, kMadHi };

template <Chain kChain, typename T>
constexpr sem::WithCarry<T> chained(T a, T b, T c, bool carry) noexcept {
  if constexpr (kChain == Chain::kAdd) return sem::add_carry(a, b, carry);
  if constexpr (kChain == Chain::kSub) return sem::sub_carry(a, b, carry);
  if constexpr (kChain == Chain::kMadLo) return sem::mad_lo_carry(a, b, c, carry);
  if constexpr (kChain == Chain::kMadHi) return sem::mad_hi_carry(a, b, c, carry);
}

template <Chain kChain, typename T, bool kIn, bool kOut>
LAB_HANDLER const Ins* run_chain(const Ins* ins, Warp& w) noexcept {
  constexpr bool kThree = kChain == Chain::kMadLo || kChain == Chain::kMadHi;
  const Source<T> a(w, ins->a);
  const Source<T> b(w, ins->b);
  const Source<T> c(w, kThree ? ins->c : ins->b);
  // How a chain begins: for a difference, with nothing borrowed.
  const std::uint32_t before = kIn ? w.carry : (kChain == Chain::kSub ? kAllLanes : 0);
  Lane<T>* d = w.out<T>(ins->d);
  std::uint32_t carries = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const auto sum = chained<kChain, T>(a[i], b[i], c[i], ((before >> i) & 1U) != 0);
    carries |= std::uint32_t{sum.carry} << i;
    d[i] = ((w.mask >> i) & 1U) != 0 ? sum.value : static_cast<T>(d[i]);
  }
  if constexpr (kOut) w.carry = (w.carry & ~w.mask) | (carries & w.mask);
  return ins + 1;
}
template <Chain kChain, typename T>
Found find_chain_of(bool in, bool out) {
  constexpr bool kThree = kChain == Chain::kMadLo || kChain == Chain::kMadHi;
  Found found{
      nullptr, {width<T>()}, {width<T>(), width<T>(), kThree ? width<T>() : std::uint8_t{0}}};
  found.fn = in ? (out ? &run_chain<kChain, T, true, true> : &run_chain<kChain, T, true, false>)
                : &run_chain<kChain, T, false, true>;
  return found;
}
template <Chain kChain>
Found find_chain(const Shape& s, bool in) {
  // Carries are those of unsigned sums; only mad.hi distinguishes signed operands.
  return choose_type<Type::kU32, Type::kS32, Type::kU64, Type::kS64>(
      s.ins.type, [&]<typename T>() { return find_chain_of<kChain, T>(in, s.ins.carry_out); });
}

template <typename T>
constexpr T min_relu(T a, T b) noexcept {
  return sem::relu(sem::min(a, b));
}
template <typename T>
constexpr T max_relu(T a, T b) noexcept {
  return sem::relu(sem::max(a, b));
}

// Both halves of a word: add, min and max of u16x2 and s16x2.
template <typename T>
Found find_halves_of(const ptx::Instruction& ins) {
  switch (ins.op) {
    case Op::kAdd:
      return lanewise<&sem::by_halves<&sem::add<T>>>();
    case Op::kMin:
      return ins.relu ? lanewise<&sem::by_halves<&min_relu<T>>>()
                      : lanewise<&sem::by_halves<&sem::min<T>>>();
    case Op::kMax:
      return ins.relu ? lanewise<&sem::by_halves<&max_relu<T>>>()
                      : lanewise<&sem::by_halves<&sem::max<T>>>();
    default:
      return {};
  }
}
Found find_halves(const Shape& s) {
  return s.ins.type == Type::kS16x2 ? find_halves_of<std::int16_t>(s.ins)
                                    : find_halves_of<std::uint16_t>(s.ins);
}

template <typename T>
Found find_distances_of(const ptx::Instruction& ins) {
  return ins.sub == Sub::kAdd ? lanewise<&sem::add_distances<T>>() : lanewise<&sem::distances<T>>();
}
Found find_distances(const Shape& s) {
  const bool is_signed = s.ins.from == Type::kS32;
  if (s.ins.op == Op::kVabsdiff2) {
    return is_signed ? find_distances_of<std::int16_t>(s.ins)
                     : find_distances_of<std::uint16_t>(s.ins);
  }
  return is_signed ? find_distances_of<std::int8_t>(s.ins) : find_distances_of<std::uint8_t>(s.ins);
}

Found find_add(const Shape& s) {
  if (s.ins.carry_out) return find_chain<Chain::kAdd>(s, false);
  if (s.ins.sat) return s.ins.type == Type::kS32 ? lanewise<&sem::add_sat>() : Found{};
  return with_integer(s.ins.type, []<typename T>() { return lanewise<&sem::add<T>>(); });
}
Found find_sub(const Shape& s) {
  if (s.ins.carry_out) return find_chain<Chain::kSub>(s, false);
  if (s.ins.sat) return s.ins.type == Type::kS32 ? lanewise<&sem::sub_sat>() : Found{};
  return with_integer(s.ins.type, []<typename T>() { return lanewise<&sem::sub<T>>(); });
}

template <typename T>
Found find_mul_of(Sub sub) {
  if (sub == Sub::kLo) return lanewise<&sem::mul_lo<T>>();
  if (sub == Sub::kHi) return lanewise<&sem::mul_hi<T>>();
  if constexpr (sizeof(T) < 8) {
    if (sub == Sub::kWide) return lanewise<&sem::mul_wide<T>>();
  }
  return {};
}
Found find_mul(const Shape& s) {
  const Sub sub = s.ins.sub;
  return with_integer(s.ins.type, [sub]<typename T>() { return find_mul_of<T>(sub); });
}

template <typename T>
Found find_mad_of(Sub sub) {
  if (sub == Sub::kLo) return lanewise<&sem::mad_lo<T>>();
  if (sub == Sub::kHi) return lanewise<&sem::mad_hi<T>>();
  if constexpr (sizeof(T) < 8) {
    if (sub == Sub::kWide) return lanewise<&sem::mad_wide<T>>();
  }
  return {};
}
Found find_chained_mad(const Shape& s, bool in) {
  return s.ins.sub == Sub::kHi ? find_chain<Chain::kMadHi>(s, in)
                               : find_chain<Chain::kMadLo>(s, in);
}
Found find_mad(const Shape& s) {
  if (s.ins.carry_out) return find_chained_mad(s, false);
  if (s.ins.sat) {
    const bool allowed = s.ins.type == Type::kS32 && s.ins.sub == Sub::kHi;
    return allowed ? lanewise<&sem::mad_hi_sat>() : Found{};
  }
  const Sub sub = s.ins.sub;
  return with_integer(s.ins.type, [sub]<typename T>() { return find_mad_of<T>(sub); });
}

template <typename T>
Found find_24_of(const ptx::Instruction& ins) {
  const bool hi = ins.sub == Sub::kHi;
  if (ins.op == Op::kMul24) {
    return hi ? lanewise<&sem::mul24_hi<T>>() : lanewise<&sem::mul24_lo<T>>();
  }
  return hi ? lanewise<&sem::mad24_hi<T>>() : lanewise<&sem::mad24_lo<T>>();
}
Found find_24(const Shape& s) {
  if (s.ins.sat) {
    const bool allowed = s.ins.type == Type::kS32 && s.ins.sub == Sub::kHi;
    return allowed ? lanewise<&sem::mad24_hi_sat>() : Found{};
  }
  if (s.ins.type == Type::kU32) return find_24_of<std::uint32_t>(s.ins);
  if (s.ins.type == Type::kS32) return find_24_of<std::int32_t>(s.ins);
  return {};
}

Found find_min_max(const Shape& s) {
  const bool min = s.ins.op == Op::kMin;
  if (s.ins.relu) {
    if (s.ins.type != Type::kS32) return {};
    return min ? lanewise<&min_relu<std::int32_t>>() : lanewise<&max_relu<std::int32_t>>();
  }
  return with_integer(s.ins.type, [min]<typename T>() {
    return min ? lanewise<&sem::min<T>>() : lanewise<&sem::max<T>>();
  });
}

template <typename TA, typename TB>
Found find_dot_of(const ptx::Instruction& ins) {
  using A16 = std::conditional_t<std::is_signed_v<TA>, std::int16_t, std::uint16_t>;
  if (ins.op == Op::kDp4a) return lanewise<&sem::dp4a<TA, TB>>();
  if (ins.sub == Sub::kHi) return lanewise<&sem::dp2a<A16, TB, true>>();
  return lanewise<&sem::dp2a<A16, TB, false>>();
}
Found find_dot(const Shape& s) {
  const bool b_signed = s.ins.from == Type::kS32;
  if (s.ins.type == Type::kS32) {
    return b_signed ? find_dot_of<std::int8_t, std::int8_t>(s.ins)
                    : find_dot_of<std::int8_t, std::uint8_t>(s.ins);
  }
  return b_signed ? find_dot_of<std::uint8_t, std::int8_t>(s.ins)
                  : find_dot_of<std::uint8_t, std::uint8_t>(s.ins);
}

Found find_plain(const Shape& s) {
  const Op op = s.ins.op;
  return with_integer(s.ins.type, [op]<typename T>() {
    switch (op) {
      case Op::kAbs:
        return lanewise<&sem::abs<T>>();
      case Op::kNeg:
        return lanewise<&sem::neg<T>>();
      case Op::kSad:
        return lanewise<&sem::sad<T>>();
      case Op::kDiv:
        return lanewise<&sem::div<T>>();
      case Op::kRem:
        return lanewise<&sem::rem<T>>();
      default:
        return Found{};
    }
  });
}

}  // namespace

Found find_integer(const Shape& s) {
  if (ptx::is_short_pair(s.ins.type)) return find_halves(s);
  switch (s.ins.op) {
    case Op::kAdd:
      return find_add(s);
    case Op::kSub:
      return find_sub(s);
    case Op::kAddc:
      return find_chain<Chain::kAdd>(s, true);
    case Op::kSubc:
      return find_chain<Chain::kSub>(s, true);
    case Op::kMul:
      return find_mul(s);
    case Op::kMad:
      return find_mad(s);
    case Op::kMadc:
      return find_chained_mad(s, true);
    case Op::kMul24:
    case Op::kMad24:
      return find_24(s);
    case Op::kMin:
    case Op::kMax:
      return find_min_max(s);
    case Op::kDp4a:
    case Op::kDp2a:
      return find_dot(s);
    case Op::kVabsdiff2:
    case Op::kVabsdiff4:
      return find_distances(s);
    default:
      return find_plain(s);
  }
}

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
