// lab explain: which source line costs what.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "harness/box/worker/client.h"
#include "harness/core/error.h"
#include "harness/labs/registry.h"
#include "harness/ncu/source_page.h"
#include "harness/page/make.h"
#include "harness/reading/explain_page.h"
#include "harness/run/code_page.h"
#include "harness/run/engines.h"
#include "harness/run/execute.h"
#include "harness/run/machine.h"
#include "harness/run/places.h"
#include "tools/cli/arguments/probe_options.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/print_page.h"
#include "tools/cli/commands/single_case.h"
#include "tools/cli/json/json.h"

namespace lab::cli {

namespace {

// What the compiler made of the case's kernel, where that is the lab's or the student's own.
std::optional<run::MachineCode> code_of(const Arguments& arguments, const RunRecord& run) {
  const CaseRecord& record = run.cases.front();
  if (record.kernel.empty()) return {};  // a library's
  CompileRequest request;
  request.source = source_of(run);
  request.kernels = {record.kernel};
  request.arch = record.arch;
  const std::string& what = arguments.positionals().front();
  if (!names_kernel_file(what)) {
    request.options = find_variant(find_lab(what), record.variant).options;
  }
  worker::Client client(run::worker_settings(BackendKind::kModel));
  return run::machine_code(client.compile(request));
}

void add_code(page::Page& page, const Arguments& arguments, const run::MachineCode& code,
              const RunRecord& run) {
  constexpr std::size_t kAlikeShown = 2;
  const std::string& arch = run.cases.front().arch;
  if (arguments.has("sass")) {
    page.blocks.push_back(page::title("Machine code for " + arch));
    append(page, run::code_page(code, source_of(run), kAlikeShown));
    return;
  }
  page.blocks.push_back(page::paragraph(fmt::format(
      "{}: {}. Its memory instructions one by one: --sass.", arch, run::resources_text(code))));
}

// Nsight Compute's counts by line, beside the model's.
void add_ncu_lines(const Arguments& arguments, RunRecord& run) {
  const auto path = arguments.value("ncu");
  if (!path || run.cases.empty()) return;
  CaseRecord& record = run.cases.front();
  const auto functions = ncu::read_source_page(run::read_text(*path, "the source page"), *path);
  for (LineObservation& line : ncu::lines_of(functions, record.kernel, run.source_name)) {
    record.lines.push_back(std::move(line));
  }
}

int run_explain(const Arguments& arguments, const Console& console) {
  BatchRequest batch;
  const run::Backends backend = backend_with_stalls(arguments, run::Backends::kModel, batch);
  batch.gpu.lines =
      backend != run::Backends::kModel && !batch.gpu.stalls;  // counted by patched instructions
  RunRecord result = run_single_case(arguments, console, std::move(batch), backend);
  const int status = run::something_wrong(result) ? 1 : 0;
  add_ncu_lines(arguments, result);
  if (arguments.has("json")) {
    fmt::print("{}\n", lines_json(result, run::machine_of(result, nullptr)));
    return status;
  }
  if (result.cases.empty()) return 0;  // interrupted
  const CaseRecord& record = result.cases.front();
  if (record.lines.empty()) {
    throw input_error(record.reason.empty() ? "the kernel has no line that costs anything"
                                            : record.reason);
  }
  const auto code = code_of(arguments, result);
  const auto compiled =
      code ? run::compiled_lines(*code, source_of(result)) : std::map<int, std::string>();
  page::Page page =
      reading::explain_page(result, record, run::machine_of(result, nullptr), compiled);
  if (code) add_code(page, arguments, *code, result);
  print_page(page, arguments, console);
  return status;
}

std::vector<Option> explain_options() {
  std::vector<Option> options = single_case_options();
  options.push_back(device_option());
  options.push_back(gpu_option());
  options.push_back(stalls_option());
  options.push_back(page_option());
  options.push_back({"sass", "", "List the machine code's memory instructions, too"});
  options.push_back({"ncu", "FILE",
                     "Nsight Compute's counts by line: ncu --csv --page source --print-source "
                     "cuda,sass"});
  return options;
}

}  // namespace

Command explain_command() {
  return {"explain",
          "Say which source line of a kernel costs what",
          {"LAB|FILE", "A lab's number or name, or a .cu or .ptx file", 1, 1},
          explain_options(),
          "  lab explain 3 --variant stride --param stride=4",
          run_explain,
          true};
}

}  // namespace lab::cli
