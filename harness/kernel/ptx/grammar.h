// The parser's functions, one per rule of the grammar: a function's body, declarations,
// instructions, operands, calls. Each begins where the cursor is and leaves it after what it has
// read; each throws an input error at the token where the text is malformed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/kernel/ptx/cursor.h"
#include "harness/kernel/ptx/module.h"
#include "harness/kernel/ptx/scope.h"

namespace lab::ptx {

// body.cpp

/// Parses `{ ... }` into `function`, which already has its name, parameters and results. Leaves
/// Function::blocks empty. `module` gets the names of files, and has every function so far.
void parse_body(Cursor& cursor, Module& module, ModuleNames& names, Function& function);

/// The index in Module::files for the number in .file and .loc.
[[nodiscard]] std::uint32_t file_index(Module& module, ModuleNames& names, std::uint64_t number);

// declarations.cpp

/// A declared variable and the token of its name.
struct Declared {
  Variable variable;
  Token name;
};

/// The space that a directive (without its dot) declares: global, const, shared, local, param.
[[nodiscard]] std::optional<Space> declared_space(std::string_view directive);

/// After `.global`, `.param` and so on: variables of one type, up to and including the ';'.
[[nodiscard]] std::vector<Declared> parse_variables(Cursor& cursor, Space space, bool is_extern);

/// `( .param ..., .param ... )`; of a function also `( .reg ..., .reg ... )`.
[[nodiscard]] std::vector<Declared> parse_params(Cursor& cursor, bool in_registers);

/// Skips linking directives and attributes, which change nothing here. Returns true where `.extern`
/// was among them.
bool skip_linking(Cursor& cursor);

// instructions.cpp

/// Parses an instruction up to and including its ';', and appends it to the function. One that the
/// model has no semantics for is appended as kTrap and, if it is the function's first such one,
/// recorded as its refusal. Throws an input error where the text is malformed.
void parse_instruction(Cursor& cursor, Scopes& scopes, const Module& module, Function& function,
                       const Where& where);

// operands.cpp

/// The special register `%tid.x` and the like; `name` begins with '%'.
struct SpecialRow {
  std::string_view name;
  Special special;
  Type type;
  bool is_vector;  ///< needs .x, .y, .z or .w
};
[[nodiscard]] const SpecialRow* find_special(std::string_view name);

/// Parses an operand; a literal becomes a constant of type `literal`. Throws an input error for an
/// unknown name or malformed text.
[[nodiscard]] Operand parse_operand(Cursor& cursor, Scopes& scopes, Type literal);

// calls.cpp

/// A value that a function gets or gives in a register, or as a constant: it moves through a .param
/// variable, as all others do.
struct Passed {
  Operand value;
  Type type = Type::kB32;
  Home home = Home::kLocal;
  std::uint32_t variable = kNoIndex;
  /// kLd: from the variable into the register. kSt: the other way.
  [[nodiscard]] Instruction move(Op op) const;
};

/// Adds `move` where `beside` is, under its guard.
void add_move(Function& function, Instruction move, const Instruction& beside);

/// `(results), callee, (arguments), prototype;` after `call`: adds it to the function, with moves
/// before and after it where registers and constants are passed. `call` has its guard.
void parse_call(Cursor& cursor, Scopes& scopes, const Module& module, Function& function,
                Instruction call);

/// `name: .branchtargets A, B;`, `.callprototype` and `.calltargets`, at the dot.
void parse_labelled_directive(Cursor& cursor, Scopes& scopes, Function& function,
                              const Token& name);

}  // namespace lab::ptx
