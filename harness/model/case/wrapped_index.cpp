#include "harness/model/case/wrapped_index.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "harness/core/numbers.h"

namespace lab::model {
namespace {

using ptx::Op;
using ptx::Operand;
using ptx::Sub;
using Number = std::optional<std::int64_t>;

constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMostSigned = std::numeric_limits<std::int32_t>::max();

/// As 32 bits hold it.
std::int64_t as_int(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}
std::string text(std::int64_t value) {
  return (value < 0 ? "-" : "") + grouped_text(static_cast<double>(value < 0 ? -value : value));
}
bool is_32(const ptx::Instruction& ins) { return ptx::bits_of(ins.type) == 32; }

/// One thread's registers as they were when it made its access.
class Registers {
 public:
  Registers(const Program& program, std::uint32_t function, const ThreadAt& at)
      : at_(at), slots_(program.module->functions[function].registers.size()) {
    const auto& instructions = program.module->functions[function].instructions;
    // A guard or a copy is decoded to further instructions, with results of their own.
    std::vector<std::uint32_t> where(instructions.size(), kNone);
    std::vector<bool> alone(instructions.size(), true);
    for (std::uint32_t i = 0; i < program.code.size(); ++i) {
      const Origin& origin = program.origins[i];
      if (origin.function != function) continue;
      alone[origin.instruction] = where[origin.instruction] == kNone;
      where[origin.instruction] = i;
    }
    for (std::size_t i = 0; i < where.size(); ++i) {
      if (where[i] == kNone || !alone[i] || instructions[i].operands.empty()) continue;
      const Operand& to = instructions[i].operands.front();
      const Slot slot = program.code[where[i]].d;
      const bool in_frame = slot.bank() == static_cast<std::uint32_t>(Bank::kFrame);
      if (to.kind == Operand::Kind::kRegister && in_frame) slots_[to.reg] = slot;
    }
  }

  /// The low bits of a register of `bytes`.
  [[nodiscard]] std::optional<std::uint64_t> bits(std::uint32_t reg, std::size_t bytes) const {
    if (reg == ptx::kNoIndex || !slots_[reg]) return {};
    const std::size_t from = slots_[reg]->offset() + at_.lane * bytes;
    if (from + bytes > at_.frame.size()) return {};
    std::uint64_t value = 0;
    std::memcpy(&value, at_.frame.data() + from, bytes);
    return value;
  }

 private:
  const ThreadAt& at_;
  std::vector<std::optional<Slot>> slots_;
};

/// A number of 32 bits that becomes one of 64: what its highest bit means.
enum class Extends : std::uint8_t { kSign, kZeros };

std::int64_t extended(std::int64_t value, Extends how) {
  return how == Extends::kSign ? as_int(value) : static_cast<std::uint32_t>(value);
}

/// Follows an address backwards through the instructions that it was computed by.
class Backwards {
 public:
  Backwards(const Program& program, std::uint32_t function, const ThreadAt& at)
      : function_(program.module->functions[function]),
        at_(at),
        registers_(program, function, at),
        writers_(function_.registers.size()) {
    for (const ptx::Instruction& ins : function_.instructions) {
      if (ins.op == Op::kSt || ins.operands.empty()) continue;
      const Operand& to = ins.operands.front();
      if (to.kind == Operand::Kind::kRegister) writers_[to.reg].push_back(&ins);
      for (const Operand& part : to.parts) {
        if (part.reg != ptx::kNoIndex) writers_[part.reg].push_back(&ins);
      }
    }
  }

