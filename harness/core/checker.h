// Holds what kernels leave against their references, one case after the other.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/buffer.h"
#include "harness/core/job.h"
#include "harness/core/output_check.h"

namespace lab {

/// Leaves in the buffers of a case what its kernel should.
using HostReference = std::function<void(Buffers&)>;
/// Knows them by lab and variant; empty: there is none.
using HostReferences = std::function<HostReference(int lab, const CaseRequest& request)>;

/// The host's buffers of the cases of a batch. A large buffer takes longer to make than a GPU takes
/// to fill its own, so inputs that the next case has alike stay, and memory is used again. For each
/// job before() and either after() or launched(); then the reference writes into before(), and
/// check() compares.
class Checker {
 public:
  /// The job's buffers before the launch.
  [[nodiscard]] Buffers& before(const Job& job);
  /// Room for what the kernel leaves: of inputs only for those called `fetched`, since a kernel
  /// leaves the others as they were. What it holds is of an earlier case.
  [[nodiscard]] Buffers& after(const Job& job, const std::vector<std::string>& fetched);
  /// The same room for a launch on the host: holds what the kernel is to find.
  [[nodiscard]] Buffers& launched(const Job& job);
  /// Compares after(), or launched() after a launch on the host, with what the reference made of
  /// before().
  [[nodiscard]] CheckResult check(const Job& job);

 private:
  Buffers before_;
  Buffers after_;
  std::map<std::string, std::string> contents_;  ///< of before_, by name: content_key()
};

}  // namespace lab
