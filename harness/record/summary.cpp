#include "harness/record/summary.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "harness/core/text.h"

namespace lab::record {

namespace {

constexpr std::size_t kGapsShown = 5;

// CUPTI gives 0 for both where it could not take them.
bool has_time(Time start, Time end) { return start != 0 && end >= start; }

/// The kernels of one launch, summed.
struct Ran {
  std::uint64_t kernels = 0;
  std::uint64_t ns = 0;
};
using RanByCorrelation = std::unordered_map<std::uint32_t, Ran>;

// The time of a counted launch, which is not traced; none if its time was not asked for.
std::optional<std::uint64_t> duration_of(const Process& process, const LaunchCounters& one) {
  const std::vector<std::string_view> metrics = metric_names(process.text(one.counted.metrics));
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const double value = one.values[i];
    // A value that no clock gives would not fit the sum.
    if (metrics[i] == kDurationMetric && value >= 0 && value < 1e18) {
      return static_cast<std::uint64_t>(value);
    }
  }
  return {};
}

RanByCorrelation what_ran(const Process& process) {
  RanByCorrelation ran;
  for (const LaunchCounters& one : process.counters) {
    if (const auto took = duration_of(process, one)) ran[one.counted.correlation] = {1, *took};
  }
  for (const Kernel& kernel : process.kernels) {
    if (!has_time(kernel.start, kernel.end)) continue;
    Ran& one = ran[kernel.correlation];
    ++one.kernels;
    one.ns += kernel.end - kernel.start;
  }
  return ran;
}

// A graph that has no kernels is launched, too.
bool is_untimed(const Launch& launch, const RanByCorrelation& ran) {
  return launch.result == 0 && launch.captured == 0 && launch.entry != Entry::kGraph &&
         !ran.contains(launch.correlation);
}

using Extent = std::array<std::uint32_t, 3>;
/// A launch's own facts: name, grid, block, dynamic shared bytes.
using Asked = std::tuple<std::string_view, Extent, Extent, std::uint32_t>;
/// With what its kernel adds: cluster, registers, static shared bytes.
using Key = std::tuple<Asked, Extent, std::uint32_t, std::uint32_t>;

/// Rows by what tells them apart.
class Rows {
 public:
  void add(const Kernel& kernel, std::string_view name) {
    const Asked asked{name, kernel.shape.grid, kernel.shape.block, kernel.dynamic_shared};
    KernelRow& row = row_of({asked, kernel.cluster, kernel.registers, kernel.static_shared});
    add(row, kernel.end - kernel.start);
    row.traced = true;
    if (kernel.graph_node != 0) ++row.of_graphs;
  }
  static void add(KernelRow& row, std::uint64_t took) {
    row.shortest_ns = row.launches == 0 ? took : std::min(row.shortest_ns, took);
    row.longest_ns = std::max(row.longest_ns, took);
    row.total_ns += took;
    ++row.launches;
  }
  /// The row of a counted launch: apart from traced ones, since their times are others.
  KernelRow& counted(const Launch& launch, std::string_view name) {
    return row_of({{name, launch.shape.grid, launch.shape.block, launch.dynamic_shared}, {}, 0, 0});
  }
  /// The row of a launch whose kernel is not known, which is that of one like it.
  KernelRow& of(const Launch& launch, std::string_view name) {
    const Asked asked{name, launch.shape.grid, launch.shape.block, launch.dynamic_shared};
    const auto like = rows_.lower_bound({asked, {}, 0, 0});
    const bool found = like != rows_.end() && std::get<0>(like->first) == asked;
    return found ? like->second : row_of({asked, {}, 0, 0});
  }
  /// The largest share first.
  [[nodiscard]] std::vector<KernelRow> sorted() && {
    std::vector<KernelRow> list;
    for (auto& [key, row] : rows_) list.push_back(std::move(row));
    std::stable_sort(list.begin(), list.end(), [](const KernelRow& a, const KernelRow& b) {
      return std::pair(a.total_ns, a.untimed) > std::pair(b.total_ns, b.untimed);
    });
    return list;
  }

 private:
  KernelRow& row_of(const Key& key) {
    const auto [at, is_new] = rows_.try_emplace(key);
    KernelRow& row = at->second;
    if (!is_new) return row;
    Asked asked;
    std::tie(asked, row.cluster, row.registers, row.static_shared) = key;
    std::string_view name;
    std::tie(name, row.shape.grid, row.shape.block, row.dynamic_shared) = asked;
    row.mangled = name;
    row.kernel = symbol_name(row.mangled);
    row.signature = symbol_signature(row.mangled);
    return row;
  }

