// A decoded instruction: a handler and where its operands lie.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/model/cost/rules.h"

namespace lab::model {

struct Ins;
struct Warp;

/// Executes one instruction for the warp's active lanes and returns the next one, or null where
/// the warp stops running: at a barrier, at its end, or where its time is up.
using Handler = const Ins* (*)(const Ins*, Warp&) noexcept;

inline constexpr std::uint32_t kNone = 0xffffffffU;

/// Which memory an operand lies in. A warp holds a pointer to each.
enum class Bank : std::uint32_t {
  kFrame = 0,    ///< the registers of the function that the warp executes
  kUniform = 1,  ///< shared by all warps of a block: immediates, parameters, %ctaid and what is
                 ///< computed from these
  kSlot =
      2,  ///< one per warp of a block, the same in every block: %tid and what is computed from it
};

/// Where an operand lies: a bank and a byte offset in it. A register of N bytes is an array of 32
/// lanes x N bytes; a predicate is one 32-bit mask, lane i in bit i.
class Slot {
 public:
  constexpr Slot() = default;
  constexpr Slot(Bank bank, std::uint32_t offset)
      : code_(offset | static_cast<std::uint32_t>(bank)) {}
  [[nodiscard]] constexpr std::uint32_t bank() const { return code_ & 3U; }
  [[nodiscard]] constexpr std::uint32_t offset() const { return code_ & ~3U; }
  friend constexpr bool operator==(const Slot&, const Slot&) = default;

 private:
  std::uint32_t code_ = 0;
};

/// How results depend on operands: for those who follow a value from register to register.
enum class Flow : std::uint8_t {
  kByLane,   ///< d and d2, lane by lane, on a, b, c and e; the only one that most have
  kByBit,    ///< likewise, bit by bit: what a bit does not change does not depend on it
  kCompare,  ///< setp: on a and b, and bit by bit on c, with which it combines their comparison
  kPart,     ///< d on a, and but for part 0 on itself
  kShuffle,  ///< d on a of the lane that b and c choose
  kAcross,   ///< d and d2 on a of all lanes that b names
  kUses,     ///< what a, b, c and e say is done: an address, a branch, an atomic. d and d2 are new
  kLoad,     ///< of the site `extra`: a is used, its registers are new
  kStore,    ///< likewise: a and its registers are used
  kMatrix,   ///< of Program::matrices, by its index `block`
  kImage,    ///< of Program::images, likewise
};

/// `d` and `d2` are destinations (d2: the second of a pair such as shfl's predicate), `a` to `e`
/// sources in the order of the PTX text. An unused destination is a slot that is never read.
struct alignas(64) Ins {
  Handler fn = nullptr;
  Slot d, d2, a, b, c, e;
  Flow flow = Flow::kByLane;
  std::uint64_t imm = 0;             ///< for the handler to define: an immediate table, an offset
  const Ins* target = nullptr;       ///< of a branch
  std::uint32_t block = kNone;       ///< basic block branched to
  std::uint32_t next_block = kNone;  ///< basic block entered by falling through
  std::uint32_t extra = kNone;       ///< memory site, call, reconvergence block
};

/// The table's entry for one PTX instruction: which handler executes it and how wide its operands
/// are.
struct Found {
  /// Bytes per lane of an operand: 2, 4, 8, 16; kPredicate for a predicate, 0 for no operand.
  static constexpr std::uint8_t kPredicate = 1;

  Handler fn = nullptr;
  std::array<std::uint8_t, 2> results = {};  ///< of d, d2
  std::array<std::uint8_t, 4> sources = {};  ///< of a, b, c, e
  /// The result depends on the operands alone, lane by lane: it may be computed ahead of time.
  bool pure = false;
  std::uint64_t imm = 0;  ///< goes to Ins::imm
};

}  // namespace lab::model
