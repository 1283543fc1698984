// The most that a GPU was measured to do: what percent of a ceiling and time bounds refer to.
#pragma once

#include <string>
#include <vector>

namespace lab {

/// Names: dram_read, dram_write, dram_copy, l2_read (bytes per second; a copy's bytes are those
/// read and those written), shared_wavefronts, instructions (per SM and clock), launch (ns from one
/// empty kernel to the next), shared_latency, l1_latency, l2_latency, dram_latency (cycles from a
/// load to the next that needs its value), sm_clock (MHz while they were measured). What rules of
/// time reckon with beside these: metrics::ceilings_of_rates(). All, each with its kernel: the rows
/// of harness/gpu/measure/ceilings_*.cpp.
struct Ceiling {
  std::string name;
  double value = 0;
  std::string unit;
  std::string method;  ///< how it was measured, for a person
  friend bool operator==(const Ceiling&, const Ceiling&) = default;
};

}  // namespace lab
