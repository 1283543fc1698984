#include "tools/cli/commands/advising.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "db/verify.h"
#include "harness/core/error.h"
#include "harness/core/metric_keys.h"
#include "harness/page/make.h"
#include "harness/reading/accesses.h"
#include "harness/reading/advice_page.h"
#include "harness/reading/metric_view.h"
#include "harness/reading/run_reading.h"
#include "harness/run/engines.h"
#include "harness/run/layout_cures.h"
#include "harness/run/machine.h"
#include "harness/run/places.h"
#include "harness/run/session.h"
#include "tools/cli/commands/learning.h"

namespace lab::cli {

namespace {

// Warp instructions that a laptop's core runs in a second or two.
constexpr std::uint64_t kMostInstructions = 50'000'000;

std::optional<double> instructions_of(const CaseRecord& record) {
  if (record.status != CaseStatus::kOk || record.lines.empty()) return {};
  return reading::view_of(record, metric::kInstructions).value(SourceOf::kModel);
}

/// A warp by its block and its place there.
using Place = std::pair<std::uint32_t, std::uint32_t>;

// One in the middle, which no edge is special to.
Place middle_of(const Launch& launch) {
  constexpr std::uint64_t kLanes = 32;
  const std::uint64_t warps = (launch.block.count() + kLanes - 1) / kLanes;
  return {static_cast<std::uint32_t>(launch.grid.count() / 2),
          static_cast<std::uint32_t>(warps / 2)};
}

// The same case alone, with that warp's accesses logged and nothing else asked for. What threads do
// in the whole launch is not asked of one that is so large that a sample of its blocks has to do.
run::Prepared alone(run::Prepared run, const CaseRecord& record, const Place& warp,
                    double instructions) {
  run.leave_out(
      [&](const run::Part&, const CaseRequest& request) { return request.index != record.index; });
  for (run::Part& part : run.parts) {
    part.batch.warp = warp;
    part.batch.habits = instructions <= kMostInstructions;
    part.batch.sample_above = kMostInstructions;
    part.batch.checks = Checks::kOff;
    part.batch.trace = Trace::kShared;
  }
  return run;
}

// The same for its sums alone, and for what it leaves.
run::Prepared for_sums(run::Prepared run, const CaseRecord& record) {
  run.leave_out(
      [&](const run::Part&, const CaseRequest& request) { return request.index != record.index; });
  for (run::Part& part : run.parts) {
    part.batch.sample_above = kMostInstructions;
    part.batch.checks = Checks::kOff;
    for (CaseRequest& request : part.batch.cases) {
      if (!request.job) continue;
      request.job->dump.clear();
      for (const auto& [name, spec] : buffers_of(*request.job)) request.job->dump.push_back(name);
    }
  }
  return run;
}

// With x and y of its threads exchanged.
run::Prepared exchanged(run::Prepared run) {
  for (run::Part& part : run.parts) part.batch.exchange_threads = true;
  return run;
}

// In blocks of another shape, where the launch is the user's to choose: a lab's is its own.
run::Prepared in_blocks_of(run::Prepared run, const Launch& launch) {
  for (run::Part& part : run.parts) {
    for (CaseRequest& request : part.batch.cases) {
      if (request.job) request.job->launch = launch;
    }
  }
  return run;
}

// All blocks are taken to do what those of a sample do.
std::vector<metrics::LayoutCure> layouts_of(const CaseOutcome& traced, const KernelText& source,
                                            Forbidden forbidden) {
  auto cures = run::layout_cures(traced, source, forbidden);
  for (metrics::LayoutCure& cure : cures) {
    cure.blocks = traced.record.facts.sampled_blocks.value_or(0);
  }
  return cures;
}

double shared_wavefronts(const CaseRecord& record) {
  double sum = 0;
  for (const std::string_view one : {metric::kSharedLoadWavefronts, metric::kSharedStoreWavefronts,
                                     metric::kSharedAtomicWavefronts}) {
    sum += reading::view_of(record, one).value(SourceOf::kModel).value_or(0);
  }
  return sum;
}

// The same with another text of the kernel.
run::Prepared of_text(run::Prepared run, const std::string& text) {
  for (run::Part& part : run.parts) part.batch.source.text = text;
  return run;
}

// What the changed kernel takes; a layout that breaks it, or that nothing could be tried of, has no
// number.
void count_as_run(const std::optional<CaseOutcome>& before, const std::optional<CaseOutcome>& after,
                  metrics::LayoutCure& cure) {
  const auto is_fine = [](const std::optional<CaseOutcome>& one) {
    return one && one->record.status == CaseStatus::kOk;
  };
  cure.complete = is_fine(before) && is_fine(after) && before->dumped == after->dumped;
  if (!cure.complete) return;
  cure.blocks = 0;
  cure.before = shared_wavefronts(before->record);
  cure.after = shared_wavefronts(after->record);
  cure.complete = cure.after < cure.before;
}

// Neighbours in memory are taken by lanes that are none, or rows by columns.
bool tells_of_rows(const metrics::Diagnosis& found) {
  return std::any_of(found.advice.begin(), found.advice.end(), [](const metrics::Advice& one) {
    return one.rule == metrics::AdviceRule::kStrided ||
           one.rule == metrics::AdviceRule::kBlockShape;
  });
}

bool tells_of_shape(const metrics::Diagnosis& found) {
  return std::any_of(found.advice.begin(), found.advice.end(),
                     [](const metrics::Advice& one) { return metrics::is_of_shape(one); });
}

bool is_two_dimensional(const Dim3& block) { return block.x > 1 && block.y > 1 && block.z == 1; }

// Adds the accesses of lines of which none is known.
void add_unseen(const std::vector<Access>& more, std::vector<Access>& known) {
  std::set<int> lines;
  for (const Access& one : known) lines.insert(one.line);
  for (const Access& one : more) {
    if (!lines.contains(one.line)) known.push_back(one);
  }
}

/// Runs one case of a run again in the model, as it is or changed.
class Again {
 public:
  Again(const run::Prepared& run, const CaseRecord& record, run::EngineSettings workers)
      : run_(run), record_(record), workers_(of_model(std::move(workers))), model_(workers_) {}

