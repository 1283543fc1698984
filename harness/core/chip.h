// Facts about a chip that formulas and the model need.
#pragma once

#include <cstdint>
#include <string_view>

namespace lab {

/// Kernels are compiled for this architecture unless the user or the GPU says otherwise.
constexpr std::string_view kDefaultArch = "sm_90";

/// Without the letter of a variant: sm_90a is sm_90 with what that one chip has.
[[nodiscard]] std::string_view plain_arch(std::string_view arch);

/// How many bytes DRAM reads at once on a chip of this architecture (sm_90): 64 where it is HBM, 32
/// elsewhere. Measured on an H200, where a lone sector costs 64 bytes; taken to hold for other HBM.
[[nodiscard]] std::uint32_t dram_fetch_bytes(std::string_view arch);

}  // namespace lab
