// call, and the directives that stand with indirect branches and calls.
#pragma once

#include <vector>

#include "harness/ptx/cursor.h"
#include "harness/ptx/module.h"
#include "harness/ptx/scope.h"

namespace lab::ptx {

/// `(results), callee, (arguments), prototype;` behind `call`: three operands, as
/// ptx::Instruction says.
[[nodiscard]] std::vector<Operand> parse_call(Cursor& cursor, Scopes& scopes, const Module& module,
                                              const Function& function);

/// `name: .branchtargets A, B;`, `.callprototype` and `.calltargets`, at the dot.
void parse_labelled_directive(Cursor& cursor, Scopes& scopes, Function& function,
                              const Token& name);

}  // namespace lab::ptx
