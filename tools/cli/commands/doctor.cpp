// lab doctor: what this machine can do, and what to do about the rest.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "db/calibration.h"
#include "db/store.h"
#include "harness/box/worker/client.h"
#include "harness/core/error.h"
#include "harness/kernel/toolkit/toolkit.h"
#include "harness/run/engines.h"
#include "harness/run/places.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

using Values = std::map<std::string, std::string>;
namespace fs = std::filesystem;

std::string at(const Values& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? std::string() : found->second;
}

Check labs_check() {
  try {
    return {"labs", Ability::kYes, fmt::format("{}", fmt::join(lab_folders(), ", ")), {}};
  } catch (const Error& error) {
    return {"labs", Ability::kNo, error.what(), error.hint()};
  }
}

Check toolkit_check() {
  const toolkit::ToolkitSearch search = toolkit::find_toolkit();
  if (search.found) return {"CUDA toolkit", Ability::kYes, search.found->root.string(), {}};
  return {"CUDA toolkit", Ability::kNo,
          fmt::format("not found; looked in {}", fmt::join(search.looked, ", ")),
          "theory and model need none; to measure on a GPU, and for kernels that include "
          "cuda_bf16.h or CUB, install the CUDA toolkit 12.6 or newer, or "
          "set CUDA_HOME to the folder it is in"};
}

// Asks the worker; `check` says whether kernels can be compiled, or why the worker cannot be asked.
Values ask_worker(const run::EngineSettings& settings, Check& check) {
  try {
    worker::Client client(run::worker_settings(BackendKind::kGpu, settings));
    Values values = client.environment({true, true}).values;
    if (values.contains("nvrtc_missing")) {
      check.found = at(values, "nvrtc_missing");
      check.advice = at(values, "nvrtc_advice");
      return values;
    }
    check.found = fmt::format("NVRTC {}", at(values, "nvrtc"));
    if (values.contains("cupti")) check.found += fmt::format(", CUPTI {}", at(values, "cupti"));
    check.ability = Ability::kYes;
    return values;
  } catch (const Error& error) {
    check.found = error.what();
    check.advice = error.hint();
    return {};
  }
}

Check cache_check(const Values& values) {
  const std::string folder = at(values, "kernel_cache");
  if (folder.empty()) {
    return {"kernel cache", Ability::kLimited, "none: every run compiles its kernels again",
            "set HOME or XDG_CACHE_HOME to a folder that you may write to"};
  }
  std::error_code ignored;
  fs::path nearest = folder;
  while (!fs::exists(nearest, ignored) && nearest.has_relative_path()) {
    nearest = nearest.parent_path();
  }
  if (::access(nearest.c_str(), W_OK) == 0) return {"kernel cache", Ability::kYes, folder, {}};
  return {
      "kernel cache", Ability::kLimited, fmt::format("{} cannot be written", folder),
      fmt::format("make {} writable, or set XDG_CACHE_HOME to another folder", nearest.string())};
}

Check sandbox_check(const Values& values) {
  const std::string missing = at(values, "sandbox_missing");
  if (missing.empty()) {
    return {"sandbox", Ability::kYes, "kernels are compiled, and run by the model, in a box", {}};
  }
  return {"sandbox", Ability::kNo, missing,
          "run kernels of others on a machine that has one: here they can read your files"};
}

Check gpu_check(const Values& values) {
  const std::string name = at(values, "gpu");
  if (!name.empty()) {
    return {"GPU",
            Ability::kYes,
            fmt::format("{} ({}, compute capability {}, driver {})", name, at(values, "gpu_chip"),
                        at(values, "gpu_compute_capability"), at(values, "driver")),
            {}};
  }
  const std::vector<std::string> devices = run::gpu_devices();
  std::string found = at(values, "gpu_missing");
  if (found.empty()) {
    found = devices.empty() ? "none: neither /dev/nvidia0 nor /dev/dxg (WSL) is there"
                            : fmt::format("{} is there, but does not answer", devices.front());
  }
  std::string advice = at(values, "gpu_advice");
  if (advice.empty())
    advice = "theory and model need no GPU; to measure, use a machine that has one";
  return {"GPU", Ability::kNo, found, advice};
}

Check counters_check(const Values& values) {
  const std::string no_cupti = at(values, "cupti_missing");
  if (!no_cupti.empty()) return {"counters", Ability::kNo, no_cupti, at(values, "cupti_advice")};
  if (at(values, "gpu").empty()) {
    return {"counters", Ability::kNo, "there is no GPU to read them from", {}};
  }
  const std::string missing = at(values, "counters_missing");
  if (missing.empty()) return {"counters", Ability::kYes, "hardware and SASS counters", {}};
  return {"counters", Ability::kNo, missing, at(values, "counters_advice")};
}

