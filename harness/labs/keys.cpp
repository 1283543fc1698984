#include "harness/labs/keys.h"

namespace lab::labs {
namespace {

constexpr Key kKeys[] = {
    // ---- the file ----
    {KeyOf::kLab, "title", "text", "the lab's name: a word or two", R"(title = "Traversal")"},
    {KeyOf::kLab, "summary", "text", "one line for `lab list`",
     R"(summary = "rows against columns: the same sums three ways")"},
    {KeyOf::kLab, "lesson", "text", "what students should remember: one or two sentences"},
    {KeyOf::kLab, "headline", "list of metrics",
     "the columns of `lab run`, the most telling first. `lab metrics` lists them all"},
    {KeyOf::kLab, "picture", "table",
     "the case that `lab map`, `lab explain` and `lab fix` look at unless another is asked for",
     R"(picture = { case = "load stride=2 offset=0", array = "in" })"},
    {KeyOf::kLab, "goal", "table", "what a student's kernel is measured by", "[goal]"},
    {KeyOf::kLab, "screen", "table", "what `lab run` shows unless more is asked for", "[screen]"},
    {KeyOf::kLab, "generations", "true or false",
     "whether `lab run` shows what older GPUs make of the same addresses", "generations = true"},
    {KeyOf::kLab, "parameters", "tables", "the parameters of all variants, by name",
     "[parameters]"},
    {KeyOf::kLab, "where", "names", "names for the formulas of all variants", "[where]"},
    {KeyOf::kLab, "variant", "tables", "the variants, by name, in the order shown",
     "[variant.warp_per_row]"},

    // ---- the screen ----
    {KeyOf::kScreen, "rows", "list of texts",
     "two to eight cases: a variant, and behind it the parameters that choose one of its points",
     R"(rows = ["stride stride=1", "stride stride=2"])"},
    {KeyOf::kScreen, "columns", "list of metrics",
     "one to four, `time`, or `finding`: what a checker found. A column that is the same in all "
     "rows is left out",
     R"(columns = ["time"])"},
    {KeyOf::kScreen, "bars", "metric", "the column that is drawn beside the table"},
    {KeyOf::kScreen, "curve", "metric",
     "drawn over all points of the first row's variant that differ in its one parameter"},
    {KeyOf::kScreen, "size", "text", "the size of the data, with parameters in braces",
     R"(size = "{rows} x {cols} floats")"},
    {KeyOf::kScreen, "because", "tables", "one to four: why a number is what it is",
     "because = [{ row = 1, says = \"two lanes per bank\", is = \"gcd(stride, 32)\" }]"},
    {KeyOf::kReason, "row", "whole number", "the row of the number, from 1"},
    {KeyOf::kReason, "metric", "metric", "its column"},
    {KeyOf::kReason, "says", "text", "the reason, in a few words"},
    {KeyOf::kReason, "is", "formula",
     "its derivation: `lab test` compares its value with the number"},

    // ---- the goal and the picture ----
    {KeyOf::kGoal, "variant", "text", "the variant that students write"},
    {KeyOf::kGoal, "metrics", "list of metrics",
     "one to three that tell how good it is, the most telling first"},
    {KeyOf::kGoal, "from", "text",
     "the case that they are compared with: a variant, and which of its points. Parameters that "
     "both have are the student's",
     R"(from = "column pad=0")"},
    {KeyOf::kGoal, "says", "text",
     "what who reaches it has gained, in a few words: stands before the numbers",
     R"(says = "no addition is lost")"},
    {KeyOf::kGoal, "forbids", "text",
     "a cure that the task rules out, so that no advice names it, and a kernel that takes it is "
     "told so: `padding`",
     R"(forbids = "padding")"},
    {KeyOf::kGoal, "shared_bytes", "whole number",
     "bytes of shared memory that a block takes without padding: more is the forbidden cure",
     "shared_bytes = 4096"},
    {KeyOf::kPicture, "case", "text", "a variant, and which of its points"},
    {KeyOf::kPicture, "array", "text", "the array that `lab map --matrix` draws"},

    // ---- a parameter ----
    {KeyOf::kParameter, "is", "text", "the meaning, for help and tables",
     R"(rows = { is = "rows of the matrix", range = [1, 16384], default = 512 })"},
    {KeyOf::kParameter, "range", "[first, last]", "whole numbers between these, both included",
     "range = [1, 16384]"},
    {KeyOf::kParameter, "values", "list of whole numbers",
     "these values alone, in place of a range", "values = [1, 4, 8]"},
    {KeyOf::kParameter, "default", "whole number or text", "the value where a point names none",
     "default = 512"},
    {KeyOf::kParameter, "kind", "text",
     "`number`, or `addresses`: a byte address for each of 32 lanes. With addresses comes "
     "`lab run --pattern`",
     R"(kind = "addresses")"},

    // ---- a name ----
    {KeyOf::kName, "is", "formula", "the definition",
     R"x(stores = { is = "ceil(rows / 2)", why = "warps that fill the tile" })x"},
    {KeyOf::kName, "why", "text",
     "one sentence. The name is then printed in formulas, with its definition below. A name whose "
     "definition is a plain text is never printed: the definition is put in its place"},

    // ---- a variant ----
    {KeyOf::kVariant, "like", "variant",
     "everything not said here is as in that variant, table by table and key by key",
     R"(like = "thread_per_row")"},
    {KeyOf::kVariant, "summary", "text", "one line for tables and help",
     R"(summary = "one thread adds up one row")"},
    {KeyOf::kVariant, "kernel", "call",
     "the kernel of kernels.cu. Without it the kernel is named like the variant",
     R"(kernel = "best<tile_height, type(bytes), stream == 1>")"},
    {KeyOf::kVariant, "grid", "formulas", "blocks: one formula, or a list of two or three",
     R"x(grid = ["ceil(cols / 32)", "ceil(rows / 32)"])x"},
    {KeyOf::kVariant, "block", "formulas", "threads of a block, in the same form", "block = 256"},
    {KeyOf::kVariant, "dynamic_shared", "formula", "bytes of dynamic shared memory",
     R"(dynamic_shared = "4 * tile_height * tile_width")"},
    {KeyOf::kVariant, "inputs", "buffers", "arrays that the kernel reads",
     R"(inputs = { in = "float[rows * cols]" })"},
    {KeyOf::kVariant, "outputs", "buffers",
     "arrays that it writes. They are poisoned before and compared with the reference after; an "
     "output with contents is updated in place",
     R"(outputs = { sums = "float[rows]" })"},
    {KeyOf::kVariant, "arguments", "list", "the kernel's arguments, in its order",
     R"(arguments = "in, sums, rows, cols")"},
    {KeyOf::kVariant, "reference", "call",
     "a kernel of reference.cu that computes the expected outputs",
     R"x(reference = "row_sums(in, sums, rows, cols)")x"},
    {KeyOf::kVariant, "for", "buffer",
     "the reference has one thread per element of this buffer. Without it: of the first output",
     R"(for = "in")"},
    {KeyOf::kVariant, "check", "text",
     "how outputs are compared: `exact` (the default), `relative 1e-4`, `absolute 1e-6`, or two of "
     "them with a comma",
     R"(check = "relative 1e-4")"},
    {KeyOf::kVariant, "terms", "formula",
     "each float of the outputs is the sum of this many non-negative numbers, added in any order",
     R"(terms = "cols")"},
    {KeyOf::kVariant, "unchecked", "formulas by buffer",
     "elements that a race decides: one index, or the first index and a step. A negative index is "
     "none",
     R"(unchecked = { a = ["0", "256"] })"},
    {KeyOf::kVariant, "blocks_race", "true or false",
     "whether blocks race for the unchecked elements, too, or the warps of one block alone",
     "blocks_race = true"},
    {KeyOf::kVariant, "points", "list of points", "where the model runs the variant by default",
     R"(points = ["rows=512 cols=128", "rows=301 cols=97"])"},
    {KeyOf::kVariant, "gpu_points", "list of points", "where a GPU runs it by default",
     R"(gpu_points = ["rows=8192 cols=8192"])"},
    {KeyOf::kVariant, "telling", "list of points",
     "of both lists, the points that `lab run` shows without --all", R"(telling = ["rows=512"])"},
    {KeyOf::kVariant, "options", "list of texts", "options of the compiler",
     R"(options = ["--ptxas-options=-O0"])"},
    {KeyOf::kVariant, "library", "text",
     "the library function that a GPU runs in place of a kernel", R"(library = "cublas_sgemm")"},
    {KeyOf::kVariant, "finds", "list of tables",
     "mistakes that the kernel makes on purpose. It then runs in the model alone and has no "
     "reference",
     R"(finds = [{ kind = "shared_race", line = "s[" }])"},
    {KeyOf::kVariant, "merged", "true or false",
     "whether the compiler makes one access of several in the source", "merged = true"},
    {KeyOf::kVariant, "as_written", "variant or rows",
     "the theory of the source as written, where the machine code does something else",
     R"(as_written = "thread_major")"},
    {KeyOf::kVariant, "where", "names",
     "names for this variant's formulas. They come before those of the lab. A parameter's name "
     "given a value here is no parameter of this variant",
     "where.stride = 1"},
    {KeyOf::kVariant, "theory", "rows", "the closed formulas of its metrics",
     "[variant.warp_per_row.theory]"},

    // ---- rows of theory ----
    {KeyOf::kGlobalRow, "is", "access", "the sum of the launch's accesses",
     R"x(global_load = { is = "along_rows(rows, cols, 4)", why = "Lanes read neighbours." })x"},
    {KeyOf::kGlobalRow, "requests", "formula", "instructions, one per warp. In place of `is`",
     R"x(requests = "ceil(n / 32)")x"},
    {KeyOf::kGlobalRow, "sectors", "formula", "sectors of 32 bytes, beside `requests`",
     R"x(sectors = "4 * ceil(n / 32)")x"},
    {KeyOf::kGlobalRow, "lines", "formula", "lines of 128 bytes. May be left out",
     R"x(lines = "ceil(n / 32)")x"},
    {KeyOf::kGlobalRow, "bytes", "formula", "distinct bytes that each instruction asks for",
     R"(bytes = "4 * n")"},
    {KeyOf::kGlobalRow, "why", "text", "one sentence that derives the number of sectors"},

    {KeyOf::kSharedRow, "is", "access", "the sum of the launch's accesses",
     R"x(shared_load = { is = "in_order(n, 4)", why = "32 neighbouring words." })x"},
    {KeyOf::kSharedRow, "requests", "formula", "instructions, one per warp. In place of `is`",
     R"x(requests = "ceil(n / 32)")x"},
    {KeyOf::kSharedRow, "ways", "formula",
     "wavefronts per request, 1 unless said. `wavefronts` follow from it",
     R"x(ways = "gcd(s, 32)")x"},
    {KeyOf::kSharedRow, "wavefronts", "formula",
     "in place of `ways`, or beside them where `ways` has a simpler formula than the quotient",
     R"(wavefronts = "32 * warps")"},
    {KeyOf::kSharedRow, "wavefronts_sass", "formula",
     "wavefronts by the rule of patched counters, where it differs"},
    {KeyOf::kSharedRow, "least", "formula",
     "wavefronts if no two lanes met in a bank: `requests` unless said. Needed where a lane takes "
     "8 or 16 bytes"},
    {KeyOf::kSharedRow, "why", "text", "one sentence that derives the number of wavefronts"},

    {KeyOf::kMovedRow, "read", "region or bytes", "memory that is read, each byte once",
     R"(moved = { read = "4 * n", written = "4 * n" })"},
    {KeyOf::kMovedRow, "read_sectors", "formula", "the same in sectors, in place of `read`"},
    {KeyOf::kMovedRow, "read_blocks", "formula", "and in blocks of 64 bytes"},
    {KeyOf::kMovedRow, "written", "region or bytes", "memory that is written, each byte once"},
    {KeyOf::kMovedRow, "written_sectors", "formula", "the same in sectors, in place of `written`"},
    {KeyOf::kMovedRow, "filled", "formula",
     "blocks of 64 bytes that stores leave partly written: DRAM reads the rest of each",
     R"x(moved.filled = "ceil(rows / 16)")x"},
    {KeyOf::kMovedRow, "scattered", "true or false",
     "whether DRAM may read half of each block, because its two sectors are wanted at different "
     "times",
     "scattered = true"},
    {KeyOf::kMovedRow, "why", "text", "one sentence. There is one for rows that have none"},

    {KeyOf::kMetricRow, "is", "formula, or [low, high]", "the prediction, or an interval",
     R"(needed_bytes = { is = "8 * n", why = "Each element is read once and written once." })"},
    {KeyOf::kMetricRow, "why", "text", "one sentence that derives it"},

    {KeyOf::kFinding, "kind", "text", "the kind of mistake, as `lab check` names it",
     R"(kind = "shared_race")"},
    {KeyOf::kFinding, "line", "text", "a part of the source line where it is found",
     R"(line = "s[")"},
};

constexpr LaunchName kLaunchNames[] = {
    {"grid_x", "blocks along x"},
    {"grid_y", "blocks along y"},
    {"grid_z", "blocks along z"},
    {"block_x", "threads of a block along x"},
    {"block_y", "threads of a block along y"},
    {"block_z", "threads of a block along z"},
    {"blocks", "blocks of the grid"},
    {"threads", "threads of a block"},
    {"warps", "warps of a block, rounded up"},
    {"all_threads", "threads of the launch"},
    {"all_warps", "warps of the launch"},
    {"fetch", "bytes that DRAM reads at once: 32 or 64"},
};

}  // namespace

std::span<const Key> keys() { return kKeys; }

std::vector<std::string_view> keys_of(KeyOf of) {
  std::vector<std::string_view> names;
  for (const Key& key : kKeys) {
    if (key.of == of) names.push_back(key.name);
  }
  return names;
}

std::span<const LaunchName> launch_names() { return kLaunchNames; }

}  // namespace lab::labs
