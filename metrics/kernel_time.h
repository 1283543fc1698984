// The time that a launch is expected to take: what each part of the chip needs for its counts, what
// a block's warps wait for, and how these overlap.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/core/expected_time.h"
#include "harness/core/kernel_facts.h"
#include "harness/core/record.h"
#include "metrics/machine.h"

namespace lab::metrics {

using Term = TimeTerm;

/// Counts of a launch that take time.
struct TimeCounts {
  double dram_read_bytes = 0;
  double dram_write_bytes = 0;
  double l2_read_sectors = 0;
  double load_requests = 0;
  double load_lines = 0;
  double load_sectors = 0;
  double store_requests = 0;
  double store_bytes = 0;
  double store_lines = 0;
  double store_sectors = 0;
  double atomic_sectors = 0;  ///< each as often as its hottest address has lanes
  double result_sectors = 0;  ///< of these, of atomics with a result
  double shared_requests = 0;
  double shared_wavefronts = 0;
  /// Of as many launches in one.
  TimeCounts& operator*=(double times);
};
/// Whose counts come first.
enum class CountsOf : std::uint8_t {
  kModel,   ///< its alone: theory is a bound of them, or of another kernel
  kTheory,  ///< of the case's own kernel; where it has none, the model's of a sample of blocks
};
/// A count of a case: of theory's interval the lower end, of what a sample of blocks reads of L2
/// what theory leaves room for. Empty where nobody counted it.
[[nodiscard]] std::optional<double> count_of(const CaseRecord& record, std::string_view key,
                                             CountsOf whose);
/// What nobody counted is 0.
[[nodiscard]] TimeCounts time_counts(const CaseRecord& record, CountsOf whose = CountsOf::kModel);

/// How a launch fills the chip.
struct Shape {
  double blocks = 0;
  double warps = 0;     ///< per block
  double resident = 1;  ///< blocks that an SM has room for at once
};

/// What a machine does, in the units that rules reckon in. Rates are per ns, latencies in cycles.
struct Rates {
  double sms = 0;
  double cycle_ns = 0;
  double l2_bytes = 0;
  double bus_words = 0;  ///< of 64 bits
  double dram_read = 0;  ///< bytes
  double dram_write = 0;
  double dram_copy = 0;
  double l2_sectors = 0;
  double wavefronts = 0;    ///< per SM and cycle
  double instructions = 0;  ///< the same
  double shared_latency = 0;
  double l1_latency = 0;
  double l2_latency = 0;
  double dram_latency = 0;
  double empty_launch = 0;  ///< ns
  double block_start = 0;   ///< cycles
  double block_life = 0;    ///< cycles of a block that does nothing, its start included
  double barrier = 0;       ///< cycles
  double load_lines = 0;    ///< of which L2 sends sectors
  double part_lines = 0;    ///< of which L2 takes sectors that are stored in part
  double part_sectors = 0;  ///< the same, sectors
  double dirty_lines = 0;   ///< that leave L2 written in part
  double adds = 0;          ///< atomic operations on all addresses
  double float_add = 0;     ///< ns, on one address
  double integer_add = 0;   ///< the same
  double l2_part = 0;       ///< ns, in which a part of L2 takes a load of a line
  double kept = 0;          ///< share of L2 that a launch finds again
  double fp64 = 0;          ///< instructions per SM and cycle
  double special = 0;       ///< the same
  bool calibrated = false;  ///< the memory's rates and latencies were measured on the machine
  /// Ceilings that were not measured: an H200's stand in for them, scaled by clock, SMs and bus.
  std::vector<std::string_view> assumed = {};
};
/// Empty where the machine's memory, SMs or clock are not known.
[[nodiscard]] std::optional<Rates> rates_of(const Machine& machine);

/// The ceilings that rates are made of.
[[nodiscard]] std::vector<std::string_view> ceilings_of_rates();

struct TermTime {
  Term term = Term::kLife;
  double ns = 0;
};

struct KernelTime {
  double ns = 0;
  /// What each term alone takes of the launch, the greatest first: that sets the time.
  std::vector<TermTime> terms;
  [[nodiscard]] Term sets() const { return terms.front().term; }
};

/// Of a launch whose L2 holds what the launch before left, as in a loop. The facts are there.
[[nodiscard]] KernelTime kernel_time(const TimeCounts& counts, const KernelFacts& facts,
                                     const Shape& shape, const Rates& rates);

}  // namespace lab::metrics
