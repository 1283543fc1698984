#include "harness/run/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "db/seal.h"
#include "harness/core/error.h"
#include "harness/core/parallel.h"
#include "harness/labs/registry.h"
#include "harness/run/engines.h"
#include "harness/run/kernels.h"
#include "harness/run/machine.h"
#include "harness/run/places.h"
#include "harness/run/session.h"
#include "harness/run/version.h"
#include "metrics/compare.h"
#include "metrics/expected.h"

namespace lab::run {

namespace {

const CaseRecord* case_at(const RunRecord& run, int index) {
  const auto found = std::find_if(run.cases.begin(), run.cases.end(),
                                  [&](const auto& record) { return record.index == index; });
  return found == run.cases.end() ? nullptr : &*found;
}

// Judged again with what was measured then, so that verdicts can be compared too.
CaseRecord judged(const Lab& lab, bool own_kernel, const CaseRecord& fresh,
                  const CaseRecord& stored, const metrics::Machine& machine) {
  CaseRecord record = db::with_measurements(fresh, stored);
  metrics::judge({&find_variant(lab, stored.variant), own_kernel, {}, &machine}, record);
  metrics::drop_expected_time(record);
  return record;
}

std::string fact(const RunRecord& run, const std::string& key) {
  const auto found = run.environment.find(key);
  return found == run.environment.end() ? std::string() : found->second;
}

bool ran_own_kernel(const Prepared& prepared, int index) {
  for (const Part& part : prepared.parts) {
    for (const CaseRequest& request : part.batch.cases) {
      if (request.index == index) return part.own_kernel;
    }
  }
  return true;
}

// A run as it is stored, with what its seal says; read under a lock, run again without one.
struct Loaded {
  std::optional<RunRecord> run = {};  // empty: it cannot be read
  VerifiedRun verified = {};
};

Loaded load(db::Store& store, const std::string& selector) {
  Loaded loaded;
  VerifiedRun& verified = loaded.verified;
  verified.id = store.find_run(selector);
  try {
    db::SealCheck seal = store.connection().guarded(
        [&] { return db::check_seal(store.connection().database(), verified.id, store.key()); });
    db::require_key(seal, store.key());
    verified.problems = seal.problems;
    verified.seal_note = seal.note;
    loaded.run = store.load_run(std::to_string(verified.id));
    verified.uuid = loaded.run->uuid;
  } catch (const Error& error) {
    verified.error = error.what();
  }
  return loaded;
}

/// Runs stored runs again, in a worker of its own that it starts where a run first needs it.
class Verifier {
 public:
  Verifier(const VerifyOptions& options, int threads) : options_(options), threads_(threads) {}

  /// `seconds`: that this run's cases may take; 0: as long as it takes.
  VerifiedRun verify(Loaded loaded, double seconds) {
    if (!loaded.run) return std::move(loaded.verified);
    try {
      run_again(*loaded.run, seconds, loaded.verified);
    } catch (const Error& error) {
      if (options_.cancelled && options_.cancelled()) throw;
      loaded.verified.error = error.what();
    }
    return std::move(loaded.verified);
  }

 private:
  EngineSet& engines() {
    if (!engines_) engines_.emplace(EngineSettings{.cancelled = options_.cancelled});
    return *engines_;
  }

  /// The cases to run again, in the order in which they are: of a sample by chance.
  [[nodiscard]] std::vector<CaseRequest> drawn(std::vector<CaseRequest> cases) const {
    const bool few = options_.sample > 0 && options_.sample < cases.size();
    if (!few && options_.budget_s <= 0) return cases;
    std::random_device chance;
    std::shuffle(cases.begin(), cases.end(), chance);
    if (few) cases.resize(options_.sample);
    return cases;
  }

  /// Whether a run of the lab's own kernels had other ones than those of today.
  [[nodiscard]] bool has_changed(const Lab& lab, const RunRecord& run) const {
    return run.source_is_labs_own && own_kernels(lab).text != run.source_text;
  }

  void run_again(const RunRecord& run, double seconds, VerifiedRun& verified) {
    const db::Replay replay = db::replay_of(run);
    verified.left_out = replay.left_out;
    const Lab* lab = lab_with_number(run.lab);
    if (lab == nullptr) {
      for (const CaseRequest& one : replay.batch.cases) {
        verified.left_out.push_back(
            {one.index,
             "a program's, whose arguments and files are not stored, or a lab's that is"
             " not here"});
      }
      return;
    }
    BatchRequest batch = replay.batch;
    batch.threads = threads_;
    batch.cases = drawn(std::move(batch.cases));
    std::set<int> done;
    if (seconds <= 0) {
      for (const CaseRequest& one : batch.cases) done.insert(one.index);
      if (!done.empty()) run_batch(*lab, run, std::move(batch), verified);
    } else {
      done = run_while_time(*lab, run, batch, seconds, verified);
    }
    for (const CaseRequest& one : replay.batch.cases) {
      if (done.count(one.index) > 0) continue;
      verified.left_out.push_back({one.index, "not drawn for the sample"});
    }
  }

  // One case at a time; one that takes longer than its run's share is not waited for.
  std::set<int> run_while_time(const Lab& lab, const RunRecord& run, const BatchRequest& all,
                               double seconds, VerifiedRun& verified) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    constexpr double kLeast = 0.5;
    std::set<int> done;
    for (const CaseRequest& one : all.cases) {
      const double left = std::chrono::duration<double>(end - Clock::now()).count();
      if (left <= 0 && !done.empty()) break;
      BatchRequest batch = all;
      batch.cases = {one};
      batch.timeout_s = std::max(left, kLeast);
      run_batch(lab, run, std::move(batch), verified);
      done.insert(one.index);
    }
    return done;
  }

