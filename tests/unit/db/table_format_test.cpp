#include "db/table_format.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

const Table kSample{{"variant", "n", "value"},
                    {{std::string("stride"), std::int64_t{1}, 0.5},
                     {std::string("padded"), std::int64_t{1024}, std::monostate{}}}};

TEST(TableFormat, TableAlignsNumbersRightAndShowsNullAsDash) {
  EXPECT_EQ(as_table(kSample),
            "variant     n  value\n"
            "-------  ----  -----\n"
            "stride      1    0.5\n"
            "padded   1024      -\n");
}

TEST(TableFormat, MixedColumnsAlignLeft) {
  EXPECT_EQ(as_table({{"a", "b"}, {{std::int64_t{1}, std::int64_t{1}}, {std::string("xyz"), 2.0}}}),
            "a    b\n"
            "---  -\n"
            "1    1\n"
            "xyz  2\n");
}

TEST(TableFormat, WidthIsOfCharactersNotBytes) {
  // "Zoë" is 4 bytes and 3 characters.
  EXPECT_EQ(as_table({{"who", "n"}, {{std::string("Zoë"), std::int64_t{1}}}}),
            "who  n\n---  -\nZoë  1\n");
}

TEST(TableFormat, ControlCharactersAreShownNotSent) {
  EXPECT_EQ(as_table({{"t"}, {{std::string("a\nb\tc\x1b[2J")}}}),
            "t\n--------------\na\\nb\\tc\\x1b[2J\n");
}

TEST(TableFormat, NoRowsStillNamesTheColumns) {
  const Table empty{{"a", "b"}, {}};
  EXPECT_EQ(as_table(empty), "a  b\n-  -\n");
  EXPECT_EQ(as_csv(empty), "a,b\n");
  EXPECT_EQ(as_json(empty), "[]\n");
}

TEST(TableFormat, CsvQuotesAsRfc4180) {
  const Table table{
      {"plain", "a,b"},
      {{std::string("say \"hi\""), std::string("two\nlines")}, {std::string(), std::monostate{}}}};
  EXPECT_EQ(as_csv(table),
            "plain,\"a,b\"\n"
            "\"say \"\"hi\"\"\",\"two\nlines\"\n"
            "\"\",\n");
}

TEST(TableFormat, CsvGuardsTextsThatSpreadsheetsWouldRun) {
  const Table table{{"t", "n"},
                    {{std::string("=1+1"), std::int64_t{-5}},
                     {std::string("-dlcm=cg"), -0.5},
                     {std::string("@x,y"), std::int64_t{0}},
                     {std::string("a=b"), std::int64_t{0}}}};
  EXPECT_EQ(as_csv(table), "t,n\n'=1+1,-5\n'-dlcm=cg,-0.5\n\"'@x,y\",0\na=b,0\n");
  EXPECT_EQ(as_csv(table, {false}), "t,n\n=1+1,-5\n-dlcm=cg,-0.5\n\"@x,y\",0\na=b,0\n");
}

TEST(TableFormat, NumbersReadBackExactly) {
  // 0.1 + 0.2 needs 17 digits; 2^53 is the last count that a REAL holds exactly; 2^63 - 1 is an
  // INTEGER. 1e300 is not a count.
  const Table table{{"x"},
                    {{0.1 + 0.2},
                     {9007199254740992.0},
                     {std::int64_t{9223372036854775807}},
                     {1e300},
                     {-0.0},
                     {std::numeric_limits<double>::infinity()}}};
  EXPECT_EQ(as_csv(table),
            "x\n0.30000000000000004\n9007199254740992\n9223372036854775807\n1e+300\n"
            "0\n1e999\n");
}

TEST(TableFormat, JsonIsOneObjectARow) {
  const Table table{{"a", "b", "a"},
                    {{std::monostate{}, std::string("q\"\n"), 1.5},
                     {Blob{std::string("\x00\xff", 2)}, std::int64_t{-3}, std::monostate{}}}};
  EXPECT_EQ(as_json(table),
            "[\n"
            "{\"a\": null, \"b\": \"q\\\"\\n\", \"a_2\": 1.5},\n"
            "{\"a\": \"00ff\", \"b\": -3, \"a_2\": null}\n"
            "]\n");
}

TEST(TableFormat, BlobsAreHex) {
  const Table table{{"b"}, {{Blob{std::string("\x00\xff", 2)}}}};
  EXPECT_EQ(as_table(table), "b\n-------\nx'00ff'\n");
  EXPECT_EQ(as_csv(table), "b\n00ff\n");
}

TEST(TableFormat, FormatsByName) {
  EXPECT_EQ(as_text(kSample, format_from("csv")), as_csv(kSample));
  EXPECT_EQ(as_text(kSample, format_from("json")), as_json(kSample));
  EXPECT_EQ(as_text(kSample, format_from("table")), as_table(kSample));
  EXPECT_EQ(error_of([] { (void)format_from("jsn"); }),
            "error: unknown format 'jsn'\nhint: did you mean 'json'?\n");
}

// U+009B begins a control sequence as ESC [ does; U+202E turns the rest of the line around.
TEST(AsTable, MarksThatActOnATerminalAreShown) {
  const Table table{{"a\u202Eb"}, {{std::string("x\u009B31my")}}};
  EXPECT_EQ(as_table(table), "a\\u202eb\n-----------\nx\\u009b31my\n");
}

// A terminal shows a file, a spreadsheet a cell.
TEST(AsCsv, MarksThatActOnATerminalAreShown) {
  const Table table{{"a\u202Eb"}, {{std::string("x\u009B31m\x1b[2J,\r\ny\u2066")}}};
  EXPECT_EQ(as_csv(table), "a\\u202eb\n\"x\\u009b31m\\x1b[2J,\r\ny\\u2066\"\n");
  // Who asks for the very text gets it.
  EXPECT_EQ(as_csv({{"a"}, {{std::string("\x1b")}}}, {false}), "a\n\x1b\n");
}

TEST(AsJson, MarksThatActOnATerminalAreEscapes) {
  const Table table{{"a\u202Eb"}, {{std::string("x\u009B31m\x1b")}}};
  EXPECT_EQ(as_json(table), R"([
{"a\u202eb": "x\u009b31m\u001b"}
]
)");
}

// Of two students, `=x` and `'=x`, each has a name of its own.
TEST(AsCsv, GuardsKeepTextsApart) {
  const Table table{{"t"}, {{std::string("=x")}, {std::string("'=x")}, {std::string("'x")}}};
  EXPECT_EQ(as_csv(table), "t\n'=x\n''=x\n'x\n");
}

TEST(AsCsv, NamesOfColumnsAreGuardedToo) {
  const Table table{{"=cmd", "-1", "plain"}, {}};
  EXPECT_EQ(as_csv(table), "'=cmd,'-1,plain\n");
  FormatOptions raw;
  raw.guard = false;
  EXPECT_EQ(as_csv(table, raw), "=cmd,-1,plain\n");
}

}  // namespace
}  // namespace lab::db
