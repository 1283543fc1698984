// Races in shared memory: two accesses of one location by different threads, at least one of them a
// plain write, with no barrier between. Also within a warp, where __syncwarp() is what orders them:
// lanes need not run in step (CUDA C++ Programming Guide, "Independent Thread Scheduling").
//
// The races found depend on the barriers alone, not on the order in which the model runs warps: for
// each location the last write is kept, and one read by each of two warps. That is enough to find a
// race wherever there is one.
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
  Access other;  ///< the earlier access, which no barrier orders before this one
  bool other_writes = false;
  bool other_atomic = false;
  bool same_warp = false;
};

/// The executing lanes of one instruction: what their accesses have in common.
struct Together {
  std::uint32_t where = 0;
  std::uint32_t serial = 0;
  std::uint32_t warp = 0;
};

/// The locations that the lanes access together, each once, counted from the lowest.
struct Places {
  struct Run {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  std::vector<Run> runs;             ///< of neighbouring locations
  std::vector<std::uint32_t> lanes;  ///< by location: which lanes access it
  bool shared = false;               ///< some are accessed by several lanes
  [[nodiscard]] std::uint32_t end() const { return runs.back().first + runs.back().count; }
};

class SharedRaces {
 public:
  /// Locations are of `grain` bytes: 1, 2 or 4, the smallest access that the kernel makes.
  SharedRaces(std::uint64_t shared_bytes, std::uint32_t grain);

  /// Begins a new block of `warps` warps.
  void begin(unsigned warps);
  [[nodiscard]] std::uint32_t grain() const { return grain_; }
  [[nodiscard]] const Clocks& clocks() const { return clocks_; }
  /// See Clocks::barrier().
  void barrier(std::uint32_t arrived, std::uint32_t waiting);
  /// To move them on in any other way: what was put off is noted first.
  Clocks& moving_clocks() {
    settle();
    return clocks_;
  }
  /// True where the running block has written location `at` (a byte offset over grain).
  [[nodiscard]] bool is_written(std::uint64_t at) const { return clocks_.current(write_.tick[at]); }

  /// Notes that `access` reads location `at`.
  std::optional<Race> read(std::uint64_t at, const Access& access, bool atomic = false);
  /// Notes that `access` writes location `at`. Atomics do not race with each other, nor with
  /// ordered loads and stores, which count as atomic.
  std::optional<Race> write(std::uint64_t at, const Access& access, bool atomic);

  /// Notes that lanes read `places`, the lowest of which is location `at`, if nothing can be wrong
  /// with that: all have been written, and all writes are ordered before. Otherwise returns false,
  /// and read() of each location tells what is wrong. Noting a read twice does no harm. `places`
  /// stays where it is, as it is.
  bool reads_are_fine(std::uint64_t at, const Places& places, const Together& who);
  /// True where reads_are_fine() would be and leave nothing behind: two other warps have read
  /// `places` since the last write, knowing as much.
  [[nodiscard]] bool is_known_read(std::uint64_t at, const Places& places,
                                   std::uint32_t warp) const {
    return is_known(twice_[at], places, warp) && clocks_.even(warp) &&
           clocks_.floor(warp) == read_floor_;
  }
  /// Puts a read off, if nothing but reads has come since a barrier of the whole block and all
  /// places are written. Otherwise returns false, and reads_are_fine() has to be asked.
  bool is_put_off(std::uint64_t at, const Places& places, const Together& who) {
    if (!reads_alone_) return false;
    const bool known = at >= written_from_ && at + places.end() <= written_to_;
    if (!known && !are_written(at, places)) return false;
    if (put_off_.size() == kMostPutOff) {
      settle();
      return false;
    }
    put_off_.push_back(
        {&places, static_cast<std::uint32_t>(at), code_of(who.where, who.warp, false)});
    return true;
  }
  /// The same for plain writes, where no location is written by several lanes.
  bool writes_are_fine(std::uint64_t at, const Places& places, const Together& who);

