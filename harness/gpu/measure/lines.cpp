#include "harness/gpu/measure/observe.h"

#include <algorithm>
#include <array>

#include "harness/core/metric_keys.h"

namespace lab::gpu {

namespace {

struct LineMetric {
  const char* sass;
  std::string_view key;
};

constexpr std::array kPerLine = {
    LineMetric{"smsp__sass_inst_executed", metric::kInstructions},
    LineMetric{"smsp__sass_sectors_mem_global", "global_sectors"},
    LineMetric{"smsp__sass_sectors_mem_global_ideal", "global_sectors_ideal"},
    LineMetric{"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", "shared_wavefronts_sass"},
    LineMetric{"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal", "shared_wavefronts_ideal"},
};

constexpr std::array kTotals = {
    "smsp__sass_inst_executed_op_global_ld",   "smsp__sass_inst_executed_op_global_st",
    "smsp__sass_inst_executed_op_shared_ld",   "smsp__sass_inst_executed_op_shared_st",
    "smsp__sass_inst_executed_op_shared_atom", "smsp__sass_inst_executed_op_local_ld",
    "smsp__sass_inst_executed_op_local_st",    "smsp__sass_l1tex_tags_mem_global",
};

}  // namespace

const std::vector<std::string>& line_metrics() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> all(kTotals.begin(), kTotals.end());
    for (const LineMetric& row : kPerLine) all.emplace_back(row.sass);
    return all;
  }();
  return kNames;
}

std::map<std::string, double> counter_totals(const std::vector<InstructionCounts>& counts,
                                             const std::vector<std::string>& metrics) {
  std::map<std::string, double> totals;
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
    double& sum = totals[metrics[metric] + ".sum"];
    for (const InstructionCounts& instruction : counts) sum += instruction.values[metric];
  }
  return totals;
}

std::vector<LineObservation> line_observations(const std::vector<InstructionCounts>& counts,
                                               const std::vector<std::string>& metrics,
                                               const std::string& function,
                                               const SourceLines& source) {
  std::map<SourceLine, std::vector<double>> by_line;
  for (const InstructionCounts& instruction : counts) {
    const auto line = source.find(function, instruction.offset);
    if (!line) continue;
    std::vector<double>& sums = by_line[*line];
    sums.resize(metrics.size());
    for (std::size_t i = 0; i < metrics.size(); ++i) sums[i] += instruction.values[i];
  }
  std::vector<LineObservation> out;
  for (const auto& [line, sums] : by_line) {
    for (const LineMetric& row : kPerLine) {
      const auto at = std::find(metrics.begin(), metrics.end(), row.sass);
      if (at == metrics.end()) continue;
      const double value = sums[static_cast<std::size_t>(at - metrics.begin())];
      if (value != 0) {
        out.push_back({line.file, line.line, std::string(row.key), SourceOf::kSass, value});
      }
    }
  }
  return out;
}

}  // namespace lab::gpu
