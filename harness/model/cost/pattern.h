// Access patterns: the mask and the address differences of one warp's access. What an access costs
// follows from its pattern and, for global memory, the base address modulo 128; so each pattern is
// analysed once and remembered. Nothing is approximated.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "harness/model/cost/rules.h"

namespace lab::model {

/// How the lanes' data lie in memory.
enum class Layout : std::uint8_t {
  kGeneral,
  kContiguous,  ///< all 32 lanes, lane i at base + i * bytes
  kBroadcast,   ///< one address
  kWindow,      ///< 4-byte lanes within 128 bytes from the lowest address, all 4-byte aligned to it
};

struct GlobalCost {
  std::uint8_t sectors = 0;  ///< 0: not computed yet
  std::uint8_t lines = 0;
};

/// Identifies a pattern. `delta[i]` is lane i's address minus the first active lane's, modulo 2^64;
/// 0 for inactive lanes.
struct PatternKey {
  std::uint32_t mask = 0;
  std::uint8_t bytes = 4;       ///< of one lane's access
  std::uint8_t cost_bytes = 4;  ///< the same in the machine code, which may have merged accesses
  CostRule rule = CostRule::kGlobal;
  bool combined = false;  ///< all lanes together are counted as one lane's access
  std::array<std::uint64_t, kLanes> delta{};

  friend bool operator==(const PatternKey&, const PatternKey&) = default;
};

struct Pattern {
  PatternKey key;
  Layout layout = Layout::kGeneral;
  bool transient = false;  ///< overwritten when its site meets another pattern
  /// All lanes have one address, and the cost does not depend on how many lanes there are.
  bool one_address = false;
  /// The bytes touched, as up to four runs without gaps, lowest first. Empty where four are not
  /// enough.
  struct Run {
    std::uint64_t begin = 0;  ///< from the lowest address
    std::uint64_t bytes = 0;
  };
  std::array<Run, 4> runs{};
  std::uint32_t run_count = 0;
  std::uint32_t distinct_bytes = 0;
  std::uint64_t low = 0;       ///< smallest address minus the first active lane's, modulo 2^64
  std::uint64_t span = 0;      ///< bytes from the lowest address to the end of the highest access
  std::uint64_t low_bits = 0;  ///< all deltas or-ed: their alignment
  /// Shared: by (base modulo 4); accesses of 4 bytes and more use the first alone.
  std::array<BankCost, 4> shared{};
  /// kWindow: which 4-byte word, counted from the lowest address, each lane reads.
  std::array<std::uint32_t, kLanes> word{};
  /// Global: by (base modulo 128), filled as met.
  std::array<GlobalCost, kLineBytes> global{};

  /// Where active `lane` accesses, in bytes from the lowest address. Never negative, though a delta
  /// may stand for a negative number: to add one to a pointer would be undefined.
  [[nodiscard]] std::uint64_t from_lowest(unsigned lane) const noexcept {
    return key.delta[lane] - low;
  }

  /// The global cost of an access whose first active lane has address `base`.
  [[nodiscard]] const GlobalCost& global_cost(std::uint64_t base) noexcept;
};

/// Analyses `key`. A `transient` pattern, which is used only once, gets no runs.
[[nodiscard]] Pattern analyse(const PatternKey& key, bool transient = false);

/// Makes `pattern` that of its key for one access, whose first active lane has address `base`:
/// nothing is worked out that only repeats would need. But for the key it is as it was
/// default-made, or as an earlier call left it whose key had the same rule and widths.
void analyse_once(Pattern& pattern, std::uint64_t base);

/// The patterns one core has met. Patterns never move or die before the table does.
class PatternTable {
 public:
  /// The pattern of `key`, or null where it is not in the table and the table is full.
  [[nodiscard]] Pattern* intern(const PatternKey& key);
  [[nodiscard]] std::size_t size() const { return by_hash_.size(); }

 private:
  // Random gathers make a new pattern each time: keeping more than this would only cost memory.
  static constexpr std::size_t kMost = 4096;
  std::unordered_multimap<std::uint64_t, std::unique_ptr<Pattern>> by_hash_;
};

}  // namespace lab::model
