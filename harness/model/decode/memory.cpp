// Memory instructions: sites, addresses, and patterns that several of them share.
#include <algorithm>

#include "harness/core/error.h"
#include "harness/model/decode/decoder.h"

namespace lab::model {

using ptx::Op;
using ptx::Space;

void Decoder::emit_parameter(const Unit& unit, const ptx::Instruction& ins) {
  const ptx::Operand& from = ins.operands.at(1);
  const auto bytes = static_cast<std::uint32_t>(ptx::bits_of(ins.type)) / 8;
  std::uint64_t offset = unit.parameters.at(from.symbol) + static_cast<std::uint64_t>(from.offset);
  const ptx::Operand& to = ins.operands.at(0);
  const auto one = [&](const ptx::Operand& part) {
    // Not `offset + bytes > size`: a negative offset is near 2^64, and the sum wraps around.
    const std::uint64_t size = request_.parameters.size();
    if (bytes > size || offset > size - bytes) {
      refuse(unit, ins, "it reads past the kernel's parameters");
    }
    std::uint64_t bits = 0;
    for (std::uint32_t i = bytes; i-- > 0;) {
      bits = bits << 8U | static_cast<std::uint64_t>(request_.parameters[offset + i]);
    }
    offset += bytes;
    if (part.kind != OperandKind::kRegister) return;
    if (ptx::is_signed(ins.type) && bytes > 0 && bytes < 8) {
      const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
      bits = (bits ^ sign) - sign;
    }
    const std::uint32_t width = register_width(unit, part.reg);
    Ins out;
    out.fn = table_.copy(width);
    out.d = unit.slots[part.reg];
    out.a = constant(width, bits);
    emit(out);
  };
  if (to.kind == OperandKind::kVector) {
    for (const ptx::Operand& part : to.parts) one(part);
  } else {
    one(to);
  }
}

Slot Decoder::address(const Unit& unit, const ptx::Operand& operand, std::uint64_t& offset,
                      std::uint32_t& width) {
  if (operand.reg != ptx::kNoIndex) {
    offset = static_cast<std::uint64_t>(operand.offset);
    width = register_width(unit, operand.reg);
    return unit.slots[operand.reg];
  }
  offset = 0;
  width = 8;
  const std::uint64_t at = operand.symbol == ptx::kNoIndex
                               ? static_cast<std::uint64_t>(operand.offset)
                               : symbol_address(unit, operand);
  return constant(8, at);
}

Space Decoder::space_of(const Unit& unit, const ptx::Instruction& ins,
                        const ptx::Operand& operand) const {
  const bool symbol = operand.reg == ptx::kNoIndex && operand.symbol != ptx::kNoIndex;
  if (symbol && operand.home == ptx::Home::kModule) {
    return module_.variables.at(operand.symbol).space;
  }
  if (symbol && operand.home == ptx::Home::kLocal) {
    const Space space = unit.code->variables.at(operand.symbol).space;
    return space == Space::kShared ? Space::kShared : Space::kLocal;  // .param of a call: local
  }
  if (symbol && !unit.code->is_entry) return Space::kLocal;
  return ins.space;
}

namespace {

CostRule rule_of(Space space, AccessOp op) {
  const bool atomic = op == AccessOp::kAtomic || op == AccessOp::kReduction;
  switch (space) {
    case Space::kGlobal:
      return atomic ? CostRule::kGlobalAtomic : CostRule::kGlobal;
    case Space::kShared:
      return atomic                   ? CostRule::kSharedAtomic
             : op == AccessOp::kStore ? CostRule::kSharedStore
                                      : CostRule::kSharedLoad;
    default:
      return CostRule::kUncounted;
  }
}

}  // namespace

namespace {

// Doubles are added in a loop, too, but what that costs was not measured.
CostRule shared_atomic_rule(const ptx::Instruction& ins) {
  if (ins.sub == ptx::Sub::kCas) return CostRule::kSharedSwap;
  const bool float_add = ins.sub == ptx::Sub::kAdd && ins.type == ptx::Type::kF32;
  return float_add ? CostRule::kSharedFloatAdd : CostRule::kSharedAtomic;
}

}  // namespace

/// The current instruction's fate in the machine code; null: not known.
const cubin::Fate* Decoder::fate() const {
  if (request_.machine == nullptr || request_.machine->functions.empty()) return nullptr;
  return &request_.machine->functions.at(origin_.function).at(origin_.instruction);
}

void Decoder::apply_fate(Site& site) const {
  if (this->fate() == nullptr) return;
  using FateKind = cubin::Fate::Kind;
  const cubin::Fate& fate = *this->fate();
  switch (fate.kind) {
    case FateKind::kKept:
    case FateKind::kWide:
      if (fate.bytes != 0) site.cost_bytes = fate.bytes;
      site.cost_shift = fate.shift;
      site.rounds = fate.rounds;
      if (fate.is_reduction) site.op = AccessOp::kReduction;
      break;
    case FateKind::kMerged:
    case FateKind::kVanished:
      site.counted = false;
      break;
    case FateKind::kCounted:
      if (site.rule == CostRule::kSharedAtomic) site.rule = CostRule::kSharedCount;
      break;
    case FateKind::kAggregated:
      site.combined = true;
      if (fate.is_reduction) site.op = AccessOp::kReduction;
      break;
    default:  // the same as in the PTX
      break;
  }
}

std::uint32_t Decoder::add_site(Site site, Space space, const ptx::Instruction& ins) {
  const auto first = static_cast<std::uint32_t>(program_.sites.size());
  // A generic address may be in any of the three spaces.
  const auto spaces = space == Space::kGeneric
                          ? std::vector<Space>{Space::kGlobal, Space::kShared, Space::kLocal}
                          : std::vector<Space>{space};
  for (const Space each : spaces) {
    site.space = each;
    site.rule = rule_of(each, site.op);
    if (site.rule == CostRule::kSharedAtomic) site.rule = shared_atomic_rule(ins);
    site.counted = each == Space::kGlobal || each == Space::kShared ||
                   (each == Space::kLocal && ins.space != Space::kParam && !site.for_printf);
    site.cost_bytes = static_cast<std::uint8_t>(site.bytes());
    if (site.kin == Site::Kin::kMatrix && each == Space::kShared) site.rule = CostRule::kSharedRows;
    if (site.counted) apply_fate(site);
    site.where = static_cast<std::uint32_t>(program_.code.size());
    program_.sites.push_back(site);
  }
  return first;
}

void Decoder::share_pattern(Ins& ins, MemoryForm& form, const Site& site, std::uint32_t index) {
  const bool direct = form.space != Space::kGeneric && form.space != Space::kLocal;
  if (!direct || form.address_bytes != 8) return;
  if (program_.sites[index].combined) return;
  const LeaderKey key{ins.a, site.bytes(), program_.sites[index].cost_bytes,
                      program_.sites[index].rule};
  const auto leader =
      std::find_if(leaders_.begin(), leaders_.end(), [&](const auto& l) { return l.first == key; });
  if (leader == leaders_.end()) {
    leaders_.emplace_back(key, index);
    Site& first = program_.sites[index];
    first.lowest = first.highest = static_cast<std::int64_t>(ins.imm);
    first.offset_bits = ins.imm;
    return;
  }
  // Only the common widths have handlers for followers.
  form.follower =
      form.elements == 1 && form.element_bytes >= 4 && form.element_bytes == form.register_bytes;
  if (!form.follower) return;
  ins.block = leader->second;
  if (form.space == Space::kShared && !form.store) {
    Site& first = program_.sites[leader->second];
    first.followers.push_back(index);
    const auto offset = static_cast<std::int64_t>(ins.imm);
    first.lowest = std::min(first.lowest, offset);
    first.highest = std::max(first.highest, offset);
    first.offset_bits |= ins.imm;
  }
}

void Decoder::forget_leader(const Unit& unit, const ptx::Operand& written) {
  const auto forget = [&](const ptx::Operand& o) {
    if (o.kind != OperandKind::kRegister) return;
    const Slot slot = unit.slots[o.reg];
    leaders_.erase(std::remove_if(leaders_.begin(), leaders_.end(),
                                  [&](const auto& l) { return l.first.address == slot; }),
                   leaders_.end());
  };
  forget(written);
  for (const ptx::Operand& part : written.parts) forget(part);
}

void Decoder::emit_memory(const Unit& unit, const ptx::Instruction& ins) {
  const bool store = ins.op == Op::kSt;
  const ptx::Operand& where = ins.operands.at(store ? 0 : 1);
  const ptx::Operand& data = ins.operands.at(store ? 1 : 0);
  MemoryForm form;
  form.store = store;
  form.space = space_of(unit, ins, where);
  if (form.space == Space::kParam && !unit.code->is_entry) form.space = Space::kLocal;
  form.element_bytes = static_cast<std::uint8_t>(ptx::bits_of(ins.type) / 8);
  form.is_signed = ptx::is_signed(ins.type);
  form.elements = ins.vector;

  Site site;
  site.op = store ? AccessOp::kStore : AccessOp::kLoad;
  site.element_bytes = form.element_bytes;
  site.elements = form.elements;
  site.is_signed = form.is_signed;
  site.for_printf = unit.for_printf.at(origin_.instruction);
  const auto& parts =
      data.kind == OperandKind::kVector ? data.parts : std::vector<ptx::Operand>{data};
  form.register_bytes = static_cast<std::uint8_t>(data_width(unit, parts, form.element_bytes));
  site.register_bytes = form.register_bytes;
  for (std::size_t i = 0; i < parts.size() && i < site.registers.size(); ++i) {
    site.registers[i] = store ? source(unit, parts[i], form.register_bytes)
                              : destination(unit, parts[i], form.register_bytes);
  }

  Ins out;
  std::uint32_t width = 8;
  out.a = address(unit, where, out.imm, width);
  form.address_bytes = static_cast<std::uint8_t>(width);
  site.offset = out.imm;
  out.d = site.registers[0];
  out.extra = add_site(site, form.space, ins);
  form.maybe_mapped = program_.maps_blocks && form.space == Space::kShared;
  if (!form.maybe_mapped) share_pattern(out, form, site, out.extra);
  out.fn = table_.memory(form);
  out.flow = store ? Flow::kStore : Flow::kLoad;
  if (out.fn == nullptr) refuse(unit, ins);
  emit(out);
}

void Decoder::emit_atomic(const Unit& unit, const ptx::Instruction& ins) {
  const bool returns = ins.op == Op::kAtom;
  std::size_t next = returns ? 1 : 0;
  const ptx::Operand& where = ins.operands.at(next++);
  AtomicForm form;
  form.operation = ins.sub;
  form.type = ins.type;
  form.returns = returns;
  form.space = space_of(unit, ins, where);
  Site site;
  site.op = returns ? AccessOp::kAtomic : AccessOp::kReduction;
  site.element_bytes = static_cast<std::uint8_t>(ptx::bits_of(ins.type) / 8);
  site.register_bytes = site.element_bytes;
  Ins out;
  std::uint32_t width = 8;
  out.a = address(unit, where, out.imm, width);
  form.address_bytes = static_cast<std::uint8_t>(width);
  site.offset = out.imm;
  out.b = source(unit, ins.operands.at(next++), site.element_bytes);
  if (next < ins.operands.size()) out.c = source(unit, ins.operands[next], site.element_bytes);
  out.d = returns ? destination(unit, ins.operands[0], site.element_bytes) : sink_;
  out.extra = add_site(site, form.space, ins);
  out.next_block = (form.address_bytes == 8 ? 1U : 0U) | (form.space == Space::kGeneric ? 2U : 0U);
  out.fn = table_.atomic(form);
  out.flow = Flow::kUses;
  if (out.fn == nullptr) refuse(unit, ins);
  emit(out);
}

}  // namespace lab::model
