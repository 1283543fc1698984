// What a process has used of the machine, as proc(5) tells it.
#pragma once

#include <cstdint>
#include <optional>

namespace lab::grade {

/// The most memory, in bytes, that a process has had at once. Empty where the process is gone.
[[nodiscard]] std::optional<std::uint64_t> peak_memory(int pid);

}  // namespace lab::grade
