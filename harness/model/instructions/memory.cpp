// ld and st: global, shared, local, constant and generic.
#include <array>
#include <cstdint>
#include <type_traits>

#include "harness/model/instructions/access.h"
#include "harness/model/instructions/copy_lanes.h"
#include "harness/model/instructions/handlers.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {
namespace {

using ptx::Space;
using ptx::Type;

/// The 32 addresses as 64-bit numbers; PTX may hold shared addresses in 32-bit registers.
template <typename A>
struct Addresses {
  alignas(64) std::array<std::uint64_t, kLanes> wide;
  [[gnu::always_inline]] Addresses(const Warp& w, Slot slot) {
    const auto* narrow = w.in<A>(slot);
    for (unsigned i = 0; i < kLanes; ++i) wide[i] = narrow[i];
  }
  [[nodiscard]] const std::uint64_t* data() const { return wide.data(); }
};
template <>
struct Addresses<std::uint64_t> {
  const std::uint64_t* lanes;
  // Whichever handler wrote an address register wrote 64-bit numbers.
  [[gnu::always_inline]] Addresses(const Warp& w, Slot slot)
      : lanes(reinterpret_cast<const std::uint64_t*>(w.in<std::uint64_t>(slot))) {}
  [[nodiscard]] const std::uint64_t* data() const { return lanes; }
};

template <bool kShared, bool kFollower, typename M, typename R, unsigned N>
[[gnu::always_inline]] inline void load_from(Warp& w, const Ins* ins, SiteState& site,
                                             std::uint32_t mask, const std::uint64_t* address) {
  const Registers<R, N> d(w, ins, site);
  const Placed32 at = place<kShared, false, kFollower>(w, ins, site, mask, address);
  if (at.host != nullptr) [[likely]] {
    load_memory<M, R, N>(w, d, mask, *at.pattern, at.host);
  } else {
    load_pointers<M, R, N>(d, mask, resolve_lanes(w, ins, site, mask, address));
  }
}

template <bool kShared, bool kFollower, typename M, typename R, unsigned N>
[[gnu::always_inline]] inline void store_to(Warp& w, const Ins* ins, SiteState& site,
                                            std::uint32_t mask, const std::uint64_t* address) {
  const Registers<R, N> s(w, ins, site);
  const Placed32 at = place<kShared, true, kFollower>(w, ins, site, mask, address);
  if (at.host != nullptr) [[likely]] {
    store_memory<M, R, N>(s, mask, *at.pattern, at.host);
  } else {
    store_pointers<M, R, N>(s, resolve_lanes(w, ins, site, mask, address));
  }
}

/// A direct access: the space is known, the address register's width is A.
template <bool kStore, bool kShared, bool kFollower, typename A, typename M, typename R, unsigned N>
const Ins* direct(const Ins* ins, Warp& w) noexcept {
  const Addresses<A> address(w, ins->a);
  SiteState& site = w.sites[ins->extra];
  if constexpr (kStore) {
    store_to<kShared, kFollower, M, R, N>(w, ins, site, w.mask, address.data());
  } else {
    load_from<kShared, kFollower, M, R, N>(w, ins, site, w.mask, address.data());
  }
  return ins + 1;
}

/// A load that follows a leader in shared memory. Where the leader has checked the bounds of the
/// whole group, it has counted this load too.
template <typename T>
const Ins* follow(const Ins* ins, Warp& w) noexcept {
  const SiteState& leader = w.sites[ins->block];
  if (!leader.group_safe) [[unlikely]] {
    return direct<false, true, true, std::uint64_t, T, T, 1>(ins, w);
  }
  const Registers<T, 1> d(w, ins, leader);
  load_memory<T, T, 1>(w, d, w.mask, *leader.pattern,
                       w.block->shared + leader.group_base + ins->imm);
  return ins + 1;
}

/// Moves one element of each lane between a register and memory; widths at run time.
template <bool kStore>
void move_element(Warp& w, Slot slot, const Site& site, std::uint32_t mask,
                  const LanePointers& lanes, unsigned element) {
  const std::size_t bytes = site.element_bytes;
  const std::size_t width = site.register_bytes;
  std::byte* registers = w.at(slot);
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(left));
    std::byte* at = lanes.at[i] == nullptr ? nullptr : lanes.at[i] + element * bytes;
    std::byte* value = registers + i * width;
    if constexpr (kStore) {
      if (at != nullptr) std::memcpy(at, value, bytes);
    } else {
      std::uint64_t bits = 0;
      if (at != nullptr) std::memcpy(&bits, at, bytes);
      if (site.is_signed && bytes < 8) {
        const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
        bits = (bits ^ sign) - sign;
      }
      std::memcpy(value, &bits, width);
    }
  }
}

