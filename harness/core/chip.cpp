#include "harness/core/chip.h"

#include <algorithm>
#include <array>

namespace lab {
namespace {

// GA100, GH100 and GB100 have HBM.
constexpr std::array<std::string_view, 4> kHbm = {"sm_80", "sm_90", "sm_100", "sm_103"};

}  // namespace

std::string_view plain_arch(std::string_view arch) {
  return arch.substr(0, arch.find_last_not_of("af") + 1);
}

std::uint32_t dram_fetch_bytes(std::string_view arch) {
  return std::find(kHbm.begin(), kHbm.end(), plain_arch(arch)) == kHbm.end() ? 32 : 64;
}

}  // namespace lab
