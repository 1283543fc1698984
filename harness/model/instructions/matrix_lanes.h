// Shared by the instructions on matrices: they take all lanes of a warp, and reach memory lane by
// lane.
#pragma once

#include <array>
#include <cstdint>

#include "harness/model/execute/block.h"
#include "harness/model/instructions/access.h"
#include "harness/model/memory/memory.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {

using LaneAddresses = std::array<std::uint64_t, kLanes>;

/// All 32 lanes are there, as .sync and .aligned promise. Otherwise reports it.
inline bool is_whole(const Warp& w, const Ins* ins) {
  if (w.mask == kAllLanes) return true;
  w.block->absent_lanes(w, ins, ~w.mask);
  return false;
}

/// The lanes' addresses without the site's offset; bit 0 of next_block: the register has 64 bits.
inline LaneAddresses addresses_in(const Warp& w, const Ins* ins, Slot slot) {
  LaneAddresses address{};
  const bool wide = (ins->next_block & 1U) != 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    address[i] = wide ? std::uint64_t{w.in<std::uint64_t>(slot)[i]}
                      : std::uint64_t{w.in<std::uint32_t>(slot)[i]};
  }
  return address;
}

template <bool kShared, bool kWrite>
inline LanePointers reach_in(Warp& w, const Ins* ins, SiteState& site, std::uint32_t mask,
                             const std::uint64_t* address) {
  const Placed32 at = place<kShared, kWrite, false>(w, ins, site, mask, address);
  if (at.host == nullptr) return resolve_lanes(w, ins, site, mask, address);
  LanePointers lanes;
  lanes.good = mask;
  for (unsigned i = 0; i < kLanes; ++i) lanes.at[i] = at.host + at.pattern->from_lowest(i);
  return lanes;
}

/// Counts and finds one access of the lanes in `mask`, which is not empty. The sites of a generic
/// address are those of global and shared memory; all lanes reach the space of the first one.
template <bool kWrite>
inline LanePointers reach(Warp& w, const Ins* ins, SiteState* sites, std::uint32_t mask,
                          LaneAddresses address) {
  const ptx::Space space = sites[0].site->space;
  const bool generic = (ins->next_block & 2U) != 0;
  const std::uint64_t first = address[static_cast<unsigned>(__builtin_ctz(mask))] + ins->imm;
  if (generic && first - kSharedWindow < kWindowBytes) {
    for (std::uint64_t& at : address) at -= kSharedWindow;
    return reach_in<true, kWrite>(w, ins, sites[1], mask, address.data());
  }
  if (space == ptx::Space::kShared) {
    return reach_in<true, kWrite>(w, ins, sites[0], mask, address.data());
  }
  return reach_in<false, kWrite>(w, ins, sites[0], mask, address.data());
}

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
