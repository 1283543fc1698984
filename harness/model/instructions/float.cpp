// f32 and f64 arithmetic.
#include <cstdint>

#include "harness/model/instructions/choose.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/lanewise.h"
#include "harness/model/semantics/approximate.h"
#include "harness/model/semantics/floating.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {
namespace {

using ptx::Op;
using ptx::Round;
using ptx::Sub;
using ptx::Type;
namespace sem = semantics;

// Operations of one lane with their modifiers: operands are flushed, the result is finished.
template <Op kOp, Round kRound, typename... T>
auto operate(T... operands) noexcept {
  if constexpr (kOp == Op::kAdd) return sem::add<kRound>(operands...);
  if constexpr (kOp == Op::kSub) return sem::sub<kRound>(operands...);
  if constexpr (kOp == Op::kMul) return sem::mul<kRound>(operands...);
  if constexpr (kOp == Op::kFma) return sem::fma<kRound>(operands...);
  if constexpr (kOp == Op::kDiv) return sem::div<kRound>(operands...);
  if constexpr (kOp == Op::kRcp) return sem::rcp<kRound>(operands...);
  if constexpr (kOp == Op::kSqrt) return sem::sqrt<kRound>(operands...);
}
template <Op kOp, typename T, Round kRound, bool kFtz, bool kSat>
T lane1(T a) noexcept {
  return sem::finish<kFtz, kSat>(operate<kOp, kRound>(sem::flush<kFtz>(a)));
}
template <Op kOp, typename T, Round kRound, bool kFtz, bool kSat>
T lane2(T a, T b) noexcept {
  return sem::finish<kFtz, kSat>(operate<kOp, kRound>(sem::flush<kFtz>(a), sem::flush<kFtz>(b)));
}
template <Op kOp, typename T, Round kRound, bool kFtz, bool kSat>
T lane3(T a, T b, T c) noexcept {
  return sem::finish<kFtz, kSat>(
      operate<kOp, kRound>(sem::flush<kFtz>(a), sem::flush<kFtz>(b), sem::flush<kFtz>(c)));
}

/// Two f32 in one 64-bit register (sm_100): the same operation on each.
template <auto F, typename... Packed>
std::uint64_t each_f32(Packed... operands) noexcept {
  const auto low = F(std::bit_cast<float>(static_cast<std::uint32_t>(operands))...);
  const auto high = F(std::bit_cast<float>(static_cast<std::uint32_t>(operands >> 32U))...);
  return (std::uint64_t{sem::bits_of(high)} << 32U) | sem::bits_of(low);
}
template <Op kOp, Round kRound, bool kFtz>
std::uint64_t pair2(std::uint64_t a, std::uint64_t b) noexcept {
  return each_f32<&lane2<kOp, float, kRound, kFtz, false>>(a, b);
}
template <Round kRound, bool kFtz>
std::uint64_t pair_fma(std::uint64_t a, std::uint64_t b, std::uint64_t c) noexcept {
  return each_f32<&lane3<Op::kFma, float, kRound, kFtz, false>>(a, b, c);
}

// Quotients and roots are not clamped.
template <Op kOp, typename T, Round kRound, bool kFtz, bool kSat>
Found rounded_op() {
  if constexpr (kOp == Op::kFma) {
    return lanewise<&lane3<kOp, T, kRound, kFtz, kSat>>();
  } else if constexpr (kOp == Op::kRcp || kOp == Op::kSqrt) {
    return lanewise<&lane1<kOp, T, kRound, kFtz, false>>();
  } else {
    return lanewise<&lane2<kOp, T, kRound, kFtz, kSat && kOp != Op::kDiv>>();
  }
}
template <typename T, Round kRound, bool kFtz, bool kSat>
Found rounded_of(Op op) {
  return choose<Op::kAdd, Op::kSub, Op::kMul, Op::kFma, Op::kDiv, Op::kRcp, Op::kSqrt>(
      op == Op::kMad ? Op::kFma : op,
      []<Op kOp>() { return rounded_op<kOp, T, kRound, kFtz, kSat>(); });
}
template <Round kRound, bool kFtz>
Found rounded_pair(Op op) {
  if (op == Op::kFma) return lanewise<&pair_fma<kRound, kFtz>>();
  return choose<Op::kAdd, Op::kSub, Op::kMul>(
      op, []<Op kOp>() { return lanewise<&pair2<kOp, kRound, kFtz>>(); });
}
template <Round kRound>
Found rounded_as(const ptx::Instruction& ins) {
  switch (ins.type) {
    case Type::kF32:
      if (ins.ftz) {
        return ins.sat ? rounded_of<float, kRound, true, true>(ins.op)
                       : rounded_of<float, kRound, true, false>(ins.op);
      }
      return ins.sat ? rounded_of<float, kRound, false, true>(ins.op)
                     : rounded_of<float, kRound, false, false>(ins.op);
    case Type::kF32x2:
      return ins.ftz ? rounded_pair<kRound, true>(ins.op) : rounded_pair<kRound, false>(ins.op);
    case Type::kF64:
      return rounded_of<double, kRound, false, false>(ins.op);
    default:
      return {};
  }
}
Found find_rounded(const Shape& s) {
  const Round round = s.ins.round;
  const bool directed = round == Round::kRz || round == Round::kRm || round == Round::kRp;
  return choose<Round::kRn, Round::kRz, Round::kRm, Round::kRp>(
      directed ? round : Round::kRn, [&]<Round kRound>() { return rounded_as<kRound>(s.ins); });
}

// One argument, .approx. F is the operation without .ftz.
template <float (*kF)(float), bool kFtz>
float approximate_lane(float a) noexcept {
  return sem::finish<kFtz, false>(kF(sem::flush<kFtz>(a)));
}
template <float (*kF)(float, float), bool kFtz>
float approximate_lane2(float a, float b) noexcept {
  return sem::finish<kFtz, false>(kF(sem::flush<kFtz>(a), sem::flush<kFtz>(b)));
}
template <float (*kF)(float)>
Found approximate(bool ftz) {
  return ftz ? lanewise<&approximate_lane<kF, true>>() : lanewise<&approximate_lane<kF, false>>();
}
template <float (*kF)(float, float)>
Found approximate2(bool ftz) {
  return ftz ? lanewise<&approximate_lane2<kF, true>>() : lanewise<&approximate_lane2<kF, false>>();
}
Found find_f64_approximate(const Shape& s) {
  switch (s.ins.op) {
    case Op::kRcp:
      return lanewise<&sem::rcp_approx_ftz>();
    case Op::kRsqrt:
      return s.ins.ftz ? lanewise<&sem::rsqrt_approx_ftz>()
                       : lanewise<static_cast<double (*)(double) noexcept>(&sem::rsqrt_approx)>();
    default:
      return {};
  }
}
Found find_approximate(const Shape& s) {
  if (s.ins.type == Type::kF64) return find_f64_approximate(s);
  if (s.ins.type != Type::kF32) return {};
  const bool ftz = s.ins.ftz;
  switch (s.ins.op) {
    case Op::kDiv:
      return s.ins.full ? approximate2<&sem::div_full>(ftz) : approximate2<&sem::div_approx>(ftz);
    case Op::kRcp:
      return approximate<&sem::rcp_approx>(ftz);
    case Op::kSqrt:
      return approximate<&sem::sqrt_approx>(ftz);
    case Op::kRsqrt:
      return approximate<static_cast<float (*)(float) noexcept>(&sem::rsqrt_approx)>(ftz);
    case Op::kSin:
      return approximate<&sem::sin_approx>(ftz);
    case Op::kCos:
      return approximate<&sem::cos_approx>(ftz);
    case Op::kLg2:
      return approximate<&sem::lg2_approx>(ftz);
    case Op::kEx2:
      return approximate<&sem::ex2_approx>(ftz);
    case Op::kTanh:
      return approximate<&sem::tanh_approx>(ftz);
    default:
      return {};
  }
}

template <typename T, bool kFtz>
T neg_lane(T a) noexcept {
  return sem::neg(sem::flush<kFtz>(a));
}
template <typename T, bool kFtz>
T abs_lane(T a) noexcept {
  return sem::abs(sem::flush<kFtz>(a));
}
template <typename T, bool kFtz, bool kNan>
T min_lane(T a, T b) noexcept {
  return sem::min<kNan>(sem::flush<kFtz>(a), sem::flush<kFtz>(b));
}
template <typename T, bool kFtz, bool kNan>
T max_lane(T a, T b) noexcept {
  return sem::max<kNan>(sem::flush<kFtz>(a), sem::flush<kFtz>(b));
}
template <typename T, bool kFtz, bool kNan>
T min_sign_lane(T a, T b) noexcept {
  return sem::min_xorsign_abs<kNan>(sem::flush<kFtz>(a), sem::flush<kFtz>(b));
}
template <typename T, bool kFtz, bool kNan>
T max_sign_lane(T a, T b) noexcept {
  return sem::max_xorsign_abs<kNan>(sem::flush<kFtz>(a), sem::flush<kFtz>(b));
}
template <typename T, bool kFtz, bool kNan>
Found order(const ptx::Instruction& ins) {
  if (ins.xorsign) {
    return ins.op == Op::kMin ? lanewise<&min_sign_lane<T, kFtz, kNan>>()
                              : lanewise<&max_sign_lane<T, kFtz, kNan>>();
  }
  return ins.op == Op::kMin ? lanewise<&min_lane<T, kFtz, kNan>>()
                            : lanewise<&max_lane<T, kFtz, kNan>>();
}
template <typename T, bool kFtz>
Found sign_or_order(const ptx::Instruction& ins) {
  switch (ins.op) {
    case Op::kNeg:
      return lanewise<&neg_lane<T, kFtz>>();
    case Op::kAbs:
      return lanewise<&abs_lane<T, kFtz>>();
    case Op::kMin:
    case Op::kMax:
      return ins.nan ? order<T, kFtz, true>(ins) : order<T, kFtz, false>(ins);
    case Op::kCopysign:
      return lanewise<&sem::copysign<T>>();
    default:
      return {};
  }
}
Found find_sign_or_order(const Shape& s) {
  if (s.ins.relu) return {};
  if (s.ins.type == Type::kF64) return sign_or_order<double, false>(s.ins);
  if (s.ins.type != Type::kF32) return {};
  return s.ins.ftz ? sign_or_order<float, true>(s.ins) : sign_or_order<float, false>(s.ins);
}

template <typename T>
Found testp_of(Sub which) {
  return choose<Sub::kFinite, Sub::kInfinite, Sub::kNumber, Sub::kNotanumber, Sub::kNormal,
                Sub::kSubnormal>(which,
                                 []<Sub kWhich>() { return lanewise<&sem::testp<kWhich, T>>(); });
}

}  // namespace

Found find_float(const Shape& s) {
  switch (s.ins.op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kFma:
    case Op::kMad:
      return find_rounded(s);
    case Op::kDiv:
    case Op::kRcp:
    case Op::kSqrt:
      return s.ins.approx || s.ins.full ? find_approximate(s) : find_rounded(s);
    case Op::kTestp:
      return s.ins.type == Type::kF64 ? testp_of<double>(s.ins.sub) : testp_of<float>(s.ins.sub);
    case Op::kNeg:
    case Op::kAbs:
    case Op::kMin:
    case Op::kMax:
    case Op::kCopysign:
      return find_sign_or_order(s);
    default:
      return find_approximate(s);
  }
}

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
