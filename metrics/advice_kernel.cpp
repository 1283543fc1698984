#include "metrics/advice_kernel.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "harness/core/metric_keys.h"

namespace lab::metrics {

// Accesses name no file; those of a header's line are taken for the own file's, which is the one
// that a student reads.
Kernel kernel_of(const CaseRecord& record, Forbidden forbidden, const Trials& trials) {
  std::map<std::pair<std::string, int>, Line> lines;
  Kernel kernel{record, forbidden, trials, {}, {}};
  for (const LineObservation& one : record.lines) {
    if (one.source != SourceOf::kModel) continue;
    if (one.line == 0) {
      kernel.whole[one.metric] += one.value;
      continue;
    }
    Line& line = lines[{one.file, one.line}];
    line.file = one.file;
    line.number = one.line;
    line.costs[one.metric] += one.value;
  }
  for (auto& [key, line] : lines) {
    for (const Access& access : record.accesses) {
      if (access.line == line.number) line.accesses.push_back(&access);
    }
    kernel.lines.push_back(std::move(line));
  }
  return kernel;
}

bool Kernel::has_other_stride(const Access& access) const {
  const auto stride_of = [](const Access& one) {
    return std::abs(pattern_of(one).stride.value_or(0));
  };
  const std::int64_t stride = stride_of(access);
  return std::any_of(record.accesses.begin(), record.accesses.end(), [&](const Access& other) {
    if (other.line != access.line || other.space != access.space || other.op != access.op ||
        other.buffer != access.buffer) {
      return false;
    }
    const std::int64_t others = stride_of(other);
    return others > access.bytes_per_lane && others != stride;
  });
}

Advice advice_at(const Line& line, AdviceRule rule, std::string finding, std::string cure) {
  Advice advice;
  advice.rule = rule;
  advice.file = line.file;
  advice.line = line.number;
  advice.finding = std::move(finding);
  advice.cure = std::move(cure);
  return advice;
}

Advice with_saving(Advice advice, Saving unit, double saved, double total) {
  advice.unit = unit;
  advice.saved = saved;
  advice.total = total;
  return advice;
}

const Line* accumulates_at(const Kernel& kernel) {
  const Line* found = nullptr;
  for (const Line& line : kernel.lines) {
    const bool again = line.cost(metric::kRepeatedStores) > 0;
    const bool looped =
        line.cost(metric::kLoopedRequests) > 0 && line.cost(metric::kGlobalStoreSectors) > 0;
    if (!again && !looped) continue;
    if (found != nullptr || !again) return nullptr;
    found = &line;
  }
  return found;
}

bool is_narrow(const Launch& launch) {
  constexpr std::uint32_t kLanes = 32;
  return launch.block.x < kLanes && launch.block.count() >= kLanes;
}

}  // namespace lab::metrics
