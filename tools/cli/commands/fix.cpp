// lab fix: which layout of a kernel's arrays is best.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/core/error.h"
#include "harness/labs/registry.h"
#include "harness/model/layout/shapes.h"
#include "harness/run/execute.h"
#include "harness/run/fix_page.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/fix_apply.h"
#include "tools/cli/commands/print_page.h"
#include "tools/cli/commands/single_case.h"
#include "tools/cli/json/json_fix.h"

namespace lab::cli {

namespace {

struct Traced {
  RunRecord run;
  CaseOutcome outcome;
};

Traced traced_run(const Arguments& arguments, const Console& console, bool exchanged) {
  BatchRequest batch;
  // With the threads exchanged, sums are enough.
  batch.trace = exchanged ? Trace::kNone : Trace::kAll;
  if (!exchanged) batch.threads = 1;  // so that what is too much to list is the same each time
  batch.checks = Checks::kOff;
  batch.exchange_threads = exchanged;
  Traced traced;
  traced.run = run_single_case(arguments, console, std::move(batch), run::Backends::kModel,
                               [&](const CaseOutcome& outcome) { traced.outcome = outcome; });
  return traced;
}

bool has_two_sides(const Dim3& block) { return block.x > 1 && block.y > 1 && block.z == 1; }

bool is_complete(const Traced& traced) {
  const CaseRecord& record = traced.run.cases.front();
  const std::uint64_t blocks = record.launch.grid.count();
  const std::vector<TracedArray>& arrays = traced.outcome.arrays;
  return record.facts.sampled_blocks.value_or(blocks) == blocks &&
         std::all_of(arrays.begin(), arrays.end(),
                     [](const TracedArray& array) { return array.untraced == 0; });
}

int fix_kernel(const Arguments& arguments, const Console& console) {
  constexpr std::int64_t kLongestRow = 1 << 20;
  const Traced traced = traced_run(arguments, console, false);
  if (traced.run.cases.empty()) return 0;  // interrupted
  const CaseRecord& record = traced.run.cases.front();
  // Refused, gone wrong before it began, or a library's.
  if (traced.outcome.traced.empty() && !record.reason.empty()) throw input_error(record.reason);
  run::FixOptions options;
  options.array = arguments.value("array").value_or("");
  if (const auto row = arguments.number("row", 2, kLongestRow)) {
    options.row = static_cast<std::uint64_t>(*row);
  }
  options.forbidden = forbidden_in(lab_with_number(traced.run.lab), record);
  auto fixes = run::fixes_of(traced.outcome, source_of(traced.run), options);
  const int status = run::something_wrong(traced.run) ? 1 : 0;
  const bool own_file = names_kernel_file(arguments.positionals().front());
  if (own_file && status == 0 && is_complete(traced)) {
    run_layouts(arguments.positionals().front(), fixes, arguments, console);
  }
  if (arguments.has("apply")) {
    const std::string& file = arguments.positionals().front();
    if (!own_file) throw input_error("--apply changes a file: name one");
    if (status != 0) throw input_error("a kernel with a finding is not changed: " + record.reason);
    // The exchange changes no array, so it comes first.
    const Traced other =
        has_two_sides(record.launch.block) ? traced_run(arguments, console, true) : Traced{};
    if (!other.run.cases.empty() && run::exchange_helps(record, other.run.cases.front())) {
      apply_exchange(file, record, other.run.cases.front(), arguments, console);
    } else {
      apply_layout(file, fixes, arguments, console);
    }
    return 0;
  }
  if (arguments.has("json")) {
    fmt::print("{}\n", fixes_json(traced.run, fixes, is_complete(traced)));
    return status;
  }
  const bool turns = !fixes.empty() && has_two_sides(record.launch.block);
  const Traced other = turns ? traced_run(arguments, console, true) : Traced{};
  const CaseRecord* exchanged = other.run.cases.empty() ? nullptr : &other.run.cases.front();
  print_page(run::fix_page(traced.run, fixes, exchanged), arguments, console);
  return status;
}

/// `f16[64][32]`: type, rows, columns.
struct NamedTile {
  std::string type;
  layout::Tile tile;
};

std::optional<std::uint64_t> whole_number(std::string_view text) {
  constexpr std::uint64_t kMost = 65536;
  std::uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || number > kMost) return {};
    number = 10 * number + static_cast<std::uint64_t>(c - '0');
  }
  if (text.empty() || number == 0 || number > kMost) return {};
  return number;
}

