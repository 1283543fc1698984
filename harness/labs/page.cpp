#include "harness/labs/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/formula/functions.h"
#include "harness/formula/parse.h"
#include "harness/labs/arrays.h"
#include "harness/labs/call.h"
#include "harness/labs/keys.h"
#include "harness/labs/lab_file.h"
#include "harness/labs/rows.h"

namespace lab::labs {
namespace {

constexpr std::string_view kHead =
    R"page(# The language of labs

Written by `lab __language` from the tables that the program itself reads labs with. Don't edit it.

A lab is a folder: `lab.toml`, `kernels.cu`, `reference.cu` and texts. Its name is its number and its
id, `08_traversal`, or an id alone, `warp-scan`. `lab.toml` is TOML 1.0. An inline table `{ ... }`
stays on one line; what is longer gets a table of its own or dotted keys. Values that are formulas
are texts in quotes, or numbers.

)page";

constexpr std::string_view kTheory =
    R"page(## Rows of theory

`[variant.name.theory]` has one row per line. A row of an access stands for several metrics:

)page";

constexpr std::string_view kOtherRows =
    R"page(
Any other metric of `lab metrics` has a row by its own name: a formula, `["low", "high"]`, or
`{ is, why }`. Such a row also replaces the one that an access or `moved` stands for.
`shared_bank_conflicts` is made of all shared rows. `shared_bank_conflicts = { why = "..." }` gives
it another sentence.

A variant with `like` takes over each row and changes single keys of it, but a row that says `is` or
`requests` begins anew.

A formula may name another metric: `global_load_lines / global_load_requests`.

`moved` says what memory is touched at all, each byte once. It stands for intervals: from each sector
once to as often as the accesses of `global_load` and `global_store` ask for it.

)page";

constexpr std::string_view kFormulas =
    R"page(## Formulas

Numbers, the lab's parameters, names of `where`, names of the launch, operators, functions and
parentheses. A name is letters, digits and `_`, with a letter first. `grid`, `block`, `kernel` and
`dynamic_shared` come before the launch and can't name it. No definition may lead back to itself.

Operators, the weakest first:

)page";

constexpr std::string_view kAccesses =
    R"page(
### Accesses

An access is what all requests of a launch cost together: requests, sectors, lines, bytes, and
wavefronts in shared memory where they are known. Accesses are added, multiplied by a number and
chosen with `if`. `n * along_rows(rows, cols, 4)` is a matrix of floats read n times.

)page";

constexpr std::string_view kRegions =
    R"page(
### Regions

A region is memory that is touched at all, each byte once. Regions are added and multiplied by a
number: `6 * run(4 * n)` are six arrays. A plain number of bytes is one run.

)page";

constexpr std::string_view kBuffers =
    R"page(
## Buffers

`TYPE[COUNT]` or `TYPE[COUNT] = CONTENTS`. A record is `{{char, short, int, double}}[COUNT]`.
A type is one of {types}, or `type(bytes)`, which is char, short, float, double or float4 by its size. An array has at most 2^31 - 1 elements.

| contents | elements |
|---|---|
| none | random in an input, poison in an output |
| `random` | random numbers, the same in every run |
| `0`, `1`, `i` | zeros, ones, or each its own index |
| a formula over `i`, as `0.9 + 0.2 / 31 * (i % 32)` | its value at each index. Whole numbers wrap into the type |
| `ring(step)` | element i holds (i + step) mod COUNT: a walk through all |
| `walk(step)` | a walk through all places of `step` elements, a power of two of them, in an order that the seed decides |

)page";

constexpr std::string_view kCalls =
    R"page(## Calls

A kernel's template arguments are types, conditions (`stream == 1` gives `true` or `false`) or whole
numbers: `best<tile_height, type(bytes), stream == 1>`. Its arguments are names of buffers and
formulas. A formula is an `int` unless it says one of {scalars}:
`float(0.25)`. A parameter of kind `addresses` stands for 32 arguments.

`reference = "row_sums(in, sums, rows, cols)"` calls a kernel of reference.cu with one thread per
element of the first output, in blocks of 256: it needs `if (i < count)`. Inputs are as they were
before the launch. Outputs are copies of the reference's own.

## Points

They are written as for `lab run --param`: `"stride=1..32 n=8192,5003"`. A point names the parameters
that vary; the others have their default. The last name varies fastest. Values are lists and ranges:
`1,2,4`, `0..33`, `0..124+4`, `2^20`. A value with parentheses is a formula over the other parameters, without
blanks: `n=256*floor(262144/stride)`. A variant takes the parameters that its kernel, launch, buffers,
arguments and theory name.

)page";

constexpr std::string_view kErrors =
    R"page(## Errors

Errors name file, line and column, and the nearest name where there is one:

)page";

constexpr std::string_view kExample = R"page(title   = "Sums"
summary = "one thread adds up one row"

[parameters]
rows = { is = "rows of the matrix", range = [1, 16384], default = 512 }

