#include "harness/model/decode/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/core/bits.h"
#include "harness/core/error.h"
#include "harness/model/decode/decoder.h"
#include "harness/model/instructions/builtin.h"

namespace lab::model {
namespace {

std::uint64_t place(std::uint64_t& used, const ptx::Variable& variable) {
  used = round_up(used, std::max<std::uint64_t>(variable.align, 1));
  return std::exchange(used, used + variable.bytes);
}

}  // namespace

Decoder::Decoder(const DecodeRequest& request, const HandlerTable& table)
    : request_(request),
      table_(table),
      module_(*request.module),
      taken_(ptx::taken_addresses(module_)) {}

Program Decoder::run() {
  ptx::require_runnable(module_, request_.entry);
  program_.module = request_.module;
  program_.kernel = module_.functions.at(request_.entry).name;
  sink_ = allocate(Bank::kFrame, 16);
  add_unit(request_.entry);
  place_module_shared();
  // The entry's unit comes last: the functions that it calls are complete before it.
  for (Unit& unit : units_) {
    plan(unit);
    hoist(unit);
    place_registers(unit);
    program_.waits = program_.waits || waits_for_memory(*unit.code);
  }
  for (const Unit& unit : units_) {
    if (program_.maps_blocks) refuse_between_blocks(unit);
  }
  for (Unit& unit : units_) lay_out_blocks(unit);
  for (Unit& unit : units_) emit_unit(unit);
  program_.entry_block = units_.back().first_block;
  fix_targets();
  Ins stop;
  stop.fn = table_.core.stop;
  for (auto* prologue :
       {&program_.launch_prologue, &program_.block_prologue, &program_.slot_prologue}) {
    prologue->push_back(stop);
  }
  program_.frame_bytes = used_[0];
  program_.uniform_bytes = used_[1];
  program_.slot_bytes = used_[2];
  return std::move(program_);
}

void Decoder::add_unit(std::uint32_t function) {
  if (unit_of_.count(function) != 0) return;
  const ptx::Function& code = module_.functions.at(function);
  calling_.push_back(function);
  for (const ptx::Instruction& ins : code.instructions) {
    if (ins.op != ptx::Op::kCall) continue;
    for (const std::uint32_t callee : callees(code, ins)) {
      refuse_recursion(code, ins, callee);
      if (module_.functions.at(callee).is_defined) add_unit(callee);
    }
  }
  calling_.pop_back();
  Unit unit;
  unit.function = function;
  unit.code = &code;
  unit.for_printf = stores_for_printf(module_, code);
  place_variables(unit);
  unit_of_[function] = units_.size();
  units_.push_back(std::move(unit));
}

std::vector<std::uint32_t> Decoder::callees(const ptx::Function& code,
                                            const ptx::Instruction& call) const {
  const ptx::Operand& callee = call.operands.at(1);
  if (callee.kind == OperandKind::kFunction) return {callee.target};
  return ptx::callees_of(module_, code, call, taken_);
}

// Each register and parameter of a function has one place, so a function cannot run inside itself.
void Decoder::refuse_recursion(const ptx::Function& code, const ptx::Instruction& call,
                               std::uint32_t callee) const {
  if (std::find(calling_.begin(), calling_.end(), callee) == calling_.end()) return;
  Unit unit;
  unit.code = &code;
  const bool direct = call.operands[1].kind == OperandKind::kFunction;
  refuse(unit, call,
         fmt::format("'{}' {}: recursion is not modelled", module_.functions.at(callee).name,
                     direct ? "calls itself" : "may call itself through a pointer"),
         direct ? "write it as a loop"
                : "call it by its name, or give what the pointer names other parameters");
}

void Decoder::place_variables(Unit& unit) {
  for (const ptx::Variable& variable : unit.code->variables) {
    if (variable.space == ptx::Space::kShared) {
      const std::uint64_t at = place(program_.shared_bytes, variable);
      unit.variables.push_back(at);
      program_.shared_variables.push_back({variable.name, at, variable.bytes});
    } else {  // .local, and the .param variables of calls
      const std::uint64_t at = place(program_.local_bytes, variable);
      unit.variables.push_back(at);
      if (variable.space == ptx::Space::kLocal) {
        program_.local_variables.push_back({variable.name, at, variable.bytes});
      }
    }
  }
  if (unit.code->is_entry) {
    unit.parameters = ptx::layout(unit.code->params).offsets;
    return;
  }
  for (const ptx::Variable& v : unit.code->params) {
    unit.parameters.push_back(place(program_.local_bytes, v));
  }
  for (const ptx::Variable& v : unit.code->results) {
    unit.results.push_back(place(program_.local_bytes, v));
  }
}

void Decoder::place_module_shared() {
  // Only the variables that the kernel names: the module's other kernels have their own.
  std::vector<std::uint32_t> dynamic;
  std::uint64_t align = 16;
  for (const Unit& unit : units_) {
    for (const ptx::Instruction& ins : unit.code->instructions) {
      for (const ptx::Operand& o : ins.operands) {
        if (o.symbol == ptx::kNoIndex || o.home != ptx::Home::kModule) continue;
        const ptx::Variable& variable = module_.variables.at(o.symbol);
        if (variable.space != ptx::Space::kShared) continue;
        if (variable.is_extern || variable.bytes == 0) {
          dynamic.push_back(o.symbol);
          align = std::max<std::uint64_t>(align, variable.align);
        } else if (shared_variables_.count(o.symbol) == 0) {
          const std::uint64_t at = place(program_.shared_bytes, variable);
          shared_variables_[o.symbol] = at;
          program_.shared_variables.push_back({variable.name, at, variable.bytes});
        }
      }
    }
  }
  // Dynamic shared memory follows the static; all its declarations name its first byte.
  program_.shared_bytes = round_up(program_.shared_bytes, align);
  for (const std::uint32_t symbol : dynamic) shared_variables_[symbol] = program_.shared_bytes;
}

void Decoder::lay_out_blocks(Unit& unit) {
  unit.first_block = static_cast<std::uint32_t>(program_.blocks.size());
  unit.block_of.resize(unit.code->instructions.size());
  // A function that is called may end the thread.
  const bool calls = std::any_of(unit.code->instructions.begin(), unit.code->instructions.end(),
                                 [&](const ptx::Instruction& ins) {
                                   return ins.op == ptx::Op::kCall && !calls_printf(module_, ins);
                                 });
  for (std::uint32_t i = 0; i < unit.code->blocks.size(); ++i) {
    const ptx::Block& block = unit.code->blocks[i];
    program_.blocks.push_back({0, block.last - block.first + 1, block.endless && !calls});
    for (std::uint32_t at = block.first; at <= block.last; ++at) {
      unit.block_of[at] = unit.first_block + i;
      program_.instructions.push_back({{unit.function, at}, unit.first_block + i});
    }
  }
  for (const std::uint32_t meet : meeting_points(*unit.code)) {
    unit.meeting.push_back(meet == ptx::kNoIndex ? kNone : unit.first_block + meet);
  }
}

void Decoder::emit_unit(Unit& unit) {
  // Hoisted instructions go first, so that values come before their uses across blocks too.
  for (std::uint32_t i = 0; i < unit.code->instructions.size(); ++i) {
    if (unit.plans[i].often == Often::kWarp) continue;
    origin_ = {unit.function, i};
    out_ = unit.plans[i].often == Often::kLaunch  ? &program_.launch_prologue
           : unit.plans[i].often == Often::kBlock ? &program_.block_prologue
                                                  : &program_.slot_prologue;
    emit_body(unit, i);
  }
  out_ = &program_.code;
  for (std::uint32_t b = 0; b < unit.code->blocks.size(); ++b) {
    const ptx::Block& block = unit.code->blocks[b];
    program_.blocks[unit.first_block + b].first = static_cast<std::uint32_t>(program_.code.size());
    leaders_.clear();
    for (std::uint32_t i = block.first; i <= block.last; ++i) {
      if (unit.plans[i].often == Often::kWarp) emit_instruction(unit, i);
    }
    emit_block_end(unit, b);
  }
}

void Decoder::emit_block_end(const Unit& unit, std::uint32_t own_block) {
  const ptx::Block& block = unit.code->blocks[own_block];
  const ptx::Instruction& last = unit.code->instructions[block.last];
  const bool leaves = last.op == ptx::Op::kRet || last.op == ptx::Op::kExit;
  if (last.op == ptx::Op::kBra || last.op == ptx::Op::kBrx) return;
  if ((leaves || last.op == ptx::Op::kTrap) && last.guard == ptx::kNoIndex) return;
  emit_jump(unit.first_block + own_block + 1);
}

void Decoder::fix_targets() {
  for (const std::uint32_t at : branches_) {
    Ins& ins = program_.code[at];
    ins.target = &program_.code[program_.blocks[ins.block].first];
  }
  for (const auto& [open, after] : guards_) {
    program_.code[open].target = &program_.code[after];
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i] == kNone) continue;  // a builtin
    const Unit& callee = units_[unit_of_.at(entries_[i])];
    program_.calls[i].entry_block = callee.first_block;
    program_.calls[i].entry = &program_.code[program_.blocks[callee.first_block].first];
  }
}

