// One thread block on one core: its warps, its shared and local memory, its barriers.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/launch.h"
#include "harness/model/code/decoded.h"
#include "harness/model/cost/pattern.h"
#include "harness/model/cost/traffic.h"
#include "harness/model/execute/barrier.h"
#include "harness/model/execute/observer.h"
#include "harness/model/execute/splits.h"
#include "harness/model/execute/warp.h"
#include "harness/model/memory/memory.h"

namespace lab::model {

/// State that all blocks of a launch share.
struct LaunchState {
  const Program* program = nullptr;
  Launch launch;
  const GlobalMemory* memory = nullptr;
  bool parallel = false;        ///< blocks run on several threads: atomics must be real
  bool resident = false;        ///< blocks wait for each other: all are alive, and take turns
  Dim3 cluster = {};            ///< blocks that take turns since they reach each other
  std::uint64_t at_once = 0;    ///< blocks that the GPU has room for at once
  std::uint64_t workspace = 0;  ///< device address of what a grid's barrier uses; 0: none
  bool longest = false;         ///< what each block's longest warp does is counted apart
  /// True: give up, since the run was cancelled or is out of time.
  std::function<bool()> stopped = {};
  /// True: give up, since so many warp instructions of one core are too many.
  std::function<bool(std::uint64_t)> too_many = {};
  std::function<void(const std::string&)> print = {};  ///< takes what printf writes
};

/// Zeroed memory aligned to a cache line.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t bytes);
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::vector<std::byte> storage_;
  std::byte* data_ = nullptr;
};

/// The watchdog's memory of a warp that has run for long without stopping.
struct SpinWatch {
  const Ins* pc = nullptr;  ///< where it looks again; null: nowhere
  std::uint32_t mask = 0;
  std::uint64_t digest = 0;
  int looks = 0;
  int slices = 0;  ///< since another split had its turn
};

/// As many as an H100 or H200 has, for kernels that ask.
inline constexpr std::uint32_t kMultiprocessors = 132;

/// A mask of lanes for each lane.
using LaneMasks = std::array<std::uint32_t, kLanes>;

/// How a block came to an end before its warps did.
enum class Stop : std::uint8_t { kRunning, kFault, kBudget, kCancelled };

/// Runs blocks one after another. Counters, patterns and constants are kept from block to block.
class Block {
 public:
  Block(const LaunchState& launch, Observer* observer);

  /// Runs block `index` of the grid (x fastest) to its end.
  void run(std::uint64_t index);
  // The same in turns with other blocks: begin(), then turn() while it returns true, then end().
  void begin(std::uint64_t index);
  /// Runs each warp until it waits or lets others run. Returns false where the block has come to
  /// its end, or its warps wait for what nobody will do.
  bool turn();
  void end();
  /// All its warps have been seen to spin: only another block can make a change.
  [[nodiscard]] bool is_stalled() const { return stalled_; }
  /// No other block makes a change either. First lanes that wait to reconverge with one that spins
  /// go on without it; where that does not help, a warp is reported to spin forever.
  void lose_patience();
  /// Another block has made a change since.
  void regain_patience();

  /// The blocks of this one's cluster, by rank, where it has several: they take turns.
  void join(std::vector<Block*> cluster) { cluster_ = std::move(cluster); }
  /// All threads that have not exited wait for their cluster, or none is left.
  [[nodiscard]] bool is_at_cluster_barrier() const;
  /// Tells the observer of the block's arrival there, which comes before any block is released.
  void publish_to_cluster();
  void release_cluster_barrier();
  /// It has come to its end, and its shared memory is gone.
  [[nodiscard]] bool has_ended() const { return ended_; }
  /// The block of that rank; null where the cluster has none.
  [[nodiscard]] const Block* of_cluster(std::uint64_t rank) const {
    return rank < cluster_.size() ? cluster_[rank] : nullptr;
  }
  [[nodiscard]] std::uint32_t cluster_blocks() const {
    return static_cast<std::uint32_t>(std::max<std::size_t>(cluster_.size(), 1));
  }
  [[nodiscard]] std::uint32_t cluster_rank() const;

  // Handlers read these.
  std::byte* shared = nullptr;
  std::uint64_t shared_bytes = 0;
  std::byte* reserved = nullptr;  ///< kReservedShared bytes from kReservedBase on, for libraries
  std::byte* local = nullptr;     ///< thread t's local memory begins at t * local_stride
  std::uint64_t local_bytes = 0;
  Observer* observer = nullptr;
  const LaunchState* launch = nullptr;
  PatternTable patterns;
  Traffic traffic;
  Faults faults;
  /// The mbarriers of the running block, by their address in shared memory: what was last stored in
  /// each by an operation on it.
  std::map<std::uint64_t, std::uint64_t> mbarriers;

