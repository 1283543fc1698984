#include "tools/cli/arguments/run_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <charconv>
#include <cstdlib>

#include "harness/core/error.h"
#include "harness/core/gpu_choice.h"
#include "harness/core/text.h"
#include "harness/run/machine.h"
#include "harness/run/places.h"
#include "harness/run/session.h"
#include "metrics/sets.h"

namespace lab::cli {

namespace {

Checks parse_checks(const std::optional<std::string>& text) {
  if (text == "full") return Checks::kFull;
  return text == "off" ? Checks::kOff : Checks::kAuto;
}

std::vector<std::string> asked_metrics(const Arguments& arguments) {
  std::vector<std::string> names = arguments.names("metrics");
  std::erase(names, "all");  // of what is printed: see lab probe
  // Called for its error, which names what is unknown; the chip is known later.
  static_cast<void>(metrics::plan_metrics(names, "GH100"));
  return names;
}

}  // namespace

std::pair<std::uint32_t, std::uint32_t> parse_warp(const std::string& text) {
  std::uint32_t numbers[2] = {};
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::size_t i = 0; i < 2; ++i) {
    const auto [next, error] = std::from_chars(at, end, numbers[i]);
    const bool separated = i == 0 ? next != end && *next == ',' : next == end;
    if (error != std::errc() || !separated) {
      throw input_error(fmt::format("--warp takes a block and a warp, not '{}'", text),
                        "--warp 0,1 logs the second warp of the first block");
    }
    at = next + 1;
  }
  return {numbers[0], numbers[1]};
}

Option device_option() {
  return {"device", "GPU",
          "Which GPU: its index, UUID or PCI id, as lab doctor lists them (default: the first)"};
}

run::EngineSettings workers_from(const Arguments& arguments, const Console& console,
                                 run::Backends backend) {
  run::EngineSettings settings{.backend = backend, .cancelled = console.interrupted};
  if (arguments.knows("no-sandbox") && arguments.has("no-sandbox")) {
    settings.sandbox = run::Sandbox::kOff;
  }
  if (arguments.knows("device")) settings.gpu = arguments.value("device").value_or("");
  if (!settings.gpu.empty()) require_gpu_name(settings.gpu);
  return settings;
}

double timeout_from(const Arguments& arguments) {
  constexpr std::int64_t kDay = 86400;
  return static_cast<double>(arguments.number("timeout", 1, kDay).value_or(0));
}

std::vector<Option> batch_options() {
  return {
      {"backend", "NAME", "What runs the kernels (default auto: the model, and the GPU if any)",
       false, run::backend_choices()},
      {"arch", "SM", "Architecture to compile for (default: the GPU's, else sm_90)"},
      {"metrics", "LIST",
       "More metrics: names of lab's metrics or CUPTI's, separated by commas; all: zeros too",
       true},
      {"check", "HOW", "The model's checkers", false, {"auto", "full", "off"}},
      {"warp", "B,W", "Log the memory accesses of warp W of block B (in --json: accesses)"},
      {"seed", "N", "Seed of the input data (default 1)"},
      {"timeout", "SECONDS", "Give up on a case after this long"},
      {"cache", "STATE", "L2 before each counted launch (default cold)", false, {"cold", "warm"}},
      {"repeat", "N", "Collect the counters N times"},
      {"no-counters", "", "Do not read counters, as needed under Nsight tools"},
      {"cold", "", "Also flush L2 before each timed launch"},
      {"launches", "K", "Time K launches in a row, with nothing in between: a launch's share"},
      {"host-timer", "", "Time by the host's clock: wait for each launch, and take their mean"},
      {"no-timing", "", "Skip the timing loop"},
      {"lines", "", "Also count per source line on the GPU, each case in its own process"},
      device_option(),
      gpu_option(),
      {"carveout", "PERCENT", "Preferred share of the L1 data store for shared memory"},
      {"threads", "N", "CPU threads of the model (default: all cores)"},
      {"no-sandbox", "",
       "Let the compiler and the model reach your files, as kernels you trust may"},
      database_option(),
      {"no-store", "", "Don't store the run"},
      {"student", "NAME", "Whose run it is"}};
}

namespace {

GpuOptions gpu_options_from(const Arguments& arguments) {
  GpuOptions gpu;
  if (arguments.value("cache") == "warm") gpu.cache = Cache::kWarm;
  const auto repeat = arguments.number("repeat", 1, GpuOptions::kMostRepeats);
  const auto carveout = arguments.number("carveout", 0, GpuOptions::kMostCarveout);
  gpu.repeat = static_cast<int>(repeat.value_or(1));
  if (carveout) gpu.carveout = static_cast<int>(*carveout);
  gpu.counters = !arguments.has("no-counters");
  gpu.timing = !arguments.has("no-timing");
  gpu.lines = arguments.has("lines");
  if (arguments.has("cold")) gpu.timing_cache = Cache::kCold;
  const auto launches = arguments.number("launches", 1, GpuOptions::kMostLaunches);
  gpu.launches = static_cast<int>(launches.value_or(1));
  gpu.host_timer = arguments.has("host-timer");
  for (const char* how : {"launches", "host-timer"}) {
    if (gpu.timing || !arguments.has(how)) continue;
    throw input_error(fmt::format("--{} says how to time: it does not go with --no-timing", how));
  }
  if (gpu.launches > 1 && gpu.timing_cache == Cache::kCold) {
    throw input_error(
        "--cold empties L2 before a launch: of launches in a row it would be the first",
        "run lab twice");
  }
  return gpu;
}

}  // namespace

