// One instruction: guard, opcode, modifiers, operands, checked against the opcode's row.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "harness/ptx/cursor.h"
#include "harness/ptx/module.h"
#include "harness/ptx/scope.h"

namespace lab::ptx {

/// Parses an instruction up to and with its ';', and appends it to the function. One that the
/// model has no semantics for is appended as kTrap and, where it is the function's first,
/// recorded as its refusal. Throws an input error where the text is malformed.
void parse_instruction(Cursor& cursor, Scopes& scopes, const Module& module, Function& function,
                       const Where& where);

}  // namespace lab::ptx
