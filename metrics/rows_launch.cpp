// The launch as a whole: instructions, time, occupancy, bandwidth.
#include "metrics/rows.h"

#include "harness/core/metric_keys.h"

namespace lab::metrics {
namespace {

constexpr std::string_view kNoTime = "the model counts; it has no clock";

Metric counter(std::string_view key, std::string_view unit, std::string_view cupti, double scale,
               std::string_view why_not, std::string_view text) {
  Metric row{key, unit, Class::kContext, cupti, "", scale};
  row.why_not = why_not;
  row.text = text;
  return row;
}

Metric compiled(std::string_view key, std::string_view unit, std::string_view text) {
  Metric row{key, unit, Class::kContext};
  row.model = InModel::kCompiled;
  row.why_not = "a property of the compiled kernel, which the driver reports; no counter has it";
  row.text = text;
  return row;
}

Metric bandwidth(std::string_view key, std::string_view bytes, std::string_view text) {
  Metric row{key, "GB/s", Class::kContext};
  row.derived = {Rule::kRatio, {bytes, metric::kDurationNs}};
  row.why_not = kNoTime;
  row.text = text;
  return row;
}

}  // namespace

std::vector<Metric> launch_rows() {
  std::vector<Metric> rows = {
      counter(metric::kInstructions, "instruction", "smsp__inst_executed.sum", 1,
              "the model's count is of PTX, the hardware's of machine code",
              "Instructions that warps executed."),
      counter(metric::kCycles, "cycle", "sm__cycles_elapsed.max", 1, kNoTime,
              "SM clock cycles from the start of the launch to its end."),
      counter(metric::kDurationNs, "ns", "gpu__time_duration.sum", 1, kNoTime,
              "Time from the beginning to the end of the launch on the GPU, with launch overhead."),
      counter(metric::kOccupancy, "fraction", "sm__warps_active.avg.pct_of_peak_sustained_active",
              0.01, kNoTime,
              "Resident warps over the most that an SM can hold, averaged over time."),
      compiled(metric::kTheoreticalOccupancy, "fraction",
               "Warps that can be resident over the most that an SM can hold, as registers, shared "
               "memory and block size allow."),
      compiled(metric::kRegistersPerThread, "register", "32-bit registers that each thread needs."),
      compiled(
          metric::kSharedBytesPerBlock, "byte",
          "Shared memory that each block needs: static, dynamic and what the system reserves."),
      compiled(
          metric::kLocalBytesPerThread, "byte",
          "Local memory that each thread needs: spilled registers and arrays that are indexed at "
          "run time."),
  };
  rows.front().model = InModel::kCounted;
  Metric carveout{metric::kL1Carveout, "byte", Class::kContext};
  carveout.why_not = "the driver chooses it for a launch; no counter has it";
  carveout.text = "Part of the SM's L1 that is set aside as shared memory.";
  rows.push_back(carveout);
  Metric working{metric::kWorkingThreads, "thread", Class::kContext};
  working.model = InModel::kCounted;
  working.why_not = "no counter tells threads apart; the model looks where advice or a grade asks";
  working.text = "Threads with an access to global or shared memory.";
  rows.push_back(working);
  Metric needed{metric::kNeededBytes, "byte", Class::kContext};
  needed.why_not = "it is a property of the task, and only theory knows the task";
  needed.text = "Bytes that the task needs, each counted once: inputs read and outputs written.";
  rows.push_back(needed);
  Metric moved{metric::kMovedBytes, "byte", Class::kContext};
  moved.derived = {Rule::kSum, {metric::kDramReadBytes, metric::kDramWriteBytes}};
  moved.model = InModel::kDerived;
  moved.text = "Bytes that DRAM moved, reads and writes.";
  rows.push_back(moved);
  rows.push_back(bandwidth(metric::kEffectiveBandwidth, metric::kNeededBytes,
                           "Bytes that the task needs, each counted once, over time."));
  rows.push_back(
      bandwidth(metric::kMovedBandwidth, metric::kMovedBytes, "Bytes that DRAM moved over time."));
  return rows;
}

}  // namespace lab::metrics
