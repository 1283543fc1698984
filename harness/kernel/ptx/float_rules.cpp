#include "harness/kernel/ptx/check.h"

#include <fmt/format.h>

namespace lab::ptx {

namespace {

bool is_half(Type type) {
  return type == Type::kF16 || type == Type::kF16x2 || type == Type::kBF16 || type == Type::kBF16x2;
}
bool is_bfloat(Type type) { return type == Type::kBF16 || type == Type::kBF16x2; }
bool is_pair_of_halves(Type type) { return type == Type::kF16x2 || type == Type::kBF16x2; }

// set and slct flush what they compare, setp and the others what they work on.
Type flushed_type(const Instruction& i) { return i.from == Type::kNone ? i.type : i.from; }

bool has_flush(const Instruction& i) {
  const Type type = flushed_type(i);
  if (i.op == Op::kEx2) return type == Type::kF32 || is_bfloat(type);
  if (i.op == Op::kRcp || i.op == Op::kRsqrt) return true;  // .f64 through its approximation
  const bool compares = i.op == Op::kSetp || i.op == Op::kSet || i.op == Op::kNeg;
  return type == Type::kF32 || type == Type::kF32x2 || type == Type::kF16 || type == Type::kF16x2 ||
         (compares && is_bfloat(type));
}

bool has_saturation(Type type) {
  return !is_float(type) || type == Type::kF32 || type == Type::kF16 || type == Type::kF16x2;
}

// The approximations of .f64 are those of 1/x and 1/sqrt(x); the first one flushes.
bool has_approximation(const Instruction& i) {
  if (i.type != Type::kF64 || (!i.approx && !i.full)) return true;
  return i.op == Op::kRsqrt || (i.op == Op::kRcp && i.ftz);
}

// The result of a comparison as a number: two halves give two results, and .u16 is for one half.
bool has_set_types(const Instruction& i) {
  const bool pair = is_pair_of_halves(i.type);
  if (pair) return i.from == i.type;
  if (i.type == Type::kU16 || i.type == Type::kS16) {
    return i.from == Type::kF16 || i.from == Type::kBF16;
  }
  if (i.type == Type::kF32) return !is_half(i.from);
  return !is_half(i.type) || !is_pair_of_halves(i.from);
}

}  // namespace

std::optional<std::string> wrong_float_modifier(const Instruction& i) {
  if (i.op == Op::kCvt) return {};
  const auto refuse = [&](std::string_view why) {
    return fmt::format("'{}' {} .{}", name_of(i.op), why, name_of(flushed_type(i)));
  };
  if (i.op == Op::kSet && !has_set_types(i)) {
    return fmt::format("'set' gives no .{} for .{}", name_of(i.type), name_of(i.from));
  }
  if (is_half(i.type) && i.round != Round::kNone && i.round != Round::kRn) {
    return refuse("rounds with .rn only for");
  }
  if (i.ftz && !has_flush(i)) return refuse("has no .ftz for");
  if (i.sat && !has_saturation(i.type)) return refuse("has no .sat for");
  if (!has_approximation(i)) return refuse("has no such approximation for");
  if (i.op == Op::kEx2 && is_bfloat(i.type) && !i.ftz) return refuse("needs .ftz for");
  if (i.has_noftz && !is_half(i.type)) return refuse("has no .noftz for");
  return {};
}

}  // namespace lab::ptx
