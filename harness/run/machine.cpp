#include "harness/run/machine.h"

#include "db/calibration.h"

namespace lab::run {

metrics::Machine machine_of(const RunRecord& run, db::Store* store) {
  const auto uuid = run.environment.find("gpu_uuid");
  if (uuid == run.environment.end()) {
    const auto asked = run.environment.find(kAskedGpu);
    const bool any = asked == run.environment.end();
    return any ? metrics::data_sheet(run.arch) : metrics::data_sheet_named(asked->second);
  }
  const auto calibration =
      store == nullptr ? std::nullopt : db::latest_calibration(*store, uuid->second);
  if (!calibration) return metrics::as_driver_says(run.environment);
  return {calibration->gpu, "measured " + calibration->taken_at.substr(0, 10),
          calibration->ceilings, metrics::size_of(run.environment)};
}

}  // namespace lab::run
