#include "harness/run/execute.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/parallel.h"
#include "harness/core/resolve.h"
#include "harness/run/merge.h"
#include "metrics/compare.h"

namespace lab::run {

namespace {

/// One for each backend that can run cases.
template <typename T>
struct OfBackends {
  T model = {};
  T gpu = {};
  T& operator[](BackendKind kind) { return kind == BackendKind::kModel ? model : gpu; }
};

// Why `side` leaves out a case; empty: it runs it.
std::string left_out(const Job& job, BackendKind side) {
  if (side == BackendKind::kModel && job.runs_on == RunsOn::kGpuAlone) {
    return "a library's kernel: it runs on a GPU only";
  }
  if (side == BackendKind::kGpu && job.runs_on == RunsOn::kModelAlone) {
    return "broken on purpose: it runs in the model only";
  }
  return {};
}

// Collects what the backends report and emits each case when all of its parts are there and all
// cases before it are out.
class Collector {
 public:
  Collector(const Lab* lab, metrics::Question question, const BatchRequest& batch,
            const RunSink& sink)
      : lab_(lab),
        question_(std::move(question)),
        batch_(batch),
        sink_(sink),
        slots_(batch.cases.size()) {
    for (std::size_t i = 0; i < slots_.size(); ++i) position_[batch.cases[i].index] = i;
  }

  // Of a case that has no job: no backend gets it.
  void ended(CaseRecord record) {
    Slot& slot = slots_[position_.at(record.index)];
    slot.parts.model.emplace().record = std::move(record);
  }

  // Called before the backends start.
  std::vector<CaseRequest> assign(BackendKind side) {
    std::vector<CaseRequest> cases;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (!batch_.cases[i].job) continue;
      const std::string why = left_out(*batch_.cases[i].job, side);
      if (why.empty()) {
        cases.push_back(batch_.cases[i]);
        ++slots_[i].awaited;
        ++work_.parts;
      } else {
        slots_[i].left_out = why;
      }
    }
    if (!cases.empty()) ++running_;
    return cases;
  }

  void finished(BackendKind side, CaseOutcome outcome) {
    const std::lock_guard lock(mutex_);
    const auto at = position_.find(outcome.record.index);
    if (at == position_.end()) return;
    Slot& slot = slots_[at->second];
    if (slot.parts[side] || slot.awaited == 0) return;
    slot.parts[side] = std::move(outcome);
    --slot.awaited;
    ++work_.finished;
    work_.under_way -= std::exchange(slot.under_way[side], 0);
    emit();
  }

  // A backend that can't run at all leaves its share to the other one, at once; the last one that
  // fails ends the run instead.
  void give_up(BackendKind side) {
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) return;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      Slot& slot = slots_[i];
      if (slot.emitted || slot.parts[side] || !batch_.cases[i].job) continue;
      if (!left_out(*batch_.cases[i].job, side).empty()) continue;
      --slot.awaited;
      --work_.parts;
      work_.under_way -= std::exchange(slot.under_way[side], 0);
    }
    emit();
  }

  void environment(const std::string& key, const std::string& value) {
    const std::lock_guard lock(mutex_);
    outcome_.environment[key] = value;
  }

  // A case that a new worker begins again does not take back what was told of it.
  void progress(BackendKind side, int index, double fraction) {
    const std::lock_guard lock(mutex_);
    const auto at = position_.find(index);
    if (at == position_.end() || slots_[at->second].parts[side]) return;
    double& under_way = slots_[at->second].under_way[side];
    const double more = std::clamp(fraction, 0.0, 1.0) - under_way;
    if (more <= 0) return;
    under_way += more;
    work_.under_way += more;
    report_progress();
  }

  void emit_left_out() {
    const std::lock_guard lock(mutex_);
    emit();
  }

  [[nodiscard]] std::size_t emitted() const { return next_; }
  Outcome& outcome() { return outcome_; }

 private:
  struct Slot {
    OfBackends<std::optional<CaseOutcome>> parts;
    OfBackends<double> under_way;  // of a part that is not there yet
    int awaited = 0;
    bool emitted = false;
    std::string left_out;
  };

  // A part is a case on one backend.
  struct Work {
    std::size_t parts = 0;
    std::size_t finished = 0;
    double under_way = 0;  // of parts that are not finished, in parts
  };

  [[nodiscard]] const Variant* variant_of(std::size_t i) const {
    return lab_ == nullptr ? nullptr : &find_variant(*lab_, batch_.cases[i].variant);
  }

  [[nodiscard]] CaseOutcome joined(std::size_t i) {
    Slot& slot = slots_[i];
    if (slot.parts.model && slot.parts.gpu) {
      CaseOutcome out = std::move(*slot.parts.model);
      out.record = merge(std::move(out.record), slot.parts.gpu->record);
      for (auto& [name, bytes] : slot.parts.gpu->dumped) out.dumped[name] = bytes;
      return out;
    }
    if (slot.parts.model) return std::move(*slot.parts.model);
    if (slot.parts.gpu) return std::move(*slot.parts.gpu);
    CaseOutcome out;
    out.record.variant = batch_.cases[i].variant;
    out.record.params = batch_.cases[i].params;
    out.record.status = CaseStatus::kSkipped;
    out.record.reason = slot.left_out.empty() ? "no backend could run it" : slot.left_out;
    return out;
  }

  // A case that no backend ran comes without what they say of it.
  void complete(std::size_t i, CaseRecord& record) const {
    record.index = batch_.cases[i].index;
    if (!record.kernel.empty() || !batch_.cases[i].job) return;
    record.kernel = batch_.cases[i].job->kernel;
    record.launch = batch_.cases[i].job->launch;
  }

  void emit() {
    for (; next_ < slots_.size() && slots_[next_].awaited == 0; ++next_) {
      CaseOutcome out = joined(next_);
      complete(next_, out.record);
      question_.variant = variant_of(next_);
      metrics::judge(question_, out.record);
      slots_[next_].emitted = true;
      slots_[next_].parts = {};
      sink_.finished(out);
    }
    report_progress();
  }

  // Fewer parts, where a backend gave up, could make less of what is done: what was told stays.
  void report_progress() {
    if (!sink_.progress || slots_.empty()) return;
    const double done = static_cast<double>(work_.finished) + work_.under_way;
    const double fraction =
        work_.finished == work_.parts ? 1 : done / static_cast<double>(work_.parts);
    told_ = std::clamp(fraction, told_, 1.0);
    sink_.progress(told_);
  }

  const Lab* lab_;
  metrics::Question question_;  // for each case with its variant
  const BatchRequest& batch_;
  const RunSink& sink_;
  std::mutex mutex_;
  std::vector<Slot> slots_;
  std::map<int, std::size_t> position_;
  std::size_t next_ = 0;
  int running_ = 0;  // backends that have not failed
  Work work_;
  double told_ = 0;  // progress
  Outcome outcome_;
};

