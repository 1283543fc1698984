// The host's part of a CUDA program, for a compiler of host code: kernels and device functions are
// declared, and what they do is left out.
#pragma once

#include <string>
#include <string_view>

#include "harness/kernel/compile/source/macros.h"

namespace lab::source {

/// `text` with empty bodies in place of those that no host runs. Functions of both sides, constant
/// expressions and what macros make stay whole. Every line stays where it is.
[[nodiscard]] std::string without_device_bodies(std::string_view text, const Macros& macros);

}  // namespace lab::source
