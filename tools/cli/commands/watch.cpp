#include "tools/cli/commands/watch.h"

#include <fmt/format.h>

namespace lab::cli {

namespace {

std::string label_of(const Lab* lab) { return lab == nullptr ? "probe" : "lab " + lab->called(); }

void tell_unavailable(const RunRecord& run) {
  for (const BackendKind backend : {BackendKind::kGpu, BackendKind::kModel}) {
    const auto why = run.environment.find(fmt::format("{}_unavailable", name_of(backend)));
    if (why == run.environment.end()) continue;
    fmt::print(stderr, "note: no results from the {}: {}\n", name_of(backend),
               safe_text(why->second));
  }
}

}  // namespace

Watch::Watch(const Console& console, std::size_t cases)
    : console_(console), progress_(console.err), total_(cases) {}

run::RunResult Watch::run(run::Prepared prepared, run::EngineSet& engines, run::Outlet outlet) {
  const std::size_t size = prepared.size();
  const auto show = [this, label = label_of(prepared.lab)](double fraction) {
    progress_.show(label, fraction);
  };
  outlet.sink.progress = run::part_of(show, before_, size, total_);
  outlet.sink.cancelled = console_.interrupted;
  run::RunResult result = run::perform(std::move(prepared), engines, outlet);
  progress_.clear();
  before_ += size;
  tell_unavailable(result.run);
  return result;
}

run::RunResult run_watched(const run::Request& request, run::EngineSet& engines,
                           const Console& console) {
  run::Prepared prepared = run::prepare(request.plan, request.arch, engines.any());
  Watch watch(console, prepared.size());
  return watch.run(std::move(prepared), engines, request.outlet);
}

}  // namespace lab::cli
