// One operand of an instruction, as written: `%r1`, `[%rd2+4]`, `{%f1, %f2}`, `%r1|%p2`, `!%p1`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/ptx/cursor.h"
#include "harness/ptx/module.h"
#include "harness/ptx/scope.h"

namespace lab::ptx {

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

}  // namespace lab::ptx
