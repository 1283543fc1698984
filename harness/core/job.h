// A case with everything resolved: what a backend launches, and how it should end. It travels to a
// worker, which knows no labs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/core/buffer.h"
#include "harness/core/launch.h"

namespace lab {

/// How an output is compared with the reference: |got - want| <= absolute + relative * |want|,
/// bit for bit where both are 0. NaN equals NaN.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

/// Elements of an output that are not checked, [first, first + count): a race is their lesson.
struct Unchecked {
  std::string buffer;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool across_blocks = false;  ///< blocks race for it, not the warps of one block alone
  friend bool operator==(const Unchecked&, const Unchecked&) = default;
};

/// A finding that a variant exists to produce, such as the race of a missing barrier.
struct ExpectedFinding {
  std::string kind;      ///< name of a finding kind, see finding.h
  std::string line_has;  ///< text that the reported source line contains
  friend bool operator==(const ExpectedFinding&, const ExpectedFinding&) = default;
};

/// A call of a kernel of the lab's reference.cu, which leaves in the case's buffers what the case's
/// kernel should.
struct ReferenceCall {
  std::string kernel;  ///< extern "C" name or template expression
  Launch launch;
  std::vector<std::variant<std::string, ScalarSpec>> args;  ///< names of buffers, and numbers
  friend bool operator==(const ReferenceCall&, const ReferenceCall&) = default;
};

/// How a case should end.
struct Expected {
  std::optional<ReferenceCall> reference = {};  ///< empty: no result is right or wrong
  Tolerance tolerance = {};
  std::vector<Unchecked> unchecked = {};
  std::vector<ExpectedFinding> findings = {};
  std::vector<std::string> metrics = {};  ///< keys that theory predicts
  /// Bytes of shared memory of a block that the task takes, where it forbids padding; 0: any.
  std::uint64_t most_shared = 0;
  friend bool operator==(const Expected&, const Expected&) = default;
};

/// The two that can run cases. Sent by number: never renumber.
enum class BackendKind : std::uint8_t {
  kModel = 0,
  kGpu = 1,
};
[[nodiscard]] constexpr std::string_view name_of(BackendKind kind) {
  return kind == BackendKind::kModel ? "model" : "gpu";
}

/// Which backends can run a case. Sent by number: never renumber.
enum class RunsOn : std::uint8_t {
  kAll = 0,
  kModelAlone = 1,  ///< broken on purpose
  kGpuAlone = 2,    ///< a library's kernel, which has no source
};

struct Job {
  std::string kernel;  ///< extern "C" name or template expression; empty: a library's
  Launch launch;
  std::vector<ArgSpec> args;
  std::vector<std::string> dump = {};     ///< buffers to hand back
  std::vector<BufferSpec> buffers = {};   ///< that are not arguments: pointers lead to them
  std::vector<SymbolSpec> symbols = {};   ///< variables of the module and what they hold
  std::vector<std::string> options = {};  ///< of the compiler, such as --ptxas-options=-O0
  RunsOn runs_on = RunsOn::kAll;
  std::string library = {};  ///< what the GPU backend runs instead, such as cublas_sgeam
  Expected expected = {};
};

/// Throws an input error where two of a job's buffers have one name, and an internal error where a
/// pointer leads to none of them.
void require_sound(const Job& job);

/// The job's buffers by name: its arguments, and those that pointers lead to.
[[nodiscard]] std::map<std::string, const BufferSpec*> buffers_of(const Job& job);

/// The call of a job's reference as a job of its own, on buffers as that job's are before the
/// launch. Throws an input error where it names a buffer that the job lacks, or one twice.
[[nodiscard]] Job reference_job(const Job& job);

/// Host copies of a job's buffers before the launch, by name.
[[nodiscard]] Buffers initial_buffers(const Job& job);

/// Names what a buffer holds before the launch: equal keys, equal bytes.
[[nodiscard]] std::string content_key(const BufferSpec& spec);

}  // namespace lab
