// Variables and parameters: `.global .align 4 .b8 table[16] = {0, 1};`, `.param .u64 n`.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "harness/ptx/cursor.h"
#include "harness/ptx/module.h"

namespace lab::ptx {

/// A declared variable and the token of its name.
struct Declared {
  Variable variable;
  Token name;
};

/// The space a directive (with no dot) declares: global, const, shared, local, param.
[[nodiscard]] std::optional<Space> declared_space(std::string_view directive);

/// Behind `.global`, `.param` and so on: variables of one type, up to and with the ';'.
[[nodiscard]] std::vector<Declared> parse_variables(Cursor& cursor, Space space, bool is_extern);

/// `( .param ..., .param ... )`
[[nodiscard]] std::vector<Declared> parse_params(Cursor& cursor);

/// Skips linking and attributes that change nothing here; true where `.extern` was among them.
bool skip_linking(Cursor& cursor);

}  // namespace lab::ptx
