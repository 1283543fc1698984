// The device's printf: CUDA C++ Programming Guide, "Formatted Output".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace lab::model {

/// What `format` prints. `arguments` are the promoted values as the compiler lays them out: 4 bytes
/// for int, 8 for long, double and pointers, each aligned to its size. A %s argument is an address
/// that `string_at` reads. Conversions that run out of arguments print as they stand.
[[nodiscard]] std::string format_device(std::string_view format, std::string_view arguments,
                                        const std::function<std::string(std::uint64_t)>& string_at);

}  // namespace lab::model
