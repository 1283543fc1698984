// Labs with one thing broken each, and the whole message of each.
#include "harness/labs/lab_file.h"

#include <gtest/gtest.h>

#include <utility>

#include "harness/core/error.h"

namespace lab::labs {
namespace {

constexpr std::string_view kGood = R"toml(title    = "Sums"
summary  = "rows against columns"
headline = ["global_load_sectors_per_request"]

[parameters]
rows = { is = "rows", range = [1, 16384], default = 512 }
cols = { is = "columns", range = [1, 16384], default = 128 }
pad  = { is = "words", values = [0, 1], default = 0 }

[where]
elements = "rows * cols"
warps_of = { is = "ceil(rows / 32)", why = "a warp per 32 rows" }

[variant.down]
summary    = "one thread adds up one row"
kernel     = "down<pad>"
grid       = "ceil(rows / 256)"
block      = 256
inputs     = { in = "float[elements]" }
outputs    = { sums = "float[rows]" }
arguments  = "in, sums, rows, cols"
reference  = "row_sums(in, sums, rows, cols)"
points     = ["rows=512 cols=128", "rows=301 cols=97"]

[variant.down.theory]
global_load  = { is = "down_columns(rows, cols, 4)", why = "A row apart." }
needed_bytes = { is = "4 * elements", why = "Each once." }

[variant.along]
like    = "down"
summary = "one warp adds up one row"
kernel  = "along"
grid    = "warps_of"
)toml";

using Changes = std::vector<std::pair<std::string_view, std::string_view>>;

/// The good lab with the first texts replaced by the second ones.
std::string changed(const Changes& changes) {
  std::string text(kGood);
  for (const auto& [from, to] : changes) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
  }
  return text;
}

std::string message_of(const std::string& text) {
  try {
    static_cast<void>(read_lab("99_sums", "lab.toml", text));
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    return render(error);
  }
  return "no error";
}

struct Broken {
  std::string_view name;
  Changes changes;
  std::string_view message;
};

