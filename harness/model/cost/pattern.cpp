#include "harness/model/cost/pattern.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "harness/model/cost/levels.h"

namespace lab::model {
namespace {

// Far from 0, so that the addresses of lanes below the first one do not wrap around.
constexpr std::uint64_t kFar = std::uint64_t{1} << 60U;
// More than any memory has.
constexpr std::uint64_t kWidest = std::uint64_t{1} << 62U;

/// The lanes' addresses where the first active lane's is `base`.
WarpAccess access_at(const PatternKey& key, std::uint64_t base) {
  WarpAccess access;
  access.mask = key.combined ? key.mask & (~key.mask + 1U) : key.mask;
  access.bytes = key.cost_bytes;
  for (unsigned lane = 0; lane < kLanes; ++lane) access.address[lane] = base + key.delta[lane];
  return access;
}

bool is_shared_atomic(CostRule rule) {
  return rule == CostRule::kSharedAtomic || rule == CostRule::kSharedCount ||
         rule == CostRule::kSharedSwap || rule == CostRule::kSharedFloatAdd;
}

LAB_ALL_LEVELS
void measure_extent(Pattern& pattern) {
  const PatternKey& key = pattern.key;
  std::uint64_t bits = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {  // inactive lanes' are 0, as the first one's
    const auto delta = static_cast<std::int64_t>(key.delta[lane]);
    bits |= key.delta[lane];
    low = std::min(low, delta);
    high = std::max(high, delta);
  }
  pattern.low_bits = bits;
  pattern.low = static_cast<std::uint64_t>(low);
  // Lanes almost 2^64 bytes apart fit no memory; their span must not wrap around to a small one.
  const std::uint64_t between = static_cast<std::uint64_t>(high) - pattern.low;
  pattern.span = between > kWidest ? kWidest : between + key.bytes;
}

/// Whether all lanes are active, and no two in one line: as those of a gather that are far apart.
/// The lowest lane's data begin `phase` bytes into their line.
LAB_ALL_LEVELS
bool in_lines_of_their_own(const Pattern& pattern, std::uint64_t phase) {
  const PatternKey& key = pattern.key;
  if (key.mask != kAllLanes || pattern.span > UINT32_MAX) return false;
  std::array<std::uint32_t, kLanes> lines;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    lines[lane] = static_cast<std::uint32_t>((key.delta[lane] - pattern.low + phase) / kLineBytes);
  }
  return all_differ(lines);
}

void find_runs(Pattern& pattern) {
  const PatternKey& key = pattern.key;
  std::vector<std::uint64_t> starts;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (((key.mask >> lane) & 1U) != 0) starts.push_back(key.delta[lane] - pattern.low);
  }
  std::sort(starts.begin(), starts.end());
  std::uint32_t count = 0;
  for (const std::uint64_t start : starts) {
    Pattern::Run& last = pattern.runs[count == 0 ? 0 : count - 1];
    if (count > 0 && start <= last.begin + last.bytes) {
      last.bytes = std::max(last.bytes, start + key.bytes - last.begin);
    } else if (count < pattern.runs.size()) {
      pattern.runs[count++] = {start, key.bytes};
    } else {
      return;  // run_count stays 0
    }
  }
  pattern.run_count = count;
}

Layout layout_of(const Pattern& pattern) {
  const PatternKey& key = pattern.key;
  if (pattern.span == key.bytes) return Layout::kBroadcast;
  if (key.mask == kAllLanes) {
    bool contiguous = true;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      contiguous = contiguous && key.delta[lane] == std::uint64_t{lane} * key.bytes;
    }
    if (contiguous) return Layout::kContiguous;
  }
  const bool words = key.bytes == 4 && (pattern.low_bits & 3U) == 0;
  return words && pattern.span <= kLineBytes ? Layout::kWindow : Layout::kGeneral;
}

std::uint64_t hash_of(const PatternKey& key) {
  // Multiplies and rotates word by word. Keys with equal hashes are compared afterwards.
  std::uint64_t hash =
      key.mask | (std::uint64_t{key.bytes} << 32U) | (std::uint64_t{key.cost_bytes} << 40U) |
      (static_cast<std::uint64_t>(key.rule) << 48U) | (std::uint64_t{key.combined} << 56U);
  for (const std::uint64_t delta : key.delta) {
    hash = std::rotl((hash ^ delta) * 0x9e3779b97f4a7c15U, 23);
  }
  return hash;
}

}  // namespace

Pattern analyse(const PatternKey& key, bool transient) {
  Pattern pattern;
  pattern.transient = transient;
  pattern.key = key;
  measure_extent(pattern);
  pattern.layout = layout_of(pattern);
  if (is_shared(key.rule)) {
    // Addresses move by multiples of the access's width, so only narrow accesses can shift within a
    // word.
    const unsigned step = std::max<unsigned>(key.bytes, 1);
    for (unsigned base = 0; base < 4; base += step) {
      pattern.shared[base] = bank_cost(key.rule, access_at(key, kFar + base));
    }
  }
  pattern.distinct_bytes = distinct_bytes(access_at(key, kFar));
  const bool by_lane =
      (is_shared_atomic(key.rule) || key.rule == CostRule::kGlobalAtomic) && !key.combined;
  pattern.one_address = pattern.layout == Layout::kBroadcast && !by_lane;
  if (!transient) find_runs(pattern);
  if (pattern.layout == Layout::kWindow) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (((key.mask >> lane) & 1U) == 0) continue;
      pattern.word[lane] = static_cast<std::uint32_t>((key.delta[lane] - pattern.low) / 4);
    }
  }
  return pattern;
}

void analyse_once(Pattern& pattern, std::uint64_t base) {
  const PatternKey& key = pattern.key;
  measure_extent(pattern);
  const bool aligned = ((key.bytes - 1U) & (base | pattern.low_bits)) == 0;
  const bool plain = key.rule == CostRule::kGlobal && key.bytes == key.cost_bytes && !key.combined;
  if (!plain || !aligned) {
    pattern = analyse(PatternKey(key), true);
    return;
  }
  pattern.transient = true;
  // A key before it may have had one address, and a base that is not aligned.
  pattern.layout = Layout::kGeneral;
  pattern.one_address = false;
  Coverage covered{kLanes, kLanes, kLanes * key.bytes};
  if (!in_lines_of_their_own(pattern, (base + pattern.low) % kLineBytes)) {
    covered = coverage(access_at(key, kFar + base % kLineBytes));
  }
  pattern.distinct_bytes = covered.bytes;
  pattern.global = {};
  pattern.global[base % kLineBytes] = {static_cast<std::uint8_t>(covered.sectors),
                                       static_cast<std::uint8_t>(covered.lines)};
}

const GlobalCost& Pattern::global_cost(std::uint64_t base) noexcept {
  GlobalCost& cost = global[base % kLineBytes];
  if (cost.sectors == 0) {
    const WarpAccess access = access_at(key, kFar + base % kLineBytes);
    const bool atomic = key.rule == CostRule::kGlobalAtomic;
    cost.sectors = static_cast<std::uint8_t>(atomic ? atomic_sectors(access) : sectors(access));
    cost.lines = static_cast<std::uint8_t>(lines(access));
  }
  return cost;
}

Pattern* PatternTable::intern(const PatternKey& key) {
  const std::uint64_t hash = hash_of(key);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (at->second->key == key) return at->second.get();
  }
  if (by_hash_.size() >= kMost) return nullptr;
  return by_hash_.emplace(hash, std::make_unique<Pattern>(analyse(key)))->second.get();
}

}  // namespace lab::model
