// What compilers pack device code with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lab::program {

/// A block of LZ4 (no frame around it). Empty: it is damaged, or more than `most` bytes.
[[nodiscard]] std::optional<std::string> unpack_lz4(std::string_view packed, std::uint64_t most);

/// A frame of Zstandard, by the system's own library. Empty: it is damaged, more than `most` bytes,
/// or there is no such library.
[[nodiscard]] std::optional<std::string> unpack_zstd(std::string_view packed, std::uint64_t most);

/// Opens that library, for a process that may open nothing later.
void prepare_unpacking();

}  // namespace lab::program
