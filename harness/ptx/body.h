// The body of a function: declarations, labels, line directives and instructions.
#pragma once

#include "harness/ptx/cursor.h"
#include "harness/ptx/module.h"
#include "harness/ptx/scope.h"

namespace lab::ptx {

/// Parses `{ ... }` into `function`, whose name, parameters and results are there already. Leaves
/// Function::blocks empty. `module` gets the names of files, and knows every function so far.
void parse_body(Cursor& cursor, Module& module, ModuleNames& names, Function& function);

/// The index in Module::files for the number in .file and .loc.
[[nodiscard]] std::uint32_t file_index(Module& module, ModuleNames& names, std::uint64_t number);

}  // namespace lab::ptx
