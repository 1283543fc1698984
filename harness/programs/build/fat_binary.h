// Device code in a program that nvcc or clang made: PTX and machine code for several architectures,
// mostly packed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lab::program {

struct DeviceCode {
  enum class Kind : std::uint8_t { kPtx, kMachineCode };
  Kind kind = Kind::kPtx;
  std::uint32_t arch = 0;  ///< 90
  std::string bytes;
};

/// The device code of one of a program's files. Code that cannot be unpacked has no bytes.
struct FatBinary {
  std::uint64_t at = 0;  ///< byte of the section
  std::vector<DeviceCode> codes = {};
};

/// All of them in a program's section, in its order. Throws an input error where they unpack to
/// more than 256 MiB together.
[[nodiscard]] std::vector<FatBinary> fat_binaries(std::string_view section);

}  // namespace lab::program
