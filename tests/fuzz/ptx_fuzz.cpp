// Any text is either parsed or refused with an error: and what is parsed keeps its promises.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/core/error.h"
#include "harness/kernel/ptx/parser.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// Those who run a module rely on this without a check.
void check(const lab::ptx::Function& function) {
  const auto size = function.instructions.size();
  require(size > 0);
  for (const lab::ptx::Instruction& i : function.instructions) {
    require(i.guard == lab::ptx::kNoIndex || i.guard < function.registers.size());
    for (const lab::ptx::Operand& operand : i.operands) {
      using Kind = lab::ptx::Operand::Kind;
      if (operand.kind == Kind::kRegister) require(operand.reg < function.registers.size());
      if (operand.kind == Kind::kLabel) require(operand.target < size);
      if (operand.kind == Kind::kTargets) require(operand.target < function.branch_targets.size());
    }
  }
  std::uint32_t next = 0;
  for (const lab::ptx::Block& block : function.blocks) {
    require(block.first == next && block.last >= block.first && block.last < size);
    next = block.last + 1;
    for (const std::uint32_t to : block.successors) require(to < function.blocks.size());
    const std::uint32_t meet = block.post_dominator;
    require(meet == lab::ptx::kNoIndex || meet < function.blocks.size());
  }
  require(next == size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const lab::ptx::Module module = lab::ptx::parse(text, "fuzz.ptx");
    for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
      if (!module.functions[i].is_defined) continue;
      check(module.functions[i]);
      lab::ptx::require_runnable(module, i);
    }
  } catch (const lab::Error& error) {
    require(error.fault() == lab::Fault::kInput);
    (void)lab::render(error);
  }
  return 0;
}