  /// The 32-bit number that an address comes of, where it wrapped.
  std::string why(const Operand& operand, int depth = 0) {
    const ptx::Instruction* ins = writer(operand);
    if (ins == nullptr || depth > kDeepest || !holds(*ins)) return {};
    const Extends how = ptx::is_signed(ins->op == Op::kCvt ? ins->from : ins->type)
                            ? Extends::kSign
                            : Extends::kZeros;
    const bool multiplies = ins->op == Op::kMul || ins->op == Op::kMad;
    if (multiplies && ins->sub == Sub::kWide) return of_index(ins->operands[1], how, depth);
    if (ins->op == Op::kCvt && ptx::bits_of(ins->from) == 32) {
      return of_index(ins->operands[1], how, depth);
    }
    const bool passes =
        ins->op == Op::kMov || ins->op == Op::kCvta || ins->op == Op::kAdd || ins->op == Op::kShl;
    for (std::size_t i = 1; passes && i < ins->operands.size(); ++i) {
      std::string found = why(ins->operands[i], depth + 1);
      if (!found.empty()) return found;
    }
    return {};
  }

 private:
  static constexpr int kDeepest = 32;

  /// The instruction that alone writes a register.
  [[nodiscard]] const ptx::Instruction* writer(const Operand& operand) const {
    if (operand.reg == ptx::kNoIndex || writers_[operand.reg].size() != 1) return nullptr;
    const ptx::Instruction* ins = writers_[operand.reg].front();
    return ins->guard == ptx::kNoIndex ? ins : nullptr;
  }

  /// 64 bits of a register, or of the parameter that it stands for in the whole launch.
  [[nodiscard]] std::optional<std::uint64_t> wide(const Operand& operand, int depth = 0) const {
    if (operand.kind == Operand::Kind::kImmediate) return operand.bits;
    if (const auto held = registers_.bits(operand.reg, 8)) return held;
    const ptx::Instruction* ins = writer(operand);
    if (ins == nullptr || depth > kDeepest) return {};
    if (ins->op == Op::kLd) return parameter(*ins, 8);
    const bool same =
        ins->op == Op::kMov || (ins->op == Op::kCvta && ins->space == ptx::Space::kGlobal);
    return same ? wide(ins->operands[1], depth + 1) : std::nullopt;
  }

  /// False: what an address was computed from has other values by now.
  [[nodiscard]] bool holds(const ptx::Instruction& ins) {
    const auto result = wide(ins.operands[0]);
    if (!result) return true;
    if (ins.op == Op::kAdd && ptx::bits_of(ins.type) == 64) {
      const auto a = wide(ins.operands[1]);
      const auto b = wide(ins.operands[2]);
      return !a || !b || *a + *b == *result;
    }
    const bool converts = ins.op == Op::kCvt && ptx::bits_of(ins.from) == 32;
    const bool multiplies = ins.op == Op::kMul && ins.sub == Sub::kWide;
    if (!converts && !multiplies) return true;
    const Extends how =
        ptx::is_signed(converts ? ins.from : ins.type) ? Extends::kSign : Extends::kZeros;
    const Number a = value(ins.operands[1], 0);
    const Number b = multiplies ? value(ins.operands[2], 0) : Number(1);
    if (!a || !b) return true;
    return static_cast<std::uint64_t>(extended(*a, how) * extended(*b, how)) == *result;
  }

  std::string of_index(const Operand& operand, Extends how, int depth) {
    const Number index = value(operand, 0);
    if (!index) return {};
    meant_.assign(writers_.size(), false);
    if (how == Extends::kSign && *index < 0) {
      std::string found = of_remainder(operand, *index, depth + 1);
      if (!found.empty()) return found;
    }
    std::vector<bool> seen(writers_.size());
    follow_meant(operand, false, seen);
    std::string found;
    if (!fits(exact(operand, how, 0), how) && !fits(exact(operand, Extends::kSign, 0), how)) {
      found = overflow(operand, *index, how, depth + 1);
    }
    const bool may_be_int = how == Extends::kZeros && !at_.has_unsigned;
    if (found.empty() && may_be_int && !fits(exact(operand, Extends::kSign, 0), Extends::kSign)) {
      found = overflow(operand, *index, Extends::kSign, depth + 1);
    }
    if (!found.empty()) return found;
    return how == Extends::kZeros ? below_zero(operand) : found;
  }