BatchRequest batch_from(const Arguments& arguments) {
  BatchRequest batch;
  batch.metrics = asked_metrics(arguments);
  batch.checks = parse_checks(arguments.value("check"));
  if (const auto warp = arguments.value("warp")) batch.warp = parse_warp(*warp);
  batch.seed = static_cast<std::uint64_t>(arguments.number("seed", 0, INT64_MAX).value_or(1));
  batch.timeout_s = timeout_from(arguments);
  batch.gpu = gpu_options_from(arguments);
  batch.threads = static_cast<int>(arguments.number("threads", 1, 1024).value_or(0));
  return batch;
}

Option stalls_option() {
  return {"stalls", "", "Sample on the GPU what warps wait for at each line; counts nothing"};
}

run::Backends backend_from(const Arguments& arguments, run::Backends fallback) {
  const auto named = arguments.value("backend");
  return named ? run::backends_of(*named) : fallback;
}

run::Backends backend_with_stalls(const Arguments& arguments, run::Backends fallback,
                                  BatchRequest& batch) {
  using run::Backends;
  Backends asked = backend_from(arguments, fallback);
  if (arguments.value("device")) {
    if (asked == Backends::kModel && arguments.value("backend")) {
      throw input_error("--device chooses a GPU: it does not go with --backend model");
    }
    if (asked != Backends::kGpu) asked = Backends::kBoth;
  }
  if (!arguments.has("stalls")) return asked;
  if (batch.gpu.lines || !batch.gpu.counters) {
    const std::string option = batch.gpu.lines ? "--lines" : "--no-counters";
    throw input_error("--stalls is a separate run: it does not go with " + option, "run lab twice");
  }
  if (asked == Backends::kModel && arguments.value("backend")) {
    throw input_error("--stalls samples on a GPU: it does not go with --backend model");
  }
  batch.gpu.stalls = true;
  return asked == Backends::kGpu ? Backends::kGpu : Backends::kBoth;
}

run::Selection selection_from(const Arguments& arguments) {
  run::Selection selection;
  selection.variants = arguments.names("variant");
  for (const std::string& text : arguments.values("param")) {
    selection.sweeps.push_back(run::parse_param(text));
  }
  return selection;
}

std::vector<Option> compile_option_rows() {
  return {{"I", "FOLDER", "Where the file's #include lines are looked up too", true},
          {"D", "NAME[=VALUE]", "Define a macro for the file", true},
          {"std", "VERSION", "The language: c++14, c++17 (default) or c++20"}};
}

std::vector<std::string> compile_options(const Arguments& arguments) {
  std::vector<std::string> options;
  for (const std::string& folder : arguments.values("I")) options.push_back("-I" + folder);
  for (const std::string& macro : arguments.values("D")) options.push_back("-D" + macro);
  if (const auto version = arguments.value("std")) options.push_back("--std=" + *version);
  return options;
}

std::optional<KernelText> students_kernel(const Arguments& arguments) {
  const auto path = arguments.value("kernel");
  if (!path) return {};
  return run::read_source(*path, compile_options(arguments));
}

std::string arch_from(const Arguments& arguments, run::EngineSet& engines) {
  const auto arch = arguments.value("arch");
  if (arch) return *arch;
  const metrics::Machine asked = asked_machine(arguments);
  return asked.arch.empty() ? engines.arch() : asked.arch;
}

Option gpu_option() {
  return {"gpu", "NAME",
          "Without a GPU, whose times are expected: by its data sheet (default: an H200)"};
}

metrics::Machine asked_machine(const Arguments& arguments) {
  const auto name = arguments.knows("gpu") ? arguments.value("gpu") : std::nullopt;
  if (!name) return {};
  metrics::Machine machine = metrics::data_sheet_named(*name);
  if (machine.gpu.empty()) {
    throw input_error(fmt::format("no data sheet of a GPU '{}'", *name),
                      suggestion(*name, metrics::sheet_names()));
  }
  return machine;
}

void note_asked_gpu(const Arguments& arguments, RunRecord& head) {
  const metrics::Machine asked = asked_machine(arguments);
  if (!asked.gpu.empty()) head.environment[run::kAskedGpu] = asked.gpu;
}

namespace {

// Where nobody chose a database, a run in a folder that may not be written is a run all the same.
bool is_read_only_place(const Arguments& arguments, const std::string& path) {
  if (arguments.has("db") || std::getenv("LAB_DB") != nullptr) return false;
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return false;  // its own error says what is wrong
  return ::access(".", W_OK) != 0;
}

}  // namespace

std::optional<db::Store> open_store(const Arguments& arguments) {
  if (arguments.has("no-store")) return {};
  const std::string path = database_path(arguments);
  if (is_read_only_place(arguments, path)) {
    fmt::print(stderr, "Not stored: this folder is read-only. --db names a file elsewhere.\n");
    return {};
  }
  return run::open_database(path);
}

}  // namespace lab::cli
