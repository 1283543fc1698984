// How GPUs of each compute capability serve a warp's access: transactions of global memory, passes
// of shared memory. Rules of the CUDA C Programming Guide, in its versions 1.0 to 13 (chapters on
// compute capabilities); those of 7.x and later are the ones that the other labs use.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lab::labs {

/// The byte address that each lane uses; empty: the lane is off.
using Pattern = std::array<std::optional<std::uint64_t>, 32>;

struct Transaction {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  friend bool operator==(const Transaction&, const Transaction&) = default;
};

/// One generation's rule of coalescing.
struct GlobalRule {
  std::string_view capability;  ///< such as "1.2, 1.3"
  std::string_view text;
  /// For accesses of 4, 8 or 16 bytes per lane, each aligned to its width.
  std::vector<Transaction> (*transactions)(const Pattern& pattern, std::uint32_t width);
};
[[nodiscard]] const std::vector<GlobalRule>& global_rules();

/// One generation's rule of shared-memory banks.
struct SharedRule {
  std::string_view capability;
  std::string_view text;
  /// Passes that a load takes; 1 is the least that there is for 4 bytes per lane.
  int (*passes)(const Pattern& pattern, std::uint32_t width);
};
[[nodiscard]] const std::vector<SharedRule>& shared_rules();

/// The cost of a load with this pattern from shared memory, on 5.x and later.
struct BankCost {
  int wavefronts = 0;       ///< by the hardware
  int wavefronts_sass = 0;  ///< as counters by instruction patching see it
  int groups = 0;           ///< wavefronts of a pattern with the same lanes and no conflict
};
[[nodiscard]] BankCost bank_cost(const Pattern& pattern, std::uint32_t width);

/// The six figures of lab 9, for elements of `width` bytes.
[[nodiscard]] Pattern figure(int number, std::uint32_t width);

/// Distinct bytes that the lanes ask for.
[[nodiscard]] std::uint64_t asked_bytes(const Pattern& pattern, std::uint32_t width);

/// Distinct units of `unit` bytes that the lanes touch.
[[nodiscard]] std::uint64_t touched_units(const Pattern& pattern, std::uint32_t width,
                                          std::uint32_t unit);

/// Bytes that the transactions move and no lane asked for.
[[nodiscard]] std::uint64_t wasted(const std::vector<Transaction>& transactions,
                                   const Pattern& pattern, std::uint32_t width);

}  // namespace lab::labs
