#include "tools/cli/commands/advising.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/core/metric_keys.h"
#include "harness/reading/accesses.h"
#include "harness/reading/metric_view.h"
#include "harness/run/engines.h"
#include "harness/run/session.h"

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
  }
  return run;
}

// Those of lines that none is known of.
void add_unseen(const std::vector<Access>& more, std::vector<Access>& known) {
  std::set<int> lines;
  for (const Access& one : known) lines.insert(one.line);
  for (const Access& one : more) {
    if (!lines.contains(one.line)) known.push_back(one);
  }
}

}  // namespace

std::optional<metrics::Diagnosis> advice_on(const CaseRecord& record, const run::Prepared& run,
                                            const metrics::Machine& machine,
                                            run::EngineSettings workers,
                                            std::vector<Access>* accesses) {
  const std::optional<double> instructions = instructions_of(record);
  if (!instructions) return {};
  workers.backend = run::Backends::kModel;
  run::EngineSet model(workers);
  const auto again = [&](const Place& warp) {
    return run::perform(alone(run, record, warp, *instructions), model,
                        {nullptr, {{}, {}, workers.cancelled}})
        .run.cases;
  };
  const std::vector<CaseRecord> first = again({0, 0});
  if (first.empty()) return {};
  CaseRecord whole = record;
  whole.accesses = first.front().accesses;
  whole.lines = first.front().lines;
  if (metrics::lacks_accesses(whole)) {
    const std::vector<CaseRecord> middle = again(middle_of(record.launch));
    if (middle.empty()) return {};
    add_unseen(middle.front().accesses, whole.accesses);
  }
  if (accesses != nullptr) {
    for (const reading::AccessPattern& pattern : reading::patterns_of(whole.accesses)) {
      accesses->push_back(*pattern.first);
    }
  }
  metrics::Diagnosis found = metrics::diagnose(whole, machine, forbidden_in(run.lab, whole));
  // Of a large one not everything was looked for.
  if (found.advice.empty() && *instructions > kMostInstructions) return {};
  return found;
}

}  // namespace lab::cli