Check lines_check(const Values& values) {
  if (at(values, "gpu").empty()) {
    return {"counts per line", Ability::kNo, "there is no GPU", {}};
  }
  const std::string missing = at(values, "sass_counters_missing");
  if (!missing.empty()) return {"counts per line", Ability::kNo, missing, {}};
  return {"counts per line", Ability::kYes, "by patching the kernels' machine code", {}};
}

Check ceilings_check(const Values& values, const std::string& path) {
  if (at(values, "gpu").empty()) {
    return {"ceilings", Ability::kNo, "there is no GPU to measure", {}};
  }
  std::error_code ignored;
  std::optional<db::Calibration> found;
  try {
    if (fs::exists(path, ignored)) {
      db::Store store = db::Store::open(path, db::Mode::kReadOnly);
      found = db::latest_calibration(store, at(values, "gpu_uuid"));
    }
  } catch (const Error&) {
    // The database's own row says what is wrong with it.
  }
  if (found) return {"ceilings", Ability::kYes, fmt::format("measured {}", found->taken_at), {}};
  return {"ceilings", Ability::kLimited, "not measured yet",
          "lab calibrate measures them once; runs then say how close a kernel came"};
}

Check database_check(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return {
        "database", Ability::kYes, fmt::format("{}: not there yet; lab run makes it", path), {}};
  }
  try {
    db::Store store = db::Store::open(path, db::Mode::kReadOnly);
    const std::size_t runs = store.list_runs(0).size();
    const bool writable = ::access(path.c_str(), W_OK) == 0;
    return {"database", writable ? Ability::kYes : Ability::kLimited,
            fmt::format("{}: {} runs{}", path, runs, writable ? "" : ", read-only"),
            writable ? "" : "copy it, or name another one with --db, to store runs"};
  } catch (const Error& error) {
    return {"database", Ability::kNo, error.what(), error.hint()};
  }
}

// A row for each where there is a choice.
void add_gpus(const Values& values, std::vector<Check>& checks) {
  for (int i = 0;; ++i) {
    const std::string text = at(values, fmt::format("gpu_{}", i));
    if (text.empty()) return;
    checks.push_back({fmt::format("GPU {}", i), Ability::kYes, text, {}});
  }
}

std::vector<Check> examine(const Arguments& arguments, const Console& console) {
  std::vector<Check> checks = {labs_check(), toolkit_check()};
  Check compiler{"compiler and model", Ability::kNo, {}, {}};
  const Values values = ask_worker(workers_from(arguments, console), compiler);
  checks.push_back(compiler);
  checks.push_back(cache_check(values));
  checks.push_back(sandbox_check(values));
  checks.push_back(gpu_check(values));
  add_gpus(values, checks);
  checks.push_back(counters_check(values));
  checks.push_back(lines_check(values));
  checks.push_back(ceilings_check(values, database_path(arguments)));
  checks.push_back(database_check(database_path(arguments)));
  return checks;
}

Cell mark_of(Ability ability) {
  switch (ability) {
    case Ability::kYes:
      return {"yes", Tone::kGood};
    case Ability::kLimited:
      return {"limited", Tone::kNote};
    case Ability::kNo:
      break;
  }
  return {"no", Tone::kBad};
}

std::string summary_of(const std::vector<Check>& checks) {
  const auto can = [&](std::string_view name) {
    for (const Check& check : checks) {
      if (check.name == name) return check.ability == Ability::kYes;
    }
    return false;
  };
  if (!can("compiler and model"))
    return "This machine can list, query and compare, but run nothing.";
  if (!can("GPU")) return "This machine can compare theory with the model; it cannot measure.";
  if (!can("counters")) return "This machine can run and time kernels, but not read counters.";
  return "This machine can do everything: theory, model and measurement.";
}

int run_doctor(const Arguments& arguments, const Console& console) {
  const std::vector<Check> checks = examine(arguments, console);
  if (arguments.has("json")) {
    fmt::print("{}\n", checks_json(checks, summary_of(checks)));
    return 0;
  }
  Table table{{{"What"}, {"Works"}, {"Found", Align::kLeft, true}}};
  for (const Check& check : checks) {
    table.rows.push_back({{check.name}, mark_of(check.ability), {safe_line(check.found)}});
    if (check.advice.empty()) continue;
    table.rows.push_back({{}, {}, {"-> " + safe_line(check.advice), Tone::kNote}});
  }
  fmt::print("{}\n{}\n", table_text(table, console.out), summary_of(checks));
  return 0;
}

}  // namespace

Command doctor_command() {
  return {"doctor",
          "Say what this machine can do, and what to do about the rest",
          {},
          {device_option(), database_option()},
          "  lab doctor\n  lab doctor --device 1",
          run_doctor};
}

}  // namespace lab::cli
