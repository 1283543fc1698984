// cp.async: executed at once as a load and a store, since waiting for it later can't show the
// difference.
#include "harness/model/decode/decoder.h"

namespace lab::model {

using ptx::Space;

Site Decoder::async_site(std::uint64_t bytes) {
  Site site;
  site.element_bytes = site.register_bytes = bytes == 8 ? 8 : 4;
  site.elements = static_cast<std::uint8_t>(bytes == 16 ? 4 : 1);
  for (unsigned i = 0; i < site.elements; ++i) {
    site.registers[i] = allocate(Bank::kFrame, site.element_bytes);
  }
  return site;
}

void Decoder::emit_async_half(const Unit& unit, const ptx::Instruction& ins, Site site, bool store,
                              std::uint64_t from) {
  MemoryForm form;
  form.element_bytes = form.register_bytes = site.element_bytes;
  form.elements = site.elements;
  form.store = store;
  form.space = store ? Space::kShared : Space::kGlobal;
  site.op = store ? AccessOp::kStore : AccessOp::kLoad;
  Ins out;
  std::uint32_t width = 8;
  out.a = address(unit, ins.operands[store ? 0 : 1], out.imm, width);
  out.imm += from;
  form.address_bytes = static_cast<std::uint8_t>(width);
  site.offset = out.imm;
  out.d = site.registers[0];
  out.extra = add_site(site, form.space, ins);
  out.fn = table_.memory(form);
  out.flow = store ? Flow::kStore : Flow::kLoad;
  emit(out);
}

void Decoder::emit_async_copy(const Unit& unit, const ptx::Instruction& ins) {
  const std::uint64_t bytes = ins.operands.at(2).bits;
  Site site = async_site(bytes);
  site.kin = Site::Kin::kAsync;
  site.past_l1 = ins.cache == ptx::CacheOp::kCg;
  const auto first = static_cast<std::uint32_t>(program_.sites.size());
  const bool has_size = ins.operands.size() > 3;
  const bool is_whole = !has_size || (ins.operands[3].kind == OperandKind::kImmediate &&
                                      ins.operands[3].bits == bytes);
  if (is_whole) {
    emit_async_half(unit, ins, site, false, 0);
  } else {
    emit_async_source(unit, ins, site, bytes);
  }
  emit_async_half(unit, ins, site, true, 0);
  if (site.past_l1) emit_past_l1(unit, ins, first);
}

// Its cost follows from both addresses, so it comes after both sites.
void Decoder::emit_past_l1(const Unit& unit, const ptx::Instruction& ins, std::uint32_t first) {
  Ins out;
  out.extra = first;
  out.block = static_cast<std::uint32_t>(program_.sites.size() - 1);
  std::uint32_t width = 8;
  std::uint64_t offset = 0;
  out.next_block = 0;
  out.a = address(unit, ins.operands[1], offset, width);
  out.next_block |= width == 8 ? 1U : 0U;
  out.b = address(unit, ins.operands[0], offset, width);
  out.next_block |= width == 8 ? 2U : 0U;
  out.fn = table_.count_past_l1;
  emit(out);
}

// Only as many bytes as the source size says are read, and zeros are written after them. Lanes that
// read all bytes do so at once, the others word by word. A size of 0 reads nothing.
void Decoder::emit_async_source(const Unit& unit, const ptx::Instruction& ins, const Site& site,
                                std::uint64_t bytes) {
  const ptx::Operand& given = ins.operands[3];
  const bool is_size = given.kind == OperandKind::kImmediate ||
                       (given.kind == OperandKind::kRegister &&
                        register_width(unit, given.reg) != Found::kPredicate);
  if (!is_size) refuse(unit, ins, "it has a predicate");
  const Slot size = source(unit, given, 4);
  Ins check;
  check.fn = table_.copy_size;
  check.flow = Flow::kUses;
  check.a = size;
  check.imm = bytes;
  emit(check);
  constexpr std::uint64_t kMost = 0xffffffffU;
  const auto load_between = [&](std::uint64_t low, std::uint64_t high, const Site& what,
                                std::uint64_t from) {
    Ins between;
    between.fn = table_.async.between;
    between.d = allocate(Bank::kFrame, Found::kPredicate);
    between.a = size;
    between.b = constant(4, low);
    between.c = constant(4, high);
    emit(between);
    Ins open;
    open.fn = table_.core.guard_open;
    open.a = between.d;
    open.imm = 1;
    const std::uint32_t at = emit(open);
    emit_async_half(unit, ins, what, false, from);
    Ins close;
    close.fn = table_.core.guard_close;
    emit(close);
    guards_.emplace_back(at, static_cast<std::uint32_t>(program_.code.size()));
  };
  load_between(bytes, kMost, site, 0);
  for (unsigned i = 0; i < site.elements; ++i) {
    Site part = site;
    part.elements = 1;
    part.registers[0] = site.registers[i];
    const std::uint64_t from = std::uint64_t{i} * site.element_bytes;
    load_between(from + 1, bytes - 1, part, from);
    Ins cut;
    cut.fn = site.element_bytes == 8 ? table_.async.first_of_8 : table_.async.first_of_4;
    cut.d = cut.a = site.registers[i];
    cut.b = size;
    cut.c = constant(4, from);
    emit(cut);
  }
}

}  // namespace lab::model
