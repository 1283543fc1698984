// Instructions as handlers with slots.

#include "harness/core/error.h"
#include "harness/model/decode/decoder.h"
#include "harness/model/instructions/builtin.h"

namespace lab::model {

using ptx::Op;

namespace {

Flow flow_of(const ptx::Instruction& ins) {
  switch (ins.op) {
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kSelp:
      return Flow::kByBit;
    case Op::kSetp:
      return ins.combine == ptx::Combine::kNone ? Flow::kByLane : Flow::kCompare;
    case Op::kShfl:
      return Flow::kShuffle;
    case Op::kVote:
    case Op::kMatch:
    case Op::kRedux:
      return Flow::kAcross;
    case Op::kBar:
    case Op::kBarrier:
      return Flow::kUses;
    default:
      return Flow::kByLane;
  }
}

}  // namespace

std::uint32_t Decoder::emit(const Ins& ins) {
  out_->push_back(ins);
  if (out_ == &program_.code) program_.origins.push_back(origin_);
  return static_cast<std::uint32_t>(out_->size() - 1);
}

void Decoder::emit_instruction(const Unit& unit, std::uint32_t index) {
  origin_ = {unit.function, index};
  const ptx::Instruction& ins = unit.code->instructions[index];
  if (unit.plans[index].form == Form::kControl) {
    emit_control(unit, index);
  } else if (ins.guard != ptx::kNoIndex) {
    emit_guarded(unit, index);
  } else {
    emit_body(unit, index);
  }
  // Another warp may run at this point, or other lanes of this one.
  const bool waits =
      ins.op == Op::kBar || ins.op == Op::kBarrier || ins.op == Op::kBarrierClusterWait;
  if (waits || ins.op == Op::kCall) leaders_.clear();
}

void Decoder::set_guard(const Unit& unit, const ptx::Instruction& ins, Ins& out) {
  if (ins.guard == ptx::kNoIndex) return;
  out.a = unit.slots[ins.guard];
  out.imm = ins.guard_negated ? 2 : 1;
}

void Decoder::emit_guarded(const Unit& unit, std::uint32_t index) {
  Ins open;
  open.fn = table_.core.guard_open;
  open.flow = Flow::kUses;
  set_guard(unit, unit.code->instructions[index], open);
  const std::uint32_t at = emit(open);
  const auto leaders = leaders_;  // patterns under a guard differ from those outside it
  leaders_.clear();
  emit_body(unit, index);
  leaders_ = leaders;
  for (const ptx::Operand& o : unit.code->instructions[index].operands) forget_leader(unit, o);
  Ins close;
  close.fn = table_.core.guard_close;
  emit(close);
  guards_.emplace_back(at, static_cast<std::uint32_t>(program_.code.size()));
}

void Decoder::emit_body(const Unit& unit, std::uint32_t index) {
  const ptx::Instruction& ins = unit.code->instructions[index];
  switch (unit.plans[index].form) {
    case Form::kPlain:
      emit_plain(unit, ins, unit.plans[index]);
      break;
    case Form::kParameter:
      emit_parameter(unit, ins);
      break;
    case Form::kPack:
      emit_pack(unit, ins);
      break;
    case Form::kMemory:
      emit_memory(unit, ins);
      break;
    case Form::kAtomic:
      emit_atomic(unit, ins);
      break;
    case Form::kAsyncCopy:
      emit_async_copy(unit, ins);
      break;
    case Form::kBulkCopy:
      emit_bulk_copy(unit, ins);
      break;
    case Form::kMatrix:
      emit_matrix(unit, ins);
      break;
    case Form::kImage:
      emit_image(unit, ins);
      break;
    case Form::kMbarrier:
      emit_mbarrier(unit, ins);
      break;
    case Form::kControl:
      break;
  }
  // Once a register changes, patterns of addresses in it are no longer shared.
  if (!ins.operands.empty()) forget_leader(unit, ins.operands.front());
}

void Decoder::emit_plain(const Unit& unit, const ptx::Instruction& ins,
                         const InstructionPlan& plan) {
  const Found& found = plan.found;
  Ins out;
  out.fn = found.fn;
  out.flow = flow_of(ins);
  out.imm = found.imm;
  out.d = sink_;
  out.d2 = sink_;
  std::size_t next = 0;
  if (found.results[0] != 0) {
    const ptx::Operand& first = ins.operands.at(next++);
    const bool pair = first.kind == OperandKind::kPair;
    out.d = destination(unit, pair ? first.parts.at(0) : first, found.results[0]);
    if (pair) out.d2 = destination(unit, first.parts.at(1), found.results[1]);
  }
  for (Slot* slot : {&out.a, &out.b, &out.c, &out.e}) {
    const auto k = static_cast<std::size_t>(slot - &out.a);
    if (found.sources[k] == 0 || next >= ins.operands.size()) break;
    *slot = source(unit, ins.operands[next++], found.sources[k]);
  }
  emit(out);
}

// mov.v2 {a, b}, {b, a} exchanges them: all are read before one is written.
void Decoder::emit_moves(const Unit& unit, const ptx::Instruction& ins) {
  const auto& to = ins.operands.at(0).parts;
  const auto& from = ins.operands.at(1).parts;
  const auto width = static_cast<std::uint32_t>(ptx::bits_of(ins.type)) / 8;
  Ins out;
  out.fn = table_.copy(width);
  std::vector<Slot> between;
  for (const ptx::Operand& part : from) {
    out.a = source(unit, part, width);
    out.d = allocate(Bank::kFrame, width);
    emit(out);
    between.push_back(out.d);
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    out.a = between[i];
    out.d = destination(unit, to[i], width);
    emit(out);
  }
}

void Decoder::emit_pack(const Unit& unit, const ptx::Instruction& ins) {
  if (ins.vector > 1) return emit_moves(unit, ins);
  const ptx::Operand& to = ins.operands.at(0);
  const ptx::Operand& from = ins.operands.at(1);
  const bool unpacks = to.kind == OperandKind::kVector;
  const auto& parts = unpacks ? to.parts : from.parts;
  const auto whole = static_cast<std::uint32_t>(ptx::bits_of(ins.type)) / 8;
  const auto part = whole / static_cast<std::uint32_t>(parts.size());
  // Goes through an extra register: a part may be the same register as the whole, under another
  // name.
  const Slot whole_slot = unpacks ? source(unit, from, whole) : allocate(Bank::kFrame, whole);
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    if (unpacks && parts[i].kind != OperandKind::kRegister) continue;
    Ins out;
    out.fn = table_.part(unpacks, whole, part);
    if (out.fn == nullptr) refuse(unit, ins);
    out.imm = i;
    out.flow = unpacks ? Flow::kByLane : Flow::kPart;
    const std::uint32_t width = slot_width(static_cast<int>(part));
    out.d = unpacks ? destination(unit, parts[i], width) : whole_slot;
    out.a = unpacks ? whole_slot : source(unit, parts[i], width);
    emit(out);
  }
  if (unpacks) return;
  Ins out;
  out.fn = table_.copy(whole);
  out.d = destination(unit, to, whole);
  out.a = whole_slot;
  emit(out);
}