  /// A remainder is below zero where what was divided is: a product that wrapped.
  std::string of_remainder(const Operand& operand, std::int64_t index, int depth) {
    const ptx::Instruction* const ins = writer(operand);
    if (ins == nullptr || ins->op != Op::kRem || !is_32(*ins)) return {};
    const Operand& divided = ins->operands[1];
    if (fits(exact(divided, Extends::kSign, 0), Extends::kSign)) return {};
    return overflow(divided, index, Extends::kSign, depth);
  }

  /// Sums and products, which are the same in 32 bits whether one on the way wrapped or not.
  static bool is_of_rings(const ptx::Instruction& ins) {
    const bool low = (ins.op == Op::kMul || ins.op == Op::kMad) && ins.sub == Sub::kLo;
    return low || ins.op == Op::kMov || ins.op == Op::kAdd || ins.op == Op::kSub ||
           ins.op == Op::kShl;
  }

  static bool fits(double number, Extends how) {
    return how == Extends::kSign
               ? number >= kLeast && number <= kMostSigned
               : number >= 0 && number <= std::numeric_limits<std::uint32_t>::max();
  }

  /// A sum or product as it would be had all 32-bit numbers room: where it fits, what wrapped on
  /// the way does not matter. Not a number: a loop counted it, and may have wrapped before.
  double exact(const Operand& operand, Extends how, int depth) {
    if (operand.reg != ptx::kNoIndex && writers_[operand.reg].size() > 1) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    const ptx::Instruction* ins = writer(operand);
    const bool leads_on = ins != nullptr && depth < kDeepest && is_32(*ins) && is_of_rings(*ins) &&
                          ins->operands.size() > 1 && computed(*ins) == value(operand, 0);
    if (!leads_on) return static_cast<double>(extended(value(operand, 0).value_or(0), how));
    const auto of = [&](std::size_t i) { return exact(ins->operands[i], how, depth + 1); };
    switch (ins->op) {
      case Op::kAdd:
        return of(1) + of(2);
      case Op::kSub:
        return of(1) - of(2);
      case Op::kMul:
        return of(1) * of(2);
      case Op::kMad:
        return of(1) * of(2) + of(3);
      case Op::kShl:
        return std::ldexp(of(1), static_cast<int>(value(ins->operands[2], 0).value_or(0)));
      default:
        return of(1);
    }
  }

  /// Marks numbers that an index depends on by something else, too: what a division or a shift to
  /// the right makes of a hash may be meant to come of a number that wrapped.
  void follow_meant(const Operand& operand, bool through, std::vector<bool>& seen) {
    const std::uint32_t reg = operand.reg;
    if (operand.kind != Operand::Kind::kRegister || (through ? meant_[reg] : seen[reg])) return;
    seen[reg] = true;
    if (through) meant_[reg] = true;
    for (const ptx::Instruction* ins : writers_[reg]) {
      if (ins->op == Op::kLd || ins->op == Op::kAtom) continue;
      for (std::size_t i = 1; i < ins->operands.size(); ++i) {
        follow_meant(ins->operands[i], through || !is_of_rings(*ins), seen);
      }
    }
  }

  /// A sum or a product on the way to `index` that 32 bits do not hold.
  std::string overflow(const Operand& operand, std::int64_t index, Extends how, int depth) {
    if (operand.reg == ptx::kNoIndex || depth > kDeepest || meant_[operand.reg]) return {};
    const ptx::Instruction* ins = writer(operand);
    if (ins == nullptr) return of_loop(operand, index, how, depth);
    return computed(*ins) == value(operand, 0) ? made_by(*ins, index, how, depth) : std::string();
  }

