// The rows of the catalogue, a function a subject, and what rows of several subjects share.
#pragma once

#include <string_view>
#include <vector>

#include "metrics/catalogue.h"

namespace lab::metrics {

// Tables of Nsight Compute's page "Memory Workload Analysis".
inline constexpr std::string_view kShared = "Shared Memory";
inline constexpr std::string_view kL1 = "L1/TEX Cache";
inline constexpr std::string_view kL2 = "L2 Cache";
inline constexpr std::string_view kDevice = "Device Memory";

// The default set has 36 counters in four passes on GH100: three of hardware counters, one of
// patched instructions. Without shared_conflicts_all it would be three; it is what courses verify
// conflicts with. Arbitration tells conflicts apart from lost arbitration in three more.
inline constexpr InSet kDefault = {Set::kDefault, SourceOf::kCupti};
inline constexpr InSet kDefaultPatched = {Set::kDefault, SourceOf::kSass};
inline constexpr InSet kApart = {Set::kArbitration, SourceOf::kCupti};

inline constexpr std::string_view kGb20x = "GB202 GB203 GB205 GB206 GB207";
inline constexpr std::string_view kNoDram = "GA10B GB10B GB20B";
inline constexpr std::string_view kBeforeHopper =
    "TU102 TU104 TU106 TU116 TU117 GA100 GA102 GA103 GA104 GA106 GA107 GA10B AD102 AD103 AD104 "
    "AD106 AD107";

// Seen on an H200: 1071 for 1067 requests in a transpose with 1320 such instructions executed,
// where l1tex__t_requests and instruction patching both count 1067; exact where no such instruction
// ran.
inline constexpr Band kPredicatedOff = {
    0, 0, true,
    "instructions whose lanes were all switched off, some of which the hardware counter takes in"};

// Traps. Each was seen on an H200, or is said in NVIDIA's documentation of the counter.
inline constexpr std::string_view kInactiveLanes =
    "Counters of instructions without _pred_on_any in their names include instructions whose lanes "
    "were all inactive. Those ask for nothing.";
inline constexpr std::string_view kMergedByCompiler =
    "The compiler may merge neighbouring accesses into wider ones, unroll, or drop them: lab "
    "explain shows the machine code.";
inline constexpr std::string_view kReadyMadeCosts =
    "CUPTI's ready-made ratio costs a pass of its own; lab divides the two counters itself.";
inline constexpr std::string_view kAsL2WasLeft =
    "It depends on what L2 held before. lab and Nsight Compute flush L2 before each pass unless "
    "told otherwise.";
inline constexpr std::string_view kWholeChipCounted =
    "It counts the whole chip: copies, the display and other processes are included.";
inline constexpr std::string_view kWrittenLate =
    "L2 writes back late: outputs smaller than L2 show few or no bytes, and what earlier kernels "
    "left dirty may be written while this one runs.";

// Beside accesses to shared memory.
inline constexpr std::string_view kWithArbitration =
    "It also counts cycles lost to arbitration: a kernel whose addresses have no conflict may show "
    "some. The _sass keys are free of that.";
inline constexpr std::string_view kNoConflictPatching =
    "instruction patching counts wavefronts, not conflicts";
inline constexpr Band kArbitration = {
    0, 0, true,
    "arbitration: the counter also counts cycles that shared accesses lose to other traffic of the "
    "L1 data stage"};

[[nodiscard]] std::vector<Metric> global_rows();
[[nodiscard]] std::vector<Metric> shared_rows();
[[nodiscard]] std::vector<Metric> data_stage_rows();
[[nodiscard]] std::vector<Metric> cache_rows();
[[nodiscard]] std::vector<Metric> launch_rows();

}  // namespace lab::metrics
