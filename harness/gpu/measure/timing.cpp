#include "harness/gpu/measure/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

namespace lab::gpu {

namespace {

// How many samples are queued before the host waits for them, where a sample is one launch.
constexpr int kBatch = 5;
// Longer than the host takes to queue an event, a launch and an event: the kernel then
// already waits when the first event is reached, and its launch is not part of the time.
constexpr std::uint64_t kDelayNs = 20000;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Brings the GPU into the state in which the next launch is timed.
void lead_in(Rig& rig, Replay& replay, const TimingPlan& plan) {
  replay.restore();
  if (plan.cache == Cache::kCold) rig.flush();
  rig.delay(kDelayNs);
}

// As programs time that know no events: the mean over the launches of a sample, each of which the
// host waits for before it makes the next.
double host_sample(Rig& rig, Replay& replay, const TimingPlan& plan) {
  const std::string& kernel = replay.name();
  lead_in(rig, replay, plan);
  rig.context().synchronize(kernel);
  double seconds = 0;
  for (int k = 0; k < plan.launches; ++k) {
    const Clock::time_point start = Clock::now();
    replay.launch();
    rig.context().synchronize(kernel);
    seconds += seconds_since(start);
  }
  return 1e9 * seconds / plan.launches;
}

}  // namespace

bool settled(const std::vector<double>& samples_ns, const TimingPlan& plan, double seconds) {
  const auto count = static_cast<int>(samples_ns.size());
  if (count >= plan.most_samples) return true;
  if (count >= 3 && seconds >= plan.most_seconds) return true;
  if (count < plan.least_samples) return false;
  const double middle = quantile(samples_ns, 0.5);
  if (middle <= 0) return false;
  return (quantile(samples_ns, 0.75) - quantile(samples_ns, 0.25)) / middle <= plan.spread;
}

double quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  const double at = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double part = at - std::floor(at);
  return values[below] + part * (values[above] - values[below]);
}

Timing summarise(std::vector<double> samples_ns, const TimingPlan& plan, double clock_mhz) {
  Timing timing;
  timing.median_ns = quantile(samples_ns, 0.5);
  timing.min_ns = *std::min_element(samples_ns.begin(), samples_ns.end());
  timing.max_ns = *std::max_element(samples_ns.begin(), samples_ns.end());
  timing.method = "CUDA events";
  if (plan.host_timer) {
    timing.method = kHostTimer;
    timing.method += plan.launches > 1 ? fmt::format(" of {} launches", plan.launches) : " launch";
  } else if (plan.launches > 1) {
    timing.method += fmt::format(" around {}{}", plan.launches, kInARow);
  }
  timing.cache = plan.cache;
  timing.warm_ups = plan.warm_up;
  if (clock_mhz > 0) timing.sm_clock_mhz = clock_mhz;
  timing.samples_ns = std::move(samples_ns);
  return timing;
}

Timing time_case(Rig& rig, Replay& replay, const TimingPlan& plan) {
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < plan.warm_up; ++i) {
    lead_in(rig, replay, plan);
    replay.launch();
  }
  std::vector<double> samples;
  while (plan.host_timer && !settled(samples, plan, seconds_since(begin))) {
    samples.push_back(host_sample(rig, replay, plan));
  }
  if (plan.host_timer) return summarise(std::move(samples), plan, rig.clock_mhz());
  std::vector<Event> starts;
  std::vector<Event> ends;
  for (int i = 0; i < (plan.launches > 1 ? 1 : kBatch); ++i) {
    starts.emplace_back(rig.context());
    ends.emplace_back(rig.context());
  }
  while (!settled(samples, plan, seconds_since(begin))) {
    for (std::size_t i = 0; i < starts.size(); ++i) {
      lead_in(rig, replay, plan);
      starts[i].record();
      for (int k = 0; k < plan.launches; ++k) replay.launch();
      ends[i].record();
    }
    rig.context().synchronize(replay.name());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      samples.push_back(ends[i].ns_since(starts[i]) / plan.launches);
    }
  }
  return summarise(std::move(samples), plan, rig.clock_mhz());
}

}  // namespace lab::gpu
