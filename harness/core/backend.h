// Requests to a backend, and its replies. Two classes implement Backend on the worker's side
// (model, gpu) and one on the program's (the worker client); all of them speak in these records.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/buffer.h"
#include "harness/core/chip.h"
#include "harness/core/error.h"
#include "harness/core/job.h"
#include "harness/core/record.h"

namespace lab {

/// A kernel's text. `name` is for messages; backends read no files.
struct KernelText {
  std::string name;
  std::string text;
  std::vector<IncludedText> included = {};  ///< what it includes, beside the compiler's own headers
  std::vector<std::string> options = {};    ///< the user's for the compiler: -DN=3, -Ifolder
};

/// The source that a run's kernels were compiled from; set_source() writes it into the run.
[[nodiscard]] KernelText source_of(const RunRecord& run);
void set_source(const KernelText& source, RunRecord& run);

/// One case. A probe has its job from the beginning; that of a lab's variant at a point is made by
/// resolve() (resolve.h), before the case goes to a backend.
struct CaseRequest {
  int index = 0;
  std::string variant = {};
  Params params = {};
  std::optional<Job> job = {};
};

enum class Checks : std::uint8_t { kAuto, kFull, kOff };

/// Which memory instructions the model lists one by one, beside counting them.
enum class Trace : std::uint8_t {
  kNone,
  kBlock,   ///< those of all warps of one block, in the order in which they ran
  kAll,     ///< those of all blocks, equal ones once
  kShared,  ///< the same of shared memory alone
};

/// How much of its cases the model runs.
enum class Depth : std::uint8_t {
  kWhole,
  /// A few blocks, on memory of which large arrays of numbers stay zeros: what tells how long a
  /// launch takes that is too large to be run. What the others do is not known, nor whether results
  /// are right.
  kFewBlocks,
};

/// Warp instructions that the model runs in a minute or two.
inline constexpr std::uint64_t kSampleAbove = 1'000'000'000;

/// Settings of a batch for the GPU alone.
struct GpuOptions {
  Cache cache = Cache::kCold;  ///< L2 before each counted launch
  int repeat = 1;              ///< collections of the counters, at most kMostRepeats
  bool counters = true;        ///< false: leave CUPTI alone, as under a profiler
  bool timing = true;          ///< false: leave the timing loop out
  bool lines = false;          ///< counts per source line, each case in a process of its own
  bool stalls = false;         ///< sample why warps wait, per source line, in place of the counters
  Cache timing_cache = Cache::kWarm;  ///< L2 before each timed launch
  /// That follow each other in one sample of the time, at most kMostLaunches; the time is then a
  /// launch's share of it.
  int launches = 1;
  /// Time each launch by the host's clock, from before it is queued until the GPU is done with it.
  bool host_timer = false;
  std::optional<int> carveout = {};  ///< percent of the L1 data store preferred as shared memory

  static constexpr int kMostRepeats = 100;
  static constexpr int kMostLaunches = 1000000;
  static constexpr int kMostCarveout = 100;
  friend bool operator==(const GpuOptions&, const GpuOptions&) = default;
};

/// All that a backend is told. Values only: it travels to the worker.
struct BatchRequest {
  int lab = 0;  ///< 0: a probe
  KernelText source;
  std::vector<CaseRequest> cases;
  KernelText reference = {};  ///< the lab's reference.cu; empty: its cases have no references
  std::string arch{kDefaultArch};
  std::vector<std::string> metrics = {};  ///< keys or raw CUPTI names beyond the default set
  std::uint64_t seed = 1;
  int threads = 0;  ///< of the model; 0: as many as cores
  Checks checks = Checks::kAuto;
  Depth depth = Depth::kWhole;
  /// Warp instructions above which the model may sample the blocks of a case; 0: it runs them all.
  std::uint64_t sample_above = kSampleAbove;
  double timeout_s = 0;                                              ///< a case's; 0: the default
  std::optional<std::pair<std::uint32_t, std::uint32_t>> warp = {};  ///< block, warp to log
  AccessLevel access_level = AccessLevel::kSass;  ///< of the model; kSass: where it can be had
  Trace trace = Trace::kNone;                     ///< kBlock: of the block of `warp`
  /// Whether the model gives thread (x, y) of a block the place of (y, x) among its warps: as a
  /// kernel runs that names threadIdx.y where it named threadIdx.x, with a block of the other
  /// shape.
  bool exchange_threads = false;
  bool habits = false;  ///< of the threads, in the record's lines, for advice
  /// A control: nothing is stored to shared memory. An output that is right then did not come
  /// through it.
  bool withhold_shared = false;
  GpuOptions gpu = {};
};

/// An array that traced instructions access: a buffer, a variable of the module, or one in shared
/// memory.
struct TracedArray {
  std::string name;              ///< of shared memory as in the PTX; dynamic: empty
  Space space = Space::kShared;  ///< or global
  std::uint64_t bytes = 0;
  std::uint64_t untraced = 0;  ///< instructions that were too many to be listed
};

/// A memory instruction of a warp. Addresses are offsets in their array.
struct TracedAccess {
  Access access;
  CostRule rule = CostRule::kUncounted;
  int array = -1;           ///< index into CaseOutcome::arrays; -1: of none of them
  int unit_bytes = 0;       ///< per lane as written; less than in the machine code where it merged
  std::uint32_t warp = 0;   ///< kBlock: which warp of the block
  std::uint64_t times = 1;  ///< kAll: how often it ran
};

/// A case's record, and the contents of the buffers that were asked for.
struct CaseOutcome {
  CaseRecord record;
  std::map<std::string, std::vector<std::byte>> dumped = {};
  std::vector<TracedArray> arrays = {};
  std::vector<TracedAccess> traced = {};
};

/// Takes results as they come, so that an interrupted batch keeps what it has.
struct BatchSink {
  std::function<void(const std::string& key, const std::string& value)> environment;
  std::function<void(CaseOutcome)> finished;
  /// Cases done and work done of the case under way, both in [0, 1] steps of the whole.
  std::function<void(int index, double fraction)> progress;
  /// True when the user asked to stop.
  std::function<bool()> cancelled;
};

/// Thrown by a backend whose process can run nothing more, as after a fault on a GPU. Cases that it
/// has not finished are for a new process to run; it has finished at least one.
class ProcessSpent : public Error {
 public:
  explicit ProcessSpent(const std::string& message) : Error(Fault::kMachine, message) {}
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// Calls sink.finished once for every case of `batch`, each of which has its job, in any order,
  /// whatever happens to it.
  /// Throws only where nothing can be run at all.
  virtual void run(const BatchRequest& batch, const BatchSink& sink) = 0;
};

}  // namespace lab
