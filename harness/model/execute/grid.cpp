#include "harness/model/execute/grid.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "harness/core/error.h"
#include "harness/core/launch_facts.h"
#include "harness/core/parallel.h"

namespace lab::model {
namespace {

/// Which blocks run. They are handed out in runs of neighbours.
class Schedule {
 public:
  Schedule(std::uint64_t blocks, std::uint64_t step, int threads)
      : blocks_(blocks), step_(step), count_((blocks + step - 1) / step) {
    // Small enough that the cores finish together, large enough that neighbours share cache lines.
    const auto share = count_ / (static_cast<std::uint64_t>(threads) * 8);
    run_ = std::clamp<std::uint64_t>(share, 1, 64);
  }
  /// The next run [first, last) of scheduled blocks; empty where all are handed out.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> take() {
    const std::uint64_t first = next_.fetch_add(run_);
    return {std::min(first, count_), std::min(first + run_, count_)};
  }
  [[nodiscard]] std::uint64_t block(std::uint64_t scheduled) const { return scheduled * step_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }

 private:
  std::uint64_t blocks_;
  std::uint64_t step_;
  std::uint64_t count_;
  std::uint64_t run_ = 1;
  std::atomic<std::uint64_t> next_ = 0;
};

struct Core {
  std::unique_ptr<Observer> observer;
  std::unique_ptr<Block> block;
  std::uint64_t blocks_run = 0;
};

class GridRun {
 public:
  GridRun(const Program& program, const Launch& launch, const GlobalMemory& memory,
          const GridOptions& options)
      : options_(options) {
    state_.program = &program;
    state_.launch = launch;
    state_.memory = &memory;
    state_.too_many = options.too_many;
    state_.longest = options.longest;
    state_.workspace = options.workspace;
    state_.at_once = blocks_at_once(program, launch);
    const std::uint64_t blocks = launch.grid.count();
    const bool wait = program.waits && blocks > 1 && blocks <= state_.at_once;
    whole_ = program.cooperative || wait;
    state_.cluster = {program.cluster[0], program.cluster[1], program.cluster[2]};
    state_.resident = whole_ || state_.cluster.count() > 1;
    state_.stopped = [this] { return stop_.load() || (options_.stopped && options_.stopped()); };
    if (options.print) {
      state_.print = [this](const std::string& text) {
        const std::lock_guard<std::mutex> lock(print_);
        options_.print(text);
      };
    }
  }

  GridResult run() {
    result_.blocks = state_.launch.grid.count();
    if (state_.resident) return run_resident();
    if (!options_.only.empty()) return run_only();
    const auto cores = std::max(1U, std::thread::hardware_concurrency());
    const auto wanted = options_.threads > 0 ? static_cast<std::uint64_t>(options_.threads) : cores;
    const auto threads = static_cast<int>(std::min<std::uint64_t>(wanted, result_.blocks));
    state_.parallel = threads > 1;
    result_.threads = std::max(threads, 1);
    std::vector<Core> cores_used(static_cast<std::size_t>(result_.threads));
    cores_used[0] = make_core();
    choose_step(cores_used[0]);
    Schedule schedule(result_.blocks, result_.sample_step, result_.threads);
    Threads others;
    for (std::size_t i = 1; i < cores_used.size(); ++i) {
      others.add([&, i] { work(schedule, cores_used[i], false); });
    }
    work(schedule, cores_used[0], true);
    others.join();
    for (Core& core : cores_used) add(core);
    add_traffic(cores_used);
    return std::move(result_);
  }

 private:
  GridResult run_only() {
    Core core = make_core();
    for (const std::uint64_t block : options_.only) {
      if (!stop_.load()) run_block(core, block);
    }
    add(core);
    core.block->traffic.end_block();
    result_.block_reads = core.block->traffic.block_reads();
    return std::move(result_);
  }

  // Blocks take turns: all of the grid, or cluster by cluster. In a whole grid traffic is one
  // core's, handed from block to block: it is as large as memory.
  GridResult run_resident() {
    const std::uint64_t cluster = state_.cluster.count();
    const std::uint64_t round = whole_ ? result_.blocks : cluster;
    if (round % cluster != 0 || result_.blocks % cluster != 0) {
      throw internal_error("a grid that is not made of whole clusters");
    }
    std::vector<Core> cores(static_cast<std::size_t>(round));
    for (std::size_t i = 0; i < cores.size(); ++i) {
      cores[i] = make_core();
      if (whole_ && i > 0) cores[i].block->traffic = Traffic(0);
    }
    for (std::size_t i = 0; cluster > 1 && i < cores.size(); ++i) {
      std::vector<Block*> peers;
      const std::size_t first = i - i % cluster;
      for (std::size_t k = 0; k < cluster; ++k) peers.push_back(cores[first + k].block.get());
      cores[i].block->join(std::move(peers));
    }
    Traffic traffic = whole_ ? std::move(cores[0].block->traffic) : Traffic(0);
    for (std::uint64_t first = 0; first < result_.blocks && !stop_.load(); first += round) {
      run_round(cores, first, traffic);
    }
    if (whole_) cores[0].block->traffic = std::move(traffic);
    for (Core& core : cores) add(core);
    if (whole_) cores.resize(1);
    add_traffic(cores);
    return std::move(result_);
  }

