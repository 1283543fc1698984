// One core's search for races in global memory: takes the accesses of its warps, compares them with
// what was noted of their locations, and notes them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "harness/model/check/clocks.h"
#include "harness/model/check/global_races.h"
#include "harness/model/code/decoded.h"
#include "harness/model/execute/observer.h"

namespace lab::model::check {

class GlobalChecker {
 public:
  /// The arguments outlive the checker.
  GlobalChecker(const Program& program, GlobalRaces& races) : program_(program), races_(races) {}

  /// Block `block` begins: what others published is not known to it yet.
  void begin(std::uint64_t block);
  /// Adds a fault to `found` for each lane whose access races, or deserves a remark. `clocks` are
  /// those of the block.
  void access(const AccessEvent& event, const Clocks& clocks, std::vector<Fault>& found);

 private:
  using Region = RaceShadow::Region;
  using Sector = RaceShadow::Sector;

  /// How a pattern's lanes lie in sectors, counted from that of its lowest address.
  struct Plan {
    struct Whole {
      std::uint32_t sector = 0;
      std::uint32_t lane = 0;  ///< that has its first bytes; the next follow
    };
    std::vector<Whole> wholes;  ///< sectors of which each byte is one lane's
    std::uint32_t loose = 0;    ///< all other lanes
    bool one_place = false;     ///< they access the same bytes, and are several
  };
  [[nodiscard]] static Plan plan_of(const Pattern& pattern, std::uint32_t begin);
  /// Null: each lane is looked at alone.
  const Plan* plan();

  /// Looks at a sector of the plan and notes it, or the place, or the lane.
  void whole(const Sector& at, std::uint32_t lane);
  /// Returns false where each lane has to be looked at alone.
  bool one_place();
  void single(std::uint32_t lane);
  struct Span {
    Region* region = nullptr;  ///< null: there is nothing to look at
    std::uint64_t first = 0;   ///< locations of the region
    std::uint64_t last = 0;
  };
  [[nodiscard]] Span span_of(std::uint64_t address);
  /// Of each lane of a sector as a whole.
  [[nodiscard]] std::uint32_t per_lane() const {
    return event_->site->bytes() / races_.shadow().grain();
  }
  /// Compares the lane's access with what was noted of locations [first, last] of a sector.
  void meet_all(const Sector& at, std::uint32_t first, std::uint32_t last, std::uint32_t lane);
  void meet_read(std::uint64_t seen, std::uint32_t lane);
  /// At location n, byte `from` of the lane's access.
  void meet_write(std::uint64_t seen, const Sector& at, std::uint32_t n, std::uint32_t lane,
                  std::uint32_t from);
  void found(FindingKind kind, const GlobalAccess& other, std::uint32_t lane);
  /// Adds what was found of the lane's access, if anything: a mistake comes before a remark.
  void report();

  // Of sectors as a whole: `seen` and `own` have the lane of the first bytes.
  [[nodiscard]] bool is_same_lanes(std::uint64_t seen, std::uint64_t own) const;
  [[nodiscard]] bool is_over(std::uint64_t seen) const;
  [[nodiscard]] bool takes_place_of(std::uint64_t seen, std::uint64_t own);
  /// Nothing is wrong; false: each lane has to be asked.
  [[nodiscard]] bool is_settled(std::uint64_t seen, std::uint64_t own);

  [[nodiscard]] bool is_before(const GlobalAccess& other, std::uint32_t lane);
  [[nodiscard]] bool published(const GlobalAccess& other);
  /// Lane `other` of the event's own instruction has just stored to the address of `lane`.
  [[nodiscard]] bool is_at_once(const GlobalAccess& other, std::uint32_t lane) const;

  void note_read(const Sector& at, std::uint32_t n, std::uint32_t lane);
  void note_whole_read(const Sector& at, std::uint64_t own);
  [[nodiscard]] std::uint64_t joined(std::uint64_t seen, std::uint64_t own) const;
  /// What the lanes from `lane` on store in a whole sector.
  void store_whole(std::uint32_t lane, RaceShadow::Words& into) const;
  [[nodiscard]] std::uint32_t stored(std::uint32_t lane, std::uint32_t from) const;

  const Program& program_;
  GlobalRaces& races_;
  std::map<std::pair<const Pattern*, std::uint32_t>, Plan> plans_;
  /// By site: the plan and the region that were used last.
  struct Last {
    const Pattern* pattern = nullptr;
    std::uint32_t begin = 0;
    const Plan* plan = nullptr;
    Region* region = nullptr;
  };
  std::vector<Last> last_ = std::vector<Last>(program_.sites.size());
  /// What other blocks did up to a tick comes before what the running block does, by the block's
  /// number modulo the size.
  struct Published {
    std::uint64_t block = ~std::uint64_t{0};
    std::uint32_t tick = 0;
  };
  std::array<Published, 64> published_ = {};

  // While an event is looked at:
  const AccessEvent* event_ = nullptr;
  const Clocks* clocks_ = nullptr;
  std::vector<Fault>* faults_ = nullptr;
  const Ordering* ordering_ = nullptr;
  Region* region_ = nullptr;
  GlobalAccess now_;       ///< with lane 0
  std::uint64_t own_ = 0;  ///< the same, packed
  bool writes_ = false;
  bool has_values_ = false;  ///< what it stores is known
  Fault worst_;              ///< of a lane, if any_
  bool any_ = false;
};

}  // namespace lab::model::check
