#include "harness/reading/line_costs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "harness/core/metric_keys.h"
#include "harness/core/sections.h"
#include "metrics/advice_gain.h"
#include "metrics/expected.h"
#include "metrics/line_shares.h"

namespace lab::reading {

namespace {

// A line with less of the time than this that touches no memory is told together with its like.
constexpr double kQuietShare = 0.01;

/// Counts by metric, of one source.
using Counts = std::map<std::string, double, std::less<>>;
using Observations = std::vector<LineObservation>;

std::optional<double> count_in(const Counts& counts, std::string_view metric) {
  const auto found = counts.find(metric);
  return found == counts.end() ? std::nullopt : std::optional(found->second);
}

template <std::size_t N>
std::optional<double> sum_in(const Counts& counts, const std::array<std::string_view, N>& metrics) {
  std::optional<double> sum;
  for (const std::string_view metric : metrics) {
    if (const auto value = count_in(counts, metric)) sum = sum.value_or(0) + *value;
  }
  return sum;
}

constexpr std::array<std::string_view, 4> kSectors = {
    metric::kGlobalLoadSectors, metric::kGlobalStoreSectors, metric::kGlobalAtomicSectors,
    metric::kGlobalReductionSectors};
constexpr std::array<std::string_view, 3> kWavefronts = {
    metric::kSharedLoadWavefronts, metric::kSharedStoreWavefronts, metric::kSharedAtomicWavefronts};
constexpr std::array<std::string_view, 3> kPatchedWavefronts = {
    metric::kSharedLoadWavefrontsSass, metric::kSharedStoreWavefrontsSass,
    metric::kSharedAtomicWavefrontsSass};
constexpr std::array<std::string_view, 3> kConflicts = {metric::kSharedLoadBankConflicts,
                                                        metric::kSharedStoreBankConflicts,
                                                        metric::kSharedAtomicBankConflicts};

// Sectors that the bytes fill: one for each instruction at least.
std::optional<double> ideal_sectors(const Counts& counts) {
  if (!sum_in(counts, kSectors)) return {};
  double sum = 0;
  for (const std::string op : {"global_load_", "global_store_"}) {
    const double bytes = count_in(counts, op + "bytes").value_or(0);
    sum += std::max(std::ceil(bytes / 32), count_in(counts, op + "requests").value_or(0));
  }
  for (const std::size_t atomic : {2U, 3U}) {  // lanes at one address wait in any layout
    sum += count_in(counts, kSectors[atomic]).value_or(0);
  }
  return sum;
}

// Wavefronts are the hardware's; where those are not counted, those of the instructions.
LineCost modelled(const Counts& counts) {
  LineCost cost;
  cost.instructions = count_in(counts, "instructions");
  cost.sectors = sum_in(counts, kSectors);
  cost.ideal_sectors = ideal_sectors(counts);
  cost.wavefronts = sum_in(counts, kWavefronts);
  if (!cost.wavefronts) cost.wavefronts = sum_in(counts, kPatchedWavefronts);
  if (cost.wavefronts) {
    cost.ideal_wavefronts = *cost.wavefronts - sum_in(counts, kConflicts).value_or(0);
  }
  return cost;
}

// Patched instructions count so, ours or Nsight Compute's.
LineCost patched(const Counts& counts) {
  return {count_in(counts, "instructions"), count_in(counts, "global_sectors"),
          count_in(counts, "global_sectors_ideal"), count_in(counts, "shared_wavefronts_sass"),
          count_in(counts, "shared_wavefronts_ideal")};
}

std::map<SourceOf, LineCost> costs_of(const Observations& all) {
  std::map<SourceOf, Counts> counts;
  for (const LineObservation& one : all) counts[one.source][one.metric] += one.value;
  std::map<SourceOf, LineCost> costs;
  for (const auto& [source, of] : counts) {
    costs[source] = source == SourceOf::kModel ? modelled(of) : patched(of);
  }
  return costs;
}

// Lines of other files under CostlyLine::kOtherFiles.
std::map<int, Observations> by_line(const CaseRecord& record, const std::string& source_name) {
  std::map<int, Observations> lines;
  for (const LineObservation& one : record.lines) {
    lines[one.file == source_name ? one.line : CostlyLine::kOtherFiles].push_back(one);
  }
  return lines;
}

CostlyLine line_of(int number, const Observations& all, double waiting) {
  CostlyLine line{number};
  line.costs = costs_of(all);
  line.stalls = metrics::all_stalls(all);
  line.waited = waiting > 0 ? line.stalls.waiting / waiting : 0;
  return line;
}

using Weight = std::optional<double> LineCost::*;

LineCost cost_of(const CostlyLine& line, SourceOf source) {
  const auto found = line.costs.find(source);
  return found == line.costs.end() ? LineCost{} : found->second;
}

double accesses(const LineCost& cost) {
  return cost.sectors.value_or(0) + cost.wavefronts.value_or(0);
}

// Whose counts the shares are of: the model's; without it what was measured.
SourceOf leading(const std::vector<CostlyLine>& lines) {
  for (const SourceOf source : {SourceOf::kModel, SourceOf::kSass}) {
    const bool any = std::any_of(lines.begin(), lines.end(), [&](const CostlyLine& line) {
      return line.costs.contains(source);
    });
    if (any) return source;
  }
  return SourceOf::kNcu;
}

void share_instructions(std::vector<CostlyLine>& lines) {
  const SourceOf source = leading(lines);
  double total = 0;
  for (CostlyLine& line : lines) {
    line.share = cost_of(line, source).instructions.value_or(0);
    total += line.share;
  }
  for (CostlyLine& line : lines) line.share = total > 0 ? line.share / total : 0;
}

void rank_lines(std::vector<CostlyLine>& lines) {
  const SourceOf source = leading(lines);
  const auto key = [source](const CostlyLine& one) {
    const LineCost cost = cost_of(one, source);
    return std::tuple(one.number == CostlyLine::kOtherFiles, -one.share, -accesses(cost),
                      -cost.instructions.value_or(0));
  };
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const CostlyLine& a, const CostlyLine& b) { return key(a) < key(b); });
}