  /// The same of the instruction that made a number.
  std::string made_by(const ptx::Instruction& made, std::int64_t index, Extends how, int depth) {
    const ptx::Instruction* const ins = &made;
    const bool product = ins->op == Op::kMad || (ins->op == Op::kMul && ins->sub == Sub::kLo);
    if (!product && ins->op != Op::kAdd && ins->op != Op::kSub && ins->op != Op::kShl) return {};
    for (std::size_t i = 1; i < ins->operands.size(); ++i) {
      std::string found = overflow(ins->operands[i], index, how, depth + 1);
      if (!found.empty()) return found;
    }
    const Number a = value(ins->operands[1], 0);
    const Number b = value(ins->operands[2], 0);
    if (!a || !b) return {};
    const bool shifts = ins->op == Op::kShl;
    if (shifts && (*b < 0 || *b > 31)) return {};
    const auto result = [&](std::int64_t x, std::int64_t y) {
      if (product) return x * y;
      if (shifts) return x * (std::int64_t{1} << *b);
      return ins->op == Op::kAdd ? x + y : x - y;
    };
    // A high unsigned number may stand for one below zero.
    const std::int64_t most =
        how == Extends::kSign ? kMostSigned : std::numeric_limits<std::uint32_t>::max();
    const auto holds = [&](std::int64_t number) { return number >= kLeast && number <= most; };
    if (holds(result(*a, *b))) return {};
    const std::int64_t x = extended(*a, how);
    const std::int64_t y = extended(*b, how);
    // Two such numbers are more likely both below zero, and their product fits no number here.
    const bool too_long = product && x > kMostSigned && y > kMostSigned;
    if (too_long || holds(result(x, y)) || holds(result(*a, y)) || holds(result(x, *b))) return {};
    const char* const sign = product || shifts ? "*" : ins->op == Op::kAdd ? "+" : "-";
    return fmt::format("{} {} {} does not fit 32 bits: the index is {}", text(x), sign,
                       text(shifts ? std::int64_t{1} << *b : y), text(extended(index, how)));
  }

  /// The same of a number that a loop counts up by a step: it began as one that wrapped, or went
  /// beyond the largest with the last step.
  std::string of_loop(const Operand& operand, std::int64_t index, Extends how, int depth) {
    const Number now = value(operand, 0);
    const ptx::Instruction* begin = nullptr;
    Number step;
    for (const ptx::Instruction* ins : writers_[operand.reg]) {
      // The loop's own copy of the sum, under another name.
      const ptx::Instruction* const copied =
          ins->op == Op::kMov ? writer(ins->operands[1]) : nullptr;
      const ptx::Instruction& sum = copied == nullptr ? *ins : *copied;
      if (sum.op == Op::kAdd && is_32(sum) && sum.operands[1].reg == operand.reg) {
        step = value(sum.operands[2], 0);
      } else if (begin != nullptr) {
        return {};
      } else {
        begin = &sum;
      }
    }
    const Number begins = begin == nullptr ? Number() : computed(*begin);
    if (!now || !begins || !step || *step <= 0) return {};
    if (*now == *begins) return made_by(*begin, index, how, depth + 1);
    const bool signs = how == Extends::kSign;
    if (signs ? *now >= kLeast + *step : extended(*now, how) >= *step) return {};
    return fmt::format("{} + {} does not fit 32 bits: the index is {}",
                       text(extended(*now - *step, how)), text(*step), text(extended(index, how)));
  }

  /// An unsigned number that something was taken from.
  std::string below_zero(const Operand& operand) {
    const ptx::Instruction* ins = writer(operand);
    const Number index = value(operand, 0);
    if (ins == nullptr || !index || *index >= 0 || !is_32(*ins)) return {};
    if (ins->op != Op::kAdd && ins->op != Op::kSub) return {};
    const Number a = value(ins->operands[1], 0);
    const Number b = value(ins->operands[2], 0);
    if (!a || !b || computed(*ins) != index) return {};
    const std::int64_t less = ins->op == Op::kAdd ? -*b : *b;
    if (*a < 0 || less <= 0) return {};
    return fmt::format("{} - {} is below 0: as an unsigned number of 32 bits the index is {}",
                       text(*a), text(less), text(static_cast<std::uint32_t>(*index)));
  }

  [[nodiscard]] Number special(const Operand& operand) const {
    const auto part = [&](const Dim3& of) -> Number {
      const std::uint32_t parts[] = {of.x, of.y, of.z, 0};
      return parts[operand.component & 3U];
    };
    switch (operand.special) {
      case ptx::Special::kTid:
        return part(at_.thread);
      case ptx::Special::kCtaid:
        return part(at_.block);
      case ptx::Special::kNtid:
        return part(at_.launch.block);
      case ptx::Special::kNctaid:
        return part(at_.launch.grid);
      default:
        return {};
    }
  }