  /// Empty: the user has stopped it. last() then is of a run before.
  std::vector<CaseRecord> perform(run::Prepared prepared) {
    return run::perform(
               std::move(prepared), model_,
               {nullptr,
                {[&](const CaseOutcome& outcome) { last_ = outcome; }, {}, workers_.cancelled}})
        .run.cases;
  }
  [[nodiscard]] const CaseOutcome& last() const { return last_; }

  /// The case for its sums, and for what it leaves.
  [[nodiscard]] run::Prepared sums() const { return for_sums(run_, record_); }
  /// Empty, too, where a changed text does not compile.
  std::optional<CaseOutcome> outcome_of(run::Prepared prepared) {
    try {
      if (perform(std::move(prepared)).empty()) return {};
    } catch (const Error&) {
      return {};
    }
    return std::exchange(last_, {});
  }
  const std::optional<CaseOutcome>& as_it_is() {
    if (!as_it_is_) as_it_is_ = outcome_of(sums());
    return as_it_is_;
  }

 private:
  static run::EngineSettings of_model(run::EngineSettings workers) {
    workers.backend = run::Backends::kModel;
    return workers;
  }

  const run::Prepared& run_;
  const CaseRecord& record_;
  run::EngineSettings workers_;
  run::EngineSet model_;
  CaseOutcome last_;
  std::optional<CaseOutcome> as_it_is_;
};

// Layouts that name elements anew are run.
metrics::Trials trials_of(const CaseOutcome& traced, const KernelText& source,
                          const run::Prepared& run, Forbidden forbidden, Again& again) {
  metrics::Trials trials;
  trials.hint = reading::hint_command(run.lab);
  trials.layouts_known = true;
  trials.layouts = layouts_of(traced, source, forbidden);
  for (metrics::LayoutCure& cure : trials.layouts) {
    if (cure.text.empty()) continue;
    const auto& as_it_is = again.as_it_is();
    count_as_run(as_it_is, again.outcome_of(of_text(again.sums(), cure.text)), cure);
  }
  return trials;
}

// Cures that are runs of the whole case: x and y exchanged, and a block of another shape.
void try_runs(const CaseRecord& whole, const run::Prepared& run, const metrics::Machine& machine,
              Again& again, metrics::Diagnosis& found) {
  if (tells_of_rows(found) && is_two_dimensional(whole.launch.block)) {
    const auto turned = again.outcome_of(exchanged(again.sums()));
    if (turned) metrics::try_exchange(whole, turned->record, machine, found);
  }
  const auto wider = metrics::widened(whole.launch);
  if (run.lab != nullptr || !wider || !tells_of_shape(found)) return;
  const auto& as_it_is = again.as_it_is();
  const auto changed = again.outcome_of(in_blocks_of(again.sums(), *wider));
  if (as_it_is && changed && as_it_is->dumped == changed->dumped) {
    metrics::try_wider_block(whole, changed->record, machine, found);
  }
}

// The command that draws a case's accesses. It names the parameters that differ from those of the
// variant's first default point, which `lab map` draws otherwise.
std::string map_command(const RunRecord& run, const Lab& lab, const CaseRecord& record) {
  std::string command = fmt::format("lab map {} --variant {} --kernel {}", run.called(),
                                    record.variant, run.source_name);
  const Params usual = default_points(find_variant(lab, record.variant), false, false).front();
  for (const auto& [name, value] : record.params.all()) {
    const auto found = usual.all().find(name);
    if (found != usual.all().end() && found->second == value) continue;
    command += fmt::format(" --param {}={}", name, to_text(value));
  }
  return command;
}

}  // namespace

std::optional<metrics::Diagnosis> advice_on(const CaseRecord& record, const run::Prepared& run,
                                            const metrics::Machine& machine,
                                            run::EngineSettings workers, CaseRecord* seen) {
  const std::optional<double> instructions = instructions_of(record);
  if (!instructions) return {};
  Again again(run, record, std::move(workers));
  run::Prepared once = alone(run, record, {0, 0}, *instructions);
  if (once.parts.empty()) return {};
  const KernelText source = once.parts.front().batch.source;
  const std::vector<CaseRecord> first = again.perform(std::move(once));
  if (first.empty()) return {};
  const Forbidden forbidden = forbidden_in(run.lab, record);
  const CaseOutcome traced = again.last();
  const metrics::Trials trials = trials_of(traced, source, run, forbidden, again);
  CaseRecord whole = record;
  whole.accesses = first.front().accesses;
  whole.lines = first.front().lines;
  if (metrics::lacks_accesses(whole)) {
    const std::vector<CaseRecord> middle =
        again.perform(alone(run, record, middle_of(record.launch), *instructions));
    if (middle.empty()) return {};
    add_unseen(middle.front().accesses, whole.accesses);
  }
  if (seen != nullptr) {
    for (const reading::AccessPattern& pattern : reading::patterns_of(whole.accesses)) {
      seen->accesses.push_back(*pattern.first);
    }
    // A sample's counts are not the launch's.
    if (*instructions <= kMostInstructions) seen->lines = whole.lines;
  }
  metrics::Diagnosis found = metrics::diagnose(whole, machine, forbidden, trials);
  try_runs(whole, run, machine, again, found);
  // A large launch was not looked at for everything.
  if (found.advice.empty() && *instructions > kMostInstructions) return {};
  return found;
}

reading::AdviseAgain advice_again(const RunRecord& run, const Lab* lab,
                                  const metrics::Machine& machine) {
  if (lab == nullptr) return {};
  return [&run, lab,
          machine](const CaseRecord& record) -> std::optional<std::vector<metrics::Advice>> {
    db::Replay replay = db::replay_of(run);
    std::erase_if(replay.batch.cases,
                  [&](const CaseRequest& one) { return one.index != record.index; });
    if (replay.batch.cases.empty()) return {};
    try {
      run::Plan plan;
      plan.lab = lab;
      if (!run.source_is_labs_own) plan.own = run::own_kernels(*lab);
      plan.batch = std::move(replay.batch);
      plan.batch.reference = run::reference_text(*lab);
      plan.own_kernel = run.source_is_labs_own;
      const std::string arch = plan.batch.arch;
      const run::EngineSettings workers;
      run::EngineSet engines(workers);
      const auto found =
          advice_on(record, run::prepare(plan, arch, engines.any()), machine, workers);
      return found ? std::optional(found->advice) : std::nullopt;
    } catch (const Error&) {  // no compiler here, or the lab has changed
      return {};
    }
  };
}

void keep_seen(db::Store* store, const RunRecord& run, CaseRecord record, const CaseRecord& seen) {
  if (store == nullptr || seen.accesses.empty() || !record.accesses.empty()) return;
  record.accesses = seen.accesses;
  std::set<std::string> known;
  for (const LineObservation& one : record.lines) known.insert(one.metric);
  for (const LineObservation& one : seen.lines) {
    if (!known.contains(one.metric)) record.lines.push_back(one);
  }
  store->together([&] {
    store->replace_case(run.id, record);
    store->update_run(run);
  });
}

std::vector<Advised> advised_in(const run::RunResult& result, db::Store* store,
                                const run::EngineSettings& workers, AdviceFor whom) {
  const bool first = whom == AdviceFor::kFirst;
  std::vector<Advised> all;
  const metrics::Machine machine = run::machine_of(result.run, store);
  for (const auto& cases : reading::to_advise(result.run)) {
    for (const CaseRecord* record : cases) {
      CaseRecord seen;
      auto found = advice_on(*record, result.prepared, machine, workers, &seen);
      if (!found || (first && found->advice.empty())) continue;
      if (first) found->advice.resize(1);
      keep_seen(store, result.run, *record, seen);
      all.push_back({record, std::move(*found)});
      break;
    }
    if (first && !all.empty()) break;
  }
  return all;
}

page::Page advised_page(const run::RunResult& result, const std::vector<Advised>& all,
                        AdviceFor whom) {
  const RunRecord& run = result.run;
  page::Page page;
  for (const auto& [record, found] : all) {
    const bool draws = whom == AdviceFor::kEachVariant && !found.advice.empty();
    const std::string map = draws ? map_command(run, *result.prepared.lab, *record) : std::string();
    std::vector<page::Block> blocks = reading::advice_blocks(found.advice, run, map);
    blocks.front().apart = true;
    page::append(page, {std::move(blocks)});
  }
  return page.blocks.empty() ? open_part_page(*result.prepared.lab, run) : page;
}

}  // namespace lab::cli
