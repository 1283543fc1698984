// Comparison and selection.
#include <cstdint>

#include "harness/model/instructions/choose.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/lane_mask.h"
#include "harness/model/instructions/lanewise.h"
#include "harness/model/semantics/compare.h"
#include "harness/model/semantics/floating.h"
#include "harness/model/semantics/half.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {
namespace {

using ptx::Combine;
using ptx::Compare;
using ptx::Op;
using ptx::Type;
namespace sem = semantics;
using sem::HalfBits;

// How an operand is compared: `Stored` is what the register holds, `value` is what is compared.
// Flushed operands are f32 or f16 of an .ftz instruction.
template <typename T>
struct Plain {
  using Stored = T;
  static constexpr T value(T a) noexcept { return a; }
};
struct FlushedF32 {
  using Stored = float;
  static constexpr float value(float a) noexcept { return sem::flush<true>(a); }
};
template <typename Format, bool kFtz>
struct Half {
  using Stored = HalfBits;
  static constexpr float value(HalfBits a) noexcept {
    return sem::widen<Format>(sem::flush_half<Format, kFtz>(a));
  }
};

template <typename As, Compare kCompare>
[[gnu::always_inline]] inline std::uint32_t compare_lanes(const Ins* ins, const Warp& w) noexcept {
  using T = typename As::Stored;
  const Source<T> a(w, ins->a);
  const Source<T> b(w, ins->b);
  return lane_mask<sizeof(T)>(
      [=](unsigned i) { return sem::compare<kCompare>(As::value(a[i]), As::value(b[i])); });
}

/// setp: imm is the Combine, c its predicate.
template <typename As, Compare kCompare>
struct Setp {
  static constexpr std::uint8_t kWidth = width<typename As::Stored>();
  LAB_HANDLER static const Ins* run(const Ins* ins, Warp& w) noexcept {
    const std::uint32_t bits = compare_lanes<As, kCompare>(ins, w);
    w.set_predicate(ins->d, bits);
    w.set_predicate(ins->d2, ~bits);
    return ins + 1;
  }
  LAB_HANDLER static const Ins* run_combined(const Ins* ins, Warp& w) noexcept {
    const std::uint32_t bits = compare_lanes<As, kCompare>(ins, w);
    const std::uint32_t c = w.predicate(ins->c);
    const auto how = static_cast<Combine>(ins->imm);
    w.set_predicate(ins->d, sem::combine(how, bits, c));
    w.set_predicate(ins->d2, sem::combine(how, ~bits, c));
    return ins + 1;
  }
  static Found found(const ptx::Instruction& ins) {
    constexpr std::uint8_t kBool = Found::kPredicate;
    if (ins.combine == Combine::kNone) return {&run, {kBool, kBool}, {kWidth, kWidth}, true};
    return {&run_combined,
            {kBool, kBool},
            {kWidth, kWidth, kBool},
            true,
            static_cast<std::uint64_t>(ins.combine)};
  }
};

// Rarer forms, set and comparisons of halves, decide for each lane which comparison it is: imm
// holds truth_of(compare), the Combine above it and the bits that `set` writes for "true" above
// that.
struct Any {
  std::uint8_t truth = 0;
  Combine combine = Combine::kNone;
  std::uint16_t spare = 0;
  std::uint32_t ones = 0;
};
static_assert(sizeof(Any) == sizeof(std::uint64_t));

struct PairBits {
  std::uint32_t low = 0;  ///< of a pair of halves the lower one, otherwise the only one
  std::uint32_t high = 0;
};
template <typename As, bool kPair>
[[gnu::always_inline]] inline PairBits compare_any(const Ins* ins, const Warp& w,
                                                   std::uint32_t truth) noexcept {
  using T = typename As::Stored;
  using Stored = std::conditional_t<kPair, std::uint32_t, T>;
  const Source<Stored> a(w, ins->a);
  const Source<Stored> b(w, ins->b);
  const auto one = [truth](T x, T y) {
    return std::uint32_t{sem::compare(truth, As::value(x), As::value(y))};
  };
  PairBits bits;
  for (unsigned i = 0; i < kLanes; ++i) {
    bits.low |= one(static_cast<T>(a[i]), static_cast<T>(b[i])) << i;
    if constexpr (kPair) {
      bits.high |= one(static_cast<T>(a[i] >> 16U), static_cast<T>(b[i] >> 16U)) << i;
    }
  }
  return bits;
}

template <typename As, bool kPair>
struct Rare {
  static constexpr std::uint8_t kWidth = kPair ? 4 : width<typename As::Stored>();

