// How a handler finds the bytes that a memory instruction moves, and counts the access on the way.
// The fast path does not look at single lanes; what it cannot decide goes lane by lane.
#pragma once

#include <array>
#include <cstdint>

#include "harness/model/code/site.h"
#include "harness/model/execute/block.h"
#include "harness/model/execute/isa.h"
#include "harness/model/execute/warp.h"

namespace lab::model {

/// Where the lanes' data lie. Lanes whose access is out of bounds or misaligned have none.
struct LanePointers {
  std::array<std::byte*, kLanes> at{};
  std::uint32_t good = 0;
};

/// Analyses the addresses (an array of 32) of the lanes in `mask` and makes theirs the site's
/// pattern. Slow path of find_pattern.
Pattern* recall(Warp& warp, SiteState& site, std::uint32_t mask, const std::uint64_t* address);

/// Makes the allocation around [start, start + span) the site's. Returns false where there is none.
bool resolve_global(const Warp& warp, SiteState& site, std::uint64_t start, std::uint64_t span,
                    bool write);

/// Looks at each lane on its own and reports those that are out of bounds or misaligned.
/// `address` are the lanes' addresses without the site's offset.
LanePointers resolve_lanes(Warp& warp, const Ins* ins, SiteState& site, std::uint32_t mask,
                           const std::uint64_t* address);

/// The same for lanes that reach shared memory through the cluster's addresses. Counted apart: they
/// do not access the block's own shared memory.
LanePointers resolve_mapped(Warp& warp, const Ins* ins, SiteState& site, std::uint32_t mask,
                            const std::uint64_t* address);

/// Reports what is wrong with one lane's access at `address`, the site's offset included.
void report_access(const Warp& warp, const Ins* ins, const SiteState& site, FindingKind kind,
                   unsigned lane, std::uint64_t address);

/// Counts an access to local memory.
void count_local(SiteState& site, std::uint32_t mask, const std::uint64_t* address);

/// Tells the block's observer of an access.
void observe(Warp& warp, SiteState& site, std::uint32_t mask, const std::uint64_t* address);

/// Marks the sectors of each lane. The lowest lane's data begin `start` bytes into the allocation.
void mark_lanes(Warp& warp, SiteState& site, const Pattern& pattern, std::uint64_t start);

inline namespace LAB_MODEL_ISA {

/// True where the lanes' addresses have the pattern's differences.
[[gnu::always_inline]] inline bool matches(const Pattern& pattern, std::uint32_t mask,
                                           const std::uint64_t* address, std::uint64_t base) {
  if (pattern.key.mask != mask) return false;
  const std::uint64_t* delta = pattern.key.delta.data();
  std::uint64_t differs = 0;
  if (mask == kAllLanes) {
    for (unsigned i = 0; i < kLanes; ++i) differs |= (address[i] - base) ^ delta[i];
  } else {
    for (unsigned i = 0; i < kLanes; ++i) {
      const std::uint64_t d = (address[i] - base) ^ delta[i];
      differs |= ((mask >> i) & 1U) != 0 ? d : 0;
    }
  }
  return differs == 0;
}

/// Adds an execution with pattern `p`, whose first active lane has address `base`.
template <bool kShared>
[[gnu::always_inline]] inline void count(SiteState& site, Pattern* p, std::uint64_t base) {
  ++site.uses;
  if constexpr (kShared) {
    if (p->key.bytes < 4) [[unlikely]] {
      ++site.phase_uses[base & 3U];
    }
  } else {
    const std::uint64_t begin = (base + site.cost_shift) & site.cost_mask;
    const GlobalCost* cost = &p->global[begin % kLineBytes];
    if (cost->sectors == 0) [[unlikely]] {
      cost = &p->global_cost(begin);
    }
    site.counts.sectors += cost->sectors;
    site.counts.lines += cost->lines;
  }
}

/// Marks sectors that a store or an atomic changes.
[[gnu::always_inline]] inline void mark_write(Warp& w, const SiteState& site, std::uint64_t from,
                                              std::uint64_t to) {
  if (site.atomic) {
    w.block->traffic.atomic(from, to);
  } else {
    w.block->traffic.store(from, to);
  }
}

/// Prefetches the memory that this warp will want next if it moves by the same step as the last
/// time, be that in a loop or from block to block. Rows of a matrix are pages apart, and the
/// processor's own prefetchers do not follow such steps.
[[gnu::always_inline]] inline void prefetch_next(Warp& w, const SiteState& site, const Pattern& p,
                                                 std::uint64_t offset) {
  constexpr std::uint64_t kCacheLine = 64;
  std::uint64_t& last = site.last[w.index];
  const std::uint64_t next = offset + (offset - last);
  last = offset;
  if (next == offset || next >= site.bytes) return;
  const std::byte* from = site.host + next;
  for (std::uint32_t r = 0; r < p.run_count; ++r) {
    const std::byte* run = from + p.runs[r].begin;
    for (std::uint64_t at = 0; at < p.runs[r].bytes; at += kCacheLine) __builtin_prefetch(run + at);
    __builtin_prefetch(run + p.runs[r].bytes - 1);
  }
}

/// Tells followers whether they may rely on this leader's execution: see SiteState::group_safe.
[[gnu::always_inline]] inline void prepare_group(const Warp& w, SiteState& site, const Pattern& p,
                                                 std::uint32_t mask, std::uint64_t lane0) {
  const Site& fixed = *site.site;
  if (fixed.followers.empty()) return;
  const Block& block = *w.block;
  const std::uint64_t base = lane0 + p.low;
  const std::uint64_t first = base + static_cast<std::uint64_t>(fixed.lowest);
  const std::uint64_t last = base + static_cast<std::uint64_t>(fixed.highest) + p.span;
  // Offsets further apart than the memory is wide would wrap `last` around to a small number.
  const std::uint64_t reach =
      static_cast<std::uint64_t>(fixed.highest) - static_cast<std::uint64_t>(fixed.lowest);
  const bool narrow = reach <= block.shared_bytes && p.span <= block.shared_bytes;
  const bool aligned = ((lane0 | p.low_bits | fixed.offset_bits) & site.alignment) == 0;
  site.group_safe = block.observer == nullptr && !p.transient && p.key.mask == mask && aligned &&
                    narrow && first <= last && last <= block.shared_bytes;
  site.group_base = base;
  site.group_uses += site.group_safe ? 1U : 0U;
}

/// Counts the access of the lanes in `mask` and finds where it is: the pattern, and the byte at the
/// lowest address. That is null where the lanes must be looked at one by one.
struct Placed32 {
  Pattern* pattern;
  std::byte* host;
};
template <bool kShared, bool kWrite, bool kFollower>
[[gnu::always_inline]] inline Placed32 place(Warp& w, const Ins* ins, SiteState& site,
                                             std::uint32_t mask, const std::uint64_t* address) {
  const auto first = static_cast<unsigned>(__builtin_ctz(mask));
  const std::uint64_t lane0 = address[first];
  Pattern* p = site.pattern;
  if constexpr (kFollower) {
    // Same registers, same mask: the pattern is the one its leader just met.
    Pattern* const met = w.sites[ins->block].pattern;
    if (met != p) [[unlikely]] {
      if (met->transient) {
        p = recall(w, site, mask, address);
      } else {
        site.flush();
        p = met;
        site.pattern = met;
      }
    }
  } else if (p == nullptr || !matches(*p, mask, address, lane0)) [[unlikely]] {
    p = recall(w, site, mask, address);
  }
  if (p->key.mask != mask) [[unlikely]] {
    site.count_other_lanes(mask);
  }
  if constexpr (kShared && !kWrite && !kFollower) prepare_group(w, site, *p, mask, lane0);
  const std::uint64_t base = lane0 + ins->imm;
  count<kShared>(site, p, base);
  if (w.block->observer != nullptr) [[unlikely]] {
    observe(w, site, mask, address);
  }
  const std::uint64_t start = base + p->low;
  if (((base | p->low_bits) & site.alignment) != 0) [[unlikely]] {
    return {p, nullptr};
  }
  if constexpr (kShared) {
    const Block& block = *w.block;
    if (start > block.shared_bytes || p->span > block.shared_bytes - start) [[unlikely]] {
      return {p, nullptr};
    }
    return {p, block.shared + start};
  } else {
    std::uint64_t offset = start - site.low;
    if (offset > site.bytes || p->span > site.bytes - offset) [[unlikely]] {
      if (!resolve_global(w, site, start, p->span, kWrite)) return {p, nullptr};
      offset = start - site.low;
    }
    if (site.marks) {
      prefetch_next(w, site, *p, offset);
      if (p->run_count == 0) mark_lanes(w, site, *p, offset);
      for (std::uint32_t r = 0; r < p->run_count; ++r) {
        const std::uint64_t begin = offset + p->runs[r].begin;
        const std::uint64_t from = site.first_sector + begin / kSectorBytes;
        const std::uint64_t to = site.first_sector + (begin + p->runs[r].bytes - 1) / kSectorBytes;
        if constexpr (kWrite) {
          mark_write(w, site, from, to);
        } else {
          w.block->traffic.read(from, to);
        }
      }
    }
    return {p, site.host + offset};
  }
}

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
