// The time that a case is expected to take on a machine: from its counts, the facts of its kernel,
// and the rules (kernel_time.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "harness/core/record.h"
#include "metrics/kernel_time.h"
#include "metrics/machine.h"

namespace lab::metrics {

/// A launch as the rules of time see it.
struct Launched {
  TimeCounts counts;
  KernelFacts facts;
  Shape shape;
  Rates rates;
  [[nodiscard]] KernelTime time() const { return kernel_time(counts, facts, shape, rates); }
};
/// Where a case has no facts of its kernel, they are what its counts say of warps. Empty: the
/// machine's memory, SMs or clock are not known, or not even one block fits.
[[nodiscard]] std::optional<Launched> launched_on(const CaseRecord& record, const Machine& machine,
                                                  CountsOf whose = CountsOf::kModel);

/// Whose kernel it is: on those of the labs the rules were tried while they were made.
enum class KernelOf : std::uint8_t { kLab, kAnyone };

/// Why a case's time cannot be expected, or what it comes to.
[[nodiscard]] ExpectedTime expect_time(const CaseRecord& record, const Machine& machine,
                                       CountsOf whose = CountsOf::kModel,
                                       KernelOf kernel = KernelOf::kAnyone);

/// Of fewer launches nobody knows how far off the rules are.
inline constexpr std::size_t kEnoughToTell = 10;
/// How far off the times of an H200 were that `term` sets, as a part: of nine in ten of the labs'
/// launches (tests/conformance/expected_times_test.cpp), or of nine in ten of those of kernels that
/// no rule knew (strangers_times_test.cpp). Empty: there were too few.
[[nodiscard]] std::optional<double> within(Term term, KernelOf kernel);

}  // namespace lab::metrics
