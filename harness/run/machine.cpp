#include "harness/run/machine.h"

#include <algorithm>
#include <utility>

#include "db/calibration.h"

namespace lab::run {

std::optional<metrics::Machine> calibrated(const RunRecord& run, db::Store& store) {
  const auto uuid = run.environment.find("gpu_uuid");
  if (uuid == run.environment.end()) return std::nullopt;
  const auto calibration = db::latest_calibration(store, uuid->second);
  if (!calibration) return std::nullopt;
  return metrics::Machine{calibration->gpu, "measured " + calibration->taken_at,
                          calibration->ceilings, metrics::size_of(run.environment)};
}

metrics::Machine machine_of(const RunRecord& run, db::Store* store) {
  if (!run.environment.contains("gpu_uuid")) {
    const auto asked = run.environment.find(kAskedGpu);
    const bool any = asked == run.environment.end();
    return any ? metrics::data_sheet(run.arch) : metrics::data_sheet_named(asked->second);
  }
  auto machine = store == nullptr ? std::nullopt : calibrated(run, *store);
  if (!machine) return metrics::as_driver_says(run.environment);
  machine->origin.erase(std::min(machine->origin.find('T'), machine->origin.size()));  // the day
  return std::move(*machine);
}

}  // namespace lab::run
