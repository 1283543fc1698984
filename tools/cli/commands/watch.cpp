#include "tools/cli/commands/watch.h"

#include <fmt/format.h>

namespace lab::cli {

namespace {

std::string label_of(const run::Plan& plan) {
  return plan.lab == nullptr ? "probe" : fmt::format("lab {}", plan.lab->number);
}

void tell_unavailable(const RunRecord& run) {
  for (const char* backend : {"gpu", "model"}) {
    const auto why = run.environment.find(std::string(backend) + "_unavailable");
    if (why == run.environment.end()) continue;
    fmt::print(stderr, "note: no results from the {}: {}\n", backend, safe_text(why->second));
  }
}

}  // namespace

Watch::Watch(const Console& console, std::size_t cases)
    : console_(console), progress_(console.err), total_(cases) {}

run::RunResult Watch::run(run::Plan plan, run::EngineSet& engines, db::Store* store,
                          const std::function<void(const CaseOutcome&)>& also) {
  const std::string label = label_of(plan);
  const std::size_t size = plan.size();
  const auto show = [&](double fraction) { progress_.show(label, fraction); };
  run::RunResult result =
      run::perform(std::move(plan), engines, store,
                   {also, run::part_of(show, before_, size, total_), console_.interrupted});
  progress_.clear();
  before_ += size;
  tell_unavailable(result.run);
  return result;
}

run::RunResult run_watched(run::Plan plan, run::EngineSet& engines, db::Store* store,
                           const Console& console,
                           const std::function<void(const CaseOutcome&)>& also) {
  Watch watch(console, plan.size());
  return watch.run(std::move(plan), engines, store, also);
}

}  // namespace lab::cli
