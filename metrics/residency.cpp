#include "metrics/residency.h"

#include <algorithm>

#include "harness/core/chip.h"

namespace lab::metrics {

namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
struct Sm {
  std::string_view arch;
  std::uint64_t warps;
  std::uint64_t blocks;
  std::uint64_t shared_bytes;
  std::uint64_t reserved;  ///< of each block's shared memory, by the system
};
constexpr std::uint64_t kKib = 1024;
constexpr Sm kSms[] = {
    {"sm_75", 32, 16, 64 * kKib, 0},      {"sm_80", 64, 32, 164 * kKib, kKib},
    {"sm_86", 48, 16, 100 * kKib, kKib},  {"sm_87", 48, 16, 164 * kKib, kKib},
    {"sm_89", 48, 24, 100 * kKib, kKib},  {"sm_90", 64, 32, 228 * kKib, kKib},
    {"sm_100", 64, 32, 228 * kKib, kKib}, {"sm_120", 48, 24, 100 * kKib, kKib},
};
constexpr std::uint64_t kLanes = 32;
// All of them have 64 Ki registers, given to warps in portions of 256, a quarter of the SM each.
constexpr std::uint64_t kRegisters = 64 * kKib;
constexpr std::uint64_t kRegisterUnit = 256;
constexpr std::uint64_t kQuarters = 4;
constexpr std::uint64_t kSharedUnit = 128;

std::uint64_t up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit; }

}  // namespace

std::uint64_t resident_blocks(const BlockNeeds& needs, std::string_view arch) {
  const auto* sm = std::find_if(std::begin(kSms), std::end(kSms),
                                [&](const Sm& one) { return one.arch == plain_arch(arch); });
  if (sm == std::end(kSms) || needs.threads == 0) return 0;
  const std::uint64_t warps = up(needs.threads, kLanes);
  std::uint64_t blocks = std::min(sm->blocks, sm->warps / warps);
  if (needs.registers > 0) {
    const std::uint64_t each = up(needs.registers * kLanes, kRegisterUnit) * kRegisterUnit;
    blocks = std::min(blocks, kRegisters / kQuarters / each * kQuarters / warps);
  }
  const std::uint64_t shared = up(needs.shared_bytes + sm->reserved, kSharedUnit) * kSharedUnit;
  return shared == 0 ? blocks : std::min(blocks, sm->shared_bytes / shared);
}

}  // namespace lab::metrics
