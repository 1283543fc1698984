#include "harness/model/execute/grid.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

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
    state_.budget = options.budget;
    state_.workspace = options.workspace;
    state_.at_once = blocks_at_once(program, launch);
    const std::uint64_t blocks = launch.grid.count();
    const bool wait = program.waits && blocks > 1 && blocks <= state_.at_once;
    state_.resident = program.cooperative || wait;
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
  // Blocks take turns. Traffic is one core's, handed from block to block: it is as large as memory.
  GridResult run_resident() {
    std::vector<Core> cores(static_cast<std::size_t>(result_.blocks));
    std::vector<bool> alive(cores.size(), true);
    for (std::size_t i = 0; i < cores.size(); ++i) {
      cores[i] = make_core();
      if (i > 0) cores[i].block->traffic = Traffic(0);
    }
    Traffic traffic = std::move(cores[0].block->traffic);
    const auto with_traffic = [&](Block& block, auto f) {
      block.traffic = std::move(traffic);
      f();
      traffic = std::move(block.traffic);
    };
    std::size_t left = cores.size();
    Stop why = Stop::kRunning;
    for (std::size_t i = 0; i < cores.size(); ++i) {
      with_traffic(*cores[i].block, [&] { cores[i].block->begin(i); });
    }
    while (left > 0 && !stop_.load()) {
      bool all_stalled = true;
      for (std::size_t i = 0; i < cores.size() && !stop_.load(); ++i) {
        if (!alive[i]) continue;
        Block& block = *cores[i].block;
        with_traffic(block, [&] { alive[i] = take_turns(block); });
        if (block.stop() != Stop::kRunning) {
          why = block.stop();
          stop_.store(true);
        }
        all_stalled = all_stalled && alive[i] && block.is_stalled();
        if (alive[i]) continue;
        --left;
        block.end();
        ++cores[i].blocks_run;
        if (options_.progress) {
          options_.progress(1 - static_cast<double>(left) / static_cast<double>(cores.size()));
        }
      }
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
    cores[0].block->traffic = std::move(traffic);
    for (Core& core : cores) add(core);
    cores.resize(1);
    add_traffic(cores);
    return std::move(result_);
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
    result_.warp_instructions += block.warp_instructions();
    if (block.stop() != Stop::kRunning) result_.stop = block.stop();
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
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> done_ = 0;
  std::mutex print_;
};

}  // namespace

std::uint64_t blocks_at_once(const Program& program, const Launch& launch) {
  constexpr std::uint64_t kBlocksOfSm = 32;
  constexpr std::uint64_t kSharedOfSm = 228 * 1024;
  constexpr std::uint64_t kThreadsOfSm = 2048;
  const std::uint64_t warps = (launch.block.count() + kLanes - 1) / kLanes;
  const std::uint64_t shared = program.shared_bytes + launch.dynamic_shared_bytes + kReservedShared;
  return kMultiprocessors *
         std::min({kBlocksOfSm, kThreadsOfSm / kLanes / std::max(warps, std::uint64_t{1}),
                   kSharedOfSm / shared});
}

GridResult run_grid(const Program& program, const Launch& launch, const GlobalMemory& memory,
                    const GridOptions& options) {
  return GridRun(program, launch, memory, options).run();
}

}  // namespace lab::model
