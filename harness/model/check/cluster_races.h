// Races in shared memory between the blocks of a cluster. What a block does to its own shared
// memory SharedRaces knows; here is what others do to it, and which block knows of which accesses:
// barrier.cluster orders what came before its arrive with what comes after its wait (PTX ISA,
// "barrier.cluster"). The blocks of a cluster take turns on one thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/model/check/races.h"

namespace lab::model::check {

struct ClusterAccess {
  std::uint32_t where = 0;  ///< an index into Program::code
  std::uint8_t rank = 0;    ///< of the block that accesses
  std::uint8_t warp = 0;
  std::uint8_t lane = 0;
  bool writes = false;
  bool strong = false;  ///< it does not race with others that are
};

class ClusterRaces {
 public:
  static constexpr unsigned kMostBlocks = 8;

  ClusterRaces(std::uint64_t shared_bytes, std::uint32_t grain);

  /// The block of `rank` begins, before any block of its cluster runs. `races` are its own.
  void begin(unsigned rank, SharedRaces& races);
  /// Another block accesses location `at` of the shared memory of `owner`. Returns the earlier
  /// access that this one races with.
  std::optional<ClusterAccess> reach(unsigned owner, std::uint64_t at, const ClusterAccess& access);
  /// Others have accessed something in these locations that an access of the owner could race with.
  [[nodiscard]] bool may_meet(unsigned owner, std::uint64_t first, std::uint64_t last,
                              bool writes) const;
  /// The owner accesses location `at` of its own shared memory.
  [[nodiscard]] std::optional<ClusterAccess> meet(std::uint64_t at,
                                                  const ClusterAccess& access) const;

  /// A warp arrives at the cluster's barrier.
  void arrive(unsigned rank, unsigned warp);
  /// All blocks wait there: what the block's warps did before they arrived is known to all.
  void publish(unsigned rank);
  /// A warp releases, by a fence and an atomic say, all that its block has done, and knows of...
  void release(unsigned rank, unsigned warp);
  /// ... for whoever acquires later.
  void acquire(unsigned rank);
  /// The block comes to its end. Returns the accesses of others to its shared memory that may come
  /// later, the last of each warp.
  [[nodiscard]] std::vector<ClusterAccess> end(unsigned rank);

 private:
  using Ticks = std::array<std::uint32_t, kMostWarps>;
  using Known = std::array<Ticks, kMostBlocks>;
  struct Stamp {
    ClusterAccess access;
    std::uint32_t tick = 0;  ///< of its warp; 0: none
  };
  struct Cell {
    Stamp write;
    Stamp read;
    Stamp other_read;  ///< by another block than the one in `read`
  };
  /// Locations that others accessed, from the first to the last.
  struct Span {
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t last = 0;
    void add(std::uint64_t at);
    [[nodiscard]] bool meets(std::uint64_t from, std::uint64_t to) const {
      return first <= to && from <= last;
    }
  };
  struct Member {
    SharedRaces* races = nullptr;
    std::vector<Cell> cells;  ///< by location; empty: nobody else was there yet
    Span written;
    Span read;
    std::array<std::array<Stamp, kMostWarps>, kMostBlocks> last{};
    Ticks arriving{};
    Known known{};  ///< of which accesses of which blocks it knows
    bool ended = false;
  };

  [[nodiscard]] bool ordered(const Stamp& earlier, const ClusterAccess& now) const;
  [[nodiscard]] std::optional<ClusterAccess> meet_owner(unsigned owner, std::uint64_t at,
                                                        const ClusterAccess& now) const;
  [[nodiscard]] std::optional<ClusterAccess> meet_others(const Cell& cell,
                                                         const ClusterAccess& now) const;
  void note(Cell& cell, const ClusterAccess& access, std::uint32_t tick) const;
  void tell_all(unsigned rank, const Ticks& ticks);
  [[nodiscard]] Ticks now(unsigned rank) const;

  std::size_t locations_;
  std::array<Member, kMostBlocks> members_;
  Known released_{};
};

}  // namespace lab::model::check