  /// For pairs, p gets the comparison of the lower halves and q that of the upper halves. Otherwise
  /// q
  /// gets the opposite of p.
  LAB_HANDLER static const Ins* setp(const Ins* ins, Warp& w) noexcept {
    const Any any = std::bit_cast<Any>(ins->imm);
    const PairBits bits = compare_any<As, kPair>(ins, w, any.truth);
    const std::uint32_t c = any.combine == Combine::kNone ? 0 : w.predicate(ins->c);
    w.set_predicate(ins->d, sem::combine(any.combine, bits.low, c));
    w.set_predicate(ins->d2, sem::combine(any.combine, kPair ? bits.high : ~bits.low, c));
    return ins + 1;
  }
  template <typename D>
  LAB_HANDLER static const Ins* set(const Ins* ins, Warp& w) noexcept {
    const Any any = std::bit_cast<Any>(ins->imm);
    PairBits bits = compare_any<As, kPair>(ins, w, any.truth);
    const std::uint32_t c = any.combine == Combine::kNone ? 0 : w.predicate(ins->c);
    bits.low = sem::combine(any.combine, bits.low, c);
    bits.high = sem::combine(any.combine, bits.high, c);
    const auto ones = static_cast<D>(any.ones);
    store_lanes<D>(w, ins->d, [=](unsigned i) {
      const D low = ((bits.low >> i) & 1U) != 0 ? ones : D{0};
      if constexpr (kPair) {
        return low | (((bits.high >> i) & 1U) != 0 ? ones << 16U : D{0});
      } else {
        return low;
      }
    });
    return ins + 1;
  }

