#include "harness/kernel/ptx/module.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/bits.h"
#include "harness/core/error.h"

namespace lab::ptx {

namespace {

using Kind = Operand::Kind;

// True where the sizes that a call passes are those that the callee declares.
bool passes(const Function& caller, const Operand& list, const std::vector<Variable>& formal) {
  const auto bytes_of = [&](const Operand& part) {
    const auto& home = part.home == Home::kLocal   ? caller.variables
                       : part.home == Home::kParam ? caller.params
                                                   : caller.results;
    return part.home == Home::kModule ? 0 : home[part.symbol].bytes;
  };
  return std::equal(list.parts.begin(), list.parts.end(), formal.begin(), formal.end(),
                    [&](const Operand& part, const Variable& variable) {
                      return bytes_of(part) == variable.bytes;
                    });
}

void add_taken_in_code(const Function& function, std::vector<std::uint32_t>& taken) {
  for (const Instruction& instruction : function.instructions) {
    if (instruction.op == Op::kCall) continue;
    for (const Operand& operand : instruction.operands) {
      if (operand.kind == Kind::kFunction) taken.push_back(operand.target);
    }
  }
}

[[noreturn]] void throw_refusal(const Module& module, const Function& function,
                                const Refusal& refusal) {
  const Where& where = refusal.where;
  const std::string& file = module.files[where.file];
  const bool has_source = where.line > 0 && !file.empty();
  const bool has_text = where.ptx_line >= 1 && where.ptx_line <= module.lines.size();
  const std::string text = has_text ? module.lines[where.ptx_line - 1] : "";
  const Place place = has_source ? Place{file, static_cast<int>(where.line)}
                                 : Place{module.name, static_cast<int>(where.ptx_line), 0, text};
  throw NotModelled(
      fmt::format("{} (in '{}', line {} of the PTX)", refusal.what, function.name, where.ptx_line),
      refusal.hint, place);
}

}  // namespace

std::uint32_t Module::find_entry(const std::string& entry) const {
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    if (functions[i].is_entry && functions[i].name == entry) return i;
  }
  return kNoIndex;
}

ParamLayout layout(const std::vector<Variable>& params) {
  ParamLayout result;
  for (const Variable& param : params) {
    result.bytes = round_up(result.bytes, std::max<std::uint64_t>(param.align, 1));
    result.offsets.push_back(result.bytes);
    result.bytes += param.bytes;
  }
  return result;
}

std::vector<std::uint32_t> taken_addresses(const Module& module) {
  std::vector<std::uint32_t> taken;
  for (const Function& function : module.functions) add_taken_in_code(function, taken);
  std::vector<std::string> symbols;
  for (const Variable& variable : module.variables) {
    for (const auto& relocation : variable.relocations) symbols.push_back(relocation.symbol);
  }
  std::sort(symbols.begin(), symbols.end());
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    if (std::binary_search(symbols.begin(), symbols.end(), module.functions[i].name)) {
      taken.push_back(i);
    }
  }
  std::sort(taken.begin(), taken.end());
  taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
  return taken;
}

std::vector<std::uint32_t> callees_of(const Module& module, const Function& caller,
                                      const Instruction& call,
                                      const std::vector<std::uint32_t>& taken) {
  std::vector<std::uint32_t> callees;
  for (const std::uint32_t index : taken) {
    const Function& function = module.functions[index];
    const bool fits = function.is_defined && passes(caller, call.operands[0], function.results) &&
                      passes(caller, call.operands[2], function.params);
    if (fits) callees.push_back(index);
  }
  return callees;
}

void require_runnable(const Module& module, std::uint32_t function) {
  const std::vector<std::uint32_t> taken = taken_addresses(module);
  std::vector<bool> seen(module.functions.size(), false);
  std::vector<std::uint32_t> stack{function};
  while (!stack.empty()) {
    const std::uint32_t index = stack.back();
    stack.pop_back();
    if (seen[index]) continue;
    seen[index] = true;
    const Function& current = module.functions[index];
    if (current.refusal) throw_refusal(module, current, *current.refusal);
    for (const Instruction& call : current.instructions) {
      if (call.op != Op::kCall) continue;
      if (call.operands[1].kind == Kind::kFunction) {
        stack.push_back(call.operands[1].target);
        continue;
      }
      const std::vector<std::uint32_t> callees = callees_of(module, current, call, taken);
      stack.insert(stack.end(), callees.begin(), callees.end());
    }
  }
}

}  // namespace lab::ptx