void Decoder::refuse(const Unit& unit, const ptx::Instruction& ins, const std::string& why,
                     const std::string& hint) const {
  const ptx::Where& where = ins.where;
  const bool has_text = where.ptx_line >= 1 && where.ptx_line <= module_.lines.size();
  const std::string text = has_text ? module_.lines[where.ptx_line - 1] : std::string();
  const std::string& file = module_.files.at(where.file);
  const bool has_source = where.line > 0 && !file.empty();
  const Place place = has_source ? Place{file, static_cast<int>(where.line)}
                                 : Place{module_.name, static_cast<int>(where.ptx_line), 0, text};
  const auto begin = text.find_first_not_of(" \t");
  const std::string what = begin == std::string::npos ? text : text.substr(begin);
  // A call's first line in the PTX may not have the callee's name: `why` has it.
  const std::string sentence = ins.op == ptx::Op::kCall && !why.empty()
                                   ? why
                                   : fmt::format("the instruction '{}' is not modelled{}", what,
                                                 why.empty() ? "" : ": " + why);
  throw NotModelled(
      fmt::format("{} (in '{}', line {} of the PTX)", sentence, unit.code->name, where.ptx_line),
      hint, place);
}

Program decode(const DecodeRequest& request, const HandlerTable& table) {
  return Decoder(request, table).run();
}

}  // namespace lab::model
