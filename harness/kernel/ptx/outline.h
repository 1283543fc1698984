// Which functions and variables a PTX text declares, and which names their bodies use. For those
// who need a kernel's names and not its meaning: a text that parse() refuses, such as one of a
// newer ISA that only the driver knows, has an outline too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/kernel/ptx/opcode.h"

namespace lab::ptx {

/// Views are into the text that it was made of.
struct Outline {
  struct Function {
    std::string_view name;
    bool is_entry = false;
    std::string_view text = {};                ///< from .entry or .func to before its last brace
    std::vector<std::string_view> words = {};  ///< of its body; empty: it is declared alone
  };
  struct Variable {
    std::string_view name;
    Space space = Space::kGlobal;
    bool is_extern = false;
  };
  std::vector<Function> functions;
  std::vector<Variable> variables;  ///< the module's own

  /// Null where no entry has this (mangled) name.
  [[nodiscard]] const Function* find_entry(std::string_view name) const;
  /// Whether the body of this entry has the word, or that of a function where the entry calls one:
  /// any function, since a call may go through a pointer.
  [[nodiscard]] bool may_use(std::string_view entry, std::string_view word) const;
};

/// Throws an input error at a character that no token starts with; `name` is for its message.
[[nodiscard]] Outline outline(std::string_view text, std::string name = "the PTX");

/// The (mangled) names of all .entry functions, in the order of the text.
[[nodiscard]] std::vector<std::string> entry_names(std::string_view text,
                                                   std::string name = "the PTX");

}  // namespace lab::ptx
