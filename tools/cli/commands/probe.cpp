// lab probe: any kernel of any file, with no lab written.
#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/run/places.h"
#include "harness/run/probe.h"
#include "harness/run/session.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/advising.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/watch.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/advice_text.h"
#include "tools/cli/text/compare_text.h"
#include "tools/cli/text/stalls_text.h"

namespace lab::cli {

namespace {

std::string required(const Arguments& arguments, const std::string& name, const std::string& how) {
  const auto value = arguments.value(name);
  if (!value) throw input_error(fmt::format("lab probe needs --{} {}", name, how));
  return *value;
}

struct Probe {
  ProbeSpec spec;
  std::vector<run::Dump> dumps;
};

Probe probe_from(const Arguments& arguments) {
  constexpr std::int64_t kMostShared = 1 << 20;
  Probe probe;
  ProbeSpec& spec = probe.spec;
  spec.kernel = required(arguments, "kernel", "NAME");
  spec.launch.grid = run::parse_dim3("--grid", required(arguments, "grid", "X[,Y[,Z]]"));
  spec.launch.block = run::parse_dim3("--block", required(arguments, "block", "X[,Y[,Z]]"));
  spec.launch.dynamic_shared_bytes =
      static_cast<std::uint32_t>(arguments.number("shared", 0, kMostShared).value_or(0));
  for (const std::string& text : arguments.values("arg")) {
    spec.args.push_back(run::parse_arg(static_cast<int>(spec.args.size()), text));
  }
  for (const std::string& text : arguments.values("dump")) {
    probe.dumps.push_back(run::parse_dump(text, spec.args));
    spec.dump.push_back(probe.dumps.back().argument);
  }
  return probe;
}

void write_dump(const run::Dump& dump, const CaseOutcome& outcome,
                const std::vector<std::string>& inputs) {
  const auto found = outcome.dumped.find(dump.argument);
  if (found == outcome.dumped.end()) return;
  const auto& bytes = found->second;
  write_file(dump.file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()},
             fmt::format("argument {} to", dump.argument), inputs);
}

// Before anything is run: two dumps in one file would leave the last.
void require_outputs(const std::vector<run::Dump>& dumps, std::vector<std::string> inputs) {
  for (const run::Dump& dump : dumps) {
    require_output(dump.file, inputs);
    inputs.push_back(dump.file);
  }
}

std::string probe_advice(const RunRecord& run, const run::Plan& plan, const Console& console) {
  if (run.cases.empty()) return {};
  const auto advice = advice_on(run.cases.front(), plan, console);
  return advice ? "\n" + advice_text(*advice, run, "", console.out) : std::string();
}

int run_probe(const Arguments& arguments, const Console& console) {
  const std::string& path = arguments.positionals().front();
  const Probe probe = probe_from(arguments);
  const std::vector<std::string> inputs = files_read(arguments);
  require_outputs(probe.dumps, inputs);
  BatchRequest batch = batch_from(arguments);
  run::EngineSet engines(backend_with_stalls(arguments, "auto", batch), console.interrupted);
  batch.arch = arch_from(arguments, engines);
  batch.source = {path, run::read_kernels(path)};
  // What does not compile is bad input, told before anything is stored.
  static_cast<void>(engines.any().compile({batch.source, {probe.spec.kernel}, batch.arch}));
  CaseRequest request;
  request.probe = probe.spec;
  batch.cases = {request};
  run::Plan plan;
  run::stamp(plan.head);
  plan.head.student = arguments.value("student").value_or("");
  plan.head.source_name = path;
  plan.head.source_text = batch.source.text;
  plan.head.source_is_labs_own = false;
  plan.jobs = {{std::move(batch), false}};
  std::optional<db::Store> store = open_store(arguments);
  Watch watch(console, plan.size());
  const run::Plan again = plan;
  const run::RunResult result = watch.run(std::move(plan), engines, store ? &*store : nullptr,
                                          [&](const CaseOutcome& outcome) {
                                            for (const run::Dump& dump : probe.dumps) {
                                              write_dump(dump, outcome, inputs);
                                            }
                                          });
  if (arguments.has("json")) {
    fmt::print("{}\n", runs_json({result.run}));
  } else {
    fmt::print("{}{}{}", compare_text(result.run, {}, console.out),
               stalls_text(result.run, console.out), probe_advice(result.run, again, console));
  }
  if (result.store_failure) std::rethrow_exception(result.store_failure);
  return run::something_wrong(result.run) ? 1 : 0;
}

}  // namespace

Command probe_command() {
  std::vector<Option> options = {
      {"kernel", "NAME", "The kernel; a template's name includes its arguments: k<float, 32>"},
      {"grid", "X,Y,Z", "Blocks of the grid; Y and Z may be left out"},
      {"block", "X,Y,Z", "Threads per block; Y and Z may be left out"},
      {"shared", "BYTES", "Dynamic shared memory"},
      {"arg", "SPEC",
       "An argument, in the kernel's order: i32=5, f32=1.5, f32[1024]=zero, ones, iota, "
       "random:SEED or @file.bin",
       true},
      {"dump", "N=FILE", "Write argument N (from 0) to FILE after the run, raw little-endian",
       true}};
  for (Option& option : batch_options()) options.push_back(std::move(option));
  options.push_back(stalls_option());
  return {"probe",
          "Run any kernel of a .cu or .ptx file and show every metric",
          {"FILE", "A .cu or .ptx file", 1, 1},
          std::move(options),
          "  lab probe saxpy.cu --kernel saxpy --grid 64 --block 256 --arg i32=16384 \\\n"
          "      --arg f32=2 --arg 'f32[16384]=iota' --arg 'f32[16384]=ones' --dump 3=y.bin",
          run_probe};
}

}  // namespace lab::cli