void Decoder::emit_jump(std::uint32_t block) {
  Ins out;
  out.fn = table_.core.jump;
  out.block = block;
  branches_.push_back(emit(out));
}

void Decoder::emit_branch(const Unit& unit, std::uint32_t index) {
  const ptx::Instruction& ins = unit.code->instructions[index];
  const std::uint32_t target = unit.block_of.at(ins.operands.at(0).target);
  if (ins.guard == ptx::kNoIndex) return emit_jump(target);
  const std::uint32_t own = unit.block_of[index];
  if (target == own + 1) return emit_jump(target);
  Ins out;
  out.fn = ins.guard_negated ? table_.core.branch_if_not : table_.core.branch_if;
  out.flow = Flow::kUses;
  out.a = unit.slots[ins.guard];
  out.block = target;
  out.next_block = own + 1;
  out.extra = unit.meeting[own - unit.first_block];
  branches_.push_back(emit(out));
}

void Decoder::emit_table(const Unit& unit, std::uint32_t index) {
  const ptx::Instruction& ins = unit.code->instructions[index];
  if (ins.guard != ptx::kNoIndex) refuse(unit, ins, "it is guarded");
  const auto& targets = unit.code->branch_targets.at(ins.operands.at(1).target).targets;
  Ins out;
  out.fn = table_.core.branch_table;
  out.flow = Flow::kUses;
  out.a = source(unit, ins.operands[0], 4);
  out.imm = targets.size();
  out.extra = unit.meeting[unit.block_of[index] - unit.first_block];
  emit(out);
  for (const std::uint32_t target : targets) emit_jump(unit.block_of.at(target));
}

