// lab import: values of Nsight Compute from a CSV file into a stored run.
#include "harness/core/error.h"
#include "harness/run/ncu_import.h"
#include "harness/run/places.h"
#include "tools/cli/commands/later.h"
#include "tools/cli/commands/show_import.h"

namespace lab::cli {

namespace {

ncu::Conditions told_conditions(const Arguments& arguments) {
  ncu::Conditions theirs;
  if (const auto cache = arguments.value("cache-control")) {
    theirs["cache"] = *cache == "all" ? "flushed before each pass" : "left warm";
  }
  if (const auto clocks = arguments.value("clock-control")) {
    theirs["clocks"] = *clocks == "base" ? "locked to base" : "left alone";
  }
  if (const auto version = arguments.value("ncu-version")) theirs["version"] = *version;
  return theirs;
}

}  // namespace

int run_import(const Arguments& arguments, const Console& console) {
  const std::string& path = arguments.positionals().front();
  const auto word = arguments.value("decimal");
  std::optional<ncu::Decimal> decimal;
  if (word) decimal = *word == "comma" ? ncu::Decimal::kComma : ncu::Decimal::kPoint;
  const std::string text = run::read_text(path, "the report");
  if (text.rfind("NVR", 0) == 0) {
    throw input_error(
        path + " is a report of Nsight Compute, not its CSV",
        "ncu --import " + path + " --csv --page raw --print-units base > " + path + ".csv");
  }
  const ncu::Report report = ncu::read_report(text, path, decimal);
  db::Store store = db::Store::open(database_path(arguments), db::Mode::kExisting);
  RunRecord into = store.load_run(arguments.value("run").value_or("last"));
  ncu::Imported imported =
      run::import_report(store, std::move(into), report, told_conditions(arguments));
  return show_import(imported, arguments, console);
}

}  // namespace lab::cli
