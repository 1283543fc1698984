// Checks an instruction's operands and modifiers against its opcode's row and the rules of its
// types, so that whoever runs it need not.
#pragma once

#include <optional>
#include <string>

#include "harness/kernel/ptx/module.h"

namespace lab::ptx {

/// Why the operands don't fit the opcode's row, as a sentence; empty where they do.
[[nodiscard]] std::optional<std::string> misfit(const Function& function,
                                                const Instruction& instruction);

/// Names the modifier that is missing, such as the rounding of a division, in a sentence; empty
/// where none is.
[[nodiscard]] std::optional<std::string> incomplete(const Instruction& instruction);

/// Why the floating-point modifiers don't fit the instruction's types (PTX ISA, "Floating-Point
/// Instructions" and "Half-Precision Floating-Point Instructions"): a sentence; empty where they
/// do. cvt has its own rules.
[[nodiscard]] std::optional<std::string> wrong_float_modifier(const Instruction& instruction);

}  // namespace lab::ptx
