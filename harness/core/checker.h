// Holds what kernels leave against their references, one case after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/core/buffer.h"
#include "harness/core/error.h"
#include "harness/core/job.h"
#include "harness/core/output_check.h"

namespace lab {

/// A case's reference can't be had: its lab's fault, not its kernel's.
class ReferenceError : public Error {
 public:
  ReferenceError(const ReferenceCall& call, const Error& cause);
};

/// Runs a reference_job(): leaves in `buffers`, which are as before the launch, what it makes of
/// them. Returns what that took, in warp instructions; 0: they were not counted.
using RunReference = std::function<std::uint64_t(const Job& call, Buffers& buffers)>;

/// The host's buffers of the cases of a batch. A large buffer takes longer to make than a GPU takes
/// to fill its own, so inputs that the next case has alike stay, and memory is used again. For each
/// job before() and either after() or launched(); then expect() and check(). What a reference made
/// stays, too: variants of a lab often ask for the same.
class Checker {
 public:
  /// The job's buffers before the launch.
  [[nodiscard]] Buffers& before(const Job& job);
  /// Room for what the kernel leaves: of inputs only for those called `fetched`, since a kernel
  /// leaves the others as they were. What it holds is of an earlier case.
  [[nodiscard]] Buffers& after(const Job& job, const std::vector<std::string>& fetched);
  /// The same room for a launch on the host: holds what the kernel is to find.
  [[nodiscard]] Buffers& launched(const Job& job);
  /// Leaves in before() what the job's reference makes of it, and returns what that took: `run` is
  /// called unless it was before, for the same call on the same contents. Throws an input error
  /// where the call is none of the job's buffers, and what `run` throws.
  std::uint64_t expect(const Job& job, const RunReference& run);
  /// Compares after(), or launched() after a launch on the host, with what expect() has left.
  [[nodiscard]] CheckResult check(const Job& job);

 private:
  /// What a call left in its outputs, by argument.
  struct Made {
    std::string call;
    std::map<std::size_t, std::vector<std::byte>> outputs;
    std::size_t bytes = 0;
    std::uint64_t took = 0;  ///< warp instructions
  };

  [[nodiscard]] const Made* find(const std::string& call) const;
  void keep(const std::string& key, const Job& call, std::uint64_t took);

  Buffers before_;
  Buffers after_;
  std::map<std::string, std::string> contents_;  ///< of before_, by name: content_key()
  static constexpr std::size_t kMostKept = std::size_t{64} << 20;  // bytes
  std::deque<Made> made_;                                          ///< the oldest first
  std::size_t kept_ = 0;                                           ///< bytes
};

}  // namespace lab
