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

#include "harness/core/access.h"
#include "harness/core/case_notes.h"
#include "harness/core/expected_time.h"
#include "harness/core/finding.h"
#include "harness/core/kernel_facts.h"
#include "harness/core/lab_name.h"
#include "harness/core/launch.h"
#include "harness/core/missing.h"
#include "harness/core/params.h"

namespace lab {

/// Where a value comes from. Stored by number: never renumber.
enum class SourceOf : std::uint8_t { kTheory = 1, kModel = 2, kCupti = 3, kSass = 4, kNcu = 5 };
[[nodiscard]] std::string_view name_of(SourceOf source);

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
  kNotCompiled = 8,  ///< the compiler refused its source
  kInterrupted = 9,  ///< by the user, before it had run: never stored
};
[[nodiscard]] std::string_view name_of(CaseStatus status);

/// The contents of L2 before a launch. Stored by number: never renumber.
enum class Cache : std::uint8_t {
  kCold = 1,  ///< nothing of the kernel's: it was flushed
  kWarm = 2,  ///< what the launch before left
};
[[nodiscard]] std::string_view name_of(Cache cache);

/// How long a kernel took on a GPU.
struct Timing {
  double median_ns = 0;
  double min_ns = 0;
  double max_ns = 0;
  std::vector<double> samples_ns = {};  ///< one for each launch, or row of them, that was timed
  std::string method;                   ///< what the clock was, such as CUDA events
  Cache cache = Cache::kWarm;           ///< L2 before each launch
  int warm_ups = 0;                     ///< launches before the first that was timed
  // As the GPU answered when the loop had ended; empty: it could not be asked.
  std::optional<double> sm_clock_mhz = {};
  std::optional<double> temperature_c = {};
  std::optional<double> power_w = {};
  std::string throttle_reasons = {};  ///< NVML's names with commas between; empty: none known
  friend bool operator==(const Timing&, const Timing&) = default;
};

/// One memory instruction of one warp, as `--warp B,W` lists it.
struct Access {
  std::uint64_t sequence = 0;  ///< the warp's how many-th memory instruction, from 0
  int line = 0;
  std::string text = {};  ///< the PTX instruction
  Space space = Space::kGlobal;
  AccessOp op = AccessOp::kLoad;
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
  kNone = 0,  ///< nobody judged the metric: it has values alone
  kAgrees = 1,
  kExplained = 2,
  kDisagrees = 3,
  kContext = 4,
  kMissing = 5,
  kTooSmall = 6,  ///< less than what others on the chip may add
};
[[nodiscard]] std::string_view name_of(VerdictKind verdict);

/// Whether a formula is about the source as a person reads it (and PTX has it), or the machine
/// code, in which the compiler may have merged accesses. Stored by its words.
enum class Level : std::uint8_t { kAsWritten, kAsCompiled };
template <>
inline constexpr auto kWordsOf<Level> = std::to_array<std::string_view>({"as written",
                                                                         "as compiled"});
[[nodiscard]] constexpr std::string_view name_of(Level level) { return word_of(level); }

