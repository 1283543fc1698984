#include "harness/core/chip.h"

#include <algorithm>
#include <array>

namespace lab {
namespace {

// GA100, GH100 and GB100 have HBM.
constexpr std::array<std::string_view, 4> kHbm = {"sm_80", "sm_90", "sm_100", "sm_103"};

}  // namespace

std::uint32_t dram_fetch_bytes(std::string_view arch) {
  if (!arch.empty() && arch.back() == 'a') arch.remove_suffix(1);
  return std::find(kHbm.begin(), kHbm.end(), arch) == kHbm.end() ? 32 : 64;
}

}  // namespace lab
