// The time that a launch is expected to take: what each part of the chip needs for its counts, what
// a block's warps wait for, and how these overlap.
#pragma once

#include <optional>
#include <vector>

#include "harness/core/expected_time.h"
#include "harness/core/kernel_facts.h"
#include "harness/core/record.h"
#include "metrics/machine.h"

namespace lab::metrics {

using Term = TimeTerm;

/// Counts of a launch that take time. All are the model's.
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
  double shared_wavefronts = 0;
};
/// Empty where the model did not count DRAM's bytes, or any of the others that it does count.
[[nodiscard]] TimeCounts time_counts(const CaseRecord& record);

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
  bool calibrated = false;  ///< all of it was measured on the machine
};
/// Empty where the machine's memory, SMs or clock are not known. What else was not measured is an
/// H200's in cycles.
[[nodiscard]] std::optional<Rates> rates_of(const Machine& machine);

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
