// Operands: registers, constants and special registers as slots.

#include "harness/core/bits.h"
#include "harness/core/error.h"
#include "harness/model/decode/decoder.h"

namespace lab::model {

Slot Decoder::allocate(Bank bank, std::uint32_t width) {
  std::uint32_t& used = used_[static_cast<std::size_t>(bank)];
  const bool predicate = width == Found::kPredicate;
  const std::uint32_t bytes = predicate ? 4 : width * kLanes;
  const auto at = static_cast<std::uint32_t>(round_up(used, predicate ? 4 : 64));
  used = at + bytes;
  return {bank, at};
}

Slot Decoder::constant(std::uint32_t width, std::uint64_t bits) {
  const std::uint64_t kept = width >= 8 || width == Found::kPredicate
                                 ? bits
                                 : bits & ((std::uint64_t{1} << (8 * width)) - 1);
  const auto found = constants_.find({width, kept});
  if (found != constants_.end()) return found->second;
  const Slot slot = allocate(Bank::kUniform, width);
  program_.constants.push_back({slot, static_cast<std::uint8_t>(width), kept});
  constants_[{width, kept}] = slot;
  return slot;
}

// Where a cluster is one block, its place in the grid is the block's, known ahead of time.
Slot Decoder::cluster_special(ptx::Operand operand, std::uint32_t width) {
  using ptx::Special;
  const auto& cluster = program_.cluster;
  const std::uint64_t blocks = std::uint64_t{cluster[0]} * cluster[1] * cluster[2];
  const bool several = blocks > 1;
  switch (operand.special) {
    case Special::kClusterid:
      if (!several) operand.special = Special::kCtaid;
      return filled_special(operand, width);
    case Special::kNclusterid:
      if (!several) operand.special = Special::kNctaid;
      return filled_special(operand, width);
    case Special::kClusterNctaid:
      return constant(width, operand.component < 3 ? cluster[operand.component] : 0);
    case Special::kClusterNctarank:
      return constant(width, blocks);
    case Special::kIsExplicitCluster:
      return constant(width, asked_cluster()[0] != 0 ? 1 : 0);
    default:
      return several ? filled_special(operand, width) : constant(width, 0);
  }
}

Slot Decoder::special(const ptx::Operand& operand, std::uint32_t width) {
  return ptx::is_of_cluster(operand.special) ? cluster_special(operand, width)
                                             : filled_special(operand, width);
}

Slot Decoder::filled_special(const ptx::Operand& operand, std::uint32_t width) {
  const auto key = std::tuple(operand.special, operand.component, width);
  const auto found = specials_.find(key);
  if (found != specials_.end()) return found->second;
  const bool by_warp =
      operand.special == ptx::Special::kTid || operand.special == ptx::Special::kWarpid;
  const bool grid_barrier = operand.special == ptx::Special::kEnvreg &&
                            (operand.component == 1 || operand.component == 2);
  program_.cooperative = program_.cooperative || grid_barrier;
  const Slot slot = allocate(by_warp ? Bank::kSlot : Bank::kUniform, width);
  program_.specials.push_back(
      {slot, static_cast<std::uint8_t>(width), operand.special, operand.component});
  specials_[key] = slot;
  return slot;
}

std::uint32_t Decoder::register_width(const Unit& unit, std::uint32_t reg) const {
  const int bits = ptx::bits_of(unit.code->registers.at(reg).type);
  return bits == 1 ? std::uint32_t{Found::kPredicate} : slot_width(bits / 8);
}

std::uint32_t Decoder::data_width(const Unit& unit, const std::vector<ptx::Operand>& parts,
                                  int element_bytes) const {
  for (const ptx::Operand& part : parts) {
    if (part.kind == OperandKind::kRegister) return register_width(unit, part.reg);
  }
  return slot_width(element_bytes);
}

std::uint64_t Decoder::symbol_address(const Unit& unit, const ptx::Operand& operand) const {
  std::uint64_t base = 0;
  switch (operand.home) {
    case ptx::Home::kModule:
      base = module_.variables.at(operand.symbol).space == ptx::Space::kShared
                 ? shared_variables_.at(operand.symbol)
                 : request_.variables.at(operand.symbol);
      break;
    case ptx::Home::kLocal:
      base = unit.variables.at(operand.symbol);
      break;
    case ptx::Home::kParam:
      base = unit.parameters.at(operand.symbol);
      if (unit.code->is_entry) base += request_.parameter_address;
      break;
    case ptx::Home::kResult:
      base = unit.results.at(operand.symbol);
      break;
  }
  return base + static_cast<std::uint64_t>(operand.offset);
}

Slot Decoder::source(const Unit& unit, const ptx::Operand& operand, std::uint32_t width) {
  switch (operand.kind) {
    case OperandKind::kRegister: {
      if (register_width(unit, operand.reg) != width) {
        throw internal_error("register " + unit.code->registers[operand.reg].name +
                             " has not the width that its instruction's handler reads");
      }
      const Slot slot = unit.slots[operand.reg];
      if (!operand.negated) return slot;
      Ins invert;
      invert.fn = table_.core.invert;
      invert.a = slot;
      invert.d = allocate(Bank::kFrame, Found::kPredicate);
      emit(invert);
      return invert.d;
    }
    case OperandKind::kSpecial:
      return special(operand, width);
    case OperandKind::kSymbol:
      return constant(width, symbol_address(unit, operand));
    case OperandKind::kImmediate:
      return constant(width, operand.bits);
    case OperandKind::kFunction:
      return constant(width, function_address(operand.target));
    default:
      throw internal_error("an operand of " + unit.code->name + " has no slot");
  }
}

Slot Decoder::destination(const Unit& unit, const ptx::Operand& operand, std::uint32_t width) {
  if (operand.kind != OperandKind::kRegister) return sink_;
  if (register_width(unit, operand.reg) != width) {
    throw internal_error("register " + unit.code->registers[operand.reg].name +
                         " has not the width that its instruction's handler writes");
  }
  return unit.slots[operand.reg];
}

}  // namespace lab::model
