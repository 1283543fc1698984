// lab probe: any kernel of any file, with no lab written.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"
#include "harness/ncu/unlike_page.h"
#include "harness/page/make.h"
#include "harness/reading/advice_page.h"
#include "harness/reading/appendix.h"
#include "harness/reading/compare_page.h"
#include "harness/reading/looked_for.h"
#include "harness/reading/remarks.h"
#include "harness/run/machine.h"
#include "harness/run/places.h"
#include "harness/run/probe.h"
#include "harness/run/session.h"
#include "tools/cli/arguments/probe_options.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/advising.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/print_page.h"
#include "tools/cli/commands/watch.h"
#include "tools/cli/json/json.h"

namespace lab::cli {

namespace {

void write_dump(const run::Dump& dump, const CaseOutcome& outcome,
                const std::vector<std::string>& inputs) {
  const auto found = outcome.dumped.find(dump.buffer);
  if (found == outcome.dumped.end()) return;
  const auto& bytes = found->second;
  write_file(dump.file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()},
             fmt::format("{} to", dump.buffer), inputs);
}

// Before anything is run: two dumps in one file would leave the last.
void require_outputs(const std::vector<run::Dump>& dumps, std::vector<std::string> inputs) {
  for (const run::Dump& dump : dumps) {
    require_output(dump.file, inputs);
    inputs.push_back(dump.file);
  }
}

// Findings, what was printed, advice: what a person came for stands above the numbers.
std::vector<page::Block> lead_of(const RunRecord& run,
                                 const std::optional<metrics::Diagnosis>& found,
                                 const std::string& map) {
  if (run.cases.empty()) return {};
  std::vector<page::Block> lead = reading::remarks_of(run.cases.front());
  const std::string looked = reading::looked_for_text({&run.cases.front()});
  if (run.cases.front().findings.empty() && !looked.empty()) {
    lead.push_back(page::sentence(looked, page::Role::kItem));
  }
  if (!found) return lead;
  for (page::Block& block : reading::advice_blocks(found->advice, run, map)) {
    lead.push_back(std::move(block));
  }
  return lead;
}

page::Page page_of(const RunRecord& run, const Arguments& arguments,
                   std::vector<page::Block> lead) {
  reading::CompareFilter filter;
  const std::vector<std::string> asked = arguments.names("metrics");
  filter.zeros = std::find(asked.begin(), asked.end(), "all") != asked.end();
  if (!filter.zeros) filter.metrics = {asked.begin(), asked.end()};
  filter.lead = std::move(lead);
  filter.unlike = ncu::unlike_ncu(run);
  page::Page page = reading::compare_page(run, filter);
  page::append(page, {reading::printed_blocks(run)});
  if (!filter.zeros) {
    page.blocks.push_back({page::Steps{{{"Zeros and what has no value", "--metrics all"}}}});
  }
  return page;
}

int run_probe(const Arguments& arguments, const Console& console) {
  const std::string& path = arguments.positionals().front();
  Probe probe = probe_from(arguments, run::read_source(path, compile_options(arguments)));
  for (const std::string& text : arguments.values("dump")) {
    probe.dumps.push_back(run::parse_dump(text, probe.spec));
    probe.spec.dump.push_back(probe.dumps.back().buffer);
  }
  const std::vector<std::string> inputs = files_read(arguments);
  require_outputs(probe.dumps, inputs);
  BatchRequest batch = batch_from(arguments);
  const run::EngineSettings workers =
      workers_from(arguments, console, backend_with_stalls(arguments, run::Backends::kAuto, batch));
  run::EngineSet engines(workers);
  batch.arch = arch_from(arguments, engines);
  batch.source = probe.source;
  compile_probe(arguments, batch, probe.spec, engines.any());
  CaseRequest request;
  request.job = std::move(probe.spec);
  batch.cases.push_back(std::move(request));
  const std::string arch = batch.arch;
  run::Plan plan = run::plan_probe(std::move(batch));
  note_asked_gpu(arguments, plan.head);
  plan.head.student = arguments.value("student").value_or("");
  std::optional<db::Store> store = open_store(arguments);
  const auto write_dumps = [&](const CaseOutcome& outcome) {
    for (const run::Dump& dump : probe.dumps) write_dump(dump, outcome, inputs);
  };
  const run::RunResult result = run_watched(
      {std::move(plan), arch, {store ? &*store : nullptr, {write_dumps}}}, engines, console);
  std::optional<metrics::Diagnosis> found;
  if (!result.run.cases.empty()) {
    found = advice_on(result.run.cases.front(), result.prepared,
                      run::machine_of(result.run, nullptr), workers);
  }
  if (arguments.has("json")) {
    fmt::print("{}\n", probe_json(result.run, found));
  } else {
    const std::string map =
        found && !found->advice.empty() ? launch_words("lab map", arguments) : "";
    print_page(page_of(result.run, arguments, lead_of(result.run, found, map)), arguments, console);
  }
  if (result.store_failure) std::rethrow_exception(result.store_failure);
  return run::something_wrong(result.run) ? 1 : 0;
}

}  // namespace

Command probe_command() {
  std::vector<Option> options = probe_option_rows();
  options.insert(
      options.begin(),
      {"kernel", "NAME",
       "The kernel, where the file has several; with a template's arguments: k<float, 32>"});
  options.push_back({"dump", "N=FILE",
                     "Write argument N (from 0; 2.1: field 1 of struct 2) to FILE after the run, "
                     "raw little-endian",
                     true});
  for (Option& option : compile_option_rows()) options.push_back(std::move(option));
  for (Option& option : batch_options()) options.push_back(std::move(option));
  options.push_back(stalls_option());
  options.push_back(page_option());
  return {"probe",
          "Run any kernel of a .cu or .ptx file, whole programs too, and show every metric",
          {"FILE", "A .cu or .ptx file", 1, 1},
          std::move(options),
          "  lab probe saxpy.cu --kernel saxpy --grid 64 --block 256 --arg i32=16384 \\\n"
          "      --arg f32=2 --arg 'f32[16384]=iota' --arg 'f32[16384]=ones' --dump 3=y.bin",
          run_probe};
}

}  // namespace lab::cli
