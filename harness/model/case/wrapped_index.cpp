#include "harness/model/case/wrapped_index.h"

#include <fmt/format.h>

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

/// Evaluates registers that are written once, backwards from where they are used.
class Backwards {
 public:
  Backwards(const ptx::Function& function, const ThreadAt& at)
      : function_(function), at_(at), writer_(function.registers.size(), ptx::kNoIndex) {
    std::vector<int> writes(writer_.size());
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      const ptx::Instruction& ins = function.instructions[i];
      if (ins.op == Op::kSt || ins.operands.empty()) continue;
      const Operand& to = ins.operands.front();
      if (to.kind == Operand::Kind::kRegister) {
        writer_[to.reg] = ++writes[to.reg] == 1 ? i : ptx::kNoIndex;
      }
      for (const Operand& part : to.parts) {
        if (part.reg != ptx::kNoIndex) writes[part.reg] = 2;
      }
    }
  }

  /// Follows an address to the 32-bit numbers that it comes of.
  std::string why(const Operand& operand, int depth = 0) {
    const ptx::Instruction* ins = writer(operand);
    if (ins == nullptr || depth > kDeepest) return {};
    if (ins->op == Op::kMul && ins->sub == Sub::kWide) {
      std::string found = overflow(ins->operands[1], value(ins->operands[1], 0), depth + 1);
      if (!found.empty() || ptx::is_signed(ins->type)) return found;
      return below_zero(ins->operands[1]);
    }
    if (ins->op == Op::kCvt && ptx::bits_of(ins->from) == 32) {
      return overflow(ins->operands[1], value(ins->operands[1], 0), depth + 1);
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

  [[nodiscard]] const ptx::Instruction* writer(const Operand& operand) const {
    if (operand.reg == ptx::kNoIndex || writer_[operand.reg] == ptx::kNoIndex) return nullptr;
    const ptx::Instruction& ins = function_.instructions[writer_[operand.reg]];
    return ins.guard == ptx::kNoIndex ? &ins : nullptr;
  }

  /// A sum or a product on the way to `index` that 32 bits do not hold. Where the index itself is
  /// not known, something such as a division came behind, which may be there for that.
  std::string overflow(const Operand& operand, Number index, int depth) {
    const ptx::Instruction* ins = writer(operand);
    if (ins == nullptr || !index || depth > kDeepest || !is_32(*ins)) return {};
    const bool product = ins->op == Op::kMad || (ins->op == Op::kMul && ins->sub == Sub::kLo);
    if (!product && ins->op != Op::kAdd && ins->op != Op::kSub && ins->op != Op::kShl) return {};
    for (std::size_t i = 1; i < ins->operands.size(); ++i) {
      std::string found = overflow(ins->operands[i], index, depth + 1);
      if (!found.empty()) return found;
    }
    const Number a = value(ins->operands[1], 0);
    const Number b = value(ins->operands[2], 0);
    if (!a || !b) return {};
    const bool shifts = ins->op == Op::kShl;
    if (shifts && (*b < 0 || *b > 31)) return {};
    const std::int64_t factor = shifts ? std::int64_t{1} << *b : *b;
    const std::int64_t exact = product || shifts     ? *a * factor
                               : ins->op == Op::kAdd ? *a + *b
                                                     : *a - *b;
    if (exact >= kLeast && exact <= kMostSigned) return {};
    const char* const sign = product || shifts ? "*" : ins->op == Op::kAdd ? "+" : "-";
    return fmt::format("{} {} {} does not fit 32 bits: the index is {}", text(*a), sign,
                       text(factor), text(*index));
  }

  /// An unsigned number that something was taken from.
  std::string below_zero(const Operand& operand) {
    const ptx::Instruction* ins = writer(operand);
    const Number index = value(operand, 0);
    if (ins == nullptr || !index || *index >= 0) return {};
    if (ins->op != Op::kAdd && ins->op != Op::kSub) return {};
    const Number a = value(ins->operands[1], 0);
    const Number b = value(ins->operands[2], 0);
    if (!a || !b) return {};
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

  [[nodiscard]] Number parameter(const ptx::Instruction& ins) const {
    const Operand& from = ins.operands[1];
    const bool is_own = from.symbol < function_.params.size() && function_.is_entry;
    if (!is_own || from.home != ptx::Home::kParam || !is_32(ins)) return {};
    const std::uint64_t offset = ptx::layout(function_.params).offsets[from.symbol] +
                                 static_cast<std::uint64_t>(from.offset);
    std::uint32_t bits = 0;
    if (offset > at_.parameters.size() || at_.parameters.size() - offset < sizeof bits) return {};
    std::memcpy(&bits, at_.parameters.data() + offset, sizeof bits);
    return as_int(bits);
  }

  /// A number of 32 bits, as an int.
  Number value(const Operand& operand, int depth) {
    if (operand.kind == Operand::Kind::kImmediate) {
      return as_int(static_cast<std::int64_t>(operand.bits));
    }
    if (operand.kind == Operand::Kind::kSpecial) return special(operand);
    const ptx::Instruction* ins = writer(operand);
    if (ins == nullptr || depth > kDeepest || !is_32(*ins)) return {};
    if (ins->op == Op::kLd && ins->space == ptx::Space::kParam && ins->vector == 1) {
      return parameter(*ins);
    }
    std::vector<std::int64_t> of;
    for (std::size_t i = 1; i < ins->operands.size(); ++i) {
      const Number one = value(ins->operands[i], depth + 1);
      if (!one) return {};
      of.push_back(*one);
    }
    switch (ins->op) {
      case Op::kMov:
        return of[0];
      case Op::kAdd:
        return as_int(of[0] + of[1]);
      case Op::kSub:
        return as_int(of[0] - of[1]);
      case Op::kMul:
        return ins->sub == Sub::kLo ? Number(as_int(of[0] * of[1])) : Number();
      case Op::kMad:
        return ins->sub == Sub::kLo ? Number(as_int(of[0] * of[1] + of[2])) : Number();
      case Op::kShl:
        return of[1] >= 0 && of[1] < 32 ? Number(as_int(of[0] * (std::int64_t{1} << of[1])))
                                        : Number();
      default:
        return {};
    }
  }

  const ptx::Function& function_;
  const ThreadAt& at_;
  std::vector<std::uint32_t> writer_;
};

}  // namespace

std::string wrapped_index(const Program& program, std::uint32_t where, const ThreadAt& at) {
  const Origin& origin = program.origins.at(where);
  if (origin.function == kNone) return {};
  const ptx::Function& function = program.module->functions[origin.function];
  const ptx::Instruction& ins = function.instructions[origin.instruction];
  for (const Operand& operand : ins.operands) {
    if (operand.kind != Operand::Kind::kAddress) continue;
    std::string found = Backwards(function, at).why(operand);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace lab::model
