// Functions that the device runtime library defines: printf and assert.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "harness/kernel/ptx/module.h"
#include "harness/model/code/instruction.h"

namespace lab::model {

/// The handler of a call of `function`, or null where it is not modelled or declared with other
/// parameters. Ins::extra is the call, whose arguments and results say where they lie in local
/// memory.
[[nodiscard]] Handler builtin_handler(const ptx::Function& function);
/// A replacement to suggest for a call of `function`, which the runtime library defines and the
/// model does not; empty for other functions.
[[nodiscard]] std::string_view builtin_advice(std::string_view function);

/// The text that printf(format, ...) prints: CUDA C++ Programming Guide, "Formatted Output".
/// `arguments` are the promoted values as the compiler lays them out: 4 bytes for int, 8 for long,
/// double and pointers, each aligned to its size. A %s argument is an address that `string_at`
/// reads. Conversions with no argument left are printed as they are.
[[nodiscard]] std::string format_device(std::string_view format, std::string_view arguments,
                                        const std::function<std::string(std::uint64_t)>& string_at);

/// Bytes of the arguments that `format` converts, from the first to the last one's end.
[[nodiscard]] std::uint64_t argument_bytes(std::string_view format);

}  // namespace lab::model
