// The process behind a program's runtime library: keeps its device memory and runs its launches.
#pragma once

#include <functional>
#include <string>

#include "harness/core/whole_program.h"
#include "harness/programs/serve/lines.h"

namespace lab::program {

/// What a program is served with.
struct Service {
  int socket = -1;                                     ///< to its runtime library
  std::byte* arena = nullptr;                          ///< kArenaBytes, mapped
  Locate locate = {};                                  ///< empty: its lines are not known
  std::function<void(const std::string&)> print = {};  ///< what kernels print
  /// How far the launch under way is, and its number; may be empty.
  std::function<void(std::uint64_t launch, double fraction)> progress = {};
  std::function<bool()> late = {};  ///< whether the program has had its time
  /// The process that has the GPU, where the request wants one; throws where there is none.
  std::function<GpuLaunched(const GpuLaunch&)> gpu = {};
};

/// Answers until the program closes its side, or says what no runtime library says
/// (`report.broken`), and hands over its cases. `report.end` is left for whoever started it.
void serve(const ProgramRequest& request, const Service& service,
           const std::function<void(CaseOutcome)>& finished, ProgramReport& report);

}  // namespace lab::program