void Decoder::emit_call(const Unit& unit, std::uint32_t index) {
  const ptx::Instruction& ins = unit.code->instructions[index];
  if (ins.operands[1].kind != OperandKind::kFunction) return emit_indirect_call(unit, index);
  Ins out;
  set_guard(unit, ins, out);
  emit_call_of(unit, ins, ins.operands[1].target, out);
}

// `out` holds the guard.
void Decoder::emit_call_of(const Unit& unit, const ptx::Instruction& ins, std::uint32_t function,
                           Ins out) {
  const ptx::Function& callee = module_.functions.at(function);
  out.flow = Flow::kUses;
  Call call;
  const auto& results = ins.operands[0].parts;
  const auto& arguments = ins.operands[2].parts;
  for (const auto* list : {&results, &arguments}) {
    for (const ptx::Operand& part : *list) {
      // Those lie in another memory than what calls pass.
      if (unit.code->is_entry && part.home == ptx::Home::kParam) {
        refuse(unit, ins, "it passes a parameter of the kernel itself",
               "copy it into a .param variable of the function");
      }
    }
  }
  if (!callee.is_defined) {
    out.fn = builtin_handler(callee);
    if (out.fn == nullptr) {
      refuse(unit, ins, "'" + callee.name + "' is not defined: a call of it is not modelled",
             std::string(builtin_advice(callee.name)));
    }
    // A builtin only needs to know where its parameters and its result are.
    for (const auto& argument : arguments) {
      call.arguments.push_back({symbol_address(unit, argument), 0, 0});
    }
    for (const auto& result : results) call.results.push_back({0, symbol_address(unit, result), 0});
    entries_.push_back(kNone);
  } else {
    const Unit& to = units_[unit_of_.at(function)];
    out.fn = table_.core.call;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      call.arguments.push_back(
          {symbol_address(unit, arguments[i]), to.parameters.at(i), callee.params.at(i).bytes});
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      call.results.push_back(
          {to.results.at(i), symbol_address(unit, results[i]), callee.results.at(i).bytes});
    }
    entries_.push_back(function);
  }
  out.extra = static_cast<std::uint32_t>(program_.calls.size());
  program_.calls.push_back(std::move(call));
  emit(out);
}

// One target after another, each called by the lanes that point to it. The lanes that are left then
// point to no function.
void Decoder::emit_indirect_call(const Unit& unit, std::uint32_t index) {
  const ptx::Instruction& ins = unit.code->instructions[index];
  Ins match;
  match.fn = table_.core.match_target;
  match.a = source(unit, ins.operands[1], 8);
  match.d = allocate(Bank::kFrame, Found::kPredicate);
  match.d2 = allocate(Bank::kFrame, Found::kPredicate);
  Ins start;
  start.fn = table_.core.match_start;
  start.d = match.d2;
  start.flow = Flow::kUses;
  set_guard(unit, ins, start);
  emit(start);
  for (const std::uint32_t callee : callees(*unit.code, ins)) {
    match.imm = function_address(callee);
    emit(match);
    Ins call;
    call.a = match.d;
    call.imm = 1;
    emit_call_of(unit, ins, callee, call);
  }
  match.fn = table_.core.match_none;
  emit(match);
}

void Decoder::emit_control(const Unit& unit, std::uint32_t index) {
  const ptx::Instruction& ins = unit.code->instructions[index];
  switch (ins.op) {
    case Op::kBra:
      return emit_branch(unit, index);
    case Op::kBrx:
      return emit_table(unit, index);
    case Op::kCall:
      return emit_call(unit, index);
    default: {
      Ins out;
      const bool returns = ins.op == Op::kRet && !unit.code->is_entry;
      out.fn = returns ? table_.core.ret : table_.core.exit;
      out.flow = Flow::kUses;
      set_guard(unit, ins, out);
      emit(out);
    }
  }
}

}  // namespace lab::model
