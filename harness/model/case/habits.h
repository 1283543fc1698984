// The habits of a kernel's threads over a whole launch that advice is made from: who works, what is
// shared, what is asked for again. Looked for where somebody asks, since it takes an observer.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/record.h"
#include "harness/model/case/access_trials.h"
#include "harness/model/case/atomic_habits.h"
#include "harness/model/case/barrier_habits.h"
#include "harness/model/case/site_roles.h"
#include "harness/model/case/tile_habits.h"
#include "harness/model/code/decoded.h"
#include "harness/model/execute/grid.h"
#include "harness/model/execute/observer.h"

namespace lab::model {

class Habits {
 public:
  explicit Habits(const Program& program)
      : program_(program),
        roles_(roles_of(program)),
        atomics_(program, roles_),
        tiles_(program, roles_),
        barriers_(program),
        trials_(program, roles_) {}
  Habits(const Habits&) = delete;
  Habits& operator=(const Habits&) = delete;

  /// An observer that adds up here when it is destroyed; the habits outlive it.
  [[nodiscard]] std::unique_ptr<Observer> observer();
  /// Threads with an access to global or shared memory.
  [[nodiscard]] std::uint64_t working() const { return all_.working; }
  /// What was seen, by line; that of the kernel as a whole has line 0. The names are those of
  /// metric_keys.h under "Habits".
  [[nodiscard]] std::vector<LineObservation> lines(const GridResult& result, const Job& job) const;

 private:
  struct Sums {
    std::uint64_t requests = 0;
    std::uint64_t lanes = 0;
    std::uint64_t places = 0;           ///< distinct addresses, of constants
    std::uint64_t repeated_loads = 0;   ///< sectors of what the warp has just stored
    std::uint64_t repeated_stores = 0;  ///< sectors that it then stores once more
    std::uint64_t reloads = 0;  ///< sectors of what the instruction loaded the last time, too
    std::uint64_t again = 0;    ///< the same where no loop is around it
  };
  struct Extent {
    std::uint64_t loaded = 0;  ///< bytes from the buffer's first to the last one that is loaded
    std::uint64_t stored = 0;
    const Site* last = nullptr;  ///< stores furthest
    void add(const Extent& other);
  };
  struct All {
    std::map<const Site*, Sums> sites;
    std::map<const Allocation*, Extent> extents;
    std::uint64_t working = 0;     ///< threads with an access to global or shared memory
    std::uint64_t busy = 0;        ///< threads that work, or execute more than a few instructions
    std::uint64_t gone = 0;        ///< threads that had exited when others passed a barrier
    std::uint64_t met = 0;         ///< threads of the blocks at these barriers
    bool reaches_an_edge = false;  ///< one of the last threads of the grid in a direction works
    void add(const All& other);
  };
  class Watcher;
  static bool is_half_done(const std::map<const Allocation*, Extent>& all, const Allocation& output,
                           const Extent& extent, const Job& job);

  const Program& program_;
  const std::vector<SiteRole> roles_;
  std::mutex mutex_;
  All all_;
  AtomicHabits atomics_;
  TileHabits tiles_;
  BarrierHabits barriers_;
  AccessTrials trials_;
};

}  // namespace lab::model