struct Shared {
  ShareOf of = ShareOf::kTime;
  metrics::TimeShares time;
};

// A time that nobody expects has no shares.
std::optional<Shared> shared_time(const CaseRecord& record, const metrics::LinesCounts& lines,
                                  const metrics::Machine& machine) {
  if (record.expected && !record.expected->ns) return {};
  const auto full = metrics::full_launch_of(record, machine);
  if (!full) return {};
  auto shares = metrics::time_shares(full->launched, lines);
  if (!shares) return {};
  return Shared{full->times > 1 ? ShareOf::kTimeOfMany : ShareOf::kTime, std::move(*shares)};
}

bool is_quiet(const CostlyLine& line) {
  return line.number != CostlyLine::kOtherFiles && line.share < kQuietShare &&
         std::all_of(line.costs.begin(), line.costs.end(),
                     [](const auto& one) { return accesses(one.second) == 0; });
}

// Lines of index arithmetic and the like as one, where that saves any.
void put_quiet_together(const std::map<int, Observations>& observed, double waiting,
                        std::vector<CostlyLine>& lines) {
  Observations all;
  double share = 0;
  int count = 0;
  for (const CostlyLine& line : lines) {
    if (!is_quiet(line)) continue;
    const Observations& here = observed.at(line.number);
    all.insert(all.end(), here.begin(), here.end());
    share += line.share;
    ++count;
  }
  if (count < 2) return;
  std::erase_if(lines, is_quiet);
  lines.push_back(line_of(CostlyLine::kNoAccess, all, waiting));
  lines.back().share = share;
  lines.back().lines = count;
}

}  // namespace

LineCost& LineCost::operator+=(const LineCost& other) {
  for (const Weight count : {&LineCost::instructions, &LineCost::sectors, &LineCost::ideal_sectors,
                             &LineCost::wavefronts, &LineCost::ideal_wavefronts}) {
    if (other.*count) this->*count = (this->*count).value_or(0) + *(other.*count);
  }
  return *this;
}

LineCost modelled_cost(const CaseRecord& record) {
  Counts counts;
  for (const Observation& one : record.observations) {
    if (one.source == SourceOf::kModel && one.has_value()) counts[one.metric] = one.number();
  }
  return modelled(counts);
}

std::map<int, LineCost> modelled_costs(const RunRecord& run, const std::vector<Section>& sections) {
  std::map<int, LineCost> costs;
  for (const Section& section : sections) {
    for (const auto& [number, observed] : by_line(*section.cases.front(), run.source_name)) {
      const auto of_line = costs_of(observed);
      const auto model = of_line.find(SourceOf::kModel);
      if (number < 1 || model == of_line.end() || accesses(model->second) == 0) continue;
      costs[number] += model->second;
    }
  }
  return costs;
}

CostlyLines costly_lines(const CaseRecord& record, const std::string& source_name,
                         const metrics::Machine& machine) {
  const std::map<int, Observations> observed = by_line(record, source_name);
  const double waiting = metrics::all_stalls(record.lines).waiting;
  CostlyLines made;
  for (const auto& [number, all] : observed) made.lines.push_back(line_of(number, all, waiting));
  if (const auto shared = shared_time(record, observed, machine)) {
    made.of = shared->of;
    made.rest = shared->time.rest;
    for (CostlyLine& line : made.lines) line.share = shared->time.lines.at(line.number);
  } else {
    share_instructions(made.lines);
  }
  rank_lines(made.lines);
  put_quiet_together(observed, waiting, made.lines);
  return made;
}

std::map<int, double> time_shares(const CaseRecord& record, const std::string& source_name,
                                  const metrics::Machine& machine) {
  auto shared = shared_time(record, by_line(record, source_name), machine);
  return shared ? std::move(shared->time.lines) : std::map<int, double>();
}

std::optional<int> costliest_line(const CaseRecord& record, const std::string& source_name,
                                  const std::string& metric) {
  std::map<int, double> counts;
  for (const LineObservation& one : record.lines) {
    const bool wanted = one.metric == metric && one.source == SourceOf::kModel;
    if (wanted && one.file == source_name) counts[one.line] += one.value;
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == counts.end() || most->second <= 0) return {};
  return most->first;
}

}  // namespace lab::reading