  [[nodiscard]] std::optional<std::uint64_t> parameter(const ptx::Instruction& ins,
                                                       std::size_t bytes) const {
    const Operand& from = ins.operands[1];
    const bool is_own = from.symbol < function_.params.size() && function_.is_entry;
    const bool is_whole = ins.space == ptx::Space::kParam && ins.vector == 1 &&
                          static_cast<std::size_t>(ptx::bits_of(ins.type)) == 8 * bytes;
    if (!is_own || from.home != ptx::Home::kParam || !is_whole) return {};
    const std::uint64_t offset = ptx::layout(function_.params).offsets[from.symbol] +
                                 static_cast<std::uint64_t>(from.offset);
    if (offset > at_.parameters.size() || at_.parameters.size() - offset < bytes) return {};
    std::uint64_t value = 0;
    std::memcpy(&value, at_.parameters.data() + offset, bytes);
    return value;
  }

  /// A number of 32 bits, as an int.
  Number value(const Operand& operand, int depth) {
    if (operand.kind == Operand::Kind::kImmediate) {
      return as_int(static_cast<std::int64_t>(operand.bits));
    }
    if (operand.kind == Operand::Kind::kSpecial) return special(operand);
    if (operand.kind != Operand::Kind::kRegister) return {};
    if (ptx::bits_of(function_.registers[operand.reg].type) != 32) return {};
    if (const auto held = registers_.bits(operand.reg, 4)) {
      return as_int(static_cast<std::int64_t>(*held));
    }
    const ptx::Instruction* ins = writer(operand);
    return ins == nullptr || depth > kDeepest ? Number() : computed(*ins, depth);
  }

  /// The result of an instruction on its operands' values, as an int.
  Number computed(const ptx::Instruction& ins, int depth = 0) {
    if (!is_32(ins)) return {};
    if (ins.op == Op::kLd) {
      const auto given = parameter(ins, 4);
      return given ? Number(as_int(static_cast<std::int64_t>(*given))) : Number();
    }
    std::vector<std::int64_t> of;
    for (std::size_t i = 1; i < ins.operands.size(); ++i) {
      const Number one = value(ins.operands[i], depth + 1);
      if (!one) return {};
      of.push_back(*one);
    }
    switch (ins.op) {
      case Op::kMov:
        return of[0];
      case Op::kAdd:
        return as_int(of[0] + of[1]);
      case Op::kSub:
        return as_int(of[0] - of[1]);
      case Op::kMul:
        return ins.sub == Sub::kLo ? Number(as_int(of[0] * of[1])) : Number();
      case Op::kMad:
        return ins.sub == Sub::kLo ? Number(as_int(of[0] * of[1] + of[2])) : Number();
      case Op::kShl:
        return of[1] >= 0 && of[1] < 32 ? Number(as_int(of[0] * (std::int64_t{1} << of[1])))
                                        : Number();
      case Op::kRem:
        return ptx::is_signed(ins.type) && of[1] != 0 ? Number(of[0] % of[1]) : Number();
      default:
        return {};
    }
  }

  const ptx::Function& function_;
  const ThreadAt& at_;
  Registers registers_;
  std::vector<std::vector<const ptx::Instruction*>> writers_;  ///< by register
  std::vector<bool> meant_;  ///< by register: to wrap there may be meant
};

}  // namespace

std::string wrapped_index(const Program& program, std::uint32_t where, const ThreadAt& at) {
  const Origin& origin = program.origins.at(where);
  if (origin.function == kNone) return {};
  const ptx::Function& function = program.module->functions[origin.function];
  const ptx::Instruction& ins = function.instructions[origin.instruction];
  for (const Operand& operand : ins.operands) {
    if (operand.kind != Operand::Kind::kAddress) continue;
    std::string found = Backwards(program, origin.function, at).why(operand);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace lab::model