  std::map<Key, KernelRow> rows_;
};

void add_value(KernelRow& row, std::string_view metric, double value) {
  // CUPTI gives NaN for what it has not measured.
  if (std::isnan(value)) return;
  auto at = std::find_if(row.counters.begin(), row.counters.end(),
                         [&](const CounterSum& one) { return one.metric == metric; });
  if (at == row.counters.end()) {
    row.counters.push_back({std::string(metric), 0, 0, value, value});
    at = std::prev(row.counters.end());
  }
  ++at->launches;
  at->sum += value;
  at->least = std::min(at->least, value);
  at->most = std::max(at->most, value);
}

void add_counters(const Process& process, Rows& rows) {
  if (process.counters.empty()) return;
  std::unordered_map<std::uint32_t, const Launch*> launches;
  for (const Launch& launch : process.launches) launches[launch.correlation] = &launch;
  for (const LaunchCounters& one : process.counters) {
    const auto launch = launches.find(one.counted.correlation);
    if (launch == launches.end()) continue;
    KernelRow& row = rows.counted(*launch->second, process.text(launch->second->name));
    if (const auto took = duration_of(process, one)) Rows::add(row, *took);
    const std::vector<std::string_view> metrics = metric_names(process.text(one.counted.metrics));
    for (std::size_t i = 0; i < metrics.size(); ++i) add_value(row, metrics[i], one.values[i]);
  }
}

std::vector<KernelRow> rows_of(const Recording& recording,
                               const std::vector<RanByCorrelation>& ran) {
  Rows rows;
  for (const Process& process : recording.processes) {
    for (const Kernel& kernel : process.kernels) {
      if (has_time(kernel.start, kernel.end)) rows.add(kernel, process.text(kernel.name));
    }
  }
  for (std::size_t i = 0; i < ran.size(); ++i) {
    const Process& process = recording.processes[i];
    for (const Launch& launch : process.launches) {
      if (is_untimed(launch, ran[i])) ++rows.of(launch, process.text(launch.name)).untimed;
    }
    add_counters(process, rows);
  }
  return std::move(rows).sorted();
}

/// A piece of a GPU's work: a kernel, or a copy.
struct Work {
  Time start = 0;
  Time end = 0;
  std::string_view kernel = {};  ///< mangled
  Copied copied = {};
  bool is_kernel = false;
};

std::string label(const Work& work) {
  return work.is_kernel ? symbol_name(std::string(work.kernel))
                        : std::string(words_for(work.copied));
}

// The time that at least one of them takes. They are in the order of their starts.
std::uint64_t covered(const std::vector<Work>& works, bool kernels_alone) {
  std::uint64_t sum = 0;
  Time until = 0;
  for (const Work& work : works) {
    if ((kernels_alone && !work.is_kernel) || work.end <= until) continue;
    sum += work.end - std::max(work.start, until);
    until = work.end;
  }
  return sum;
}

/// Nothing ran from the end of one work to the start of another.
struct Pause {
  std::size_t last = 0;
  std::size_t next = 0;
  std::uint64_t length = 0;
};

void find_gaps(const std::vector<Work>& works, GpuUse& use) {
  std::vector<Pause> pauses;
  std::size_t last = 0;
  for (std::size_t i = 1; i < works.size(); ++i) {
    if (works[i].start > works[last].end) {
      pauses.push_back({last, i, works[i].start - works[last].end});
    }
    if (works[i].end > works[last].end) last = i;
  }
  use.gaps = pauses.size();
  std::stable_sort(pauses.begin(), pauses.end(),
                   [](const Pause& a, const Pause& b) { return a.length > b.length; });
  pauses.resize(std::min(pauses.size(), kGapsShown));
  for (const Pause& one : pauses) {
    use.longest.push_back({works[one.last].end - works.front().start, one.length,
                           label(works[one.last]), label(works[one.next])});
  }
}

GpuUse use_of(std::vector<Work> works) {
  std::stable_sort(works.begin(), works.end(),
                   [](const Work& a, const Work& b) { return a.start < b.start; });
  GpuUse use;
  Time end = 0;
  for (const Work& work : works) end = std::max(end, work.end);
  use.span_ns = end - works.front().start;
  use.kernels_ns = covered(works, true);
  use.copies_ns = covered(works, false) - use.kernels_ns;
  find_gaps(works, use);
  return use;
}

// Processes may number GPUs differently: they are told apart by what the driver calls them.
using GpuKey = std::pair<std::array<std::uint8_t, 16>, std::uint32_t>;

GpuKey gpu_key(const Process& process, std::uint32_t number) {
  for (const Device& device : process.devices) {
    if (device.device == number) return {device.uuid, 0};
  }
  return {{}, number};
}

std::string gpu_name(const Recording& recording, const GpuKey& key) {
  for (const Process& process : recording.processes) {
    for (const Device& device : process.devices) {
      if (device.uuid == key.first) return std::string(process.text(device.name));
    }
  }
  return {};
}

std::vector<GpuUse> gpus_of(const Recording& recording) {
  std::map<GpuKey, std::vector<Work>> works;
  for (const Process& process : recording.processes) {
    for (const Kernel& kernel : process.kernels) {
      if (!has_time(kernel.start, kernel.end)) continue;
      works[gpu_key(process, kernel.device)].push_back(
          {kernel.start, kernel.end, process.text(kernel.name), {}, true});
    }
    for (const Copy& copy : process.copies) {
      if (!has_time(copy.start, copy.end)) continue;
      works[gpu_key(process, copy.device)].push_back({copy.start, copy.end, {}, copy.what, false});
    }
  }
  std::vector<GpuUse> gpus;
  for (auto& [key, list] : works) {
    gpus.push_back(use_of(std::move(list)));
    gpus.back().name = gpu_name(recording, key);
  }
  return gpus;
}

std::vector<CopyRow> copies_of(const Recording& recording) {
  std::map<Copied, CopyRow> rows;
  for (const Process& process : recording.processes) {
    for (const Copy& copy : process.copies) {
      CopyRow& row = rows[copy.what];
      row.what = copy.what;
      ++row.count;
      row.bytes += copy.bytes;
      if (has_time(copy.start, copy.end)) row.total_ns += copy.end - copy.start;
    }
  }
  std::vector<CopyRow> list;
  for (const auto& [what, row] : rows) list.push_back(row);
  return list;
}

LaunchCounts counts_of(const Process& process, const RanByCorrelation& ran) {
  LaunchCounts counts;
  for (const Launch& launch : process.launches) {
    ++counts.all;
    if (launch.end > launch.start) counts.host_ns += launch.end - launch.start;
    if (launch.entry == Entry::kGraph) ++counts.graphs;
    if (launch.result != 0) ++counts.failed;
    if (launch.result == 0 && launch.captured != 0) ++counts.captured;
    if (is_untimed(launch, ran)) ++counts.untimed;
  }
  return counts;
}

void add(LaunchCounts& to, const LaunchCounts& more) {
  to.all += more.all;
  to.graphs += more.graphs;
  to.captured += more.captured;
  to.failed += more.failed;
  to.untimed += more.untimed;
  to.host_ns += more.host_ns;
}

using RangeRows = std::map<std::string_view, RangeRow>;

RangeRow& range_row(RangeRows& rows, std::string_view path) {
  RangeRow& row = rows[path];
  row.path = path;
  return row;
}

// A launch counts for its range and for each that this is within.
void add_ranges(const Process& process, const RanByCorrelation& ran, RangeRows& rows) {
  for (const Range& range : process.ranges) {
    RangeRow& row = range_row(rows, process.text(range.range));
    ++row.times;
    if (range.end > range.start) row.host_ns += range.end - range.start;
  }
  for (const Launch& launch : process.launches) {
    const std::string_view path = process.text(launch.range);
    if (path.empty()) continue;
    const auto at = ran.find(launch.correlation);
    for (std::size_t from = 0; from != std::string_view::npos;) {
      const std::size_t end = path.find('/', from);
      from = end == std::string_view::npos ? end : end + 1;
      const std::string_view part = path.substr(0, end);
      // A name may have a / of its own: only what was entered is a range.
      if (end != std::string_view::npos && !rows.contains(part)) continue;
      RangeRow& row = range_row(rows, part);
      ++row.launches;
      if (at != ran.end()) {
        row.kernels += at->second.kernels;
        row.gpu_ns += at->second.ns;
      }
    }
  }
}

}  // namespace

