// The launch as a whole: instructions, time, occupancy, bandwidth.
#include "harness/core/metric_keys.h"
#include "metrics/rows.h"

namespace lab::metrics {
namespace {

constexpr std::string_view kClocksVary =
    "Clocks vary with temperature and load, and memory has a clock of its own.";
constexpr std::string_view kNoTime = "the model counts; it has no clock";
constexpr std::string_view kOfTheDriver =
    "a property of the compiled kernel, which the driver reports; no counter has it";

}  // namespace

std::vector<Metric> launch_rows() {
  return {
      {
          .key = metric::kInstructions,
          .title = "warp instructions",
          .unit = "instruction",
          .text = "Instructions that warps executed.",
          .cupti = "smsp__inst_executed.sum",
          .model = InModel::kCounted,
          .sets = {kDefault},
          .ncu = {"Instruction Statistics", {}, "Executed Instructions"},
          .traps = {"It counts machine code. The model counts PTX instructions, which differ. An "
                    "instruction of a warp counts once, however many lanes are active."},
          .why_not = "the model's count is of PTX, the hardware's of machine code",
      },
      {
          .key = metric::kCycles,
          .title = "SM cycles",
          .unit = "cycle",
          .text = "SM clock cycles from the start of the launch to its end.",
          .cupti = "sm__cycles_elapsed.max",
          .sets = {kDefault},
          .ncu = {"GPU Speed Of Light Throughput", {}, "Elapsed Cycles"},
          .traps = {kClocksVary},
          .why_not = kNoTime,
      },
      {
          .key = metric::kDurationNs,
          .title = "launch time, ns",
          .unit = "ns",
          .text =
              "Time from the beginning to the end of the launch on the GPU, with launch overhead.",
          .cupti = "gpu__time_duration.sum",
          .sets = {kDefault},
          .ncu = {"GPU Speed Of Light Throughput", {}, "Duration"},
          .traps = {kAsL2WasLeft,
                    "gpu__time_duration includes the launch; the time that lab shows comes from "
                    "its timing loop. Nsight Compute locks the clocks to base unless told "
                    "--clock-control none.",
                    kClocksVary},
          .why_not = kNoTime,
      },
      {
          .key = metric::kOccupancy,
          .title = "occupancy, reached",
          .unit = "fraction",
          .text = "Resident warps over the most that an SM can hold, averaged over time.",
          .cupti = "sm__warps_active.avg.pct_of_peak_sustained_active",
          .scale = 0.01,
          .sets = {kDefault},
          .ncu = {"Occupancy", {}, "Achieved Occupancy"},
          .traps =
              {"It is an average over the time in which SMs are active: the last blocks lower it."},
          .why_not = kNoTime,
      },
      {
          .key = metric::kTheoreticalOccupancy,
          .title = "occupancy, possible",
          .unit = "fraction",
          .text = "Warps that can be resident over the most that an SM can hold, as registers, "
                  "shared memory and block size allow.",
          .model = InModel::kCompiled,
          .ncu = {"Occupancy", {}, "Theoretical Occupancy"},
          .traps = {"High occupancy is not a goal in itself: it only hides latency."},
          .why_not = kOfTheDriver,
      },
      {
          .key = metric::kRegistersPerThread,
          .title = "registers per thread",
          .unit = "register",
          .text = "32-bit registers that each thread needs.",
          .model = InModel::kCompiled,
          .ncu = {"Launch Statistics", {}, "Registers Per Thread"},
          .traps = {"The hardware allocates registers in units of 8 per thread: this is the number "
                    "before rounding."},
          .why_not = kOfTheDriver,
      },
      {
          .key = metric::kSharedBytesPerBlock,
          .title = "shared bytes per block",
          .unit = "byte",
          .text =
              "Shared memory that each block needs: static, dynamic and what the system reserves.",
          .model = InModel::kCompiled,
          .ncu = {"Launch Statistics", {}, "Driver, Static and Dynamic Shared Memory Per Block"},
          .why_not = kOfTheDriver,
      },
      {
          .key = metric::kLocalBytesPerThread,
          .title = "local bytes per thread",
          .unit = "byte",
          .text = "Local memory that each thread needs: spilled registers and arrays that are "
                  "indexed at run time.",
          .model = InModel::kCompiled,
          .why_not = kOfTheDriver,
      },
      {
          .key = metric::kL1Carveout,
          .title = "shared part of L1, bytes",
          .unit = "byte",
          .text = "Part of the SM's L1 that is set aside as shared memory.",
          .ncu = {"Launch Statistics", {}, "Shared Memory Configuration Size"},
          .why_not = "the driver chooses it for a launch; no counter has it",
      },
      {
          .key = metric::kWorkingThreads,
          .title = "threads that work",
          .unit = "thread",
          .text = "Threads with an access to global or shared memory.",
          .model = InModel::kCounted,
          .why_not = "no counter tells threads apart; the model looks where advice or a grade asks",
      },
      {
          .key = metric::kNeededBytes,
          .title = "bytes, needed",
          .unit = "byte",
          .text = "Bytes that the task needs, each counted once: inputs read and outputs written.",
          .why_not = "it is a property of the task, and only theory knows the task",
      },
      {
          .key = metric::kMovedBytes,
          .title = "bytes, moved",
          .unit = "byte",
          .text = "Bytes that DRAM moved, reads and writes.",
          .derived = {Rule::kSum, {metric::kDramReadBytes, metric::kDramWriteBytes}},
          .model = InModel::kDerived,
          .ncu = {kDevice, "Total", "Bytes"},
          .traps = {kWrittenLate, kWholeChipCounted},
      },
      {
          .key = metric::kEffectiveBandwidth,
          .title = "GB/s, effective",
          .unit = "GB/s",
          .text = "Bytes that the task needs, each counted once, over time.",
          .derived = {Rule::kRatio, {metric::kNeededBytes, metric::kDurationNs}},
          .traps = {"It counts what the task needs, not what was moved. A value above the DRAM's "
                    "peak means that a cache served a part."},
          .why_not = kNoTime,
      },
      {
          .key = metric::kMovedBandwidth,
          .title = "GB/s, moved",
          .unit = "GB/s",
          .text = "Bytes that DRAM moved over time.",
          .derived = {Rule::kRatio, {metric::kMovedBytes, metric::kDurationNs}},
          .ncu = {kDevice, "Total", "Throughput"},
          .traps = {kWrittenLate},
          .why_not = kNoTime,
      },
  };
}

}  // namespace lab::metrics
