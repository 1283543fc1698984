// cvt and cvt.pack. Each conversion that kernels do in inner loops has its own handler. All
// others share one, which composes the stages of convert.h for the types that its plan names.
#include <cstdint>

#include "harness/model/instructions/choose.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/lanewise.h"
#include "harness/model/semantics/convert.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {
namespace {

using ptx::Op;
using ptx::Round;
using ptx::Type;
namespace sem = semantics;
using sem::HalfBits;

// Integers to integers.

template <typename D, typename S>
constexpr D cast(S value) noexcept {
  return static_cast<D>(value);
}

/// A conversion as the general handlers carry it out, packed into Ins::imm.
struct Conversion {
  Type from = Type::kNone;
  Type to = Type::kNone;
  Round round = Round::kNone;
  bool ftz = false;
  bool sat = false;
  bool relu = false;
  bool satfinite = false;
  std::uint8_t spare = 0;  ///< makes the record 8 bytes long
};
static_assert(sizeof(Conversion) == sizeof(std::uint64_t));

constexpr sem::IntegerFormat integer_format(Type type) noexcept {
  switch (type) {
    case Type::kS8:
      return {8, true};
    case Type::kS16:
      return {16, true};
    case Type::kS32:
      return {32, true};
    case Type::kS64:
      return {64, true};
    case Type::kB8:
    case Type::kU8:
      return {8, false};
    case Type::kB16:
    case Type::kU16:
      return {16, false};
    case Type::kB32:
    case Type::kU32:
      return {32, false};
    default:
      return {64, false};
  }
}

template <typename RD, typename RS>
LAB_HANDLER const Ins* integer_to_integer(const Ins* ins, Warp& w) noexcept {
  const Conversion plan = std::bit_cast<Conversion>(ins->imm);
  const sem::IntegerFormat from = integer_format(plan.from);
  const sem::IntegerFormat to = integer_format(plan.to);
  const bool sat = plan.sat;
  const Source<RS> a(w, ins->a);
  store_lanes<RD>(w, ins->d, [=](unsigned i) {
    return static_cast<RD>(sem::convert_integer(a[i], from, to, sat));
  });
  return ins + 1;
}

// The general conversion with a float on either side: 32 lanes as doubles, which hold every operand
// exactly, or for 64-bit integers rounded to odd (format.h), stage by stage.

using Carrier = double[kLanes];

template <typename T, typename Lanes, typename F>
[[gnu::always_inline]] inline void load_as(Carrier& out, const Lanes* in, F f) {
  for (unsigned i = 0; i < kLanes; ++i) out[i] = f(static_cast<T>(in[i]));
}
// The registers' low bits as plan.from.
template <typename Lanes>
[[gnu::always_inline]] inline void load(Carrier& out, const Lanes* in, const Conversion& plan) {
  const auto integer = [](auto value) { return sem::carried_integer(value); };
  switch (plan.from) {
    case Type::kU8:
      return load_as<std::uint8_t>(out, in, integer);
    case Type::kS8:
      return load_as<std::int8_t>(out, in, integer);
    case Type::kU16:
      return load_as<std::uint16_t>(out, in, integer);
    case Type::kS16:
      return load_as<std::int16_t>(out, in, integer);
    case Type::kU32:
      return load_as<std::uint32_t>(out, in, integer);
    case Type::kS32:
      return load_as<std::int32_t>(out, in, integer);
    case Type::kU64:
      return load_as<std::uint64_t>(out, in, integer);
    case Type::kS64:
      return load_as<std::int64_t>(out, in, integer);
    case Type::kF16:
      return load_as<HalfBits>(
          out, in, [](HalfBits bits) { return static_cast<double>(sem::widen_f16(bits)); });
    case Type::kBF16:
      return load_as<HalfBits>(
          out, in, [](HalfBits bits) { return static_cast<double>(sem::widen_bf16(bits)); });
    case Type::kE4M3x2:
      return load_as<std::uint8_t>(out, in,
                                   [](std::uint8_t bits) { return double{sem::widen_e4m3(bits)}; });
    case Type::kE5M2x2:
      return load_as<std::uint8_t>(out, in,
                                   [](std::uint8_t bits) { return double{sem::widen_e5m2(bits)}; });
    case Type::kF32:
      return load_as<std::uint32_t>(out, in, [&](std::uint32_t bits) {
        const auto value = std::bit_cast<float>(bits);
        return static_cast<double>(plan.ftz ? sem::flush<true>(value) : value);
      });
    default:
      return load_as<std::uint64_t>(out, in,
                                    [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
  }
}

template <Round kRound>
[[gnu::always_inline]] inline void round_as(Carrier& values) {
  for (double& value : values) value = sem::round_to_integral<kRound>(value);
}
[[gnu::always_inline]] inline void round(Carrier& values, Round how) {
  switch (how) {
    case Round::kRni:
      return round_as<Round::kRni>(values);
    case Round::kRzi:
      return round_as<Round::kRzi>(values);
    case Round::kRmi:
      return round_as<Round::kRmi>(values);
    case Round::kRpi:
      return round_as<Round::kRpi>(values);
    default:
      return;
  }
}

using Results = std::uint64_t[kLanes];  ///< extended to 64 bits as the destination register wants

template <typename D>
[[gnu::always_inline]] inline void to_integers(Results& out, const Carrier& in, bool from_f64) {
  // Sign extension for signed D; the cast to the register's width cuts off the rest.
  for (unsigned i = 0; i < kLanes; ++i) {
    const D value = from_f64 ? sem::to_integer<D, double, true>(in[i])
                             : sem::to_integer<D, double, false>(in[i]);
    out[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
}
template <typename Format, Round kRound>
[[gnu::always_inline]] inline void to_narrow(Results& out, const Carrier& in,
                                             const Conversion& plan) {
  for (unsigned i = 0; i < kLanes; ++i) {
    const double value = plan.satfinite ? sem::saturate_finite<Format>(in[i]) : in[i];
    auto bits = sem::narrow<Format, kRound>(value);
    if (plan.relu) bits = sem::relu_bits<Format>(bits);
    if constexpr (sizeof(bits) == sizeof(HalfBits)) {
      if (plan.sat) bits = sem::saturate_half<Format>(bits);
    }
    out[i] = bits;
  }
}
template <Round kRound>
[[gnu::always_inline]] inline void to_floats_rounded(Results& out, const Carrier& in,
                                                     const Conversion& plan) {
  switch (plan.to) {
    case Type::kF16:
      return to_narrow<sem::F16, kRound>(out, in, plan);
    case Type::kBF16:
      return to_narrow<sem::BF16, kRound>(out, in, plan);
    case Type::kE4M3x2:
      return to_narrow<sem::E4M3, kRound>(out, in, plan);
    case Type::kE5M2x2:
      return to_narrow<sem::E5M2, kRound>(out, in, plan);
    default:
      break;
  }
  for (unsigned i = 0; i < kLanes; ++i) {
    if (plan.to == Type::kF32) {
      const float value = sem::to_f32<kRound>(in[i]);
      const float flushed = plan.ftz ? sem::flush<true>(value) : value;
      out[i] = sem::bits_of(plan.sat ? sem::saturate(flushed) : flushed);
    } else {
      out[i] = sem::bits_of(plan.sat ? sem::saturate(in[i]) : in[i]);
    }
  }
}
[[gnu::always_inline]] inline void to_floats(Results& out, const Carrier& in,
                                             const Conversion& plan) {
  switch (plan.round) {
    case Round::kRz:
      return to_floats_rounded<Round::kRz>(out, in, plan);
    case Round::kRm:
      return to_floats_rounded<Round::kRm>(out, in, plan);
    case Round::kRp:
      return to_floats_rounded<Round::kRp>(out, in, plan);
    default:
      return to_floats_rounded<Round::kRn>(out, in, plan);
  }
}
[[gnu::always_inline]] inline void convert_lanes(Results& out, const Carrier& in,
                                                 const Conversion& plan) {
  const bool from_f64 = plan.from == Type::kF64;
  switch (plan.to) {
    case Type::kU8:
      return to_integers<std::uint8_t>(out, in, from_f64);
    case Type::kS8:
      return to_integers<std::int8_t>(out, in, from_f64);
    case Type::kU16:
      return to_integers<std::uint16_t>(out, in, from_f64);
    case Type::kS16:
      return to_integers<std::int16_t>(out, in, from_f64);
    case Type::kU32:
      return to_integers<std::uint32_t>(out, in, from_f64);
    case Type::kS32:
      return to_integers<std::int32_t>(out, in, from_f64);
    case Type::kU64:
      return to_integers<std::uint64_t>(out, in, from_f64);
    case Type::kS64:
      return to_integers<std::int64_t>(out, in, from_f64);
    default:
      return to_floats(out, in, plan);
  }
}

template <typename RD, typename RS>
LAB_HANDLER const Ins* convert(const Ins* ins, Warp& w) noexcept {
  const Conversion plan = std::bit_cast<Conversion>(ins->imm);
  Carrier values;
  Results results;
  load(values, Source<RS>(w, ins->a).at, plan);
  round(values, plan.round);
  convert_lanes(results, values, plan);
  store_lanes<RD>(w, ins->d, [&](unsigned i) { return static_cast<RD>(results[i]); });
  return ins + 1;
}

template <typename RD, typename RS>
Found general(const Conversion& plan, bool integers) {
  return {integers ? &integer_to_integer<RD, RS> : &convert<RD, RS>,
          {width<RD>()},
          {width<RS>()},
          true,
          std::bit_cast<std::uint64_t>(plan)};
}
std::size_t register_bytes(Type type) {
  const int bits = ptx::bits_of(type);
  return bits < 16 ? 2 : static_cast<std::size_t>(bits) / 8;
}
Found find_general(const Shape& s) {
  const ptx::Instruction& ins = s.ins;
  const Conversion plan{ins.from, ins.type, ins.round, ins.ftz, ins.sat, ins.relu, ins.satfinite};
  const bool integers = !ptx::is_float(ins.from) && !ptx::is_float(ins.type);
  return choose_register(s.bytes(0, register_bytes(ins.type)), [&]<typename RD>() {
    return choose_register(s.bytes(1, register_bytes(ins.from)),
                           [&]<typename RS>() { return general<RD, RS>(plan, integers); });
  });
}

// Conversions with their own handlers: registers as wide as the types, and no modifiers except
// rounding.

template <typename D, Round kRound, typename S>
constexpr D float_to_integer(S value) noexcept {
  return sem::to_integer<D>(sem::round_to_integral<kRound>(value));
}
constexpr float f64_to_f32(double value) noexcept { return sem::to_f32<Round::kRn>(value); }
constexpr double f32_to_f64(float value) noexcept { return value; }
template <typename Format>
constexpr float half_to_f32(HalfBits bits) noexcept {
  return sem::widen<Format>(bits);
}
template <typename Format>
constexpr HalfBits f32_to_half(float value) noexcept {
  return sem::from_double<Format>(value);
}

template <typename S>
Found from_float(const ptx::Instruction& ins) {
  return choose_type<Type::kU32, Type::kS32, Type::kU64, Type::kS64>(ins.type, [&]<typename D>() {
    return choose<Round::kRni, Round::kRzi, Round::kRmi, Round::kRpi>(
        ins.round, []<Round kRound>() { return lanewise<&float_to_integer<D, kRound, S>>(); });
  });
}
Found from_f32(const ptx::Instruction& ins) {
  if (ins.type == Type::kF64 && ins.round == Round::kNone) return lanewise<&f32_to_f64>();
  if (ins.type == Type::kF16 && ins.round == Round::kRn) return lanewise<&f32_to_half<sem::F16>>();
  if (ins.type == Type::kBF16 && ins.round == Round::kRn) {
    return lanewise<&f32_to_half<sem::BF16>>();
  }
  return from_float<float>(ins);
}
Found from_f64(const ptx::Instruction& ins) {
  if (ins.type == Type::kF32 && ins.round == Round::kRn) return lanewise<&f64_to_f32>();
  return from_float<double>(ins);
}

template <typename S>
Found from_integer(const ptx::Instruction& ins) {
  if (!ptx::is_float(ins.type)) {
    return choose_integer(
        ins.type, []<typename D>() { return lanewise<&cast<std::make_unsigned_t<D>, S>>(); });
  }
  return choose_type<Type::kF32, Type::kF64>(ins.type, [&]<typename F>() {
    return choose<Round::kRn, Round::kRz, Round::kRm, Round::kRp>(
        ins.round == Round::kNone ? Round::kRn : ins.round,
        []<Round kRound>() { return lanewise<&sem::from_integer<F, kRound, S>>(); });
  });
}

Found find_own(const ptx::Instruction& ins) {
  switch (ins.from) {
    case Type::kF32:
      return from_f32(ins);
    case Type::kF64:
      return from_f64(ins);
    case Type::kF16:
      return ins.type == Type::kF32 ? lanewise<&half_to_f32<sem::F16>>() : Found{};
    case Type::kBF16:
      return ins.type == Type::kF32 ? lanewise<&half_to_f32<sem::BF16>>() : Found{};
    default:
      return choose_integer(ins.from, [&]<typename S>() { return from_integer<S>(ins); });
  }
}

// Pairs: two f32, or a pair, to a pair; a above b. The halves of a pair are of one plan.

// Two f32 rounded to nearest, as kernels write them in inner loops.
template <typename Format>
constexpr std::uint32_t pair_lane(float a, float b) noexcept {
  return (std::uint32_t{f32_to_half<Format>(a)} << 16U) | f32_to_half<Format>(b);
}

Type half_of(Type pair) {
  return pair == Type::kF16x2 ? Type::kF16 : pair == Type::kBF16x2 ? Type::kBF16 : pair;
}

template <typename RD>
[[gnu::always_inline]] inline const Ins* store_pair(const Ins* ins, Warp& w, const Carrier& above,
                                                    const Carrier& below, const Conversion& plan) {
  Results high;
  Results low;
  convert_lanes(high, above, plan);
  convert_lanes(low, below, plan);
  constexpr unsigned kHalf = 4 * sizeof(RD);
  store_lanes<RD>(w, ins->d,
                  [&](unsigned i) { return static_cast<RD>(high[i] << kHalf | low[i]); });
  return ins + 1;
}
template <typename RD>
LAB_HANDLER const Ins* convert_two(const Ins* ins, Warp& w) noexcept {
  const Conversion plan = std::bit_cast<Conversion>(ins->imm);
  Carrier high;
  Carrier low;
  load(high, Source<std::uint32_t>(w, ins->a).at, plan);
  load(low, Source<std::uint32_t>(w, ins->b).at, plan);
  return store_pair<RD>(ins, w, high, low, plan);
}
template <typename RD, typename RS>
LAB_HANDLER const Ins* convert_pair(const Ins* ins, Warp& w) noexcept {
  const Conversion plan = std::bit_cast<Conversion>(ins->imm);
  constexpr unsigned kHalf = 4 * sizeof(RS);
  alignas(64) RS upper[kLanes];
  const Source<RS> a(w, ins->a);
  for (unsigned i = 0; i < kLanes; ++i) upper[i] = static_cast<RS>(a[i] >> kHalf);
  Carrier high;
  Carrier low;
  load(high, upper, plan);
  load(low, a.at, plan);
  return store_pair<RD>(ins, w, high, low, plan);
}

Found find_pair(const ptx::Instruction& ins) {
  const bool plain = ins.round == Round::kRn && !ins.relu && !ins.sat && !ins.satfinite && !ins.ftz;
  if (plain && ins.operands.size() == 3) {
    if (ins.type == Type::kF16x2) return lanewise<&pair_lane<sem::F16>>();
    if (ins.type == Type::kBF16x2) return lanewise<&pair_lane<sem::BF16>>();
  }
  const Conversion plan{half_of(ins.from), half_of(ins.type), ins.round,    ins.ftz,
                        ins.sat,           ins.relu,          ins.satfinite};
  const auto imm = std::bit_cast<std::uint64_t>(plan);
  const bool narrow = ptx::bits_of(ins.type) == 16;
  if (ins.operands.size() == 3) {
    return {narrow ? &convert_two<std::uint16_t> : &convert_two<std::uint32_t>,
            {static_cast<std::uint8_t>(narrow ? 2 : 4)},
            {4, 4},
            true,
            imm};
  }
  if (narrow) return {&convert_pair<std::uint16_t, std::uint32_t>, {2}, {4}, true, imm};
  return {&convert_pair<std::uint32_t, std::uint16_t>, {4}, {2}, true, imm};
}

/// The upper 19 bits of an f32, rounded: what matrices of tf32 read.
template <ptx::Round kRound>
constexpr std::uint32_t to_tf32(std::uint32_t bits) noexcept {
  constexpr std::uint32_t kUnit = 1U << 13U;
  const std::uint32_t magnitude = bits & ~sem::F32::kSign;
  const bool negative = magnitude != bits;
  if (magnitude > sem::F32::kInfinity) return sem::F32::kNan;
  const std::uint32_t kept = magnitude / kUnit;
  const std::uint32_t up =
      sem::rounds_up<kRound, std::uint32_t>(negative, kept, magnitude % kUnit, kUnit / 2);
  return ((kept + up) * kUnit) | (bits & sem::F32::kSign);
}
Found find_tf32(const ptx::Instruction& ins) {
  if (ins.from != Type::kF32 || ins.ftz || ins.sat || ins.relu || ins.satfinite) return {};
  return choose<Round::kRna, Round::kRn, Round::kRz>(
      ins.round, []<Round kRound>() { return lanewise<&to_tf32<kRound>>(); });
}

Found find_cvt(const Shape& s) {
  if (s.ins.type == Type::kTF32) return find_tf32(s.ins);
  const ptx::Instruction& ins = s.ins;
  if (is_pair(ins.type) || ptx::is_fp8_pair(ins.type)) return find_pair(ins);
  if (ins.relu && !is_half(ins.type)) return {};
  const auto fits = [&](std::size_t operand, Type type) {
    return ptx::bits_of(type) >= 16 &&
           s.bytes(operand, register_bytes(type)) == register_bytes(type);
  };
  const bool plain = !ins.ftz && !ins.sat && !ins.relu && !ins.satfinite;
  if (plain && fits(0, ins.type) && fits(1, ins.from)) {
    const Found own = find_own(ins);
    if (own.fn != nullptr) return own;
  }
  return find_general(s);
}

template <typename D>
constexpr std::uint32_t pack2(std::int32_t a, std::int32_t b) noexcept {
  return sem::cvt_pack<D>(a, b);
}
template <typename D>
constexpr std::uint32_t pack3(std::int32_t a, std::int32_t b, std::uint32_t c) noexcept {
  return sem::cvt_pack<D>(a, b, c);
}
Found find_cvt_pack(const Shape& s) {
  if (s.ins.operands.size() == 4) {
    return choose_type<Type::kU8, Type::kS8>(s.ins.type,
                                             []<typename D>() { return lanewise<&pack3<D>>(); });
  }
  return choose_type<Type::kU16, Type::kS16>(s.ins.type,
                                             []<typename D>() { return lanewise<&pack2<D>>(); });
}

constexpr Row kRows[] = {
    {Op::kCvt, find_cvt},
    {Op::kCvtPack, find_cvt_pack},
};

}  // namespace

std::span<const Row> convert_rows() { return kRows; }

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