const Broken kBroken[] = {
    {"TomlThatIsNone",
     {{"block      = 256", "block      = = 256"}},
     "lab.toml:18:14: error: not TOML: Error while parsing value: could not determine value type\n"
     "  block      = = 256\n"
     "               ^\n"},
    {"ATextWithoutItsEnd",
     {{"summary = \"one warp adds up one row\"", "summary = \"one warp adds up one row"}},
     "lab.toml:31:36: error: not TOML: Error while parsing string: unescaped control characters "
     "other than TAB (U+0009) are explicitly prohibited\n"
     "  summary = \"one warp adds up one row\n"
     "                                     ^\n"},
    {"AKeyTwice",
     {{"block      = 256", "block      = 256\nblock      = 128"}},
     "lab.toml:19:14: error: not TOML: Error while parsing key-value pair: cannot redefine "
     "existing integer 'block'\n"
     "  block      = 128\n"
     "               ^\n"},
    {"NoTitle",
     {{"title    = \"Sums\"\n", ""}},
     "lab.toml:1:1: error: 'title' is missing: a word or two\n"
     "  summary  = \"rows against columns\"\n"
     "  ^\n"},
    {"AKeyOfTheFile",
     {{"headline =", "headlines ="}},
     "lab.toml:3:1: error: there is no key 'headlines' here\n"
     "  headlines = [\"global_load_sectors_per_request\"]\n"
     "  ^\n"
     "hint: did you mean 'headline'?\n"},
    {"AKeyOfAVariant",
     {{"outputs    =", "output     ="}},
     "lab.toml:20:1: error: there is no key 'output' here\n"
     "  output     = { sums = \"float[rows]\" }\n"
     "  ^\n"
     "hint: did you mean 'outputs'?\n"},
    {"AKeyOfARow",
     {{"why = \"A row apart.\"", "because = \"A row apart.\""}},
     "lab.toml:26:54: error: there is no key 'because' here\n"
     "  global_load  = { is = \"down_columns(rows, cols, 4)\", because = \"A row apart.\" }\n"
     "                                                       ^\n"
     "hint: there are: is, requests, sectors, lines, bytes, why\n"},
    {"AKeyOfAParameter",
     {{"pad  = { is = \"words\", values", "pad  = { is = \"words\", value"}},
     "lab.toml:8:24: error: there is no key 'value' here\n"
     "  pad  = { is = \"words\", value = [0, 1], default = 0 }\n"
     "                         ^\n"
     "hint: did you mean 'values'?\n"},
    {"AKeyOfAName",
     {{"warps_of = { is = \"ceil(rows / 32)\", why",
       "warps_of = { is = \"ceil(rows / 32)\", reason"}},
     "lab.toml:12:38: error: there is no key 'reason' here\n"
     "  warps_of = { is = \"ceil(rows / 32)\", reason = \"a warp per 32 rows\" }\n"
     "                                       ^\n"
     "hint: there are: is, why\n"},
    {"ANameInAFormula",
     {{"\"ceil(rows / 256)\"", "\"ceil(row / 256)\""}},
     "lab.toml:17:20: error: a formula: unknown name 'row'\n"
     "  grid       = \"ceil(row / 256)\"\n"
     "                     ^\n"
     "hint: did you mean 'rows'?\n"},
    {"ANameInATextOfSeveralLines",
     {{"\"down_columns(rows, cols, 4)\"", "\"\"\"\ndown_columns(rows,\n  colls, 4)\"\"\""}},
     "lab.toml:28:3: error: a formula: unknown name 'colls'\n"
     "    colls, 4)\"\"\", why = \"A row apart.\" }\n"
     "    ^\n"
     "hint: did you mean 'cols'?\n"},
    {"ANameInAnInlineTable",
     {{"{ in = \"float[elements]\" }", "{ in = \"float[element]\" }"}},
     "lab.toml:19:28: error: a formula: unknown name 'element'\n"
     "  inputs     = { in = \"float[element]\" }\n"
     "                             ^\n"
     "hint: did you mean 'elements'?\n"},
    {"AVariantThatIsLikeNone",
     {{"like    = \"down\"", "like    = \"dwon\""}},
     "lab.toml:30:11: error: there is no variant 'dwon'\n"
     "  like    = \"dwon\"\n"
     "            ^\n"
     "hint: did you mean 'down'?\n"},
    {"VariantsLikeEachOther",
     {{"summary    = \"one thread adds", "like       = \"along\"\nsummary    = \"one thread adds"}},
     "lab.toml:31:11: error: variants take after each other in a circle: down -> along -> down\n"
     "  like    = \"down\"\n"
     "            ^\n"},
    {"NamesThatDefineEachOther",
     {{"elements = \"rows * cols\"", "elements = \"size / 4\"\nsize     = \"4 * elements\""}},
     "lab.toml:11:12: error: 'elements' is defined by itself: elements -> size -> elements\n"
     "  elements = \"size / 4\"\n"
     "             ^\n"},
    {"NoGrid",
     {{"grid       = \"ceil(rows / 256)\"\n", ""}},
     "lab.toml:14:1: error: variant 'down' needs 'grid' and 'block'\n"
     "  [variant.down]\n"
     "  ^\n"},
    {"NoArguments",
     {{"arguments  = \"in, sums, rows, cols\"\n", ""}},
     "lab.toml:14:1: error: variant 'down' has no arguments\n"
     "  [variant.down]\n"
     "  ^\n"},
    {"AFormulaWithoutItsEnd",
     {{"\"4 * elements\"", "\"4 * (elements + 1\""}},
     "lab.toml:27:41: error: a formula: ')' is expected\n"
     "  needed_bytes = { is = \"4 * (elements + 1\", why = \"Each once.\" }\n"
     "                                          ^\n"},
    {"AFormulaThatIsText",
     {{"\"4 * elements\"", "\"four * elements\""}},
     "lab.toml:27:24: error: a formula: unknown name 'four'\n"
     "  needed_bytes = { is = \"four * elements\", why = \"Each once.\" }\n"
     "                         ^\n"
     "hint: there are: elements, warps_of, in, sums, all_threads, all_warps, block_x, block_y, "
     "block_z, blocks, cols, fetch and 12 more\n"},
    {"AFunctionThatIsNotThere",
     {{"down_columns(", "down_column("}},
     "lab.toml:26:24: error: a formula: there is no function 'down_column'\n"
     "  global_load  = { is = \"down_column(rows, cols, 4)\", why = \"A row apart.\" }\n"
     "                         ^\n"
     "hint: did you mean 'down_columns'?\n"},
    {"TooFewArguments",
     {{"down_columns(rows, cols, 4)", "down_columns(rows, cols)"}},
     "lab.toml:26:24: error: a formula: there is no function down_columns of 2 arguments\n"
     "  global_load  = { is = \"down_columns(rows, cols)\", why = \"A row apart.\" }\n"
     "                         ^\n"
     "hint: it is down_columns(r, c, b)\n"},
    {"AnAccessForANumber",
     {{"\"4 * elements\"", "\"in_order(elements, 4)\""}},
     "lab.toml:27:24: error: an access is not a number\n"
     "  needed_bytes = { is = \"in_order(elements, 4)\", why = \"Each once.\" }\n"
     "                         ^\n"
     "hint: requests(...), sectors(...), lines(...), bytes(...) and blocks_of(...) are\n"},
    {"ANumberForAnAccess",
     {{"\"down_columns(rows, cols, 4)\"", "\"4 * rows\""}},
     "lab.toml:26:24: error: a number is not an access\n"
     "  global_load  = { is = \"4 * rows\", why = \"A row apart.\" }\n"
     "                         ^\n"
     "hint: such as in_order(n, 4), or { requests = ..., sectors = ..., bytes = ... }\n"},
    {"ARegionAndAnAccess",
     {{"\"down_columns(rows, cols, 4)\"", "\"in_order(rows, 4) + run(4)\""}},
     "lab.toml:26:42: error: a formula: an access and a region are not added\n"
     "  global_load  = { is = \"in_order(rows, 4) + run(4)\", why = \"A row apart.\" }\n"
     "                                           ^\n"},
    {"AMetricThatIsNotThere",
     {{"needed_bytes =", "needed_byte  ="}},
     "lab.toml:27:16: error: there is no metric 'needed_byte'\n"
     "  needed_byte  = { is = \"4 * elements\", why = \"Each once.\" }\n"
     "                 ^\n"
     "hint: did you mean 'needed_bytes'?\n"},
    {"AHeadlineThatIsNotThere",
     {{"sectors_per_request\"]", "sectors_per_requests\"]"}},
     "lab.toml:3:12: error: there is no metric 'global_load_sectors_per_requests'\n"
     "  headline = [\"global_load_sectors_per_requests\"]\n"
     "             ^\n"
     "hint: did you mean 'global_load_sectors_per_request'?\n"},
    {"APointOutOfRange",
     {{"rows=301 cols=97", "rows=301 cols=16385"}},
     "lab.toml:23:51: error: parameter 'cols': 16385 is out of range\n"
     "  points     = [\"rows=512 cols=128\", \"rows=301 cols=16385\"]\n"
     "                                                    ^\n"
     "hint: it goes from 1 to 16384\n"},
    {"APointThatIsNoValue",
     {{"rows=301 cols=97", "rows=301 pad=2"}},
     "lab.toml:23:50: error: parameter 'pad': 2 is out of range\n"
     "  points     = [\"rows=512 cols=128\", \"rows=301 pad=2\"]\n"
     "                                                   ^\n"
     "hint: it goes from 0 to 1\n"},
    {"AParameterOfAPoint",
     {{"rows=301 cols=97", "row=301 cols=97"}},
     "lab.toml:23:37: error: the variant takes no parameter 'row'\n"
     "  points     = [\"rows=512 cols=128\", \"row=301 cols=97\"]\n"
     "                                      ^\n"
     "hint: did you mean 'rows'?\n"},
    {"APointWithoutAValue",
     {{"rows=301 cols=97", "rows cols=97"}},
     "lab.toml:23:37: error: 'rows' is not name=values\n"
     "  points     = [\"rows=512 cols=128\", \"rows cols=97\"]\n"
     "                                      ^\n"},
    {"AFormulaOfAPoint",
     {{"rows=301 cols=97", "rows=floor(col/2) cols=97"}},
     "lab.toml:23:48: error: a formula: the variant takes no parameter 'col'\n"
     "  points     = [\"rows=512 cols=128\", \"rows=floor(col/2) cols=97\"]\n"
     "                                                 ^\n"
     "hint: did you mean 'cols'?\n"},
    {"AType",
     {{"float[rows]", "flaot[rows]"}},
     "lab.toml:20:24: error: there is no type 'flaot' here\n"
     "  outputs    = { sums = \"flaot[rows]\" }\n"
     "                         ^\n"
     "hint: did you mean 'float'?\n"},
    {"ABufferWithoutACount",
     {{"float[rows]", "float"}},
     "lab.toml:20:24: error: 'float' is not a buffer\n"
     "  outputs    = { sums = \"float\" }\n"
     "                         ^\n"
     "hint: write a type and a number of elements: float[rows * cols]\n"},
    {"AFill",
     {{"float[rows]", "float[rows] = randm"}},
     "lab.toml:20:38: error: a formula: unknown name 'randm'\n"
     "  outputs    = { sums = \"float[rows] = randm\" }\n"
     "                                       ^\n"
     "hint: there are: elements, warps_of, all_threads, all_warps, block_x, block_y, block_z, "
     "blocks, cols, fetch, grid_x, grid_y and 6 more\n"},
    {"ABufferWithAnOddName",
     {{"{ in = \"float[elements]\" }", "{ \"in put\" = \"float[elements]\" }"}},
     "lab.toml:19:27: error: 'in put' is not a name\n"
     "  inputs     = { \"in put\" = \"float[elements]\" }\n"
     "                            ^\n"
     "hint: letters, digits and _, with a letter first\n"},
    {"AnUncheckedBuffer",
     {{"points     =", "unchecked  = { sum = 0 }\npoints     ="}},
     "lab.toml:23:22: error: there is no buffer 'sum'\n"
     "  unchecked  = { sum = 0 }\n"
     "                       ^\n"
     "hint: did you mean 'sums'?\n"},
    {"ATolerance",
     {{"points     =", "check      = \"relativ 1e-4\"\npoints     ="}},
     "lab.toml:23:15: error: 'relativ 1e-4' is not a tolerance\n"
     "  check      = \"relativ 1e-4\"\n"
     "                ^\n"
     "hint: exact, relative 1e-5, or absolute 1e-6\n"},
    {"AnArgument",
     {{"arguments  = \"in, sums,", "arguments  = \"in, sum,"}},
     "lab.toml:21:19: error: a formula: unknown name 'sum'\n"
     "  arguments  = \"in, sum, rows, cols\"\n"
     "                    ^\n"
     "hint: did you mean 'sums'?\n"},
    {"AVariantWithAnOddName",
     {{"[variant.along]", "[variant.\"a long\"]"}},
     "lab.toml:29:1: error: 'a long' is not a name\n"
     "  [variant.\"a long\"]\n"
     "  ^\n"
     "hint: letters, digits and _, with a letter first\n"},
    {"AControlCharacter",
     {{"summary = \"one warp", "summary = \"one \\u001b[31mwarp"}},
     "lab.toml:31:11: error: a text with a character that is not shown as it is\n"
     "  summary = \"one \\u001b[31mwarp adds up one row\"\n"
     "            ^\n"
     "hint: one \\x1b[31mwarp adds up one row\n"},
    {"AnInvisibleKey",
     {{"like    = \"down\"", "\"li\\u202eke\" = \"down\""}},
     "lab.toml:30:1: error: a text with a character that is not shown as it is\n"
     "  \"li\\u202eke\" = \"down\"\n"
     "  ^\n"
     "hint: li\\u202eke\n"},
    {"ARangeThatEndsFirst",
     {{"range = [1, 16384], default = 512", "range = [16384, 1], default = 512"}},
     "lab.toml:6:31: error: 'rows' goes from 16384 to 1\n"
     "  rows = { is = \"rows\", range = [16384, 1], default = 512 }\n"
     "                                ^\n"
     "hint: from the least to the greatest, and not beyond 2^53\n"},
    {"ARangeOfOne",
     {{"range = [1, 16384], default = 512", "range = [1], default = 512"}},
     "lab.toml:6:31: error: 'rows' needs `range = [first, last]` or `values = [...]`\n"
     "  rows = { is = \"rows\", range = [1], default = 512 }\n"
     "                                ^\n"},
    {"ARangeBeyondWholeNumbers",
     {{"range = [1, 16384], default = 512", "range = [1, 1000000000000000000], default = 512"}},
     "lab.toml:6:31: error: 'rows' goes from 1 to 1000000000000000000\n"
     "  rows = { is = \"rows\", range = [1, 1000000000000000000], default = 512 }\n"
     "                                ^\n"
     "hint: from the least to the greatest, and not beyond 2^53\n"},
    {"ARangeOfFractions",
     {{"range = [1, 16384], default = 512", "range = [1, 1e300], default = 512"}},
     "lab.toml:6:35: error: 'range' is a list of whole numbers\n"
     "  rows = { is = \"rows\", range = [1, 1e300], default = 512 }\n"
     "                                    ^\n"},
    {"ValuesAndARange",
     {{"values = [0, 1]", "values = [0, 1], range = [0, 1]"}},
     "lab.toml:8:49: error: 'pad' needs `range = [first, last]` or `values = [...]`\n"
     "  pad  = { is = \"words\", values = [0, 1], range = [0, 1], default = 0 }\n"
     "                                                  ^\n"},
    {"ADefaultOutOfRange",
     {{"default = 512", "default = 0"}},
     "lab.toml:6:53: error: parameter 'rows': 0 is out of range\n"
     "  rows = { is = \"rows\", range = [1, 16384], default = 0 }\n"
     "                                                      ^\n"
     "hint: it goes from 1 to 16384\n"},
    {"AnUnknownKind",
     {{"pad  = {", "pad  = { kind = \"numbr\","}},
     "lab.toml:8:17: error: there is no kind 'numbr'\n"
     "  pad  = { kind = \"numbr\", is = \"words\", values = [0, 1], default = 0 }\n"
     "                  ^\n"
     "hint: number or addresses\n"},
    {"ACureThatNoTaskForbids",
     {{"[variant.down]\n",
       "[goal]\nvariant = \"down\"\nmetrics = [\"global_load_sectors\"]\nforbids = \"sorting\"\n"
       "\n[variant.down]\n"}},
     "lab.toml:17:11: error: a task cannot forbid 'sorting'\n"
     "  forbids = \"sorting\"\n"
     "            ^\n"
     "hint: it may forbid padding\n"},
    {"AHugeNumber",
     {{"default = 512", "default = 99999999999999999999"}},
     "lab.toml:6:73: error: not TOML: Error while parsing decimal integer: '99999999999999999999' "
     "is not representable in 64 bits\n"
     "  rows = { is = \"rows\", range = [1, 16384], default = 99999999999999999999 }\n"
     "                                                                          ^\n"},
    {"AFormulaForAText",
     {{"block      = 256", "block      = true"}},
     "lab.toml:18:14: error: 'block' is a formula: a number, or a text in quotes\n"
     "  block      = true\n"
     "               ^\n"},
    {"ManyPoints",
     {{"\"rows=301 cols=97\"", "\"rows=1..16384 cols=1..16384\""}},
     "lab.toml:23:37: error: more than 100000 points\n"
     "  points     = [\"rows=512 cols=128\", \"rows=1..16384 cols=1..16384\"]\n"
     "                                      ^\n"
     "hint: vary fewer parameters\n"},
    {"ManyValues",
     {{"default = 512 }\n",
       "default = 512 }\nx = { is = \"x\", range = [0, 1000000000], default = 0 }\n"},
      {"rows=301 cols=97", "x=0..1000000000"},
      {"cols\"\nref", "cols, x\"\nref"}},
     "lab.toml:24:39: error: parameter 'x': more than 100000 values\n"
     "  points     = [\"rows=512 cols=128\", \"x=0..1000000000\"]\n"
     "                                        ^\n"
     "hint: take a larger step\n"},
    {"ATableForAText",
     {{"title    = \"Sums\"", "title    = { is = \"Sums\" }"}},
     "lab.toml:1:12: error: 'title' is a text: write it in quotes\n"
     "  title    = { is = \"Sums\" }\n"
     "             ^\n"},
    {"ATemplateWithoutItsEnd",
     {{"\"down<pad>\"", "\"down<pad\""}},
     "lab.toml:16:15: error: '>' is expected at its end\n"
     "  kernel     = \"down<pad\"\n"
     "                ^\n"},
    {"FourExtents",
     {{"block      = 256", "block      = [256, 1, 1, 1]"}},
     "lab.toml:18:14: error: 'block' has 3 extents at most\n"
     "  block      = [256, 1, 1, 1]\n"
     "               ^\n"},
};

