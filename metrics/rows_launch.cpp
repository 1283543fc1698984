// The launch as a whole: instructions, time, occupancy, bandwidth.
#include "metrics/rows.h"

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
  row.derived = {Rule::kRatio, {bytes, "duration_ns"}};
  row.why_not = kNoTime;
  row.text = text;
  return row;
}

}  // namespace

std::vector<Metric> launch_rows() {
  std::vector<Metric> rows = {
      counter("instructions", "instruction", "smsp__inst_executed.sum", 1,
              "the model's count is of PTX, the hardware's of machine code",
              "Instructions that warps executed."),
      counter("cycles", "cycle", "sm__cycles_elapsed.max", 1, kNoTime,
              "SM clock cycles from the start of the launch to its end."),
      counter("duration_ns", "ns", "gpu__time_duration.sum", 1, kNoTime,
              "Time from the beginning to the end of the launch on the GPU, with launch overhead."),
      counter("occupancy", "fraction", "sm__warps_active.avg.pct_of_peak_sustained_active", 0.01,
              kNoTime, "Resident warps over the most that an SM can hold, averaged over time."),
      compiled("theoretical_occupancy", "fraction",
               "Warps that can be resident over the most that an SM can hold, as registers, shared "
               "memory and block size allow."),
      compiled("registers_per_thread", "register", "32-bit registers that each thread needs."),
      compiled(
          "shared_bytes_per_block", "byte",
          "Shared memory that each block needs: static, dynamic and what the system reserves."),
      compiled(
          "local_bytes_per_thread", "byte",
          "Local memory that each thread needs: spilled registers and arrays that are indexed at "
          "run time."),
  };
  rows.front().model = InModel::kCounted;
  Metric carveout{"l1_carveout", "byte", Class::kContext};
  carveout.why_not = "the driver chooses it for a launch; no counter has it";
  carveout.text = "Part of the SM's L1 that is set aside as shared memory.";
  rows.push_back(carveout);
  Metric needed{"needed_bytes", "byte", Class::kContext};
  needed.why_not = "it is a property of the task, and only theory knows the task";
  needed.text = "Bytes that the task needs, each counted once: inputs read and outputs written.";
  rows.push_back(needed);
  Metric moved{"moved_bytes", "byte", Class::kContext};
  moved.derived = {Rule::kSum, {"dram_read_bytes", "dram_write_bytes"}};
  moved.model = InModel::kDerived;
  moved.text = "Bytes that DRAM moved, reads and writes.";
  rows.push_back(moved);
  rows.push_back(bandwidth("effective_bandwidth", "needed_bytes",
                           "Bytes that the task needs, each counted once, over time."));
  rows.push_back(bandwidth("moved_bandwidth", "moved_bytes", "Bytes that DRAM moved over time."));
  return rows;
}

}  // namespace lab::metrics