  void run_batch(const Lab& lab, const RunRecord& run, BatchRequest batch, VerifiedRun& verified) {
    verified.cases += batch.cases.size();
    Plan plan;
    plan.lab = &lab;
    if (!run.source_is_labs_own) plan.own = own_kernels(lab);
    plan.batch = std::move(batch);
    plan.batch.reference = reference_text(lab);
    plan.own_kernel = run.source_is_labs_own;
    const std::string arch = plan.batch.arch;
    const double limit = plan.batch.timeout_s;
    const auto began = std::chrono::steady_clock::now();
    const auto [again, prepared, unused] =
        go({std::move(plan), arch, {nullptr, {{}, {}, options_.cancelled}}}, engines());
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
    const bool cut = options_.budget_s > 0 && spent.count() >= limit;
    const std::string compiler = fact(run, "nvrtc");
    const bool same_compiler = compiler.empty() || compiler == fact(again, "nvrtc");
    const bool same_program =
        !fact(run, "commit").empty() && fact(run, "commit") == program_commit();
    const bool changed = has_changed(lab, run);
    const metrics::Machine machine = machine_of(run, nullptr);  // how large L2 is
    for (const CaseRecord& fresh : again.cases) {
      const CaseRecord* stored = case_at(run, fresh.index);
      if (stored == nullptr) continue;
      // What is cut off in its reference is an error of the case, not of its kernel.
      if (cut && (fresh.status == CaseStatus::kTimeout || fresh.status == CaseStatus::kError)) {
        verified.left_out.push_back({fresh.index, "it takes longer than its share of the sample"});
        --verified.cases;
        continue;
      }
      if (!same_compiler && stored->facts.ptx_sha256 != fresh.facts.ptx_sha256) {
        verified.left_out.push_back(
            {fresh.index, fmt::format("NVRTC {} compiled it then, {} now, to other code", compiler,
                                      fact(again, "nvrtc"))});
        --verified.cases;
        continue;
      }
      // Today's reference computes what today's kernel does.
      if (changed && fresh.status == CaseStatus::kWrong && stored->status == CaseStatus::kOk) {
        verified.left_out.push_back({fresh.index, "the lab has changed since"});
        --verified.cases;
        continue;
      }
      const CaseRecord record =
          judged(lab, ran_own_kernel(prepared, fresh.index), fresh, *stored, machine);
      CaseRecord held = *stored;
      metrics::drop_expected_time(held);
      for (db::Difference& difference : db::differences(held, record, same_program)) {
        verified.differences.push_back(std::move(difference));
      }
    }
  }

  const VerifyOptions& options_;
  int threads_;  // of the model
  std::optional<EngineSet> engines_ = {};
};

/// Verifiers on threads of their own; ends them before it goes.
class Crew {
 public:
  Crew(db::Store& store, const std::vector<std::string>& selectors, const VerifyOptions& options)
      : store_(store),
        selectors_(selectors),
        options_(options),
        jobs_(std::clamp<std::size_t>(options.jobs, 1, selectors.size())),
        done_(selectors.size()) {
    const auto cores = std::max(1U, std::thread::hardware_concurrency());
    const int threads = std::max(1, static_cast<int>(cores / jobs_));
    for (std::size_t i = 0; i < jobs_; ++i) {
      threads_.add([this, threads] { work(threads); });
    }
  }
  ~Crew() { over_ = true; }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// The run of the selector at `index`, once it is verified; throws what its thread has thrown.
  VerifiedRun take(std::size_t index) {
    std::unique_lock lock(mutex_);
    Slot& slot = done_[index];
    there_.wait(lock, [&] { return slot.verified || slot.failure; });
    if (slot.failure) std::rethrow_exception(slot.failure);
    return std::move(*slot.verified);
  }

 private:
  struct Slot {
    std::optional<VerifiedRun> verified = {};
    std::exception_ptr failure = {};
  };

  /// What the run at `at` may take of the time that is left, those after it getting as much.
  [[nodiscard]] double share(std::size_t at) const {
    if (options_.budget_s <= 0) return 0;
    constexpr double kLeast = 1e-3;  // more than none, which is no limit
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began_;
    const auto left = static_cast<double>(selectors_.size() - at);
    const auto jobs = std::min(static_cast<double>(jobs_), left);
    return std::max(kLeast, (options_.budget_s - spent.count()) * jobs / left);
  }

  void work(int threads) {
    Verifier verifier(options_, threads);
    for (std::size_t at = next_++; at < selectors_.size() && !over_; at = next_++) {
      Slot slot;
      try {
        slot.verified = verifier.verify(load_next(at), share(at));
      } catch (...) {
        slot.failure = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      done_[at] = std::move(slot);
      there_.notify_one();
    }
  }

  // One thread at a time reads the database.
  Loaded load_next(std::size_t at) {
    const std::lock_guard lock(mutex_);
    return load(store_, selectors_[at]);
  }

  db::Store& store_;
  const std::vector<std::string>& selectors_;
  const VerifyOptions& options_;
  const std::size_t jobs_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable there_;
  std::vector<Slot> done_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> over_ = false;
  Threads threads_;  // the last: they use all of the above
};

}  // namespace

void verify_runs(db::Store& store, const std::vector<std::string>& selectors,
                 const VerifyOptions& options, const std::function<void(VerifiedRun)>& told) {
  if (selectors.empty()) return;
  Crew crew(store, selectors, options);
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    if (options.cancelled && options.cancelled()) return;
    told(crew.take(i));
  }
}

}  // namespace lab::run