// One backend's share, on its own thread; what it throws is kept.
struct Share {
  BackendKind side;
  Backend* backend;
  BatchRequest batch;
  std::exception_ptr failure = {};
};

void run_share(Share& share, Collector& collector, const RunSink& sink) {
  const BatchSink to_collector{
      [&](const std::string& key, const std::string& value) { collector.environment(key, value); },
      [&](CaseOutcome outcome) { collector.finished(share.side, std::move(outcome)); },
      [&](int index, double fraction) { collector.progress(share.side, index, fraction); },
      [&] { return sink.cancelled && sink.cancelled(); },
  };
  try {
    share.backend->run(share.batch, to_collector);
  } catch (...) {
    share.failure = std::current_exception();
    collector.give_up(share.side);
  }
}

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

Outcome execute(const Lab* lab, const Part& part, const Engines& engines, const RunSink& sink,
                const metrics::Machine* machine) {
  BatchRequest batch = part.batch;
  std::vector<CaseRecord> without = resolve(lab, batch);
  Collector collector(lab, {nullptr, part.own_kernel, batch.metrics, machine}, batch, sink);
  std::vector<Share> shares;
  OfBackends<Backend*> backends = {engines.model, engines.gpu};
  for (const BackendKind side : {BackendKind::kModel, BackendKind::kGpu}) {
    if (backends[side] == nullptr) continue;
    shares.push_back({side, backends[side], batch});
    shares.back().batch.cases = collector.assign(side);
  }
  for (CaseRecord& record : without) collector.ended(std::move(record));
  collector.emit_left_out();

  Threads threads;
  std::size_t begun = 0;
  for (Share& share : shares) {
    if (share.batch.cases.empty()) continue;
    threads.add([&share, &collector, &sink] { run_share(share, collector, sink); });
    ++begun;
  }
  threads.join();

  Outcome& outcome = collector.outcome();
  outcome.interrupted =
      sink.cancelled && sink.cancelled() && collector.emitted() < batch.cases.size();
  std::size_t failed = 0;
  for (const Share& share : shares) failed += share.failure ? 1 : 0;
  for (const Share& share : shares) {
    if (!share.failure) continue;
    if (failed == begun) std::rethrow_exception(share.failure);
    outcome.unavailable[share.side] = text_of(share.failure);
  }
  return std::move(outcome);
}

std::function<void(double)> part_of(std::function<void(double)> whole, std::size_t before,
                                    std::size_t size, std::size_t total) {
  if (!whole || total == 0) return {};
  const double first = static_cast<double>(before) / static_cast<double>(total);
  const double last = static_cast<double>(before + size) / static_cast<double>(total);
  return [=, whole = std::move(whole)](double fraction) {
    whole(fraction < 1 ? std::min(first + fraction * (last - first), last) : last);
  };
}

bool something_wrong(const RunRecord& run) {
  return std::any_of(run.cases.begin(), run.cases.end(), [](const CaseRecord& record) {
    const bool fine = record.status == CaseStatus::kOk || record.status == CaseStatus::kSkipped;
    return !fine || std::any_of(record.verdicts.begin(), record.verdicts.end(),
                                [](const auto& v) { return v.kind == VerdictKind::kDisagrees; });
  });
}

}  // namespace lab::run
