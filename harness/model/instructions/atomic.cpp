// atom and red: PTX ISA, "atom" and "red". Lanes go one after another, lowest first, which is one
// of the orders that the hardware may take.
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "harness/model/instructions/access.h"
#include "harness/model/instructions/choose.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/semantics/half.h"

namespace lab::model {
namespace {

using ptx::Space;
using ptx::Sub;
using ptx::Type;

/// A sum of T's bits as one or two 16-bit floats, subnormals kept. The hardware adds the two of
/// a pair separately, so no thread can tell the difference.
template <typename Format, typename T>
T half_sum(T a, T b) {
  if constexpr (sizeof(T) == 2) return semantics::add_half<Format>(a, b);
  if constexpr (sizeof(T) == 4) {
    return semantics::each_half(&semantics::add_half<Format>, a, b);
  }
}

/// The new value in memory after an operation on `old` with operands b and c. Format is that of
/// 16-bit floats.
template <Sub kOp, typename T, typename Format>
T combine(T old, T b, [[maybe_unused]] T c) {
  using U = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  if constexpr (!std::is_void_v<Format>) {
    return half_sum<Format>(old, b);
  } else if constexpr (kOp == Sub::kAdd) {
    if constexpr (std::is_floating_point_v<T>) return old + b;
    if constexpr (!std::is_floating_point_v<T>) {
      return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
    }
  } else if constexpr (kOp == Sub::kInc) {
    return old >= b ? T{0} : static_cast<T>(old + 1);
  } else if constexpr (kOp == Sub::kDec) {
    return old == 0 || old > b ? b : static_cast<T>(old - 1);
  } else if constexpr (kOp == Sub::kMin) {
    return b < old ? b : old;
  } else if constexpr (kOp == Sub::kMax) {
    return old < b ? b : old;
  } else if constexpr (kOp == Sub::kAnd) {
    return static_cast<T>(old & b);
  } else if constexpr (kOp == Sub::kOr) {
    return static_cast<T>(old | b);
  } else if constexpr (kOp == Sub::kXor) {
    return static_cast<T>(old ^ b);
  } else if constexpr (kOp == Sub::kExch) {
    return b;
  } else {
    return old == b ? c : old;  // cas
  }
}

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

/// One lane's operation. `shared_with_others`: other host threads may touch the same memory.
template <Sub kOp, typename T, typename Format>
[[gnu::always_inline]] inline T apply(std::byte* at, T b, T c, bool shared_with_others) {
  using Bits = BitsOf<T>;
  Bits before;
  std::memcpy(&before, at, sizeof before);
  if (!shared_with_others) {
    const T old = std::bit_cast<T>(before);
    const T after = combine<kOp, T, Format>(old, b, c);
    std::memcpy(at, &after, sizeof after);
    return old;
  }
  // Alignment was checked before, so a Bits object of the buffer is at this address.
  auto* cell = reinterpret_cast<Lane<Bits>*>(at);
  for (;;) {
    const auto after = std::bit_cast<Bits>(combine<kOp, T, Format>(std::bit_cast<T>(before), b, c));
    if (__atomic_compare_exchange_n(cell, &before, after, true, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST)) {
      return std::bit_cast<T>(before);
    }
  }
}

template <Sub kOp, typename T, typename Format, bool kReturns>
[[gnu::always_inline]] inline void update(Warp& w, const Ins* ins, const LanePointers& lanes,
                                          bool parallel) {
  const auto* b = w.in<T>(ins->b);
  const auto* c = w.in<T>(ins->c);
  auto* d = w.out<T>(ins->d);
  for (std::uint32_t left = lanes.good; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(left));
    const T cv = kOp == Sub::kCas ? static_cast<T>(c[i]) : T{};
    const T old = apply<kOp, T, Format>(lanes.at[i], b[i], cv, parallel);
    if constexpr (kReturns) d[i] = old;
  }
}

template <bool kShared, Sub kOp, typename T, typename Format, bool kReturns>
[[gnu::always_inline]] inline void execute(Warp& w, const Ins* ins, SiteState& site,
                                           std::uint32_t mask, const std::uint64_t* address) {
  LanePointers lanes;
  const Placed32 at = place<kShared, true, false>(w, ins, site, mask, address);
  if (at.host != nullptr) {
    lanes.good = mask;
    for (unsigned i = 0; i < kLanes; ++i) {
      lanes.at[i] = at.host + at.pattern->from_lowest(i);
    }
  } else {
    lanes = resolve_lanes(w, ins, site, mask, address);
  }
  update<kOp, T, Format, kReturns>(w, ins, lanes, !kShared && w.block->launch->parallel);
}

/// In shared memory, of this block or of another of its cluster.
template <Sub kOp, typename T, typename Format, bool kReturns>
[[gnu::always_inline]] inline void execute_shared(Warp& w, const Ins* ins, SiteState& site,
                                                  std::uint32_t mask,
                                                  const std::uint64_t* address) {
  std::uint32_t mapped = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint64_t at = address[i] + ins->imm;
    mapped |= std::uint32_t{at - kWindowBytes < kClusterBytes - kWindowBytes} << i;
  }
  const std::uint32_t own = mask & ~mapped;
  mapped &= mask;
  if (own != 0) execute<true, kOp, T, Format, kReturns>(w, ins, site, own, address);
  if (mapped != 0) {
    update<kOp, T, Format, kReturns>(w, ins, resolve_mapped(w, ins, site, mapped, address), false);
  }
}

