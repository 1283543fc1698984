// Rounding, flushing, saturation and precision: which of them a floating-point type has.
#pragma once

#include <optional>
#include <string>

#include "harness/ptx/module.h"

namespace lab::ptx {

/// Why the modifiers of floating point don't fit the instruction's types (PTX ISA, "Floating-Point
/// Instructions" and "Half-Precision Floating-Point Instructions"): a sentence; nothing where they
/// do. cvt has rules of its own.
[[nodiscard]] std::optional<std::string> wrong_float_modifier(const Instruction& instruction);

}  // namespace lab::ptx
