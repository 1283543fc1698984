#include "harness/kernel/cubin/addresses.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace lab::cubin {

namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using Kind = Operand::Kind;

// A value as base + offset.
struct Value {
  std::uint64_t base = 0;
  std::int64_t offset = 0;
};

// Wraps around, as addresses do.
std::int64_t add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// Bases: a number for each value that is not a sum, and for each variable.
class Block {
 public:
  Value of_operand(const Operand& operand) {
    if (operand.reg == ptx::kNoIndex) {
      return operand.symbol == ptx::kNoIndex ? Value{0, operand.offset} : of_symbol(operand);
    }
    const Value value = of_register(operand.reg);
    return {value.base, add(value.offset, operand.offset)};
  }

  Value of_register(std::uint32_t reg) {
    const auto it = values_.find(reg);
    if (it != values_.end()) return it->second;
    const Value fresh{next_++, 0};
    values_.emplace(reg, fresh);
    return fresh;
  }

  Value of_symbol(const Operand& operand) {
    const std::uint64_t key =
        std::uint64_t{operand.symbol} << 8 | static_cast<std::uint64_t>(operand.home);
    const auto [it, added] = symbols_.emplace(key, next_);
    if (added) ++next_;
    return {it->second, operand.offset};
  }

  // The value of the instruction's destination afterwards.
  void define(const Instruction& i) {
    if (i.operands.empty() || !has_destination(i)) return;
    const std::optional<Value> sum = i.guard == ptx::kNoIndex ? sum_of(i) : std::nullopt;
    forget(i.operands[0]);
    if (sum && i.operands[0].kind == Kind::kRegister) values_[i.operands[0].reg] = *sum;
  }

 private:
  static bool has_destination(const Instruction& i) {
    return i.op != Op::kSt && i.op != Op::kRed && i.op != Op::kCpAsync && i.op != Op::kBra &&
           i.op != Op::kBrx && i.op != Op::kCall && i.operands[0].kind != Kind::kAddress;
  }

  void forget(const Operand& operand) {
    if (operand.kind == Kind::kRegister) values_[operand.reg] = {next_++, 0};
    for (const Operand& part : operand.parts) {
      if (part.kind == Kind::kRegister) values_[part.reg] = {next_++, 0};
    }
  }

  // mov from a register or variable, and the sum of one and a constant.
  std::optional<Value> sum_of(const Instruction& i) {
    const bool moves = i.op == Op::kMov;
    const bool adds = i.op == Op::kAdd && !is_float(i.type) && !i.sat && i.operands.size() == 3 &&
                      i.operands[2].kind == Kind::kImmediate;
    if ((!moves && !adds) || i.operands.size() < 2) return {};
    const Operand& from = i.operands[1];
    if (from.kind != Kind::kRegister && from.kind != Kind::kSymbol) return {};
    Value value = from.kind == Kind::kSymbol ? of_symbol(from) : of_register(from.reg);
    if (adds) value.offset = add(value.offset, static_cast<std::int64_t>(i.operands[2].bits));
    return value;
  }

  std::uint64_t next_ = 1;
  std::unordered_map<std::uint32_t, Value> values_;
  std::unordered_map<std::uint64_t, std::uint64_t> symbols_;
};

// The operand in brackets that an access goes through.
const Operand* memory_operand(const Instruction& i) {
  const auto it = std::find_if(i.operands.begin(), i.operands.end(), [](const Operand& operand) {
    return operand.kind == Kind::kAddress;
  });
  return it == i.operands.end() ? nullptr : &*it;
}

}  // namespace

std::vector<Address> addresses_of(const ptx::Function& function) {
  std::vector<Address> addresses(function.instructions.size());
  for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
    Block block;
    for (std::uint32_t i = function.blocks[b].first; i <= function.blocks[b].last; ++i) {
      const Instruction& instruction = function.instructions[i];
      addresses[i].block = b;
      if (const Operand* operand = memory_operand(instruction)) {
        const Value value = block.of_operand(*operand);
        addresses[i].base = value.base;
        addresses[i].offset = value.offset;
      }
      block.define(instruction);
    }
  }
  return addresses;
}

}  // namespace lab::cubin
