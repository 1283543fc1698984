// lab explain: which source line costs what.
#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/run/engines.h"
#include "harness/run/execute.h"
#include "harness/worker/client.h"
#include "labs/registry.h"
#include "tools/cli/arguments/probe_options.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/single_case.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/explain_text.h"
#include "tools/cli/text/sass_text.h"

namespace lab::cli {

namespace {

// What the compiler made of the case's kernel, where that is the lab's or the student's own.
std::string explain_sass(const Arguments& arguments, const RunRecord& run, const Terminal& out) {
  constexpr std::size_t kAlikeShown = 2;
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
  worker::Client client(run::worker_settings("model"));
  const MachineCode code = machine_code(client.compile(request));
  return fmt::format("\nMachine code for {}\n{}", safe_line(record.arch),
                     sass_text(code, request.source, kAlikeShown, out));
}

int run_explain(const Arguments& arguments, const Console& console) {
  BatchRequest batch;
  const std::string backend = backend_with_stalls(arguments, "model", batch);
  const RunRecord result = run_single_case(arguments, console, std::move(batch), backend);
  const int status = run::something_wrong(result) ? 1 : 0;
  if (arguments.has("json")) {
    fmt::print("{}\n", lines_json(result));
    return status;
  }
  if (result.cases.empty()) return 0;  // interrupted
  const CaseRecord& record = result.cases.front();
  fmt::print("{}  {}  {}\n\n",
             toned(safe_line(record.variant.empty() ? record.kernel : record.variant),
                   Tone::kStrong, console.out),
             safe_line(record.params.text()), safe_line(result.source_name));
  if (record.lines.empty()) {
    throw input_error(record.reason.empty() ? "the kernel has no line that costs anything"
                                            : record.reason);
  }
  fmt::print("{}{}", explain_text(record, result.source_name, result.source_text, console.out),
             explain_sass(arguments, result, console.out));
  return status;
}

std::vector<Option> explain_options() {
  std::vector<Option> options = single_case_options();
  options.push_back(stalls_option());
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