/// An access of the lanes in `mask` to the site's space, with any element and register width.
template <bool kStore>
void access_any(Warp& w, const Ins* ins, SiteState& state, std::uint32_t mask,
                const std::uint64_t* address) {
  const Site& site = *state.site;
  LanePointers lanes;
  Placed32 at{nullptr, nullptr};
  if (site.space == Space::kLocal) {
    count_local(state, mask, address);
    if (w.block->observer != nullptr) observe(w, state, mask, address);
  } else if (site.space == Space::kShared) {
    at = place<true, kStore, false>(w, ins, state, mask, address);
  } else {
    at = place<false, kStore, false>(w, ins, state, mask, address);
  }
  if (at.host == nullptr) {
    lanes = resolve_lanes(w, ins, state, mask, address);
  } else {
    for (unsigned i = 0; i < kLanes; ++i) {
      lanes.at[i] = at.host + at.pattern->from_lowest(i);
    }
  }
  for (unsigned e = 0; e < site.elements; ++e) {
    move_element<kStore>(w, site.elements == 1 ? ins->d : site.registers[e], site, mask, lanes, e);
  }
}
template <bool kStore, typename A>
const Ins* any(const Ins* ins, Warp& w) noexcept {
  const Addresses<A> address(w, ins->a);
  access_any<kStore>(w, ins, w.sites[ins->extra], w.mask, address.data());
  return ins + 1;
}

/// Of the lanes in `mask`, those that reach shared memory through the cluster's addresses.
std::uint32_t mapped_lanes(const Ins* ins, std::uint32_t mask, const std::uint64_t* address) {
  std::uint32_t mapped = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint64_t at = address[i] + ins->imm;
    mapped |= std::uint32_t{at - kWindowBytes < kClusterBytes - kWindowBytes} << i;
  }
  return mask & mapped;
}
template <bool kStore>
void access_mapped(Warp& w, const Ins* ins, SiteState& state, std::uint32_t mask,
                   const std::uint64_t* address) {
  const Site& site = *state.site;
  const LanePointers lanes = resolve_mapped(w, ins, state, mask, address);
  for (unsigned e = 0; e < site.elements; ++e) {
    move_element<kStore>(w, site.elements == 1 ? ins->d : site.registers[e], site, mask, lanes, e);
  }
}
/// A direct access to shared memory, of this block or of another of its cluster.
template <bool kStore, typename A>
const Ins* maybe_mapped(const Ins* ins, Warp& w) noexcept {
  const Addresses<A> address(w, ins->a);
  SiteState& site = w.sites[ins->extra];
  const std::uint32_t mapped = mapped_lanes(ins, w.mask, address.data());
  const std::uint32_t own = w.mask & ~mapped;
  if (own != 0) access_any<kStore>(w, ins, site, own, address.data());
  if (mapped != 0) access_mapped<kStore>(w, ins, site, mapped, address.data());
  return ins + 1;
}

/// A generic access: each lane's address says which space it reaches. The instruction's three
/// sites are those of global, shared and local memory. `reach` executes one of the first two.
template <bool kStore, typename Reach>
[[gnu::always_inline]] inline const Ins* by_space(const Ins* ins, Warp& w, Reach reach) {
  const Addresses<std::uint64_t> address(w, ins->a);
  std::uint32_t in_shared = 0;
  std::uint32_t in_local = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint64_t at = address.data()[i] + ins->imm;
    in_shared |= std::uint32_t{at - kSharedWindow < kClusterBytes} << i;
    in_local |= std::uint32_t{at - kLocalWindow < kWindowBytes} << i;
  }
  SiteState* sites = w.sites + ins->extra;
  const std::uint32_t global = w.mask & ~(in_shared | in_local);
  const std::uint32_t shared = w.mask & in_shared;
  const std::uint32_t local = w.mask & in_local;
  if (global != 0) reach(std::false_type{}, sites[0], global, address.data());
  if ((shared | local) == 0) return ins + 1;
  std::array<std::uint64_t, kLanes> offset;
  if (shared != 0) {
    for (unsigned i = 0; i < kLanes; ++i) offset[i] = address.data()[i] - kSharedWindow;
    const std::uint32_t mapped = mapped_lanes(ins, shared, offset.data());
    const std::uint32_t own = shared & ~mapped;
    if (own != 0) reach(std::true_type{}, sites[1], own, offset.data());
    if (mapped != 0) access_mapped<kStore>(w, ins, sites[1], mapped, offset.data());
  }
  if (local != 0) {
    for (unsigned i = 0; i < kLanes; ++i) offset[i] = address.data()[i] - kLocalWindow;
    access_any<kStore>(w, ins, sites[2], local, offset.data());
  }
  return ins + 1;
}
template <bool kStore, typename M, typename R, unsigned N>
const Ins* generic(const Ins* ins, Warp& w) noexcept {
  return by_space<kStore>(
      ins, w,
      [&](auto is_shared, SiteState& site, std::uint32_t mask, const std::uint64_t* address) {
        constexpr bool kShared = decltype(is_shared)::value;
        if constexpr (kStore) {
          store_to<kShared, false, M, R, N>(w, ins, site, mask, address);
        } else {
          load_from<kShared, false, M, R, N>(w, ins, site, mask, address);
        }
      });
}
template <bool kStore>
const Ins* generic_any(const Ins* ins, Warp& w) noexcept {
  return by_space<kStore>(
      ins, w, [&](auto, SiteState& site, std::uint32_t mask, const std::uint64_t* address) {
        access_any<kStore>(w, ins, site, mask, address);
      });
}

