// Functions that the device runtime library defines: printf and assert.
#pragma once

#include <string>
#include <string_view>

#include "harness/model/instruction.h"

namespace lab::model {

/// The handler of a call of `function`, or null where it is not modelled. Ins::extra is the call,
/// whose arguments and results say where they lie in local memory.
[[nodiscard]] Handler builtin_handler(const std::string& function);
/// What to write instead of a call of `function`, which the runtime library defines and the model
/// does not; empty for other functions.
[[nodiscard]] std::string_view builtin_advice(std::string_view function);

}  // namespace lab::model
