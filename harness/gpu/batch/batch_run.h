// One batch on one GPU, phase by phase.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/checker.h"
#include "harness/core/job.h"
#include "harness/gpu/batch/references.h"
#include "harness/gpu/cupti/sass.h"
#include "harness/gpu/driver/library.h"
#include "harness/gpu/measure/collect.h"
#include "harness/gpu/measure/kernels.h"
#include "harness/gpu/measure/machine.h"
#include "metrics/sets.h"

namespace lab::gpu {

class StallSampler;

/// A case and its results so far.
struct CaseState {
  Job job;
  KernelPlace place;
  CaseOutcome outcome;
  bool alive = true;                             ///< may still be launched
  bool reported = false;                         ///< the sink has been given it
  std::vector<std::string> changed_inputs = {};  ///< that the kernel writes to
};

/// What a batch's cases launch.
struct BatchKernels {
  CompiledBatch cases;
  References references;
};

class BatchRun {
 public:
  BatchRun(const BatchRequest& batch, const BatchSink& sink, const Machine& machine,
           std::vector<CaseState> cases, BatchKernels kernels);

  /// Checks and times every case, counts those that run, and reports each once. Throws ProcessSpent
  /// where the rest needs a new process: after a fault, or after a case whose kernel was patched.
  void run();

 private:
  /// The batch's objects in a context; released with it.
  struct Loaded {
    std::unique_ptr<Rig> rig;
    std::unique_ptr<LoadedBatch> kernels;
    std::unique_ptr<Library> library;                               // where a case needs it
    std::map<std::size_t, std::unique_ptr<PreparedCase>> prepared;  // by case
  };

  void load();
  Launcher kernel_launcher(const CaseState& state);
  Launcher library_launcher(const CaseState& state);
  PreparedCase& prepare(std::size_t i);
  void record_facts(CaseState& state);
  void expect(CaseState& state);
  void first_launch(std::size_t i);
  void check_and_time(std::size_t i);
  void fail(CaseState& state, const DriverError& error);
  void count();
  void count_ranges(const CounterAccess& access, const metrics::MetricPlan& plan,
                    const std::vector<std::size_t>& counted);
  std::map<std::size_t, std::map<std::string, double>> count_lines(std::size_t i);
  void sample_stalls(const std::vector<std::size_t>& sampled);
  void sample_case(StallSampler& sampler, std::size_t i);
  void add_without_counters(const metrics::MetricPlan& plan, const Missing& why,
                            const std::vector<std::size_t>& counted,
                            const std::map<std::size_t, std::map<std::string, double>>& patched);
  [[nodiscard]] std::vector<std::string> asked_metrics(
      const std::vector<std::size_t>& counted) const;
  void report(CaseState& state);
  [[nodiscard]] std::vector<std::size_t> alive() const;
  [[nodiscard]] bool patches_kernels() const;

  const BatchRequest& batch_;
  const BatchSink& sink_;
  const Machine& machine_;
  const GpuOptions& options_;
  std::vector<CaseState> cases_;
  CompiledBatch compiled_;
  References references_;
  Loaded loaded_;
  CounterAccess access_;
  Checker checker_;
  std::size_t end_;  // this process runs the cases before this one
  std::function<void(Timing&)> add_conditions_;
};

}  // namespace lab::gpu