  /// Runs as many blocks as there are cores. They are counted cluster by cluster from `first` on.
  void run_round(std::vector<Core>& cores, std::uint64_t first, Traffic& traffic) {
    std::vector<bool> alive(cores.size(), true);
    const auto with_traffic = [&](Block& block, auto f) {
      if (!whole_) return f();
      block.traffic = std::move(traffic);
      f();
      traffic = std::move(block.traffic);
    };
    std::size_t left = cores.size();
    Stop why = Stop::kRunning;
    for (std::size_t i = 0; i < cores.size(); ++i) {
      with_traffic(*cores[i].block, [&] { cores[i].block->begin(block_of_cluster(first + i)); });
    }
    while (left > 0 && !stop_.load()) {
      bool all_stalled = true;
      for (std::size_t i = 0; i < cores.size() && !stop_.load(); ++i) {
        if (!alive[i]) continue;
        Block& block = *cores[i].block;
        with_traffic(block, [&] { alive[i] = take_turns(block); });
        // Without a block that waits forever the others of its cluster do not go on.
        const bool clustered = state_.cluster.count() > 1;
        const bool stopped = block.stop() != Stop::kRunning;
        all_stalled = all_stalled && alive[i] && block.is_stalled();
        if (!alive[i]) {
          --left;
          block.end();
          ++cores[i].blocks_run;
          report_progress(first + cores.size() - left);
        }
        if (stopped || (clustered && block.stop() != Stop::kRunning)) {
          why = block.stop();
          stop_.store(true);
        }
      }
      if (!stop_.load() && release_clusters(cores, alive)) all_stalled = false;
      for (std::size_t i = 0; i < cores.size(); ++i) {
        if (!alive[i]) continue;
        all_stalled ? cores[i].block->lose_patience() : cores[i].block->regain_patience();
      }
    }
    // Blocks that are stopped because of another wait for nothing of their own.
    for (std::size_t i = 0; i < cores.size(); ++i) {
      if (!alive[i]) continue;
      if (why != Stop::kRunning) cores[i].block->abort(why);
      cores[i].block->end();
    }
  }

  /// Lets the clusters go on of which all blocks wait for each other. Returns false where none
  /// does.
  bool release_clusters(std::vector<Core>& cores, const std::vector<bool>& alive) {
    const std::size_t size = state_.cluster.count();
    bool released = false;
    for (std::size_t first = 0; size > 1 && first < cores.size(); first += size) {
      std::vector<Block*> waiting;
      bool all = true;
      for (std::size_t i = first; i < first + size; ++i) {
        if (alive[i]) waiting.push_back(cores[i].block.get());
        all = all && cores[i].block->is_at_cluster_barrier();
      }
      if (!all || waiting.empty()) continue;
      for (Block* block : waiting) block->publish_to_cluster();
      for (Block* block : waiting) block->release_cluster_barrier();
      released = true;
    }
    return released;
  }

  /// Block `index` where blocks are counted cluster by cluster, by rank in each.
  [[nodiscard]] std::uint64_t block_of_cluster(std::uint64_t index) const {
    const Dim3& grid = state_.launch.grid;
    const Dim3& cluster = state_.cluster;
    const std::uint64_t number = index / cluster.count();
    const std::uint64_t rank = index % cluster.count();
    const std::uint64_t wide = grid.x / cluster.x;
    const std::uint64_t high = grid.y / cluster.y;
    const std::uint64_t x = number % wide * cluster.x + rank % cluster.x;
    const std::uint64_t y = number / wide % high * cluster.y + rank / cluster.x % cluster.y;
    const std::uint64_t z = number / wide / high * cluster.z + rank / cluster.x / cluster.y;
    return x + grid.x * (y + std::uint64_t{grid.y} * z);
  }

  void report_progress(std::uint64_t done) {
    if (options_.progress) {
      options_.progress(static_cast<double>(done) / static_cast<double>(result_.blocks));
    }
  }