  static Found found(const ptx::Instruction& ins) {
    constexpr std::uint8_t kBool = Found::kPredicate;
    Any any{static_cast<std::uint8_t>(sem::truth_of(ins.compare)), ins.combine};
    const std::uint8_t third = ins.combine == Combine::kNone ? std::uint8_t{0} : kBool;
    if (any.truth == 0) return {};
    if (ins.op == Op::kSetp) {
      return {
          &setp, {kBool, kBool}, {kWidth, kWidth, third}, true, std::bit_cast<std::uint64_t>(any)};
    }
    any.ones = ones_of(ins.type);
    Found found{
        &set<std::uint32_t>, {4}, {kWidth, kWidth, third}, true, std::bit_cast<std::uint64_t>(any)};
    if constexpr (!kPair) {
      if (ptx::bits_of(ins.type) == 16) {
        found.fn = &set<std::uint16_t>;
        found.results = {2};
      }
    }
    return ptx::bits_of(ins.type) > 32 || (kPair && ptx::bits_of(ins.type) < 32) ? Found{} : found;
  }
  /// The bits that `set` writes for "true"; for a pair, in each half.
  static std::uint32_t ones_of(Type type) {
    switch (type) {
      case Type::kF32:
        return sem::bits_of(1.0F);
      case Type::kF16:
      case Type::kF16x2:
        return 0x3c00;
      case Type::kBF16:
      case Type::kBF16x2:
        return 0x3f80;
      default:
        return kPair ? 0xffff : 0xffffffffU;
    }
  }
};

/// lo, ls, hi, hs are lt, le, gt, ge of unsigned types.
Compare plain(Compare compare) {
  switch (compare) {
    case Compare::kLo:
      return Compare::kLt;
    case Compare::kLs:
      return Compare::kLe;
    case Compare::kHi:
      return Compare::kGt;
    case Compare::kHs:
      return Compare::kGe;
    default:
      return compare;
  }
}
template <typename As>
Found find_ordered(const ptx::Instruction& ins) {
  if (ins.op == Op::kSet) return Rare<As, false>::found(ins);
  return choose<Compare::kEq, Compare::kNe, Compare::kLt, Compare::kLe, Compare::kGt, Compare::kGe>(
      plain(ins.compare), [&]<Compare kHow>() { return Setp<As, kHow>::found(ins); });
}
template <typename As>
Found find_unordered(const ptx::Instruction& ins) {
  if (ins.op == Op::kSet) return Rare<As, false>::found(ins);
  const Found found = choose<Compare::kEqu, Compare::kNeu, Compare::kLtu, Compare::kLeu,
                             Compare::kGtu, Compare::kGeu, Compare::kNum, Compare::kNan>(
      ins.compare, [&]<Compare kHow>() { return Setp<As, kHow>::found(ins); });
  return found.fn != nullptr ? found : find_ordered<As>(ins);
}
Found find_comparison(const Shape& s) {
  const ptx::Instruction& ins = s.ins;
  const bool ftz = ins.ftz;
  const Type type = ins.op == Op::kSetp ? ins.type : ins.from;
  switch (type) {
    case Type::kF32:
      return ftz ? find_unordered<FlushedF32>(ins) : find_unordered<Plain<float>>(ins);
    case Type::kF64:
      return find_unordered<Plain<double>>(ins);
    case Type::kF16:
      return ftz ? Rare<Half<sem::F16, true>, false>::found(ins)
                 : Rare<Half<sem::F16, false>, false>::found(ins);
    case Type::kBF16:
      return ftz ? Found{} : Rare<Half<sem::BF16, false>, false>::found(ins);
    case Type::kF16x2:
      return ftz ? Rare<Half<sem::F16, true>, true>::found(ins)
                 : Rare<Half<sem::F16, false>, true>::found(ins);
    case Type::kBF16x2:
      return ftz ? Found{} : Rare<Half<sem::BF16, false>, true>::found(ins);
    default:
      return choose_integer(type, [&]<typename T>() { return find_ordered<Plain<T>>(ins); });
  }
}

template <typename T>
LAB_HANDLER const Ins* selp(const Ins* ins, Warp& w) noexcept {
  const Source<T> a(w, ins->a);
  const Source<T> b(w, ins->b);
  const std::uint32_t c = w.predicate(ins->c);
  store_lanes<T>(w, ins->d, [=](unsigned i) { return ((c >> i) & 1U) != 0 ? a[i] : b[i]; });
  return ins + 1;
}
std::size_t bytes_of(Type type) { return static_cast<std::size_t>(ptx::bits_of(type)) / 8; }
Found find_selp(const Shape& s) {
  return choose_register(bytes_of(s.ins.type), []<typename T>() {
    return Found{&selp<T>, {width<T>()}, {width<T>(), width<T>(), Found::kPredicate}, true};
  });
}

template <typename T>
T slct_ftz(T a, T b, float c) noexcept {
  return sem::slct(a, b, sem::flush<true>(c));
}
template <typename T>
Found find_slct_of(const ptx::Instruction& ins) {
  if (ins.from == Type::kS32) return lanewise<&sem::slct<T, std::int32_t>>();
  return ins.ftz ? lanewise<&slct_ftz<T>>() : lanewise<&sem::slct<T, float>>();
}
Found find_slct(const Shape& s) {
  return choose_register(bytes_of(s.ins.type),
                         [&]<typename T>() { return find_slct_of<T>(s.ins); });
}

constexpr Row kRows[] = {
    {Op::kSetp, find_comparison},
    {Op::kSet, find_comparison},
    {Op::kSelp, find_selp},
    {Op::kSlct, find_slct},
};

}  // namespace

std::span<const Row> compare_rows() { return kRows; }

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