/// The address as it is for direct spaces; for generic ones, minus the window's base.
template <Sub kOp, typename T, typename Format, bool kReturns>
const Ins* atomic(const Ins* ins, Warp& w) noexcept {
  const Site& site = *w.sites[ins->extra].site;
  std::array<std::uint64_t, kLanes> address;
  const bool wide = (ins->next_block & 1U) != 0;
  const bool generic = (ins->next_block & 2U) != 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    address[i] = wide ? std::uint64_t{w.in<std::uint64_t>(ins->a)[i]}
                      : std::uint64_t{w.in<std::uint32_t>(ins->a)[i]};
  }
  SiteState* sites = w.sites + ins->extra;
  if (!generic) {
    if (site.space == Space::kShared) {
      execute_shared<kOp, T, Format, kReturns>(w, ins, sites[0], w.mask, address.data());
    } else {
      execute<false, kOp, T, Format, kReturns>(w, ins, sites[0], w.mask, address.data());
    }
    return ins + 1;
  }
  std::uint32_t in_shared = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    in_shared |= std::uint32_t{address[i] + ins->imm - kSharedWindow < kClusterBytes} << i;
  }
  const std::uint32_t global = w.mask & ~in_shared;
  const std::uint32_t shared = w.mask & in_shared;
  if (global != 0)
    execute<false, kOp, T, Format, kReturns>(w, ins, sites[0], global, address.data());
  if (shared != 0) {
    for (unsigned i = 0; i < kLanes; ++i) address[i] -= kSharedWindow;
    execute_shared<kOp, T, Format, kReturns>(w, ins, sites[1], shared, address.data());
  }
  return ins + 1;
}

template <Sub kOp, typename T, typename Format = void>
Handler pick(const AtomicForm& form) {
  return form.returns ? &atomic<kOp, T, Format, true> : &atomic<kOp, T, Format, false>;
}

template <Sub kOp>
Handler pick_bits(const AtomicForm& form) {
  const int bits = ptx::bits_of(form.type);
  if (bits == 64) return pick<kOp, std::uint64_t>(form);
  return bits == 32 ? pick<kOp, std::uint32_t>(form) : nullptr;
}

template <Sub kOp>
Handler pick_ordered(const AtomicForm& form) {
  return choose_type<Type::kU32, Type::kS32, Type::kU64, Type::kS64>(
      form.type, [&]<typename T>() { return pick<kOp, T>(form); });
}

Handler pick_add(const AtomicForm& form) {
  using semantics::BF16;
  using semantics::F16;
  switch (form.type) {
    case Type::kF16:
      return pick<Sub::kAdd, std::uint16_t, F16>(form);
    case Type::kF16x2:
      return pick<Sub::kAdd, std::uint32_t, F16>(form);
    case Type::kBF16:
      return pick<Sub::kAdd, std::uint16_t, BF16>(form);
    case Type::kBF16x2:
      return pick<Sub::kAdd, std::uint32_t, BF16>(form);
    case Type::kF32:
      return pick<Sub::kAdd, float>(form);
    case Type::kF64:
      return pick<Sub::kAdd, double>(form);
    default:
      return pick_ordered<Sub::kAdd>(form);
  }
}

}  // namespace

Handler atomic_handler(const AtomicForm& form) {
  const Sub op = form.operation;
  if (op == Sub::kAdd) return pick_add(form);
  if (op == Sub::kCas && ptx::bits_of(form.type) == 16) {
    return pick<Sub::kCas, std::uint16_t>(form);
  }
  if (op == Sub::kInc || op == Sub::kDec) {
    if (form.type != Type::kU32) return nullptr;
    return op == Sub::kInc ? pick<Sub::kInc, std::uint32_t>(form)
                           : pick<Sub::kDec, std::uint32_t>(form);
  }
  if (op == Sub::kMin) return pick_ordered<Sub::kMin>(form);
  if (op == Sub::kMax) return pick_ordered<Sub::kMax>(form);
  return choose<Sub::kAnd, Sub::kOr, Sub::kXor, Sub::kExch, Sub::kCas>(
      op, [&]<Sub kOp>() { return pick_bits<kOp>(form); });
}

}  // namespace lab::model
