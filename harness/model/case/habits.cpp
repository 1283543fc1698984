#include "harness/model/case/habits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <tuple>
#include <utility>

#include "harness/core/metric_keys.h"
#include "harness/model/case/access_lanes.h"
#include "harness/model/case/line_sums.h"
#include "harness/model/case/records.h"
#include "harness/model/cost/rules.h"
#include "harness/model/decode/decode.h"
#include "harness/model/execute/block.h"

namespace lab::model {

namespace {

bool is_atomic(const Site& site) {
  return site.op == AccessOp::kAtomic || site.op == AccessOp::kReduction;
}

bool is_of_constants(const AccessEvent& event) {
  return event.space == ptx::Space::kConst ||
         (event.space == ptx::Space::kGlobal && is_constant(event.first()));
}

}  // namespace

class Habits::Watcher : public Observer {
 public:
  explicit Watcher(Habits& habits)
      : habits_(habits),
        code_(habits.program_.code.data()),
        atomics_(habits.program_, habits.roles_),
        tiles_(habits.program_, habits.roles_),
        barriers_(habits.program_),
        trials_(habits.program_, habits.roles_) {
    const Program& program = habits.program_;
    for (const Origin& origin : program.origins) {
      const ptx::Instruction& ins = instruction_of(program, origin);
      hands_on_.push_back(hands_on(ins));
      is_barrier_.push_back(ins.op == ptx::Op::kBar || ins.op == ptx::Op::kBarrier);
    }
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() override {
    const std::scoped_lock lock(habits_.mutex_);
    habits_.all_.add(own_);
    habits_.atomics_.add(atomics_);
    habits_.tiles_.add(tiles_);
    habits_.barriers_.add(barriers_);
    habits_.trials_.add(trials_);
  }

  void block_begins(const Block& block) override {
    warps_.assign(block.warps().size(), {});
    tiles_.block_begins(block);
    barriers_.block_begins(block);
    trials_.block_begins(block);
    for (const Warp& warp : block.warps()) warp.block->follow(warp.index);
  }

  void executes(const Ins& ins, Warp& warp) override {
    Seen& seen = warps_[warp.index];
    seen.step(warp.mask);
    const auto at = static_cast<std::size_t>(&ins - code_);
    if (hands_on_[at]) seen.busy |= warp.mask;
    if (is_barrier_[at]) barriers_.reaches(static_cast<std::uint32_t>(at));
  }

  void access(const AccessEvent& event) override {
    if (event.space == ptx::Space::kLocal || event.space == ptx::Space::kParam) return;
    Sums& sums = own_.sites[event.site];
    ++sums.requests;
    sums.lanes += static_cast<std::uint64_t>(std::popcount(event.mask));
    if (is_of_constants(event)) {
      sums.places += places_of(event);
      return;
    }
    warps_[event.warp->index].working |= event.mask;
    tiles_.access(event);
    trials_.access(event);
    const SiteRole& role = role_of(*event.site);
    barriers_.access(event, role.fresh || role.waits);
    if (is_atomic(*event.site)) {
      atomics_.access(event);
    } else if (event.space == ptx::Space::kGlobal) {
      reach(event);
      repeat(event, sums);
    }
  }

  // What others wait for, or have written since, is not what a register could keep.
  void barrier_released(const Block& block, std::uint32_t arrived, std::uint32_t waiting) override {
    for (Seen& one : warps_) one.forget();
    std::uint64_t live = 0;
    std::uint32_t warps = 0;
    for (const Warp& warp : block.warps()) {
      live += static_cast<std::uint64_t>(std::popcount(warp.live));
      if (warp.live != 0) warps |= 1U << warp.index;
    }
    if ((arrived & waiting & warps) != warps) barriers_.other();
    barriers_.barrier_released();
    trials_.barrier_released();
    const std::uint64_t threads = block.launch->launch.block.count();
    // Who arrives without waiting may be gone when the others pass.
    if (live >= threads || arrived != waiting) return;
    own_.gone += threads - live;
    own_.met += threads;
  }
  void warp_synchronised(const Warp&, std::uint32_t) override {}
  void bulk_copy(const BulkEvent&) override {
    tiles_.bulk_copy();
    barriers_.other();
  }
  void mapped_access(const MappedEvent&) override {
    tiles_.bulk_copy();
    barriers_.other();
  }
  void synchronised(const SyncEvent&) override { barriers_.other(); }
  void block_ends(Block& block) override {
    atomics_.block_ends(block.index());
    tiles_.block_ends();
    barriers_.block_ends();
    trials_.block_ends();
    if (!own_.reaches_an_edge) own_.reaches_an_edge = reaches_an_edge(block);
    for (const Seen& one : warps_) {
      own_.working += static_cast<std::uint64_t>(std::popcount(one.working));
      own_.busy += static_cast<std::uint64_t>(std::popcount(one.working | one.busy));
    }
  }

 private:
  /// Of a warp.
  struct Seen {
    static constexpr std::uint8_t kMany = 32;  // instructions: more than it takes to find out
    static constexpr std::size_t kRecent = 8;  // that there is nothing to do; and loads
    std::uint32_t working = 0;                 // lanes with an access to memory
    std::uint32_t busy = 0;                    // lanes that do much, or hand on what they have
    std::array<std::uint8_t, kLanes> steps = {};
    // Where it stored and loaded last, by the digests of lanes and addresses.
    std::uint64_t stored = 0;
    std::array<std::uint64_t, kRecent> loaded = {};

    void step(std::uint32_t lanes) {
      for (std::uint32_t left = lanes & ~busy; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        if (++steps[lane] == kMany) busy |= 1U << lane;
      }
    }
    /// Whether one of the last loads was this; it is the last one then.
    bool loads_again(std::uint64_t digest) {
      const auto found = std::find(loaded.begin(), loaded.end(), digest);
      const bool again = found != loaded.end();
      std::rotate(loaded.begin(), again ? found : loaded.end() - 1,
                  again ? found + 1 : loaded.end());
      loaded.front() = digest;
      return again;
    }
    void forget() {
      stored = 0;
      loaded = {};
    }
  };

  // A lane's part of what other lanes get.
  static bool hands_on(const ptx::Instruction& ins) {
    constexpr std::array kOps = {ptx::Op::kShfl, ptx::Op::kVote, ptx::Op::kMatch, ptx::Op::kRedux};
    return ins.sub == ptx::Sub::kRed || std::find(kOps.begin(), kOps.end(), ins.op) != kOps.end();
  }

  // One of the grid's last threads in a direction works: it is not that the kernel's own bound, and
  // not the grid's, leaves the rest to nobody.
  [[nodiscard]] bool reaches_an_edge(const Block& block) const {
    const Launch& launch = block.launch->launch;
    const Dim3 at = coordinates(launch.grid, block.index());
    const auto works_last = [&](std::uint32_t Dim3::*way) {
      if (launch.grid.*way * launch.block.*way == 1 || at.*way + 1 != launch.grid.*way)
        return false;
      for (std::uint64_t thread = 0; thread < launch.block.count(); ++thread) {
        const bool works = (warps_[thread / kLanes].working >> (thread % kLanes) & 1U) != 0;
        if (works && coordinates(launch.block, thread).*way + 1 == launch.block.*way) return true;
      }
      return false;
    };
    return works_last(&Dim3::x) || works_last(&Dim3::y) || works_last(&Dim3::z);
  }

  void reach(const AccessEvent& event) {
    const GlobalMemory& memory = *event.warp->block->launch->memory;
    std::uint64_t high = 0;
    for (std::uint32_t left = event.mask; left != 0; left &= left - 1) {
      high = std::max(high, event.at(static_cast<unsigned>(std::countr_zero(left))));
    }
    if (found_ == nullptr || !found_->contains(high, event.site->bytes())) {
      found_ = memory.find(high);
    }
    if (found_ == nullptr) return;
    Extent& extent = own_.extents[found_];
    const std::uint64_t end = high - found_->base + event.site->bytes();
    if (event.site->op == AccessOp::kLoad) {
      extent.loaded = std::max(extent.loaded, end);
    } else if (end > extent.stored) {
      extent.stored = end;
      extent.last = event.site;
    }
  }

  // A load that others answer, by a flag say, is none that a register could keep.
  void repeat(const AccessEvent& event, Sums& sums) {
    const SiteRole& role = role_of(*event.site);
    if (role.fresh || is_volatile(*event.site)) return;
    Seen& warp = warps_[event.warp->index];
    const std::uint64_t digest = digest_of(event) ^ event.site->bytes();
    const bool load = event.site->op == AccessOp::kLoad;
    if (digest == warp.stored) {
      (load ? sums.repeated_loads : sums.repeated_stores) += sectors(lanes_of(event));
    } else if (load && warp.loads_again(digest) && !role.ends_loop) {
      (role.in_loop ? sums.reloads : sums.again) += sectors(lanes_of(event));
    }
    if (!load) warp.stored = digest;
  }

  [[nodiscard]] const SiteRole& role_of(const Site& site) const {
    return habits_.roles_[static_cast<std::size_t>(&site - habits_.program_.sites.data())];
  }
  [[nodiscard]] bool is_volatile(const Site& site) const {
    const Origin& origin = habits_.program_.origins[site.where];
    return instruction_of(habits_.program_, origin).is_volatile;
  }

  Habits& habits_;
  const Ins* code_;
  std::vector<bool> hands_on_;    // by instruction
  std::vector<bool> is_barrier_;  // likewise
  All own_;
  std::vector<Seen> warps_;  // of the block
  const Allocation* found_ = nullptr;
  AtomicHabits atomics_;
  TileHabits tiles_;
  BarrierHabits barriers_;
  AccessTrials trials_;
};

std::unique_ptr<Observer> Habits::observer() { return std::make_unique<Watcher>(*this); }

void Habits::Extent::add(const Extent& other) {
  loaded = std::max(loaded, other.loaded);
  if (other.stored <= stored) return;
  stored = other.stored;
  last = other.last;
}

void Habits::All::add(const All& other) {
  for (const auto& [site, sums] : other.sites) {
    Sums& mine = sites[site];
    mine.requests += sums.requests;
    mine.lanes += sums.lanes;
    mine.places += sums.places;
    mine.repeated_loads += sums.repeated_loads;
    mine.repeated_stores += sums.repeated_stores;
    mine.reloads += sums.reloads;
    mine.again += sums.again;
  }
  for (const auto& [allocation, extent] : other.extents) extents[allocation].add(extent);
  working += other.working;
  busy += other.busy;
  gone += other.gone;
  met += other.met;
  reaches_an_edge |= other.reaches_an_edge;
}

namespace {

bool is_double(const ptx::Instruction& ins) { return ins.type == ptx::Type::kF64; }

// Doubles that somebody means to have: not the constants of a function of the maths library.
bool moves(const ptx::Instruction& ins) {
  return (ins.op == ptx::Op::kLd || ins.op == ptx::Op::kSt) && ins.space != ptx::Space::kConst;
}
bool calculates(const ptx::Instruction& ins) {
  constexpr std::array kOthers = {ptx::Op::kLd, ptx::Op::kSt, ptx::Op::kMov, ptx::Op::kSelp};
  return std::find(kOthers.begin(), kOthers.end(), ins.op) == kOthers.end();
}

// Of instructions alone: how often warps calculated in double, and where floats were made
// doubles and doubles floats again; printf's calls; barriers.
void add_instructions(const Program& program, const GridResult& result, bool gone, LineSums& sums) {
  const ptx::Where* barrier = nullptr;
  for (const InstructionOrigin& one : program.instructions) {
    const ptx::Instruction& ins = sums.at(one.origin);
    const std::uint64_t times = result.entered[one.block];
    if (times == 0) continue;
    if (ins.op == ptx::Op::kCvt) {
      const bool from_double = ins.from == ptx::Type::kF64;
      if (is_double(ins) && !from_double) sums.add(ins.where, metric::kWidened, times);
      if (!is_double(ins) && from_double) sums.add(ins.where, metric::kNarrowed, times);
    } else if (is_double(ins) && moves(ins)) {
      sums.add(ins.where, metric::kDoublesMoved, times);
    } else if (is_double(ins) && calculates(ins)) {
      sums.add(ins.where, metric::kDoubleArithmetic, times);
    }
    if (calls_printf(*program.module, ins)) sums.add(ins.where, metric::kPrinted, times);
    const bool meets = ins.op == ptx::Op::kBar || ins.op == ptx::Op::kBarrier;
    if (meets && ins.where.line > 0 && (barrier == nullptr || ins.where.line < barrier->line)) {
      barrier = &ins.where;
    }
  }
  if (gone && barrier != nullptr) sums.add(*barrier, metric::kPassedWithout, 1);
}

}  // namespace

namespace {

// Whether the arguments say so: one of them, or two as rows and columns.
bool is_asked_for(const Job& job, std::uint64_t elements) {
  std::vector<std::uint64_t> counts = {1};
  for (const ArgSpec& argument : job.args) {
    const auto* scalar = std::get_if<ScalarSpec>(&argument);
    if (scalar != nullptr) counts.push_back(scalar->bits);
  }
  return std::any_of(counts.begin(), counts.end(), [&](std::uint64_t rows) {
    return std::any_of(counts.begin(), counts.end(), [&](std::uint64_t columns) {
      return rows != 0 && elements % rows == 0 && elements / rows == columns;
    });
  });
}

}  // namespace

// An output whose rest nobody stores, where an input as long is left from the same place on, or the
// array itself is: no count among the arguments says that so much was wanted.
bool Habits::is_half_done(const std::map<const Allocation*, Extent>& all, const Allocation& output,
                          const Extent& extent, const Job& job) {
  constexpr std::uint64_t kPart = 16;
  const std::uint64_t rest = output.bytes - std::min(output.bytes, extent.stored);
  if (extent.last == nullptr || output.argument < 0 || rest * kPart < output.bytes) return false;
  if (is_asked_for(job, extent.stored / extent.last->bytes())) return false;
  return std::any_of(all.begin(), all.end(), [&](const auto& other) {
    const auto& [allocation, reached] = other;
    const double share =
        static_cast<double>(reached.loaded) / static_cast<double>(allocation->bytes);
    const double of_output = static_cast<double>(extent.stored) / static_cast<double>(output.bytes);
    return reached.loaded > 0 && share > 0.98 * of_output && share < 1.02 * of_output;
  });
}

std::vector<LineObservation> Habits::lines(const GridResult& result, const Job& job) const {
  LineSums sums(program_);
  sums.add_whole(metric::kThreads, job.launch.grid.count() * job.launch.block.count());
  sums.add_whole(metric::kWorkingThreads, all_.working);
  sums.add_whole(metric::kBusyThreads, all_.busy);
  sums.add_whole(metric::kGoneThreads, all_.gone);
  sums.add_whole(metric::kMetThreads, all_.met);
  for (const auto& [site, seen] : all_.sites) {
    const ptx::Where& where = sums.where(*site);
    if (site->space == ptx::Space::kConst) {
      sums.add(where, metric::kConstantRequests, seen.requests);
      sums.add(where, metric::kConstantPlaces, seen.places);
      continue;
    }
    sums.add(where, metric::kMemoryRequests, seen.requests);
    sums.add(where, metric::kMemoryLanes, seen.lanes);
    sums.add(where, metric::kRepeatedSectors, seen.repeated_loads + seen.repeated_stores);
    sums.add(where, metric::kRepeatedStores, seen.repeated_stores);
    sums.add(where, metric::kReloadedSectors, seen.reloads);
    sums.add(where, metric::kAgainSectors, seen.again);
    const SiteRole& role = roles_[static_cast<std::size_t>(site - program_.sites.data())];
    if (role.indexed) sums.add(where, metric::kIndexedRequests, seen.requests);
    if (role.in_loop) sums.add(where, metric::kLoopedRequests, seen.requests);
    if (role.ends_loop) sums.add(where, metric::kSearchRequests, seen.requests);
    if (role.waits) sums.add(where, metric::kWaitRequests, seen.requests);
  }
  atomics_.write(sums);
  tiles_.write(sums);
  barriers_.write(sums);
  trials_.write(sums);
  for (const auto& [allocation, extent] : all_.extents) {
    if (!all_.reaches_an_edge || !is_half_done(all_.extents, *allocation, extent, job)) continue;
    sums.add(sums.where(*extent.last), metric::kReachedBytes, extent.stored);
    sums.add(sums.where(*extent.last), metric::kReachableBytes, allocation->bytes);
  }
  add_instructions(program_, result, all_.gone > 0, sums);
  return sums.all();
}

}  // namespace lab::model
