#include "metrics/catalogue.h"

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/metric_keys.h"
#include "harness/core/text.h"
#include "metrics/rows.h"

namespace lab::metrics {
namespace {

// A chip whose counter has another name, or none at all.
struct Exception {
  std::string_view key;
  std::string_view chips;  // separated by spaces
  std::string_view name;   // empty: the chip has none
};

constexpr std::string_view kGb20x = "GB202 GB203 GB205 GB206 GB207";
constexpr std::string_view kNoDram = "GA10B GB10B GB20B";
constexpr std::string_view kBeforeHopper =
    "TU102 TU104 TU106 TU116 TU117 GA100 GA102 GA103 GA104 GA106 GA107 GA10B AD102 AD103 AD104 "
    "AD106 AD107";

// From cuptiProfilerHostGetBaseMetrics of CUDA 13.0 for every chip that it knows.
constexpr Exception kExceptions[] = {
    {metric::kDramReadBytes, kGb20x, "dram__bytes_op_read.sum"},
    {metric::kDramWriteBytes, kGb20x, "dram__bytes_op_write.sum"},
    {metric::kDramReadBytes, kNoDram, ""},
    {metric::kDramWriteBytes, kNoDram, ""},
    {metric::kDramBusiestChannelBytes, kGb20x, "dram__bytes_op_read.max"},
    {metric::kDramMeanChannelBytes, kGb20x, "dram__bytes_op_read.avg"},
    {metric::kDramBusiestChannelBytes, kNoDram, ""},
    {metric::kDramMeanChannelBytes, kNoDram, ""},
    {metric::kL2FillSectors, "GB10B", "lts__d_sectors_fill_sysmem.sum"},
    {metric::kL1ArbitrationConflicts, kBeforeHopper, ""},
    {metric::kL1GlobalConflicts, kBeforeHopper,
     "l1tex__data_bank_conflicts_pipe_lsu_mem_global.sum"},
};

bool lists(std::string_view chips, std::string_view chip) {
  const auto names = split(chips, ' ');
  return std::find(names.begin(), names.end(), chip) != names.end();
}

std::vector<Metric> all_rows() {
  std::vector<Metric> all;
  for (const auto& group : {global_rows(), shared_rows(), cache_rows(), launch_rows()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  for (Metric& row : all) row.title = title_of(row.key);
  return all;
}

}  // namespace

std::string_view name_of(Class metric_class) {
  constexpr std::string_view kNames[] = {"exact", "banded", "context"};
  return kNames[static_cast<std::size_t>(metric_class)];
}

const std::vector<Metric>& catalogue() {
  static const std::vector<Metric> kRows = all_rows();
  return kRows;
}

const Metric* find(std::string_view key) {
  const auto& rows = catalogue();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Metric& row) { return row.key == key; });
  return found == rows.end() ? nullptr : &*found;
}

const Metric& at(std::string_view key) {
  if (const auto* row = find(key)) return *row;
  std::vector<std::string> keys;
  for (const auto& row : catalogue()) keys.emplace_back(row.key);
  throw input_error("there is no metric '" + std::string(key) + "'", suggestion(key, keys));
}

CounterName counter_name(const Metric& metric, SourceOf source, std::string_view chip) {
  const auto name = source == SourceOf::kSass ? metric.sass : metric.cupti;
  if (name.empty()) {
    return {{},
            "no " + std::string(lab::name_of(source)) + " counter has " + std::string(metric.key) +
                (metric.why_not.empty() ? "" : ": " + std::string(metric.why_not))};
  }
  if (source == SourceOf::kCupti) {
    for (const auto& exception : kExceptions) {
      if (exception.key != metric.key || !lists(exception.chips, chip)) continue;
      if (!exception.name.empty()) return {std::string(exception.name)};
      return {{}, std::string(chip) + " has no counter " + std::string(name)};
    }
  }
  return {std::string(name)};
}

}  // namespace lab::metrics
