// lab import: values of Nsight Compute from a CSV file into a stored run.
#include "harness/core/error.h"
#include "harness/run/ncu_import.h"
#include "harness/run/places.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/shown_run.h"

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
  run::Imported imported =
      run::import_report(store, std::move(into), report, told_conditions(arguments));
  return show_import(imported, arguments, console);
}

}  // namespace

Command import_command() {
  return {"import",
          "Add values from Nsight Compute's CSV to a stored run, beside lab's own",
          {"FILE", "The output of ncu --csv, in either page layout", 1, 1},
          {{"run", "RUN", "The run they belong to: id, beginning of the uuid, or last (default)"},
           {"decimal",
            "CHARACTER",
            "The decimal separator, where the file does not show it",
            false,
            {"point", "comma"}},
           {"cache-control", "MODE", "The mode that ncu was given", false, {"all", "none"}},
           {"clock-control", "MODE", "The mode that ncu was given", false, {"base", "none"}},
           {"ncu-version", "VERSION", "The version of ncu, as ncu --version prints it"},
           database_option()},
          "  lab import ncu.csv --run last\n"
          "where this makes ncu.csv:\n"
          "ncu --target-processes all --nvtx --nvtx-include lab@check/ --csv --page raw \\\n"
          "--print-units base lab run 3 --backend gpu --no-counters > ncu.csv",
          run_import};
}

}  // namespace lab::cli
