#include "harness/gpu/measure/collect.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lab::gpu {

namespace {

// Counters from instruction patching depend on addresses only, so caches do not change them.
bool all_patched(const PassGroup& group) {
  return std::all_of(
      group.image.metrics.begin(), group.image.metrics.end(),
      [](const std::string& metric) { return metric.find("__sass_") != std::string::npos; });
}

// Where a case has several kernels, only totals can be added up.
bool adds_up(const std::string& metric) { return metric.ends_with(".sum"); }

void add_value(Samples& samples, int repeat, const std::string& metric, double value) {
  const auto at = static_cast<std::size_t>(repeat);
  if (samples.values.size() <= at) {
    samples.values.push_back(value);
  } else if (adds_up(metric)) {
    samples.values[at] += value;
  } else {
    samples.values[at] = std::numeric_limits<double>::quiet_NaN();
  }
}

// One group's passes over one session's cases.
class GroupRun {
 public:
  GroupRun(Rig& rig, const CollectSettings& settings, const PassGroup& group)
      : rig_(rig),
        settings_(settings),
        group_(group),
        flush_(settings.cache == Cache::kCold && !all_patched(group)) {}

  [[nodiscard]] std::size_t ranges_of(const CountedCase& counted) const {
    const auto kernels = static_cast<std::size_t>(counted.replay->kernels());
    return static_cast<std::size_t>(settings_.repeat) * (kernels + (flush_ ? 1 : 0));
  }
  /// As many of `cases`, beginning with the first, as fit in one session; at least one.
  [[nodiscard]] std::span<const CountedCase> session(std::span<const CountedCase> cases) const {
    std::size_t ranges = 0;
    std::size_t count = 0;
    while (count < cases.size() && (count == 0 || ranges + ranges_of(cases[count]) <= kMaxRanges)) {
      ranges += ranges_of(cases[count++]);
    }
    return cases.first(count);
  }

  Decoded run(std::span<const CountedCase> cases, const Host& host,
              const std::function<void(int)>& before) {
    passes_.clear();
    pass_of_.assign(group_.image.metrics.size(), 0);
    std::size_t ranges = 0;
    for (const CountedCase& counted : cases) ranges += ranges_of(counted);
    const RangeProfiler profiler(rig_.context());
    const auto launches = [&] {
      passes_.emplace_back();
      for (const CountedCase& counted : cases) {
        before(counted.case_index);
        launch(counted);
      }
    };
    const auto note_passes = [&](std::size_t pass, const Bytes& image) {
      note_new_values(host, pass, image);
    };
    return profiler.configure(group_.image, ranges).collect(launches, note_passes);
  }

  [[nodiscard]] std::optional<std::string> void_reason(const Decoded& decoded) const {
    return gpu::void_reason(passes_, {decoded.ranges(), decoded.dropped()});
  }

  void read(const Decoded& decoded, const Host& host, Collected& into) const {
    const auto& entries = passes_.front().entries();
    for (std::size_t range = 0; range < entries.size(); ++range) {
      const LedgerEntry& entry = entries[range];
      if (entry.purpose != Purpose::kMeasure) continue;
      const auto& metrics = group_.image.metrics;
      const std::vector<double> values = decoded.values(host, range, metrics);
      for (std::size_t i = 0; i < metrics.size(); ++i) {
        Samples& samples = into.by_case[entry.case_index][metrics[i]];
        add_value(samples, entry.repeat, metrics[i], values[i]);
        samples.pass = group_.first_pass + pass_of_[i];
      }
    }
  }

 private:
  // CUPTI schedules a configuration's metrics over its passes and does not say how. A metric has
  // no value (NaN) until the last of its passes has run, so the first value tells its pass.
  void note_new_values(const Host& host, std::size_t pass, const Bytes& image) {
    const std::vector<double> values = host.evaluate(image, 0, group_.image.metrics);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (pass_of_[i] == 0 && !std::isnan(values[i])) pass_of_[i] = static_cast<int>(pass) + 1;
    }
  }

  void launch(const CountedCase& counted) {
    try {
      for (int repeat = 0; repeat < settings_.repeat; ++repeat) {
        counted.replay->restore();
        if (flush_) {
          rig_.flush();
          passes_.back().add({counted.case_index, repeat, Purpose::kFlush});
        }
        counted.replay->launch();
        for (int kernel = 0; kernel < counted.replay->kernels(); ++kernel) {
          passes_.back().add({counted.case_index, repeat, Purpose::kMeasure});
        }
      }
      rig_.context().synchronize(counted.replay->name());
    } catch (const DriverError& error) {
      throw CountingFault(counted.case_index, error);
    }
  }

  Rig& rig_;
  const CollectSettings& settings_;
  const PassGroup& group_;
  bool flush_;
  std::vector<Ledger> passes_;
  std::vector<int> pass_of_;  // of each metric, counted from 1; 0: no value yet
};

}  // namespace

Collected collect_counters(Rig& rig, const Host& host, const PassPlan& plan,
                           std::span<const CountedCase> cases, const CollectSettings& settings,
                           const CountingProgress& progress) {
  Collected out;
  std::size_t done = 0;
  const std::size_t steps = std::max<std::size_t>(plan.passes * cases.size(), 1);
  for (const PassGroup& group : plan.groups) {
    GroupRun run(rig, settings, group);
    for (auto rest = cases; !rest.empty();) {
      const auto session = run.session(rest);
      rest = rest.subspan(session.size());
      const Decoded decoded = run.run(session, host, [&](int index) {
        progress(index, static_cast<double>(done++) / static_cast<double>(steps));
      });
      if (const auto reason = run.void_reason(decoded)) {
        spdlog::warn("counters of pass {} are void: {}", group.first_pass + 1, *reason);
        for (const std::string& metric : group.image.metrics) out.void_passes[metric] = *reason;
        continue;
      }
      run.read(decoded, host, out);
    }
  }
  return out;
}

}  // namespace lab::gpu
