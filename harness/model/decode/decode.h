// From a parsed module to a program for one launch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/kernel/cubin/sass_map.h"
#include "harness/kernel/ptx/module.h"
#include "harness/model/code/decoded.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/memory/memory.h"

namespace lab::model {

struct DecodeRequest {
  const ptx::Module* module = nullptr;
  std::uint32_t entry = 0;                  ///< index into module->functions
  std::vector<std::byte> parameters;        ///< as ptx::layout places them
  std::uint64_t parameter_address = 0;      ///< where the same bytes lie in the launch's memory
  std::vector<std::uint64_t> variables;     ///< device address of each of module->variables
  const cubin::SassMap* machine = nullptr;  ///< null: count the accesses of the PTX
  /// Blocks per cluster that the launch asks for; zeros: as the kernel says.
  std::array<std::uint32_t, 3> cluster = {0, 0, 0};
};

/// Throws an input error where an instruction is not modelled; it names the instruction and its
/// place.
[[nodiscard]] Program decode(const DecodeRequest& request, const HandlerTable& table);

/// For each basic block of `function`, the block where lanes that its last instruction separates
/// meet again: the immediate post-dominator, or ptx::kNoIndex for the exit. A path to a block that
/// only leaves the function does not count where there is another path: threads that leave early do
/// not keep the others apart, just as with the machine code's predicated EXIT.
[[nodiscard]] std::vector<std::uint32_t> meeting_points(const ptx::Function& function);

/// Has a loop that only waits until another thread changes a word of global memory.
[[nodiscard]] bool waits_for_memory(const ptx::Function& function);

/// Whether it is a call of printf.
[[nodiscard]] bool calls_printf(const ptx::Module& module, const ptx::Instruction& ins);

/// By instruction of `function`: it stores an argument of a printf in the buffer that the call
/// takes. Only stores at fixed places, for formats that the text holds, are known.
[[nodiscard]] std::vector<bool> stores_for_printf(const ptx::Module& module,
                                                  const ptx::Function& function);

}  // namespace lab::model
