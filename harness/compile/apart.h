// A compilation in a process of its own: NVRTC 11.8 crashes on some sources, and takes with it the
// process it is in.
#pragma once

#include <functional>
#include <optional>

#include "harness/core/compiled.h"

namespace lab::compile {

/// Runs `compile` in a copy of this process and gives its result; an Error that it throws is thrown
/// here. Empty where the copy dies of it. Throws a machine error where no process can be made.
/// The copy has one thread, the caller's: `compile` may not wait for another.
/// `ending`, where given, gets the copy's status as waitpid(2) has it.
[[nodiscard]] std::optional<Compiled> compile_apart(const std::function<Compiled()>& compile,
                                                    int* ending = nullptr);

}  // namespace lab::compile
