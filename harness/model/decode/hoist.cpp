// Which handler each instruction gets, and which instructions run ahead of the warps.
#include <algorithm>

#include "harness/model/decode/decoder.h"

namespace lab::model {

using ptx::Op;

namespace {

bool is_kernel_parameter(const ptx::Function& function, const ptx::Instruction& ins) {
  return ins.op == Op::kLd && ins.space == ptx::Space::kParam && function.is_entry &&
         ins.operands.at(1).reg == ptx::kNoIndex && ins.operands.at(1).home == ptx::Home::kParam;
}

Form form_of(const ptx::Function& function, const ptx::Instruction& ins) {
  switch (ins.op) {
    case Op::kBra:
    case Op::kBrx:
    case Op::kCall:
    case Op::kRet:
    case Op::kExit:
      return Form::kControl;
    case Op::kLd:
    case Op::kLdu:
      return is_kernel_parameter(function, ins) ? Form::kParameter : Form::kMemory;
    case Op::kSt:
      return Form::kMemory;
    case Op::kAtom:
    case Op::kRed:
      return Form::kAtomic;
    case Op::kCpAsync:
      return Form::kAsyncCopy;
    case Op::kCpAsyncBulk:
      return Form::kBulkCopy;
    case Op::kLdmatrix:
    case Op::kStmatrix:
    case Op::kMovmatrix:
    case Op::kMma:
    case Op::kWmmaLoadA:
    case Op::kWmmaLoadB:
    case Op::kWmmaLoadC:
    case Op::kWmmaStore:
    case Op::kWmmaMma:
      return Form::kMatrix;
    case Op::kTex:
    case Op::kSuld:
    case Op::kSust:
      return Form::kImage;
    case Op::kMbarrierInit:
    case Op::kMbarrierInval:
    case Op::kMbarrierArrive:
    case Op::kMbarrierArriveExpectTx:
    case Op::kMbarrierArriveDrop:
    case Op::kMbarrierExpectTx:
    case Op::kMbarrierCompleteTx:
    case Op::kMbarrierTestWait:
    case Op::kMbarrierTestWaitParity:
    case Op::kMbarrierTryWait:
    case Op::kMbarrierTryWaitParity:
    case Op::kCpAsyncMbarrierArrive:
      return Form::kMbarrier;
    case Op::kMov: {
      const bool packs = std::any_of(ins.operands.begin(), ins.operands.end(),
                                     [](const auto& o) { return o.kind == OperandKind::kVector; });
      return packs ? Form::kPack : Form::kPlain;
    }
    default:
      return Form::kPlain;
  }
}

/// f(register) for each register that an instruction writes.
template <typename F>
void each_result(const InstructionPlan& plan, const ptx::Instruction& ins, F f) {
  const bool none = plan.form == Form::kControl || plan.form == Form::kAsyncCopy ||
                    ins.op == Op::kSt || ins.op == Op::kRed || ins.op == Op::kSust ||
                    (plan.form == Form::kPlain && plan.found.results[0] == 0);
  if (none || ins.operands.empty()) return;
  const ptx::Operand& first = ins.operands.front();
  if (first.kind == OperandKind::kRegister) f(first.reg);
  for (const ptx::Operand& part : first.parts) {
    if (part.kind == OperandKind::kRegister) f(part.reg);
  }
}

}  // namespace

Often join(Often a, Often b) {
  if (a == b || b == Often::kLaunch) return a;
  return a == Often::kLaunch ? b : Often::kWarp;
}

Found Decoder::look_up(const Unit& unit, const ptx::Instruction& ins) const {
  const Lookup find = table_.rows[static_cast<std::size_t>(ins.op)];
  return find == nullptr ? Found{} : find(Shape{ins, *unit.code});
}

const std::array<std::uint32_t, 3>& Decoder::asked_cluster() const {
  return request_.cluster[0] != 0 ? request_.cluster : module_.functions.at(request_.entry).cluster;
}

void Decoder::note_cluster(const ptx::Instruction& ins) {
  const auto& cluster = asked_cluster();
  if (std::uint64_t{cluster[0]} * cluster[1] * cluster[2] <= 1) return;
  const bool by_name = ins.op == Op::kMapa || ins.op == Op::kGetctarank ||
                       ins.op == Op::kBarrierClusterArrive || ins.op == Op::kBarrierClusterWait;
  const bool reads = std::any_of(ins.operands.begin(), ins.operands.end(), [](const auto& o) {
    return o.kind == OperandKind::kSpecial && ptx::is_of_cluster(o.special);
  });
  if (by_name || reads) program_.cluster = cluster;
  program_.maps_blocks = program_.maps_blocks || ins.op == Op::kMapa;
}

// Their operands may be another block's, which only loads, stores and atomics reach.
void Decoder::refuse_between_blocks(const Unit& unit) const {
  for (std::size_t i = 0; i < unit.plans.size(); ++i) {
    const ptx::Instruction& ins = unit.code->instructions[i];
    const Form form = unit.plans[i].form;
    const bool asks = ins.op == Op::kIsspacep && ins.space == ptx::Space::kShared;
    if (!asks && form != Form::kMbarrier && form != Form::kBulkCopy) continue;
    refuse(unit, ins, "the kernel maps addresses of other blocks of its cluster",
           "reach other blocks by loads, stores and atomics, and wait with cluster.sync()");
  }
}

InstructionPlan Decoder::plan_one(const Unit& unit, const ptx::Instruction& ins) const {
  InstructionPlan plan;
  plan.form = form_of(*unit.code, ins);
  if (plan.form != Form::kPlain) return plan;
  plan.found = look_up(unit, ins);
  if (plan.found.fn == nullptr) refuse(unit, ins);
  return plan;
}

void Decoder::plan(Unit& unit) {
  for (const ptx::Instruction& ins : unit.code->instructions) {
    unit.plans.push_back(plan_one(unit, ins));
    note_cluster(ins);
  }
}

Often Decoder::often_of(const Unit& unit, const ptx::Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::kRegister:
      return unit.often[operand.reg];
    case OperandKind::kSpecial:
      switch (operand.special) {
        case ptx::Special::kCtaid:
        case ptx::Special::kClusterid:
        case ptx::Special::kClusterCtaid:
        case ptx::Special::kClusterCtarank:
        case ptx::Special::kSmid:
          return Often::kBlock;
        case ptx::Special::kTid:
        case ptx::Special::kWarpid:
          return Often::kSlot;
        default:
          return Often::kLaunch;
      }
    default:
      return Often::kLaunch;
  }
}