  // A block goes on until it waits for others, or has had enough.
  static bool take_turns(Block& block) {
    constexpr int kMostTurns = 64;
    for (int i = 0; i < kMostTurns; ++i) {
      if (!block.turn()) return false;
      if (block.is_stalled()) break;
    }
    return true;
  }

  Core make_core() {
    Core core;
    if (options_.observer) core.observer = options_.observer();
    core.block = std::make_unique<Block>(state_, core.observer.get());
    return core;
  }

  // The cost of the grid is estimated from its first block, which runs before the others where
  // there are many, or where the caller asks for the estimate.
  void choose_step(Core& core) {
    constexpr std::uint64_t kMany = 64;
    const bool may_sample = options_.sample_above != 0 && result_.blocks >= kMany;
    if (!may_sample && !(options_.estimated && result_.blocks > 1)) return;
    run_block(core, 0);
    first_done_ = true;
    const std::uint64_t expected = core.block->warp_instructions() * result_.blocks;
    if (options_.estimated) {
      options_.estimated(expected);
      core.observer = options_.observer ? options_.observer() : nullptr;
      core.block->observer = core.observer.get();
    }
    if (!may_sample || expected <= options_.sample_above) return;
    const std::uint64_t part = std::max<std::uint64_t>(options_.sample_above / 4, 1);
    result_.sample_step = std::min((expected + part - 1) / part, result_.blocks);
  }

  void run_block(Core& core, std::uint64_t block) {
    core.block->run(block);
    ++core.blocks_run;
    if (core.block->stop() != Stop::kRunning) stop_.store(true);
  }

  void work(Schedule& schedule, Core& core, bool reports) {
    if (core.block == nullptr) core = make_core();
    for (;;) {
      const auto [first, last] = schedule.take();
      if (first >= last) return;
      for (std::uint64_t i = first; i < last; ++i) {
        if (stop_.load(std::memory_order_relaxed)) return;
        if (i > 0 || !first_done_) run_block(core, schedule.block(i));
      }
      const auto done = done_.fetch_add(last - first) + last - first;
      if (options_.stopped && options_.stopped()) stop_.store(true);
      if (reports && options_.progress) {
        options_.progress(static_cast<double>(done) / static_cast<double>(schedule.count()));
      }
    }
  }

  void add(Core& core) {
    Block& block = *core.block;
    result_.blocks_run += core.blocks_run;
    result_.sites.resize(block.sites().size());
    for (SiteState& site : block.sites()) site.flush_group(block.sites().data());
    for (std::size_t i = 0; i < block.sites().size(); ++i) {
      result_.sites[i].add(block.sites()[i].counts);
    }
    result_.entered.resize(block.entered().size());
    for (std::size_t i = 0; i < block.entered().size(); ++i) {
      result_.entered[i] += block.entered()[i];
    }
    result_.longest.resize(block.longest().size());
    for (std::size_t i = 0; i < block.longest().size(); ++i) {
      result_.longest[i] += block.longest()[i];
    }
    result_.warp_instructions += block.warp_instructions();
    if (block.stop() != Stop::kRunning) result_.stop = block.stop();
    if (block.stopped_at() != kNone) result_.stopped_at = block.stopped_at();
    faults_.merge(block.faults);
    result_.faults = faults_.all();
  }

  void add_traffic(const std::vector<Core>& cores) {
    for (const Core& core : cores) core.block->traffic.end_block();
    Traffic& all = cores.front().block->traffic;
    for (std::size_t i = 1; i < cores.size(); ++i) all.merge(cores[i].block->traffic);
    result_.block_reads = all.block_reads();
    for (const Allocation& a : state_.memory->all()) {
      const std::uint64_t sectors = (a.bytes + kSectorBytes - 1) / kSectorBytes;
      result_.touched.add(all.touched(a.first_sector, sectors));
    }
  }

  const GridOptions& options_;
  LaunchState state_;
  GridResult result_;
  Faults faults_;
  bool first_done_ = false;
  bool whole_ = false;  ///< all blocks of the grid are alive at once
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> done_ = 0;
  std::mutex print_;
};

}  // namespace

std::uint64_t blocks_at_once(const Program& program, const Launch& launch) {
  KernelNeeds needs;
  needs.registers = program.registers;
  needs.static_shared = program.shared_bytes;
  const GpuLimits& gpu = limits_of(program.module == nullptr ? "" : program.module->target);
  return kMultiprocessors * residency(block_needs(needs, launch), gpu).blocks;
}

GridResult run_grid(const Program& program, const Launch& launch, const GlobalMemory& memory,
                    const GridOptions& options) {
  return GridRun(program, launch, memory, options).run();
}

}  // namespace lab::model
