// cp.async.bulk, and the mbarriers that it and threads arrive at. What they do to memory is checked
// and not counted: they are in none of the counters of loads and stores.
#include "harness/model/decode/decoder.h"

namespace lab::model {

using ptx::Op;
using ptx::Space;

void Decoder::emit_bulk_copy(const Unit& unit, const ptx::Instruction& ins) {
  const bool to_shared = ins.space == Space::kShared;
  Ins out;
  const auto side = [&](std::size_t operand, Space space, AccessOp op, std::uint8_t bytes,
                        unsigned bit, Slot& slot) {
    Site site;
    site.op = op;
    site.kin = Site::Kin::kBulk;
    site.element_bytes = site.register_bytes = bytes == 16 ? 4 : bytes;
    site.elements = static_cast<std::uint8_t>(bytes / site.element_bytes);
    std::uint32_t width = 8;
    slot = address(unit, ins.operands.at(operand), site.offset, width);
    out.next_block = bit == 0 ? 0 : out.next_block;
    if (width == 8) out.next_block |= 1U << bit;
    const std::uint32_t index = add_site(site, space, ins);
    program_.sites[index].counted = false;
    return index;
  };
  out.extra = side(0, to_shared ? Space::kShared : Space::kGlobal, AccessOp::kStore, 16, 0, out.a);
  side(1, to_shared ? Space::kGlobal : Space::kShared, AccessOp::kLoad, 16, 1, out.b);
  out.c = source(unit, ins.operands.at(2), 4);
  if (to_shared) side(3, Space::kShared, AccessOp::kAtomic, 8, 2, out.e);
  out.fn = table_.bulk_copy;
  out.flow = Flow::kUses;
  emit(out);
}

void Decoder::emit_mbarrier(const Unit& unit, const ptx::Instruction& ins) {
  // A copy is complete at once, so that its arrival is one like any other. Without .noinc it is
  // counted beforehand as one more that the phase waits for: together they change nothing.
  const bool copies = ins.op == Op::kCpAsyncMbarrierArrive;
  const bool nothing = copies && ins.sub != ptx::Sub::kNoinc;
  const bool first_is_address = ins.operands.at(0).kind == OperandKind::kAddress;
  const ptx::Operand& where = ins.operands.at(first_is_address ? 0 : 1);
  const std::size_t next = first_is_address ? 1 : 2;
  const bool waits = ins.op == Op::kMbarrierTestWait || ins.op == Op::kMbarrierTryWait;
  const bool by_parity =
      ins.op == Op::kMbarrierTestWaitParity || ins.op == Op::kMbarrierTryWaitParity;
  const bool returns = !first_is_address && ins.operands[0].kind == OperandKind::kRegister;
  Site site;
  site.op = AccessOp::kAtomic;
  site.element_bytes = site.register_bytes = 8;
  Ins out;
  std::uint32_t width = 8;
  out.a = address(unit, where, out.imm, width);
  site.offset = out.imm;
  out.next_block = width == 8 ? 1U : 0U;
  out.extra = add_site(site, Space::kShared, ins);
  program_.sites[out.extra].counted = false;
  out.d = sink_;
  if (returns) {
    out.d = destination(unit, ins.operands[0],
                        waits || by_parity ? std::uint32_t{Found::kPredicate} : 8U);
  }
  const std::uint64_t one = nothing ? 0 : 1;
  out.b = next < ins.operands.size() ? source(unit, ins.operands[next], waits ? 8 : 4)
                                     : constant(4, one);
  out.flow = Flow::kUses;
  out.fn = table_.mbarrier(ins.op, returns);
  if (out.fn == nullptr) refuse(unit, ins);
  emit(out);
}

}  // namespace lab::model
