#include "tools/cli/commands/advising.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/core/metric_keys.h"
#include "harness/page/make.h"
#include "harness/reading/accesses.h"
#include "harness/reading/advice_page.h"
#include "harness/reading/metric_view.h"
#include "harness/reading/run_reading.h"
#include "harness/run/engines.h"
#include "harness/run/layout_cures.h"
#include "harness/run/machine.h"
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

// The same with x and y of its threads exchanged, for its sums alone.
run::Prepared exchanged(run::Prepared run, const CaseRecord& record) {
  run.leave_out(
      [&](const run::Part&, const CaseRequest& request) { return request.index != record.index; });
  for (run::Part& part : run.parts) {
    part.batch.exchange_threads = true;
    part.batch.sample_above = kMostInstructions;
    part.batch.checks = Checks::kOff;
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

// Neighbours in memory are taken by lanes that are none, or rows by columns.
bool tells_of_rows(const metrics::Diagnosis& found) {
  return std::any_of(found.advice.begin(), found.advice.end(), [](const metrics::Advice& one) {
    return one.rule == metrics::AdviceRule::kStrided ||
           one.rule == metrics::AdviceRule::kBlockShape;
  });
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
  workers.backend = run::Backends::kModel;
  run::EngineSet model(workers);
  CaseOutcome traced;
  const auto perform = [&](run::Prepared prepared) {
    return run::perform(
               std::move(prepared), model,
               {nullptr,
                {[&](const CaseOutcome& outcome) { traced = outcome; }, {}, workers.cancelled}})
        .run.cases;
  };
  run::Prepared once = alone(run, record, {0, 0}, *instructions);
  if (once.parts.empty()) return {};
  const KernelText source = once.parts.front().batch.source;
  const std::vector<CaseRecord> first = perform(std::move(once));
  if (first.empty()) return {};
  const Forbidden forbidden = forbidden_in(run.lab, record);
  const metrics::Trials trials = {true, layouts_of(traced, source, forbidden)};
  CaseRecord whole = record;
  whole.accesses = first.front().accesses;
  whole.lines = first.front().lines;
  if (metrics::lacks_accesses(whole)) {
    const std::vector<CaseRecord> middle =
        perform(alone(run, record, middle_of(record.launch), *instructions));
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
  if (tells_of_rows(found) && is_two_dimensional(record.launch.block)) {
    const std::vector<CaseRecord> turned = perform(exchanged(run, record));
    if (!turned.empty()) metrics::try_exchange(whole, turned.front(), machine, found);
  }
  // A large launch was not looked at for everything.
  if (found.advice.empty() && *instructions > kMostInstructions) return {};
  return found;
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