template <bool kStore, bool kShared, typename M, typename R, unsigned N>
Handler pick_direct(const MemoryForm& form) {
  if (form.address_bytes == 4) return &direct<kStore, kShared, false, std::uint32_t, M, R, N>;
  if constexpr (N == 1 && sizeof(M) >= 4) {
    if constexpr (kShared && !kStore) {
      if (form.follower) return &follow<M>;
    } else {
      if (form.follower) return &direct<kStore, kShared, true, std::uint64_t, M, R, N>;
    }
  }
  return &direct<kStore, kShared, false, std::uint64_t, M, R, N>;
}

template <bool kStore, typename M, typename R, unsigned N = 1>
Handler pick(const MemoryForm& form) {
  if (form.space == Space::kShared) return pick_direct<kStore, true, M, R, N>(form);
  if (form.space != Space::kGeneric) return pick_direct<kStore, false, M, R, N>(form);
  if constexpr (sizeof(M) >= 4) return &generic<kStore, M, R, N>;
  return nullptr;
}

template <bool kStore, typename T>
Handler pick_elements(const MemoryForm& form) {
  switch (form.elements) {
    case 1:
      return pick<kStore, T, T>(form);
    case 2:
      return pick<kStore, T, T, 2>(form);
    case 4:
      return pick<kStore, T, T, 4>(form);
    default:
      return nullptr;
  }
}

/// Narrow scalars: loads extend by M's sign.
template <bool kStore>
Handler pick_narrow(const MemoryForm& form) {
  const bool extends = form.is_signed && !kStore;
  if (form.element_bytes == 1 && form.register_bytes == 2) {
    return extends ? pick<kStore, std::int8_t, std::int16_t>(form)
                   : pick<kStore, std::uint8_t, std::uint16_t>(form);
  }
  if (form.element_bytes == 1 && form.register_bytes == 4) {
    return extends ? pick<kStore, std::int8_t, std::int32_t>(form)
                   : pick<kStore, std::uint8_t, std::uint32_t>(form);
  }
  if (form.element_bytes == 2 && form.register_bytes == 2) {
    return pick<kStore, std::uint16_t, std::uint16_t>(form);
  }
  if (form.element_bytes == 2 && form.register_bytes == 4) {
    return extends ? pick<kStore, std::int16_t, std::int32_t>(form)
                   : pick<kStore, std::uint16_t, std::uint32_t>(form);
  }
  return nullptr;
}

/// The special handlers for common forms; null for others.
template <bool kStore>
Handler pick_fast(const MemoryForm& form) {
  if (form.space == Space::kLocal) return nullptr;
  if (form.element_bytes == 4 && form.register_bytes == 4) {
    return pick_elements<kStore, std::uint32_t>(form);
  }
  if (form.element_bytes == 8 && form.register_bytes == 8) {
    return pick_elements<kStore, std::uint64_t>(form);
  }
  return form.elements == 1 ? pick_narrow<kStore>(form) : nullptr;
}

template <bool kStore>
Handler pick_any(const MemoryForm& form) {
  if (form.maybe_mapped) {
    return form.address_bytes == 4 ? &maybe_mapped<kStore, std::uint32_t>
                                   : &maybe_mapped<kStore, std::uint64_t>;
  }
  if (const Handler fast = pick_fast<kStore>(form); fast != nullptr) return fast;
  if (form.space == Space::kGeneric) return &generic_any<kStore>;
  return form.address_bytes == 4 ? &any<kStore, std::uint32_t> : &any<kStore, std::uint64_t>;
}

}  // namespace

Handler memory_handler(const MemoryForm& form) {
  return form.store ? pick_any<true>(form) : pick_any<false>(form);
}

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
