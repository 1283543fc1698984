// f16 and bf16 arithmetic, single and in pairs.
#include <cstdint>

#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/lanewise.h"
#include "harness/model/semantics/half.h"

namespace lab::model {
namespace {

using ptx::Op;
using ptx::Type;
namespace sem = semantics;
using sem::HalfBits;

/// Modifiers of one instruction: a template argument.
struct Mods {
  bool ftz = false;
  bool sat = false;
  bool relu = false;
  bool nan = false;
  bool xorsign = false;
};

template <typename Format, Mods kMods>
constexpr HalfBits finish(HalfBits value) noexcept {
  HalfBits result = sem::flush_half<Format, kMods.ftz>(value);
  if constexpr (kMods.relu) result = sem::relu_bits<Format>(result);
  if constexpr (kMods.sat) result = sem::saturate_half<Format>(result);
  return result;
}

// Operations on halves whose operands are flushed already.
template <typename Format, Op kOp, Mods kMods>
constexpr HalfBits operate(HalfBits a) noexcept {
  if constexpr (kOp == Op::kNeg) return sem::neg_half<Format>(a);
  if constexpr (kOp == Op::kAbs) return sem::abs_half<Format>(a);
  if constexpr (kOp == Op::kEx2) return sem::ex2_half<Format>(a);
  if constexpr (kOp == Op::kTanh) return sem::tanh_half<Format>(a);
}
template <typename Format, Op kOp, Mods kMods>
constexpr HalfBits operate(HalfBits a, HalfBits b) noexcept {
  if constexpr (kOp == Op::kAdd) return sem::add_half<Format>(a, b);
  if constexpr (kOp == Op::kSub) return sem::sub_half<Format>(a, b);
  if constexpr (kOp == Op::kMul) return sem::mul_half<Format>(a, b);
  if constexpr (kOp == Op::kMin && kMods.xorsign) {
    return sem::min_half_xorsign_abs<Format, kMods.nan>(a, b);
  }
  if constexpr (kOp == Op::kMax && kMods.xorsign) {
    return sem::max_half_xorsign_abs<Format, kMods.nan>(a, b);
  }
  if constexpr (kOp == Op::kMin) return sem::min_half<Format, kMods.nan>(a, b);
  if constexpr (kOp == Op::kMax) return sem::max_half<Format, kMods.nan>(a, b);
}
template <typename Format, Op kOp, Mods kMods>
constexpr HalfBits operate(HalfBits a, HalfBits b, HalfBits c) noexcept {
  return sem::fma_half<Format>(a, b, c);
}

template <typename Format, Op kOp, Mods kMods, typename... Half>
constexpr HalfBits half_of(Half... operands) noexcept {
  return finish<Format, kMods>(
      operate<Format, kOp, kMods>(sem::flush_half<Format, kMods.ftz>(operands)...));
}

// The lane functions: T is HalfBits, or std::uint32_t for a pair.
template <typename Format, Op kOp, Mods kMods, typename T, typename... Operands>
constexpr T apply(Operands... operands) noexcept {
  if constexpr (sizeof(T) == 2) {
    return half_of<Format, kOp, kMods>(operands...);
  } else {
    return sem::each_half([](auto... halves) { return half_of<Format, kOp, kMods>(halves...); },
                          operands...);
  }
}
template <typename Format, Op kOp, Mods kMods, typename T>
T lane1(T a) noexcept {
  return apply<Format, kOp, kMods, T>(a);
}
template <typename Format, Op kOp, Mods kMods, typename T>
T lane2(T a, T b) noexcept {
  return apply<Format, kOp, kMods, T>(a, b);
}
template <typename Format, Op kOp, Mods kMods, typename T>
T lane3(T a, T b, T c) noexcept {
  return apply<Format, kOp, kMods, T>(a, b, c);
}

constexpr Mods kPlain{};
constexpr Mods kFtz{true, false, false, false};
constexpr Mods kSat{false, true, false, false};
constexpr Mods kFtzSat{true, true, false, false};
constexpr Mods kRelu{false, false, true, false};
constexpr Mods kFtzRelu{true, false, true, false};
constexpr Mods kNan{false, false, false, true};
constexpr Mods kFtzNan{true, false, false, true};
constexpr Mods with_xorsign(Mods mods) {
  mods.xorsign = true;
  return mods;
}

template <typename Format, Op kOp, Mods kMods, typename T>
constexpr Found found() {
  if constexpr (kOp == Op::kFma) {
    return lanewise<&lane3<Format, kOp, kMods, T>>();
  } else if constexpr (kOp == Op::kNeg || kOp == Op::kAbs || kOp == Op::kEx2 || kOp == Op::kTanh) {
    return lanewise<&lane1<Format, kOp, kMods, T>>();
  } else {
    return lanewise<&lane2<Format, kOp, kMods, T>>();
  }
}

// Which modifiers each operation may have. bf16 has .ftz and .sat only on ex2.
template <typename Format, Op kOp, typename T>
Found arithmetic(const ptx::Instruction& ins) {
  constexpr bool kIsF16 = std::is_same_v<Format, sem::F16>;
  if (ins.relu && (kOp != Op::kFma || ins.sat)) return {};
  if constexpr (kIsF16) {
    if (ins.ftz && ins.sat) return found<Format, kOp, kFtzSat, T>();
    if (ins.sat) return found<Format, kOp, kSat, T>();
    if constexpr (kOp == Op::kFma) {
      if (ins.ftz && ins.relu) return found<Format, kOp, kFtzRelu, T>();
    }
    if (ins.ftz) return found<Format, kOp, kFtz, T>();
  } else if (ins.ftz || ins.sat) {
    return {};
  }
  if constexpr (kOp == Op::kFma) {
    if (ins.relu) return found<Format, kOp, kRelu, T>();
  }
  return found<Format, kOp, kPlain, T>();
}
template <typename Format, Op kOp, Mods kMods, typename T>
Found ordered(const ptx::Instruction& ins) {
  return ins.xorsign ? found<Format, kOp, with_xorsign(kMods), T>()
                     : found<Format, kOp, kMods, T>();
}
template <typename Format, Op kOp, typename T>
Found order(const ptx::Instruction& ins) {
  if (ins.relu) return {};
  if constexpr (std::is_same_v<Format, sem::F16>) {
    if (ins.ftz) {
      return ins.nan ? ordered<Format, kOp, kFtzNan, T>(ins) : ordered<Format, kOp, kFtz, T>(ins);
    }
  } else if (ins.ftz) {
    return {};
  }
  return ins.nan ? ordered<Format, kOp, kNan, T>(ins) : ordered<Format, kOp, kPlain, T>(ins);
}
template <typename Format, Op kOp, typename T>
Found unary(const ptx::Instruction& ins) {
  return ins.ftz ? found<Format, kOp, kFtz, T>() : found<Format, kOp, kPlain, T>();
}

template <typename Format, typename T>
Found by_op(const ptx::Instruction& ins) {
  switch (ins.op) {
    case Op::kNeg:
      return unary<Format, Op::kNeg, T>(ins);
    case Op::kAbs:
      return unary<Format, Op::kAbs, T>(ins);
    case Op::kEx2:
      return unary<Format, Op::kEx2, T>(ins);
    case Op::kTanh:
      return found<Format, Op::kTanh, kPlain, T>();
    case Op::kAdd:
      return arithmetic<Format, Op::kAdd, T>(ins);
    case Op::kSub:
      return arithmetic<Format, Op::kSub, T>(ins);
    case Op::kMul:
      return arithmetic<Format, Op::kMul, T>(ins);
    case Op::kFma:
      return arithmetic<Format, Op::kFma, T>(ins);
    case Op::kMin:
      return order<Format, Op::kMin, T>(ins);
    case Op::kMax:
      return order<Format, Op::kMax, T>(ins);
    default:
      return {};
  }
}

}  // namespace

Found find_half(const Shape& s) {
  switch (s.ins.type) {
    case Type::kF16:
      return by_op<sem::F16, HalfBits>(s.ins);
    case Type::kF16x2:
      return by_op<sem::F16, std::uint32_t>(s.ins);
    case Type::kBF16:
      return by_op<sem::BF16, HalfBits>(s.ins);
    case Type::kBF16x2:
      return by_op<sem::BF16, std::uint32_t>(s.ins);
    default:
      return {};
  }
}

}  // namespace lab::model
