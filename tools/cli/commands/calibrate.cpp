// lab calibrate: the most that this GPU can do, measured once.
#include <fmt/format.h>

#include "db/calibration.h"
#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/run/engines.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/later.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

std::string value_of(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? std::string() : found->second;
}

}  // namespace

int run_calibrate(const Arguments& arguments, const Console& console) {
  run::EngineSet engines(workers_from(
      arguments, console, run::Backends::kGpu));  // says what was looked for where there is no GPU
  const auto& values = engines.environment().values;
  db::Calibration calibration{value_of(values, "gpu_uuid"),
                              value_of(values, "gpu"),
                              value_of(values, "driver"),
                              utc_now(),
                              {}};
  if (calibration.gpu.empty()) {
    throw machine_error(value_of(values, "gpu_missing"), value_of(values, "gpu_advice"));
  }
  std::optional<db::Store> store = open_store(arguments);
  calibration.ceilings = engines.any().calibrate();
  if (store) db::add_calibration(*store, calibration);
  if (arguments.has("json")) {
    fmt::print("{}\n", calibration_json(calibration));
    return 0;
  }
  Table table{{{"Ceiling"}, {"Value", Align::kRight}, {"Unit"}, {"How", Align::kLeft, true}}};
  for (const Ceiling& one : calibration.ceilings) {
    table.rows.push_back({{one.name}, {number_text(one.value)}, {one.unit}, {one.method}});
  }
  fmt::print("{}\n\n{}", safe_line(calibration.gpu), table_text(table, console.out));
  if (store) fmt::print("\nStored in {}.\n", safe_line(database_path(arguments)));
  return 0;
}

}  // namespace lab::cli
