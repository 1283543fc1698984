// [screen] of a lab's file: what `lab run` shows of it on one screen.
#pragma once

#include <functional>
#include <string>

#include "harness/core/lab.h"
#include "harness/labs/scope.h"
#include "harness/toml/table.h"

namespace lab::labs {

/// The screen that `table` describes. `lab` has its variants, `scope_of` gives the names of one's
/// formulas. Throws an input error with its place.
[[nodiscard]] Screen read_screen(const TomlTable& table, const Lab& lab,
                                 const std::function<Scope(const std::string&)>& scope_of);

}  // namespace lab::labs