 private:
  struct Row {
    std::uint32_t* tick;
    std::uint32_t* who;
    std::uint32_t* lanes;
  };
  /// The last access of each location, field by field, so that neighbours can be checked together.
  struct Stamps {
    std::vector<std::uint32_t> tick;   ///< below the block's first tick: not in this block
    std::vector<std::uint32_t> who;    ///< code_of()
    std::vector<std::uint32_t> lanes;  ///< all lanes that did so at this tick
    explicit Stamps(std::size_t count) : tick(count), who(count), lanes(count) {}
    [[nodiscard]] Row row(std::uint64_t at) {
      return {tick.data() + at, who.data() + at, lanes.data() + at};
    }
  };
  /// The stamps that an access is compared with, and those that it leaves.
  struct Now {
    std::uint32_t first, tick, floor, own_floor, who, serial;
  };

  [[nodiscard]] static std::uint32_t code_of(std::uint32_t where, std::uint32_t warp, bool atomic) {
    return where << 6U | std::uint32_t{atomic} << 5U | warp;
  }
  static constexpr std::uint32_t kWarpBits = 31;
  [[nodiscard]] static std::uint32_t where_of(std::uint32_t who) { return who >> 6U; }
  [[nodiscard]] static std::uint32_t warp_of(std::uint32_t who) { return who & kWarpBits; }
  [[nodiscard]] static bool is_atomic(std::uint32_t who) { return (who & 32U) != 0; }
  [[nodiscard]] Now now(const Together& who) const;
  [[nodiscard]] static std::uint32_t mine(const Now& now, std::uint32_t who);
  [[nodiscard]] static std::uint32_t over(const Now& now, std::uint32_t tick, std::uint32_t who);
  bool takes_first(const Now& now, std::uint64_t at, std::uint32_t lanes);
  /// `noted`: a mask, cleared where the read was not noted at every location.
  bool read_run(const Now& now, std::uint64_t at, std::uint32_t count, const std::uint32_t* lanes,
                std::uint32_t& noted);
  bool write_run(const Now& now, std::uint64_t at, std::uint32_t count, const std::uint32_t* lanes);

  bool note_reads(std::uint64_t at, const Places& places, const Together& who);
  bool are_written(std::uint64_t at, const Places& places);
  void settle();

  /// The race of `access` with an earlier one at `at`, if it is one.
  [[nodiscard]] std::optional<Race> meets(const Stamps& earlier, std::uint64_t at,
                                          const Access& access, bool earlier_writes) const;
  void note_read(std::uint64_t at, const Access& access, bool atomic);

  /// Between two barriers of the whole block reads race with nothing unless one of its warps writes
  /// there: every earlier write is ordered before them, every later one behind. So they are put
  /// off, to be noted in their order before anything else happens, or to be forgotten at the
  /// barrier.
  struct PutOff {
    const Places* places = nullptr;
    std::uint32_t at = 0;
    std::uint32_t who = 0;  ///< code_of()
  };
  bool reads_alone_ = false;  ///< since a barrier of the whole block
  // Where more come, noting that others have read the same is less work.
  static constexpr std::size_t kMostPutOff = 4096;
  std::vector<PutOff> put_off_;
  /// Locations that the block has written, every one from the first to before the second.
  std::uint64_t written_from_ = 0;
  std::uint64_t written_to_ = 0;

  Clocks clocks_;
  std::uint32_t grain_;
  Stamps write_;
  std::vector<std::uint32_t> write_serial_;
  Stamps read_;
  Stamps other_read_;  ///< by another warp than the one in `read_`

  /// Places that two warps have read, both of which stand at each location. A third warp that
  /// knows as much of the others as they did would leave nothing behind there, and all writes come
  /// before it: each was another's than one of the two, who had to know it.
  struct Twice {
    const Places* places = nullptr;
    std::uint64_t version = 0;
    std::uint8_t first = 0;
    std::uint8_t second = 0;  ///< the same as `first`: one warp so far
  };
  [[nodiscard]] bool is_known(const Twice& twice, const Places& places, std::uint32_t warp) const {
    return twice.places == &places && twice.version == version_ && twice.first != twice.second &&
           warp != twice.first && warp != twice.second;
  }
  void remember(Twice& twice, const Places& places, std::uint32_t warp) const;
  std::vector<Twice> twice_;      ///< by the lowest location
  std::uint64_t version_ = 1;     ///< grows with all that may take a read away
  std::uint32_t read_floor_ = 0;  ///< of the warps that read since
};

}  // namespace lab::model::check