TEST(BrokenLab, TheGoodOneIsRead) { EXPECT_EQ(message_of(std::string(kGood)), "no error"); }

TEST(BrokenLab, EachIsToldWithItsPlace) {
  for (const Broken& one : kBroken) {
    EXPECT_EQ(message_of(changed(one.changes)), one.message) << one.name;
  }
}

// ---- what would take all memory, the whole stack or all time
// --------------------------------------

// `count` names, each defined by the next: d0 = "d1 + d1", d1 = "d2 + d2", ...
std::string chain(int count, std::string_view second) {
  std::string where;
  for (int i = 0; i < count; ++i) {
    const auto next = "d" + std::to_string(i + 1);
    where += "d" + std::to_string(i) + " = \"" + next + " + " +
             std::string(second.empty() ? next : second) + "\"\n";
  }
  return changed({{"elements = ", where + "d" + std::to_string(count) + " = \"rows\"\nelements = "},
                  {"4 * elements", "d0"}});
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(BrokenLab, FormulasThatDoubleAreRefused) {
  // 2^16 nodes and more, of which only 16 sums are stored; and 60 of them, as deep as names go.
  EXPECT_NE(message_of(chain(16, "")).find("it is too large once its names are put in"),
            std::string::npos);
  EXPECT_NE(message_of(chain(60, "")).find("is defined through more than 20 other names"),
            std::string::npos);
  EXPECT_EQ(message_of(chain(10, "")), "no error");
  EXPECT_EQ(message_of(chain(19, "1")), "no error");
}

TEST(BrokenLab, WhatIsTooLongOrTooDeepIsRefused) {
  const auto with = [](const std::string& formula) {
    return message_of(changed({{"4 * elements", formula}}));
  };
  EXPECT_NE(with(repeated("(", 100) + "4" + repeated(")", 100)).find("it is too deep"),
            std::string::npos);
  EXPECT_NE(with(repeated("rows + ", 1000) + "1").find("it is too large"), std::string::npos);
  EXPECT_NE(with(repeated("1", 20000)).find("it is too long"), std::string::npos);
  EXPECT_NE(
      message_of(std::string(kGood) + repeated("a.", 100000) + "a = 1\n").find("more than 64"),
      std::string::npos);
  EXPECT_NE(message_of(std::string(kGood) + "x = " + repeated("[", 100000)).find("nested value"),
            std::string::npos);
}

TEST(BrokenLab, ManyVariantsAreRefused) {
  std::string text(kGood);
  for (int i = 0; i < 2000; ++i) {
    text += "[variant.v" + std::to_string(i) + "]\nlike = \"down\"\n";
  }
  EXPECT_NE(message_of(text).find("the lab has more than 1000 variants"), std::string::npos);
}

// 1,000 variants of 300 points each would be too many together.
TEST(BrokenLab, ManyPointsTogetherAreRefused) {
  std::string text = changed({{"rows=301 cols=97", "rows=1..300 cols=97"}});
  for (int i = 0; i < 900; ++i) {
    text += "[variant.v" + std::to_string(i) + "]\nlike = \"down\"\n";
  }
  EXPECT_NE(message_of(text).find("the lab has more than 200000 points"), std::string::npos);
}

// A line that is a whole file is shown around its caret.
TEST(BrokenLab, LongLinesAreShownInPart) {
  const std::string message = message_of("x = [" + repeated("1, ", 100000) + ", ]");
  EXPECT_LT(message.size(), 800U);
}

// ---- what is wrong at a case alone
// ----------------------------------------------------------------

std::string message_at(const Changes& changes) {
  const Lab lab = read_lab("99_sums", "lab.toml", changed(changes));
  const Variant& variant = lab.variants.front();
  try {
    static_cast<void>(variant.launch(variant.points.front()));
    static_cast<void>(variant.args(variant.points.front()));
    if (variant.unchecked) static_cast<void>(variant.unchecked(variant.points.front()));
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    return one_line(error);
  }
  return "no error";
}

TEST(BrokenLab, ACaseIsToldWithItsPlace) {
  // At rows = 512: 512 / 1000 = 0.512, 512 - 1000 = -488, 512 * 4194304 = 2^31, and of 5,120,000
  // elements every one.
  EXPECT_EQ(message_at({}), "no error");
  EXPECT_EQ(message_at({{"ceil(rows / 256)", "ceil(rows / pad)"}}),
            "lab.toml:17: formula: its value is not defined here: ceil(rows / pad); it divides by "
            "zero, or takes % or gcd of a number that is not whole");
  EXPECT_EQ(message_at({{"ceil(rows / 256)", "rows / 1000"}}),
            "lab.toml:17: rows / 1000 is 0.512, which is not a whole number");
  EXPECT_EQ(message_at({{"ceil(rows / 256)", "floor(rows / 1000)"}}),
            "lab.toml:17: a launch of floor(rows / 1000) = 0; from 1 to 2147483647");
  EXPECT_EQ(message_at({{"float[rows]", "float[rows - 1000]"}}),
            "lab.toml:20: an array of -488 elements: rows - 1000");
  EXPECT_EQ(message_at({{"float[rows]", "float[rows * 4194304]"}}),
            "an array of 2147483648 elements is too large; the kernel's indices are 32 bits wide: "
            "2147483647 elements at most; take fewer, or a smaller stride");
  EXPECT_EQ(message_at({{"float[elements]", "type(3)[elements]"}}),
            "lab.toml:19: there is no type of 3 bytes; 1, 2, 4, 8 or 16");
  EXPECT_EQ(message_at({{"float[rows]", "float[rows * 10000]"},
                        {"points ", "unchecked = { sums = [0, 1] }\npoints "}}),
            "lab.toml:23: more than 1048576 elements are unchecked");
}

}  // namespace
}  // namespace lab::labs
