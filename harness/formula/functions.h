// The functions of the language of formulas: a table with what each takes, means and is derived
// from.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "harness/formula/value.h"

namespace lab::language {

struct Function {
  std::string_view name;
  std::string_view parameters;  ///< such as "n, s, b, first = 0"; those with `=` may be left out
  std::string_view gives;       ///< `number`, `access` or `region`
  std::string_view meaning;     ///< a warp's lanes, or what is worked out: one sentence
  std::string_view derivation;  ///< how it is counted; empty: by the meaning alone
  std::size_t least;            ///< arguments
  std::size_t most;
  Value (*make)(const std::vector<Value>& arguments);
};

/// All of them, numbers first, in the order in which a page shows them.
[[nodiscard]] std::span<const Function> functions();

/// Null where there is none.
[[nodiscard]] const Function* find_function(std::string_view name);

}  // namespace lab::language
