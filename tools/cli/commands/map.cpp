// lab map: which lane of a warp touches which bank or sector.
#include <fmt/format.h>

#include <iterator>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/labs/registry.h"
#include "harness/reading/generations/other_generations.h"
#include "harness/reading/map_page.h"
#include "harness/run/element_map.h"
#include "harness/run/execute.h"
#include "tools/cli/arguments/probe_options.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/map_layout.h"
#include "tools/cli/commands/print_page.h"
#include "tools/cli/commands/single_case.h"
#include "tools/cli/json/json.h"
#include "tools/report/grid_svg.h"

namespace lab::cli {

namespace {

/// The part of a case that is drawn.
struct Asked {
  std::pair<std::uint32_t, std::uint32_t> warp;
  run::MatrixOptions only;
  std::string capability;
};

Asked asked_of(const Arguments& arguments) {
  constexpr std::int64_t kMostLines = 1 << 24;
  Asked asked;
  asked.warp = parse_warp(arguments.value("warp").value_or("0,0"));
  asked.only.line = static_cast<int>(arguments.number("line", 1, kMostLines).value_or(0));
  if (const auto op = arguments.value("op")) asked.only.op = from_word<AccessOp>(*op);
  asked.only.array = arguments.value("array").value_or("");
  asked.only.nth = static_cast<std::size_t>(arguments.number("nth", 1, kMostLines).value_or(1));
  asked.capability = arguments.value("cc").value_or("");
  if (!asked.capability.empty()) labs::require_capability(asked.capability);
  return asked;
}

void keep_wanted(const run::MatrixOptions& only, std::vector<Access>& accesses) {
  std::erase_if(accesses, [&](const Access& one) {
    return (only.line != 0 && one.line != only.line) || (only.op && one.op != only.op);
  });
}

void write_picture(const Arguments& arguments, const std::vector<page::Grid>& grids) {
  if (const auto file = arguments.value("svg")) {
    require_free(arguments, *file);
    write_file(*file, report::grid_svg(grids), "the picture to", files_read(arguments));
  }
}

[[noreturn]] void refuse_empty(const CaseRecord& record, const Asked& asked, bool filtered) {
  const std::string which = filtered ? " that is asked for" : "";
  throw input_error(
      fmt::format("block {}, warp {} accessed no memory{}{}", asked.warp.first, asked.warp.second,
                  which, record.reason.empty() ? "" : ": " + record.reason),
      filtered ? "without --line, --op and --array all that it accesses is shown"
               : fmt::format("the launch has {} blocks of {} threads; --warp 0,0 is the first warp",
                             record.launch.grid.count(), record.launch.block.count()));
}

/// The case with what was traced of it.
struct Looked {
  RunRecord run;
  CaseOutcome outcome;
};

Looked look(const Arguments& arguments, const Console& console, const Asked& asked, Trace trace) {
  BatchRequest batch;
  batch.warp = asked.warp;
  batch.trace = trace;
  Looked looked;
  looked.run = run_single_case(arguments, console, std::move(batch),
                               backend_from(arguments, run::Backends::kModel),
                               [&](const CaseOutcome& outcome) { looked.outcome = outcome; });
  return looked;
}

// The array of the lab's picture, where this is its variant; empty: all arrays.
std::string usual_array(const Arguments& arguments, const CaseRecord& record) {
  const std::string& what = arguments.positionals().front();
  if (names_kernel_file(what) || arguments.has("line") || arguments.has("kernel")) return {};
  const Lab& lab = find_lab(what);
  return lab.picture && lab.picture->row.variant == record.variant ? lab.picture->array : "";
}

// Which thread of the block touches which element.
int print_matrices(const Arguments& arguments, const Console& console, const Asked& asked) {
  constexpr std::int64_t kLongestRow = 1 << 20;
  const Looked looked = look(arguments, console, asked, Trace::kBlock);
  if (looked.run.cases.empty()) return 0;  // interrupted
  const CaseRecord& record = looked.run.cases.front();
  run::FixOptions options;
  run::MatrixOptions only = asked.only;
  if (only.array.empty()) only.array = usual_array(arguments, record);
  options.array = only.array;
  if (const auto row = arguments.number("row", 1, kLongestRow)) {
    options.row = static_cast<std::uint64_t>(*row);
  }
  const auto arrays = run::arrays_of(looked.outcome, source_of(looked.run), options);
  const std::vector<run::ElementMap> maps = run::element_maps(looked.outcome, arrays, only);
  if (maps.empty()) refuse_empty(record, asked, true);
  print_page(run::matrix_page(record, asked.warp.first, maps), arguments, console);
  write_picture(arguments, {run::grid_of(maps.front())});
  return run::something_wrong(looked.run) ? 1 : 0;
}

int print_warp(const Arguments& arguments, const Console& console, const Asked& asked) {
  Looked looked = look(arguments, console, asked, Trace::kNone);
  const int status = run::something_wrong(looked.run) ? 1 : 0;
  if (!looked.run.cases.empty()) keep_wanted(asked.only, looked.run.cases.front().accesses);
  if (arguments.has("json")) {
    fmt::print("{}\n", runs_json({looked.run}));
    return status;
  }
  if (looked.run.cases.empty()) return 0;  // interrupted
  const CaseRecord& record = looked.run.cases.front();
  if (record.accesses.empty()) {
    refuse_empty(record, asked, asked.only.line != 0 || asked.only.op.has_value());
  }
  print_page(
      reading::map_page(looked.run, record,
                        fmt::format("block {}, warp {}", asked.warp.first, asked.warp.second),
                        asked.capability),
      arguments, console);
  write_picture(arguments, reading::pictures_of(record));
  return status;
}

int run_map(const Arguments& arguments, const Console& console) {
  if (arguments.has("layout")) {
    Console plain = console;
    if (arguments.has("ascii")) plain.out.unicode = false;
    return map_layout(arguments, plain);
  }
  if (arguments.has("tile")) throw input_error("--tile is for --layout");
  if (arguments.positionals().empty()) {
    throw input_error("lab map needs a lab or a file",
                      "or a layout: --layout 'Swizzle<3,4,3>' --tile 64x64:f16");
  }
  const Asked asked = asked_of(arguments);
  Console plain = console;
  if (arguments.has("ascii")) plain.out.unicode = false;
  return arguments.has("matrix") ? print_matrices(arguments, plain, asked)
                                 : print_warp(arguments, plain, asked);
}

}  // namespace

Command map_command() {
  std::vector<Option> options = single_case_options();
  const std::vector<Option> own = {
      {"warp", "B,W", "Draw warp W of block B (default 0,0)"},
      {"line", "N", "The accesses of this source line alone"},
      {"op",
       "KIND",
       "These accesses alone",
       false,
       {kWordsOf<AccessOp>.begin(), kWordsOf<AccessOp>.end()}},
      {"matrix", "", "Draw arrays as matrices: which thread of the block touches which element"},
      {"array", "NAME", "With --matrix: this array alone"},
      {"row", "N", "With --matrix: elements of a row, where the declaration does not say so"},
      {"nth", "N", "With --matrix: the Nth time that a warp is at the line (default 1)"},
      {"layout", "SWIZZLE", "In place of a kernel: a tile under CuTe's Swizzle<B,M,S>"},
      {"tile", "RxC:TYPE", "With --layout: its rows, columns and type, such as 64x64:f16"},
      {"cc", "X.Y", "Also what GPUs of this compute capability make of it: 1.0 to 12.0, or all"},
      {"svg", "FILE", "Write the picture (of --matrix: the first one) to FILE, for slides"},
      {"ascii", "", "Draw with ASCII alone"},
      page_option()};
  options.insert(options.end(), own.begin(), own.end());
  return {"map",
          "Draw which lane of a warp touches which bank or sector",
          {"LAB|FILE", "A lab's number or name, or a .cu or .ptx file", 0, 1},
          std::move(options),
          "  lab map 3 --variant stride --param stride=2\n"
          "  lab map 4 --variant shared_store --matrix --array tile --op store",
          run_map,
          true};
}

}  // namespace lab::cli
