// A compilation's result as bytes: what the disk cache keeps, and what a compiler in a process of
// its own sends back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/core/compiled.h"
#include "harness/core/error.h"

namespace lab::compile {

/// A list of strings as bytes: their number and each string behind its length, all numbers as 8
/// bytes, least significant first. {"a", ""} is 2, 1, 'a', 0: 25 bytes.
[[nodiscard]] std::string encode(const Compiled& compiled);
/// Empty where `bytes` are not a whole result. What is not kept: `seconds`,
/// `from_cache` and the hashes.
[[nodiscard]] std::optional<Compiled> decode_compiled(std::string_view bytes);

/// Without its place, which errors of the compiler do not have.
[[nodiscard]] std::string encode(const Error& error);
[[nodiscard]] std::optional<Error> decode_error(std::string_view bytes);

}  // namespace lab::compile
