// Races in shared memory: two accesses of one location by different threads, at least one of them a
// plain write, with no barrier between. Also within a warp, where __syncwarp() is what orders them:
// lanes need not run in step (CUDA C++ Programming Guide, "Independent Thread Scheduling").
//
// What is found depends on the barriers alone, not on the order in which the model runs warps: of a
// location, the last write and one read of two warps each are kept, which suffices to find some
// pair wherever there is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/model/check/clocks.h"

namespace lab::model::check {

/// One lane's access of one instruction. `where` is an index into Program::code; `serial` numbers
/// the executions of instructions in a block.
struct Access {
  std::uint32_t where = 0;
  std::uint32_t serial = 0;
  std::uint8_t warp = 0;
  std::uint8_t lane = 0;
};

struct Race {
  Access other;  ///< what the access is not ordered with
  bool other_writes = false;
  bool same_warp = false;
};

class SharedRaces {
 public:
  /// Locations are of `grain` bytes: 1, 2 or 4, the smallest access that the kernel makes.
  SharedRaces(std::uint64_t shared_bytes, std::uint32_t grain)
      : grain_(grain), cells_(static_cast<std::size_t>((shared_bytes + grain - 1) / grain)) {}

  Clocks clocks;

  [[nodiscard]] std::uint32_t grain() const { return grain_; }

  /// Notes that `access` reads location `at` (a byte offset over grain).
  std::optional<Race> read(std::uint64_t at, const Access& access);
  /// Notes that it writes. Atomics do not race with each other.
  std::optional<Race> write(std::uint64_t at, const Access& access, bool atomic);

 private:
  struct Stamp {
    std::uint32_t tick = 0;  ///< 0: never
    Access access;
    std::uint32_t lanes = 0;  ///< all that did so at this tick; `access` is the last one's
    bool atomic = false;
  };
  struct Cell {
    Stamp write;
    Stamp read;
    Stamp other_read;  ///< by another warp than `read`
  };

  /// The race of `access` with an earlier one, if it is one.
  [[nodiscard]] std::optional<Race> meets(const Stamp& earlier, const Access& access,
                                          bool earlier_writes) const;
  void note_read(Cell& cell, const Access& access);

  std::uint32_t grain_;
  std::vector<Cell> cells_;
};

}  // namespace lab::model::check
