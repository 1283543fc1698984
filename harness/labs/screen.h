// [screen], [goal] and `picture` of a lab's file: what people see of it unless they ask for more.
#pragma once

#include <functional>
#include <string>

#include "harness/core/lab.h"
#include "harness/labs/scope.h"
#include "harness/labs/toml/table.h"

namespace lab::labs {

/// The screen that `table` describes. `lab` has its variants, `scope_of` gives the names of one's
/// formulas. Throws an input error with its place.
[[nodiscard]] Screen read_screen(const TomlTable& table, const Lab& lab,
                                 const std::function<Scope(const std::string&)>& scope_of);

/// [goal]: what a student's kernel is measured by.
[[nodiscard]] Goal read_goal(const TomlTable& table, const Lab& lab);

/// `picture`: the case that a lab's commands look at.
[[nodiscard]] Picture read_picture(const TomlTable& table, const Lab& lab);

}  // namespace lab::labs
