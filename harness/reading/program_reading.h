// Reads a whole program's run: its kernels, its findings, and where its time goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "harness/core/record.h"
#include "harness/core/whole_program.h"
#include "metrics/advice.h"

namespace lab::reading {

/// Launches of one kernel and shape.
struct ProgramCase {
  const CaseRecord* record = nullptr;
  std::uint64_t launches = 1;
  metrics::Diagnosis diagnosis = {};
  std::optional<double> ns = {};     ///< of all its launches: measured, else expected
  std::optional<double> share = {};  ///< of those of all cases, where each is known
};

struct ProgramReading {
  std::vector<ProgramCase> cases = {};  ///< the dearest first
  std::size_t kernels = 0;
  std::uint64_t launches = 0;
  bool timed = false;  ///< a GPU measured some case
  /// Findings in kernels, each kind once per line, then those in the host's code.
  std::vector<Finding> findings = {};
  std::vector<Finding> remarks = {};  ///< of the kernels, the same way
  /// The first advice for the case that takes most of the program's expected time. Empty: where
  /// something but a leak is found, that is first.
  std::vector<metrics::Advice> dearest = {};
};

/// The costs of other layouts of a case's arrays, by its index.
using LayoutsOfCases = std::map<int, std::vector<metrics::LayoutCure>>;

/// The cases point into `run`.
[[nodiscard]] ProgramReading read_program(const RunRecord& run, const ProgramReport& report,
                                          const metrics::Machine& machine,
                                          const LayoutsOfCases& layouts = {});

}  // namespace lab::reading
