#include "harness/kernel/cubin/warp_clock.h"

#include <algorithm>
#include <array>

namespace lab::cubin {

namespace {

constexpr std::size_t kCounters = 6;
// Until an instruction with a counter for it has read its operands.
constexpr double kReadCycles = 10;

/// When each counter is 0 again, and what set it last.
struct Board {
  double now = 0;
  std::array<double, kCounters> ready{};
  std::array<Pipe, kCounters> by{};
};

class Walk {
 public:
  Walk(const Function& function, std::vector<Stretch> stretches, const Latencies& latencies)
      : function_(function), stretches_(std::move(stretches)), latencies_(latencies) {}

  WarpClock run() {
    if (!stretches_.empty()) walk({0, stretches_.size() - 1}, 1, kNoLoop);
    return clock_;
  }

 private:
  struct Range {
    std::size_t first;
    std::size_t last;
  };
  static constexpr std::size_t kNoLoop = static_cast<std::size_t>(-1);

  /// `entered`: how often the range is entered. `inside`: the head of the loop that it is.
  void walk(Range range, double entered, std::size_t inside) {
    for (std::size_t i = range.first; i <= range.last; ++i) {
      const Stretch& stretch = stretches_[i];
      if (stretch.is_head && i != inside && stretch.loop_last <= range.last) {
        loop(i, entered);
        i = stretch.loop_last;
        continue;
      }
      const double share = entered > 0 ? std::min(stretch.times / total_, 1.0) : 0;
      if (share <= 0) continue;
      const Board before = board_;
      run(stretch, entered * share);
      if (share < kUsual) board_ = before;
    }
  }

  void loop(std::size_t head, double entered) {
    const double times = stretches_[head].times * std::min(entered / total_, 1.0);
    const Range body{head, stretches_[head].loop_last};
    if (times <= 0) return;
    const double outside = total_;
    total_ = stretches_[head].times;
    const double first = std::min(entered, times);
    walk(body, first, head);
    if (times > first) walk(body, times - first, head);
    total_ = outside;
  }

  void run(const Stretch& stretch, double times) {
    for (std::size_t i = stretch.first; i <= stretch.last; ++i) issue(function_.code[i], times);
  }

  void issue(const Issue& one, double times) {
    wait(one, times);
    count(one, times);
    const double cycles = std::max<double>(one.cycles, 1);
    clock_.issue_cycles += times * cycles;
    if (one.sets < kCounters) set(one.sets, board_.now + latency_of(one.pipe), one.pipe);
    if (one.reads < kCounters) set(one.reads, board_.now + kReadCycles, Pipe::kOther);
    board_.now += cycles;
  }

  void wait(const Issue& one, double times) {
    double until = board_.now;
    Pipe by = Pipe::kOther;
    for (std::size_t c = 0; c < kCounters; ++c) {
      if (((one.waits >> c) & 1U) == 0 || board_.ready[c] <= until) continue;
      until = board_.ready[c];
      by = board_.by[c];
    }
    const double waited = times * (until - board_.now);
    sum_of(by) += waited;
    board_.now = until;
  }

  double& sum_of(Pipe by) {
    switch (by) {
      case Pipe::kGlobalLoad:
        return clock_.waits_global;
      case Pipe::kGlobalAtomic:
        return clock_.waits_global_atomics;
      case Pipe::kSharedLoad:
        return clock_.waits_shared;
      case Pipe::kSharedAtomic:
        return clock_.waits_shared_atomics;
      default:
        return clock_.waits_other;
    }
  }

  void set(std::size_t counter, double ready, Pipe by) {
    if (board_.ready[counter] > ready) return;
    board_.ready[counter] = ready;
    board_.by[counter] = by;
  }

  [[nodiscard]] double latency_of(Pipe pipe) const {
    if (pipe == Pipe::kGlobalLoad || pipe == Pipe::kGlobalAtomic) return latencies_.global;
    const bool shared = pipe == Pipe::kSharedLoad || pipe == Pipe::kSharedAtomic;
    return shared ? latencies_.shared : latencies_.other;
  }

  void count(const Issue& one, double times) {
    clock_.instructions += times;
    switch (one.pipe) {
      case Pipe::kFp64:
        clock_.fp64 += times;
        break;
      case Pipe::kSpecial:
        clock_.special += times;
        break;
      case Pipe::kTensor:
        clock_.tensor += times;
        break;
      case Pipe::kGlobalLoad:
      case Pipe::kGlobalAtomic:
        clock_.global_loads += times;
        clock_.loads_after_barrier = clock_.loads_after_barrier || clock_.barriers > 0;
        break;
      case Pipe::kSharedLoad:
      case Pipe::kSharedAtomic:
        clock_.shared_loads += times;
        clock_.shared_after_barrier = clock_.shared_after_barrier || clock_.barriers > 0;
        break;
      case Pipe::kStore:
        clock_.stores += times;
        break;
      case Pipe::kBarrier:
        clock_.barriers += times;
        break;
      case Pipe::kOther:
      case Pipe::kJump:
        break;
    }
  }

  // A stretch that is run more often than not leaves its waits to what follows.
  static constexpr double kUsual = 0.5;
  const Function& function_;
  std::vector<Stretch> stretches_;
  Latencies latencies_;
  WarpClock clock_;
  Board board_;
  double total_ = 1;  ///< how often the loop around goes round, or 1
};

}  // namespace

WarpClock warp_clock(const Function& function, const LineTimes& times, const Latencies& latencies) {
  return Walk(function, stretches(function, times), latencies).run();
}

}  // namespace lab::cubin