/// A metric's measured value, and the result of comparing its sources. Made in metrics/ alone.
struct Verdict {
  std::string metric;
  std::optional<double> theory = {};
  std::optional<double> theory_high = {};
  std::string formula = {};
  std::optional<Level> level = {};    ///< of the formula
  std::optional<double> target = {};  ///< the lab's theory, where the kernel is not the lab's own
  std::optional<double> excess = {};  ///< value / target
  /// The value that counts as the measurement, see metrics::measured; empty: not measured.
  std::optional<double> measured = {};
  std::optional<SourceOf> measured_source = {};
  VerdictKind kind = VerdictKind::kMissing;
  std::string reason = {};  ///< a sentence a student can read
  /// Of duration_ns: why the launch took longer than the least time of its counts, where it did.
  std::optional<TimeGap> longer = {};
  std::string longer_because = {};  ///< a clause for a student, with the case's own numbers
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

/// Whose memory instructions the model counted. Stored by number: never renumber.
enum class AccessLevel : std::uint8_t {
  kSass = 1,  ///< the machine code's
  kPtx = 2,   ///< the PTX's, in which nothing is merged yet
};
[[nodiscard]] std::string_view name_of(AccessLevel level);

/// How a case was run, where something depends on it: verdicts, time bounds, comparisons of runs.
struct CaseFacts {
  std::optional<AccessLevel> access_level = {};      ///< empty: the model did not run it
  std::optional<std::uint64_t> sampled_blocks = {};  ///< that the model ran; empty: all
  std::optional<Cache> counter_cache = {};           ///< empty: no counters were read
  /// Percent of the L1 data store preferred as shared memory, kDriversChoice where nobody asked;
  /// empty: no GPU ran it.
  std::optional<int> carveout = {};
  /// That are on a multiprocessor at once, as the driver says; empty: no GPU ran it.
  std::optional<int> blocks_per_sm = {};
  std::string compile_options = {};  ///< with spaces between; empty: none beyond the usual
  std::string ptx_sha256 = {};       ///< lower-case hex; empty: never compiled
  std::string cubin_sha256 = {};     ///< empty: there was none, such as for a .ptx source
  static constexpr int kDriversChoice = -1;
  friend bool operator==(const CaseFacts&, const CaseFacts&) = default;
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
  CaseFacts facts = {};
  CaseNotes notes = {};
  std::vector<Finding> findings = {};  ///< mistakes alone
  std::vector<Finding> remarks = {};   ///< what is no mistake: severity_of() says which
  std::vector<Observation> observations = {};
  std::vector<Verdict> verdicts = {};
  std::optional<Timing> timing = {};
  /// For the time that it is expected to take; empty: the model did not run it.
  std::optional<KernelFacts> kernel_facts = {};
  std::optional<ExpectedTime> expected = {};  ///< empty: nobody asked on which machine
  std::vector<Access> accesses = {};
  std::vector<LineObservation> lines = {};
  friend bool operator==(const CaseRecord&, const CaseRecord&) = default;
};

/// All of a case's facts for a person, notes among them: access_level=sass, sampled=1/16.
[[nodiscard]] std::map<std::string, std::string> facts_text(const CaseRecord& record);

/// How the method ends of a time that is a launch's share of many, and how that of the host's clock
/// begins, which waits for each launch.
inline constexpr std::string_view kInARow = " launches in a row";
inline constexpr std::string_view kHostTimer = "the host's clock around each";
/// Whether times were taken in a way that was asked for, not by two events around each launch.
[[nodiscard]] bool timed_otherwise(const Timing& timing);

/// How a time was taken, in a sentence: CUDA events, warm L2, 40 launches after 3 warm-ups.
[[nodiscard]] std::string method_text(const Timing& timing);

/// A file that a kernel's text includes.
struct IncludedText {
  std::string name;  ///< as messages name it
  std::string text;
  friend bool operator==(const IncludedText&, const IncludedText&) = default;
};

/// Stored by its word.
enum class RunStatus : std::uint8_t { kRunning, kOk, kFailed, kInterrupted };
template <>
inline constexpr auto kWordsOf<RunStatus> =
    std::to_array<std::string_view>({"running", "ok", "failed", "interrupted"});
[[nodiscard]] constexpr std::string_view name_of(RunStatus status) { return word_of(status); }

struct RunRecord {
  std::int64_t id = 0;  ///< in the database; 0: not stored
  std::string uuid;
  int lab = 0;  ///< 0: probe
  std::string lab_id = {};
  /// Its lab as people call it: `3`, or `warp-scan` where it has a name alone.
  [[nodiscard]] std::string called() const { return lab_called(lab, lab_id); }
  std::string folder = {};
  std::string backend = {};  ///< model, gpu, model+gpu
  std::string gpu = {};      ///< empty: none
  std::string arch = {};
  std::string started_at = {};  ///< ISO 8601, UTC
  std::string student = {};
  RunStatus status = RunStatus::kRunning;
  std::string program_version = {};
  std::string source_name = {};  ///< file name of the kernel text, as the user gave it
  std::string source_text = {};
  std::vector<IncludedText> included = {};  ///< what the text includes, read with it
  std::string compile_options = {};         ///< the user's own: -DN=3 -Ifolder, with blanks between
  bool source_is_labs_own = true;
  std::optional<std::uint64_t> seed = {};           ///< of the input data, one for all cases
  std::optional<std::uint64_t> missing_cases = {};  ///< that were not run: interrupted runs alone
  std::map<std::string, std::string> environment = {};  ///< host, cpu, gpu, driver, cuda, ...
  std::vector<CaseRecord> cases = {};
  /// Of the rows of the lab's screen, where they ran at small sizes and no time was measured: what
  /// they are expected to take at a GPU's. Stored of each: variant, parameters, expected time, and
  /// theory's needed bytes.
  std::vector<CaseRecord> at_gpu_size = {};
  friend bool operator==(const RunRecord&, const RunRecord&) = default;
};

}  // namespace lab
