// Races in shared memory: two accesses of one location by different threads, at least one of them a
// plain write, with no barrier between. Also within a warp, where __syncwarp() is what orders them:
// lanes need not run in step (CUDA C++ Programming Guide, "Independent Thread Scheduling").
//
// The races found depend on the barriers alone, not on the order in which the model runs warps: for
// each location the last write is kept, and one read by each of two warps. That is enough to find a
// race wherever there is one.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
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
  /// The other is a copy that is under way: the number that copy_begins() was given.
  std::optional<std::uint32_t> copy = {};
  /// It is one of which this thread does not know that it is complete: its party.
  std::optional<unsigned> copier = {};
  [[nodiscard]] bool is_with_copy() const { return copy || copier; }
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

/// Makes them of what single lanes access.
class PlacesByLane {
 public:
  /// `lane` accesses `count` locations from `first` on.
  void add(unsigned lane, std::uint64_t first, std::uint64_t count);
  [[nodiscard]] Places all() const;

 private:
  std::map<std::uint32_t, std::uint32_t> lanes_at_;
};

/// Some of the locations that a block has written, in a few ranges: a ring of tiles has several
/// parts that no copy is under way to.
class Written {
 public:
  [[nodiscard]] bool contain(std::uint64_t from, std::uint64_t to) const {
    for (const Range& range : ranges_) {
      if (from >= range.from && to <= range.to) return true;
    }
    return false;
  }
  void add(std::uint64_t from, std::uint64_t to);
  void remove(std::uint64_t from, std::uint64_t to);
  void clear() { ranges_ = {}; }

 private:
  struct Range {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
  };
  std::array<Range, 4> ranges_;
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
    if (!written_.contain(at, at + places.end()) && !are_written(at, places)) return false;
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

  /// Lanes of `who` copy to `places`, the lowest of which is location `at`: a write that has been
  /// checked as theirs, and from now on races with everything until it ends. `copy` is its number.
  void copy_begins(std::uint64_t at, const Places& places, const Together& who, std::uint32_t copy);
  /// The part of the copy that is of `lanes` has another number from now on.
  void copy_parts(std::uint64_t at, const Places& places, std::uint32_t copy, std::uint32_t lanes,
                  std::uint32_t number);
  /// The copy of `lanes` ends: as a write that they make now, ...
  void copy_ends(std::uint64_t at, const Places& places, std::uint32_t copy, std::uint32_t lanes,
                 unsigned warp);
  /// ... or of the party of copies that were complete at a tick.
  struct Completion {
    unsigned party = 0;
    std::uint32_t tick = 0;
  };
  void copy_ends(std::uint64_t at, const Places& places, std::uint32_t copy, std::uint32_t lanes,
                 const Completion& completion);

  /// From now on in this block, reads are kept that no barrier of the block, but one of several
  /// blocks would order.
  void keep_reads() { keeps_reads_ = true; }
  /// The last accesses of a location by the block's own warps.
  struct Last {
    Access access;
    std::uint32_t tick = 0;
    bool writes = false;
    bool atomic = false;
  };
  /// f(Last) for the last write and the reads that are kept.
  template <typename F>
  void each_last(std::uint64_t at, F f) const {
    for (const Stamps* stamps : {&write_, &read_, &other_read_}) {
      const std::uint32_t tick = stamps->tick[at];
      if (tick <= clocks_.first()) continue;
      const std::uint32_t who = stamps->who[at];
      Last last;
      last.access.where = where_of(who);
      last.access.warp = static_cast<std::uint8_t>(warp_of(who));
      last.access.lane = static_cast<std::uint8_t>(std::countr_zero(stamps->lanes[at]) % 32);
      last.tick = tick;
      last.writes = stamps == &write_;
      last.atomic = is_atomic(who);
      f(last);
    }
  }
  /// Location `at` is written by another block, which nothing here races with.
  void written_by_others(std::uint64_t at) {
    if (!clocks_.current(write_.tick[at])) write_.tick[at] = clocks_.first();
  }

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
    return where << 7U | std::uint32_t{atomic} << 6U | warp;
  }
  static constexpr std::uint32_t kPartyBits = kMostParties - 1;
  [[nodiscard]] static std::uint32_t where_of(std::uint32_t who) { return who >> 7U; }
  [[nodiscard]] static std::uint32_t warp_of(std::uint32_t who) { return who & kPartyBits; }
  [[nodiscard]] static bool is_atomic(std::uint32_t who) { return (who & kMostParties) != 0; }
  /// The tick of a copy that is under way. Its number stands where the write's serial would.
  static constexpr std::uint32_t kUnderWay = 0x7fffffff;
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
  bool keeps_reads_ = false;
  // Where more come, noting that others have read the same is less work.
  static constexpr std::size_t kMostPutOff = 4096;
  std::vector<PutOff> put_off_;
  Written written_;

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