[variant.sums]
summary   = "one thread adds up one row"
grid      = "ceil(row / 256)"
block     = 256
outputs   = { sums = "float[rows]" }
arguments = "sums, rows"
)page";

// A cell of a table: no line may end in it, and no column.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string code(std::string_view text) {
  return text.empty() ? std::string() : fmt::format("`{}`", cell(text));
}

void add_keys(std::string& page, std::string_view title, KeyOf of) {
  page += fmt::format("### {}\n\n| key | value | meaning | example |\n|---|---|---|---|\n", title);
  for (const Key& key : keys()) {
    if (key.of != of) continue;
    page += fmt::format("| `{}` | {} | {} | {} |\n", key.name, key.value, cell(key.meaning),
                        code(key.example));
  }
  page += '\n';
}

std::string metrics_of(const std::vector<TheoryRow>& rows) {
  std::vector<std::string> names;
  for (const TheoryRow& row : rows) names.push_back(code(row.metric));
  return fmt::format("{}", fmt::join(names, ", "));
}

void add_rows(std::string& page) {
  const language::Access access{};
  const SharedCost cost{0, {}};
  page += "| row | metrics |\n|---|---|\n";
  page += fmt::format("| `global_load` | {} |\n", metrics_of(global_rows(Op::kLoad, access, "")));
  page += fmt::format("| `global_store` | {} |\n", metrics_of(global_rows(Op::kStore, access, "")));
  page += fmt::format("| `shared_load` | {} |\n", metrics_of(shared_rows(Op::kLoad, cost, "")));
  page += fmt::format("| `shared_store` | {} |\n", metrics_of(shared_rows(Op::kStore, cost, "")));
  page += fmt::format("| `moved` | {} |\n", metrics_of(traffic_rows({}, "")));
}

void add_operators(std::string& page) {
  page += "| operators | meaning |\n|---|---|\n";
  for (const language::OperatorRank& rank : language::operator_ranks()) {
    std::vector<std::string> signs;
    for (const std::string_view sign : rank.signs) signs.push_back(code(sign));
    page += fmt::format("| {} | {} |\n", fmt::join(signs, " "), cell(rank.meaning));
  }
  page += "\nNames of the launch:\n\n| name | meaning |\n|---|---|\n";
  for (const LaunchName& one : launch_names()) {
    page += fmt::format("| `{}` | {} |\n", one.name, one.meaning);
  }
}

void add_functions(std::string& page, std::string_view gives, std::string_view derivation) {
  page += fmt::format("| function | meaning | {} |\n|---|---|---|\n", derivation);
  for (const language::Function& one : language::functions()) {
    if (one.gives != gives) continue;
    page += fmt::format("| `{}({})` | {} | {} |\n", one.name, one.parameters, cell(one.meaning),
                        cell(one.derivation));
  }
}

std::string example_error() {
  try {
    static_cast<void>(read_lab("13_sums", "labs/13_sums/lab.toml", std::string(kExample)));
    return {};
  } catch (const Error& error) {
    return render(error);
  }
}

}  // namespace

std::string language_page() {
  std::string page(kHead);
  page += "## Keys\n\n";
  add_keys(page, "The file", KeyOf::kLab);
  add_keys(page, "`[screen]`: what `lab run` shows", KeyOf::kScreen);
  add_keys(page, "`because` of `[screen]`", KeyOf::kReason);
  add_keys(page, "`[goal]`: what a student's kernel is measured by", KeyOf::kGoal);
  add_keys(page, "`picture`: what `lab map` draws", KeyOf::kPicture);
  add_keys(page, "`[parameters]`: one line per parameter", KeyOf::kParameter);
  add_keys(page, "`[where]`, of the lab or of a variant: one line per name", KeyOf::kName);
  add_keys(page, "`[variant.name]`", KeyOf::kVariant);
  add_keys(page, "One of `finds`", KeyOf::kFinding);
  page += kTheory;
  add_rows(page);
  page += kOtherRows;
  add_keys(page, "`global_load`, `global_store`", KeyOf::kGlobalRow);
  add_keys(page, "`shared_load`, `shared_store`", KeyOf::kSharedRow);
  add_keys(page, "`moved`", KeyOf::kMovedRow);
  add_keys(page, "Any other metric", KeyOf::kMetricRow);
  page += kFormulas;
  add_operators(page);
  page += "\n### Functions of numbers\n\n";
  add_functions(page, "number", "notes");
  page += kAccesses;
  add_functions(page, "access", "how sectors are counted");
  page += kRegions;
  add_functions(page, "region", "how sectors and blocks are counted");
  page += fmt::format(kBuffers, fmt::arg("types", fmt::join(type_names(), ", ")));
  page += fmt::format(kCalls, fmt::arg("scalars", fmt::join(scalar_types(), ", ")));
  page += kErrors;
  page += fmt::format("```\n{}```\n", example_error());
  return page;
}

}  // namespace lab::labs
