// The waist: what a run asked for and what came of it, as plain records.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/core/buffer.h"
#include "harness/core/finding.h"
#include "harness/core/lab.h"
#include "harness/core/launch.h"
#include "harness/core/params.h"

namespace lab {

/// Where a value comes from. Stored by number: never renumber.
enum class SourceOf : std::uint8_t { kTheory = 1, kModel = 2, kCupti = 3, kSass = 4, kNcu = 5 };
[[nodiscard]] std::string_view name_of(SourceOf source);

/// Why there is no value. `reason` is a stable word (unsupported, no_gpu, no_permission, sampled,
/// not_modelled, not_collected, case_failed, ...); `detail` is for a person.
struct Missing {
  std::string reason;
  std::string detail = {};
  friend bool operator==(const Missing&, const Missing&) = default;
};

/// One value of one metric from one source, or the reason why there is none.
struct Observation {
  std::string metric;  ///< key of the catalogue, or a raw CUPTI name
  SourceOf source = SourceOf::kModel;
  std::variant<double, Missing> value = 0.0;
  std::optional<double> min = {};
  std::optional<double> max = {};
  int samples = 1;
  int pass = 0;
  [[nodiscard]] bool has_value() const { return std::holds_alternative<double>(value); }
  [[nodiscard]] double number() const { return std::get<double>(value); }
  friend bool operator==(const Observation&, const Observation&) = default;
};

/// Stored by number: never renumber.
enum class CaseStatus : std::uint8_t {
  kOk = 1,
  kWrong = 2,    ///< incorrect output
  kFinding = 3,  ///< a checker found something that the variant does not expect
  kRefused = 4,  ///< an instruction that is not modelled
  kError = 5,
  kTimeout = 6,
  kSkipped = 7,
};
[[nodiscard]] std::string_view name_of(CaseStatus status);

/// How long a kernel took on a GPU.
struct Timing {
  double median_ns = 0;
  double min_ns = 0;
  double max_ns = 0;
  std::vector<double> samples_ns = {};
  std::string method;  ///< such as "cuda events, warm L2, 40 launches"
  friend bool operator==(const Timing&, const Timing&) = default;
};

/// One memory instruction of one warp, as `--warp B,W` lists it.
struct Access {
  std::uint64_t sequence = 0;  ///< the warp's how many-th memory instruction, from 0
  int line = 0;
  std::string text = {};   ///< the PTX instruction
  std::string space = {};  ///< global, shared, local
  std::string op = {};     ///< load, store, atomic, reduction
  int bytes_per_lane = 0;
  std::array<std::int64_t, 32> address{};  ///< global: offset in its buffer; -1: lane inactive
  std::string buffer = {};                 ///< the argument's name, for global accesses
  int sectors = 0;
  int wavefronts = 0;
  int conflicts = 0;
  friend bool operator==(const Access&, const Access&) = default;
};

/// Per source line counts.
struct LineObservation {
  std::string file;
  int line = 0;
  std::string metric;
  SourceOf source = SourceOf::kModel;
  double value = 0;
  friend bool operator==(const LineObservation&, const LineObservation&) = default;
};

/// Stored by number: never renumber.
enum class VerdictKind : std::uint8_t {
  kAgrees = 1,
  kExplained = 2,
  kDisagrees = 3,
  kContext = 4,
  kMissing = 5,
};
[[nodiscard]] std::string_view name_of(VerdictKind verdict);

/// What comparing the sources of one metric came to. Made in metrics/ alone.
struct Verdict {
  std::string metric;
  VerdictKind kind = VerdictKind::kMissing;
  std::string reason;  ///< a sentence a student can read
  std::optional<double> theory = {};
  std::optional<double> theory_high = {};
  std::string formula = {};
  std::string level = {};             ///< "as written" or "as compiled"
  std::optional<double> target = {};  ///< the lab's theory, where the kernel is not the lab's own
  std::optional<double> excess = {};  ///< value / target
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

/// One case: one variant at one parameter point, run by one or more backends.
struct CaseRecord {
  int index = 0;  ///< position in the run's plan
  std::string variant;
  Params params;
  std::string kernel;
  Launch launch;
  CaseStatus status = CaseStatus::kOk;
  std::optional<bool> correct = {};  ///< empty: nothing was checked
  std::string reason = {};           ///< why the status is not ok, or what was left out
  std::string arch = {};             ///< sm_90
  std::map<std::string, std::string> facts =
      {};  ///< access_level=sass, checkers=full, sampled=1/16
  std::vector<Finding> findings = {};
  std::vector<Observation> observations = {};
  std::vector<Verdict> verdicts = {};
  std::optional<Timing> timing = {};
  std::vector<Access> accesses = {};
  std::vector<LineObservation> lines = {};
  friend bool operator==(const CaseRecord&, const CaseRecord&) = default;
};

struct RunRecord {
  std::int64_t id = 0;  ///< in the database; 0: not stored
  std::string uuid;
  int lab = 0;  ///< 0: probe
  std::string lab_id = {};
  std::string folder = {};
  std::string backend = {};  ///< model, gpu, model+gpu
  std::string gpu = {};      ///< empty: none
  std::string arch = {};
  std::string started_at = {};  ///< ISO 8601, UTC
  std::string student = {};
  std::string status = {};  ///< ok, failed, interrupted
  std::string program_version = {};
  std::string source_name = {};  ///< file name of the kernel text, as the user gave it
  std::string source_text = {};
  bool source_is_labs_own = true;
  std::map<std::string, std::string> environment = {};  ///< host, cpu, gpu, driver, cuda, ...
  std::vector<CaseRecord> cases = {};
  friend bool operator==(const RunRecord&, const RunRecord&) = default;
};

}  // namespace lab