std::string_view words_for(Copied what) {
  switch (what) {
    case Copied::kToDevice:
      return "copy to the GPU";
    case Copied::kFromDevice:
      return "copy from the GPU";
    case Copied::kWithin:
      return "copy within the GPU";
    case Copied::kBetween:
      return "copy between GPUs";
    case Copied::kSet:
      return "memset";
    case Copied::kOther:
      break;
  }
  return "copy";
}

Summary summarise(const Recording& recording) {
  Summary summary;
  for (const Process& process : recording.processes) {
    summary.launches_counted += process.counters.size();
  }
  std::vector<RanByCorrelation> ran;
  for (const Process& process : recording.processes) ran.push_back(what_ran(process));
  summary.kernels = rows_of(recording, ran);
  for (const KernelRow& row : summary.kernels) {
    summary.kernels_run += row.launches;
    summary.kernels_ns += row.total_ns;
  }
  for (KernelRow& row : summary.kernels) {
    if (summary.kernels_ns == 0) break;
    row.share = static_cast<double>(row.total_ns) / static_cast<double>(summary.kernels_ns);
  }
  summary.gpus = gpus_of(recording);
  summary.copies = copies_of(recording);
  RangeRows ranges;
  for (std::size_t i = 0; i < ran.size(); ++i) {
    const Process& process = recording.processes[i];
    ProcessRow row{process.begin.process,  process.command,        counts_of(process, ran[i]),
                   process.kernels.size(), process.modules.size(), process.end.has_value(),
                   process.troubles};
    add(summary.launches, row.launches);
    add_ranges(process, ran[i], ranges);
    summary.processes.push_back(std::move(row));
  }
  for (auto& [path, row] : ranges) summary.ranges.push_back(std::move(row));
  summary.damage = recording.damage;
  return summary;
}

}  // namespace lab::record