// Empty: the word is not a tile, but may be a lab or a file.
std::optional<NamedTile> tile_named(const std::string& word) {
  const std::size_t first = word.find('[');
  if (first == std::string::npos || !word.ends_with(']')) return {};
  const std::size_t second = word.find("][", first);
  const auto fail = [&] {
    return input_error(fmt::format("'{}' is not a tile", word),
                       "a tile has a type, rows and columns: f32[32][32]");
  };
  if (second == std::string::npos) throw fail();
  NamedTile named;
  named.type = word.substr(0, first);
  named.tile.element = static_cast<std::uint32_t>(size_of(element_type(named.type)));
  const auto rows = whole_number(std::string_view(word).substr(first + 1, second - first - 1));
  const auto columns =
      whole_number(std::string_view(word).substr(second + 2, word.size() - second - 3));
  if (!rows || !columns || *rows * *columns * named.tile.element > 227 * 1024) throw fail();
  named.tile.rows = *rows;
  named.tile.columns = *columns;
  return named;
}

source::Extent extent_of(std::uint64_t value) {
  source::Extent extent;
  extent.text = std::to_string(value);
  extent.value = value;
  return extent;
}

int fix_tile(const NamedTile& named, const Arguments& arguments, const Console& console) {
  const layout::Tile& tile = named.tile;
  if (!arguments.has("access")) {
    throw input_error("a tile needs --access: what warps do with it",
                      "lab fix 'f32[32][32]' --access store:row --access column");
  }
  run::ArrayFix fix;
  fix.name = "tile";
  fix.array = {"tile", Space::kShared, tile.rows * tile.columns * tile.element};
  fix.declared =
      source::SharedArray{"tile", named.type, 0, {extent_of(tile.rows), extent_of(tile.columns)}};
  fix.problem.bytes = fix.array.bytes;
  fix.problem.element = tile.element;
  fix.problem.columns = {tile.columns};
  int site = 0;
  for (const std::string& text : arguments.values("access")) {
    for (const layout::Use& use : layout::uses_of(text, tile, site)) {
      fix.problem.uses.push_back(use);
    }
    ++site;
  }
  fix.solution = layout::solve(fix.problem);
  if (arguments.has("json")) {
    fmt::print("{}\n", fixes_json({}, {fix}, true));
  } else {
    print_page(run::tile_page(fix), arguments, console);
  }
  return 0;
}

int run_fix(const Arguments& arguments, const Console& console) {
  const auto tile = tile_named(arguments.positionals().front());
  if (tile) return fix_tile(*tile, arguments, console);
  if (arguments.has("access")) {
    throw input_error("--access is for a tile: a kernel's accesses are its own");
  }
  return fix_kernel(arguments, console);
}

}  // namespace

Command fix_command() {
  std::vector<Option> options = single_case_options();
  std::erase_if(options, [](const Option& option) { return option.name == "backend"; });
  options.push_back({"array", "NAME", "This array alone"});
  options.push_back({"apply", "",
                     "Write the best layout of an array in shared memory into the FILE, or x and y "
                     "of the threads exchanged, once a run of the changed kernel has shown that it "
                     "is as promised"});
  options.push_back({"row", "N", "Elements of a row, where the declaration does not say so"});
  options.push_back({"access", "ORDER",
                     "Of a tile: row, column or matrix (ldmatrix); store:row; column:16 takes 16 "
                     "bytes per lane",
                     true});
  options.push_back(page_option());
  return {
      "fix",
      "Find the layout of a kernel's arrays that costs least: padding, xor, index order",
      {"LAB|FILE|TILE",
       "A lab's number or name, a .cu or .ptx file, or a tile in shared memory: f16[64][32]", 1, 1},
      std::move(options),
      "  lab fix 3 --variant column\n"
      "  lab fix 'f16[64][32]' --access store:row:16 --access matrix",
      run_fix,
      true};
}

}  // namespace lab::cli
