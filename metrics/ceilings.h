// Time against a GPU's ceilings: the least that a kernel's traffic takes, and what limits it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/ceiling.h"
#include "harness/core/record.h"
#include "harness/core/words.h"
#include "metrics/machine.h"

namespace lab::metrics {

constexpr double kSectorBytes = 32;

/// The least time in which DRAM reads and writes these bytes, in ns: equal amounts of both go at
/// the copy's rate, what is left of one at its own; or all is read first and written then, where
/// that is faster. (DRAM can do either. A copy that was measured to be slower than both in turn was
/// held up by its kernel.) Empty where a rate that it takes is not there.
[[nodiscard]] std::optional<double> dram_ns(double read_bytes, double write_bytes,
                                            const std::vector<Ceiling>& ceilings);

/// 32-byte sectors between L1 and L2 at the rate at which L2 was read, in ns.
[[nodiscard]] std::optional<double> l2_ns(double sectors, const std::vector<Ceiling>& ceilings);

/// `count` events (wavefronts, instructions) that all SMs share evenly at the ceiling `name` per SM
/// and clock, in ns.
[[nodiscard]] std::optional<double> per_sm_ns(double count, std::string_view name, double sms,
                                              const std::vector<Ceiling>& ceilings);

/// A part of the chip that may set the least time.
enum class Resource : std::uint8_t { kDram, kL2, kSharedMemory, kIssue };
[[nodiscard]] std::string_view name_of(Resource resource);

/// One resource: the least time that a case's use of it takes.
struct Use {
  Resource resource = Resource::kDram;
  double least_ns = 0;
};

/// A case's measured time, and the resources that it is held against.
struct TimeBound {
  double measured_ns = 0;
  std::string method;     ///< how the time was measured
  std::vector<Use> uses;  ///< the bound first; never empty
  /// Of a resource's ceiling that was reached: 0.8 is 80 %. The bound's is how close the kernel
  /// came to the least time.
  [[nodiscard]] double fraction(const Use& use) const { return use.least_ns / measured_ns; }
};

/// The measured time of a launch with a cold L2, in ns: the profiler's, else the timing loop's.
[[nodiscard]] std::optional<double> cold_time_of(const CaseRecord& record);

/// Empty where no time or none of the counts was measured. The time that the profiler saw with the
/// counters comes before that of the timing loop. Where the loop kept L2 warm and the counters did
/// not, what fits into L2 is taken off DRAM's bytes: the loop need not have moved it.
/// Wavefronts are those of shared memory: the data stage also serves global accesses, so that the
/// bound stays a lower one.
[[nodiscard]] std::optional<TimeBound> time_bound(const CaseRecord& record,
                                                  const std::vector<Ceiling>& ceilings,
                                                  const GpuSize& gpu);

}  // namespace lab::metrics

namespace lab {

template <>
inline constexpr auto kWordsOf<metrics::Resource> =
    std::to_array<std::string_view>({"DRAM", "L2", "shared memory", "instruction issue"});

}  // namespace lab
