// lab map: which lane of a warp touches which bank or sector.
#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/run/execute.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/single_case.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/case_heading.h"
#include "tools/cli/text/map_text.h"

namespace lab::cli {

namespace {

int run_map(const Arguments& arguments, const Console& console) {
  const auto warp = parse_warp(arguments.value("warp").value_or("0,0"));
  BatchRequest batch;
  batch.warp = warp;
  const RunRecord result = run_single_case(arguments, console, std::move(batch),
                                           arguments.value("backend").value_or("model"));
  if (arguments.has("json")) {
    fmt::print("{}\n", runs_json({result}));
    return run::something_wrong(result) ? 1 : 0;
  }
  if (result.cases.empty()) return 0;  // interrupted
  const CaseRecord& record = result.cases.front();
  fmt::print("{}", case_heading(record, fmt::format("block {}, warp {}", warp.first, warp.second),
                                console.out));
  if (record.accesses.empty()) {
    throw input_error(
        fmt::format("block {}, warp {} accessed no memory{}", warp.first, warp.second,
                    record.reason.empty() ? "" : ": " + record.reason),
        fmt::format("the launch has {} blocks of {} threads; --warp 0,0 is the first warp",
                    record.launch.grid.count(), record.launch.block.count()));
  }
  fmt::print("{}", map_text(record, result.source_name, result.source_text, console.out));
  return run::something_wrong(result) ? 1 : 0;
}

}  // namespace

Command map_command() {
  std::vector<Option> options = single_case_options();
  options.push_back({"warp", "B,W", "Draw warp W of block B (default 0,0)"});
  return {"map",
          "Draw which lane of a warp touches which bank or sector",
          {"LAB|FILE", "A lab's number or name, or a .cu or .ptx file", 1, 1},
          std::move(options),
          "  lab map 3 --variant stride --param stride=2",
          run_map,
          true};
}

}  // namespace lab::cli