  /// The watchdog: `warp` has used up its fuel and is about to enter `block` at `pc`.
  const Ins* watch(Warp& warp, const Ins* pc, std::uint32_t block);
  /// The executing lanes arrive at barrier `id`. Returns where the warp goes on.
  const Ins* arrive(Warp& warp, std::uint32_t id, const Arrival& arrival);
  /// At that of the block's cluster, which no id names.
  const Ins* arrive_at_cluster(Warp& warp, const Arrival& arrival);
  /// Only some threads of a warp reached a barrier that all must reach together.
  void divergent_barrier(const Warp& warp, const Ins* at);
  /// A warp-wide operation names lanes that have not exited and are elsewhere.
  void absent_lanes(const Warp& warp, const Ins* at, std::uint32_t lanes);
  /// A warp-wide operation is executed by a lane that its mask leaves out.
  void absent_caller(const Warp& warp, const Ins* at, unsigned lane);
  /// Lane `lane` of a shuffle is the first that reads one of the lanes `sources`, which do not
  /// execute it.
  void inactive_source(const Warp& warp, const Ins* at, unsigned lane, std::uint32_t sources);
  /// Lane `lane` calls through a pointer to none of the functions that it may reach.
  void no_function(const Warp& warp, const Ins* at, unsigned lane, std::uint64_t pointer);
  /// Lane `lane` is about to use the mbarrier at `address`, which holds `bits`: reports where it
  /// was not initialised, or is not what operations on it have left there.
  void check_mbarrier(const Warp& warp, const Ins* at, unsigned lane, std::uint64_t address,
                      std::uint64_t bits);
  /// Lane `lane` accesses `bytes` bytes at `address` in the cluster's shared memory, where there
  /// are none: no such block, not so many bytes, or the block has come to its end.
  void no_block(const Warp& warp, const Ins* at, unsigned lane, std::uint64_t address,
                std::uint32_t bytes);
  /// Lane `lane` jumps to entry `index` of a table of `targets`.
  void no_target(const Warp& warp, const Ins* at, unsigned lane, std::uint32_t index,
                 std::uint64_t targets);
  /// bar.warp.sync by the executing lanes, each of which names the lanes in its own `members`.
  const Ins* warp_sync(Warp& warp, const Ins* at, const LaneMasks& members);
  /// Time as the kernel sees it: grows by a fixed step each time the kernel reads it.
  [[nodiscard]] std::uint64_t tick() { return ticks_ += kTick; }
  /// The executing lanes trap: ends the block.
  const Ins* trap(const Warp& warp, const Ins* at);
  /// Ends the block before its warps do.
  void abort(Stop why);
  void fault(const Warp& warp, FindingKind kind, const Ins* at, unsigned lane,
             const std::string& detail, LoopFault loop = LoopFault::kNoLoop);

  /// From now on the observer is told of each instruction of warp `index`.
  void follow(std::uint32_t index) { warps_[index].followed = true; }

  [[nodiscard]] std::uint64_t index() const { return index_; }
  [[nodiscard]] const std::vector<Warp>& warps() const { return warps_; }
  [[nodiscard]] const std::vector<std::uint64_t>& entered() const { return entered_; }
  /// Of the warps that executed most instructions of their blocks; empty: nobody asked.
  [[nodiscard]] const std::vector<std::uint64_t>& longest() const { return longest_; }
  [[nodiscard]] std::vector<SiteState>& sites() { return sites_; }
  [[nodiscard]] Stop stop() const { return stop_; }
  /// Where a warp was that was stopped as it ran: an index into Program::code; kNone: none was.
  [[nodiscard]] std::uint32_t stopped_at() const { return stopped_at_; }
  /// PTX instructions executed by warps so far.
  [[nodiscard]] std::uint64_t warp_instructions() const;

 private:
  void make_warps();
  void add_up_warps();
  void fill_special(const SpecialValue& special, std::uint32_t warp);
  void run_prologue(const std::vector<Ins>& prologue, std::byte* slot_bank);
  bool release_complete_barriers();
  void release(Barrier& barrier);
  /// Reports threads that wait for others that never come, and lets them go on.
  bool release_warp_barriers();
  void report_deadlock();
  /// Reports a barrier that the machine has not, or a number of threads that it can't count.
  void check_barrier(const Warp& warp, std::uint32_t id, const Arrival& arrival);
  static const Ins* arrive_at(Warp& warp, Barrier& barrier, const Arrival& arrival);
  /// How many basic blocks a warp runs until the watchdog looks at it again, after `taken` earlier
  /// slices.
  [[nodiscard]] static std::int64_t slice(int taken);
  /// The launch is to stop, with the warp at `pc`.
  bool out_of_patience(const Ins* pc);
  const Ins* let_others_run(Warp& warp, const Ins* pc, std::uint32_t block);
  void report_no_progress(const Warp& warp, const Ins* pc);
  /// No path leads from there to the kernel's end.
  [[nodiscard]] bool never_ends(const Ins* at) const;
  void report_endless(const Warp& warp, const Ins* at);

  std::vector<AlignedBytes> frames_;
  std::vector<AlignedBytes> slots_;
  AlignedBytes uniform_;
  AlignedBytes shared_memory_;
  AlignedBytes reserved_memory_;
  AlignedBytes local_memory_;
  std::vector<std::unique_ptr<Splits>> splits_;
  std::vector<Warp> warps_;
  std::vector<std::uint64_t> entered_;
  std::vector<std::uint64_t> apart_;  ///< of the running block, by warp
  std::vector<std::uint64_t> longest_;
  std::vector<SiteState> sites_;
  std::vector<std::uint64_t> last_offsets_;  ///< by site and warp
  std::array<Barrier, kClusterBarrier + 1> barriers_;
  std::vector<SpinWatch> spins_;  ///< by warp
  std::uint64_t stuck_ = 0;       ///< splits in a row that were found to spin unchanged
  std::chrono::steady_clock::time_point stuck_since_;
  static constexpr std::uint64_t kTick = 32;
  std::uint64_t ticks_ = 0;
  std::uint64_t index_ = 0;
  Stop stop_ = Stop::kRunning;
  std::uint32_t stopped_at_ = kNone;
  bool stalled_ = false;
  bool ended_ = false;
  std::vector<Block*> cluster_;
  enum class Patience : std::uint8_t { kWaits, kReleases, kGivesUp };
  Patience patience_ = Patience::kWaits;
};

}  // namespace lab::model
