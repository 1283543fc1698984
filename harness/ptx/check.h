// Holds an instruction's operands against its opcode's row, so that whoever runs it need not.
#pragma once

#include <optional>
#include <string>

#include "harness/ptx/module.h"

namespace lab::ptx {

/// Why the operands don't fit the opcode's row: a sentence; nothing where they do.
[[nodiscard]] std::optional<std::string> misfit(const Function& function,
                                                const Instruction& instruction);

/// What the modifiers lack, such as the rounding of a division: a sentence; nothing where complete.
[[nodiscard]] std::optional<std::string> incomplete(const Instruction& instruction);

}  // namespace lab::ptx