void Decoder::hoist(Unit& unit) {
  const auto& code = unit.code->instructions;
  std::vector<std::uint32_t> writers(unit.code->registers.size(), 0);
  for (std::size_t i = 0; i < code.size(); ++i) {
    each_result(unit.plans[i], code[i], [&](std::uint32_t reg) { ++writers[reg]; });
  }
  unit.often.assign(unit.code->registers.size(), Often::kWarp);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < code.size(); ++i) {
      InstructionPlan& plan = unit.plans[i];
      const bool pure = plan.form == Form::kParameter || plan.found.pure;
      if (plan.often != Often::kWarp || !pure || code[i].guard != ptx::kNoIndex) continue;
      bool alone = true;  // no other instruction writes the same registers
      each_result(plan, code[i], [&](std::uint32_t reg) { alone = alone && writers[reg] == 1; });
      if (!alone) continue;
      Often often = Often::kLaunch;
      if (plan.form == Form::kPlain) {
        for (std::size_t o = 1; o < code[i].operands.size(); ++o) {
          often = join(often, often_of(unit, code[i].operands[o]));
        }
      }
      if (often == Often::kWarp) continue;
      plan.often = often;
      each_result(plan, code[i], [&](std::uint32_t reg) { unit.often[reg] = often; });
      changed = true;
    }
  }
}

void Decoder::place_registers(Unit& unit) {
  for (std::uint32_t reg = 0; reg < unit.code->registers.size(); ++reg) {
    const Bank bank = unit.often[reg] == Often::kWarp   ? Bank::kFrame
                      : unit.often[reg] == Often::kSlot ? Bank::kSlot
                                                        : Bank::kUniform;
    unit.slots.push_back(allocate(bank, register_width(unit, reg)));
  }
}

}  // namespace lab::model
