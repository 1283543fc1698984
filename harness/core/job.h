// A case with everything resolved: what the model and the GPU actually launch.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/lab.h"

namespace lab {

struct Job {
  std::string kernel;  ///< extern "C" name or template expression
  std::vector<std::string> options;
  Launch launch;
  std::vector<ArgSpec> args;
  const Variant* variant = nullptr;  ///< null for a probe
  Params params;
  std::vector<BufferSpec> buffers = {};  ///< a probe's that are not arguments
  std::vector<SymbolSpec> symbols = {};
};

/// `lab` is null for a probe. Throws an input error where two buffers have one name.
[[nodiscard]] Job make_job(const Lab* lab, const CaseRequest& request, std::uint64_t seed);

/// Host copies of a job's buffers before the launch, by name.
[[nodiscard]] Buffers initial_buffers(const Job& job);

/// Names what a buffer holds before the launch: equal keys, equal bytes.
[[nodiscard]] std::string content_key(const BufferSpec& spec);

struct CheckResult {
  std::optional<bool> correct;  ///< empty: there is no reference
  std::string reason;           ///< first difference: `out[5]: got 3, expected 4 (17 differ)`
  /// How much of the sums that are not checked was left by races: `a: 12288 of 786432 are left,
  /// 774144 lost`; empty: there are none.
  std::string races = {};
  /// Whether blocks raced for them. Then `races` says what happened this time; on the model's
  /// threads that is the host's affair, not a GPU's.
  bool blocks_raced = false;
};

/// Compares what the kernel left in `after` with what the variant's CPU reference makes of
/// `initial`, the job's buffers before the launch.
[[nodiscard]] CheckResult check(const Job& job, Buffers& after, Buffers initial);
/// The same; `initial` holds the reference's result afterwards. An input that `after` has no bytes
/// of was left as it was.
[[nodiscard]] CheckResult check_with(const Job& job, Buffers& after, Buffers& initial);
/// The same where the caller does not have them any more.
[[nodiscard]] CheckResult check(const Job& job, Buffers& after);

}  // namespace lab
