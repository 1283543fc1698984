// The warp as its handlers see it: operands, masks, and the block around it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/model/code/instruction.h"
#include "harness/model/execute/isa.h"

namespace lab::model {

class Block;
class Splits;
struct SiteState;

/// One lane of a register. Registers are reused with other types, so accesses may alias.
template <typename T>
struct LaneOf {
  using Type [[gnu::may_alias]] = T;
};
template <typename T>
using Lane = typename LaneOf<T>::Type;

/// The width of an operand of type T as Found states it: its bytes, or kPredicate.
template <typename T>
constexpr std::uint8_t width() {
  return static_cast<std::uint8_t>(sizeof(T));
}
template <>
constexpr std::uint8_t width<bool>() {
  return Found::kPredicate;
}

struct Warp {
  std::byte* bank[3] = {};    ///< by Bank
  std::uint32_t mask = 0;     ///< lanes that execute
  std::uint32_t live = 0;     ///< lanes that exist and have not exited
  std::uint32_t rpc = kNone;  ///< basic block where the executing lanes will wait for the others
  std::uint32_t carry = 0;    ///< the condition code register: lane i's carry in bit i
  std::int64_t fuel = 0;      ///< basic blocks to run before the watchdog looks
  std::uint64_t* entered = nullptr;  ///< per basic block: how often a warp entered it
  SiteState* sites = nullptr;        ///< per memory instruction: counters and pattern memo
  Block* block = nullptr;
  Splits* splits = nullptr;
  const Ins* resume = nullptr;   ///< where to go on after a stop
  std::uint32_t saved_mask = 0;  ///< the mask outside a guarded instruction
  std::uint32_t outer_mask = 0;  ///< the same of a guard around that one
  std::uint32_t index = 0;       ///< in its block
  bool followed = false;         ///< the observer is told of each instruction before it is executed

  /// True where every lane that exists executes: lanes outside the mask may be overwritten.
  [[nodiscard]] bool converged() const { return mask == live; }

  [[nodiscard, gnu::always_inline]] std::byte* at(Slot slot) const {
    return bank[slot.bank()] + slot.offset();
  }
  template <typename T>
  [[nodiscard, gnu::always_inline]] const Lane<T>* in(Slot slot) const {
    return reinterpret_cast<const Lane<T>*>(at(slot));
  }
  template <typename T>
  [[nodiscard, gnu::always_inline]] Lane<T>* out(Slot slot) const {
    return reinterpret_cast<Lane<T>*>(at(slot));
  }
  [[nodiscard, gnu::always_inline]] std::uint32_t predicate(Slot slot) const {
    return *in<std::uint32_t>(slot);
  }
  /// Takes the bits of the active lanes from `bits` and keeps the others.
  [[gnu::always_inline]] void set_predicate(Slot slot, std::uint32_t bits) const {
    auto* d = out<std::uint32_t>(slot);
    *d = (*d & ~mask) | (bits & mask);
  }
};

}  // namespace lab::model
