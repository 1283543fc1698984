// Databases that somebody edited: a sentence, never a crash or a value made up.
#include <gtest/gtest.h>

#include "db/json_text.h"
#include "db/store.h"
#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

struct Edited : testing::Test {
  void SetUp() override {
    RunRecord run = full_run();
    run.cases = {full_case(0)};
    Store open = Store::open(path, Mode::kCreate);
    store(open, run);
  }
  std::string loading(const std::string& edit) {
    raw_sql(path, edit);
    return error_of([&] { (void)Store::open(path, Mode::kReadOnly).load_run("last"); },
                    folder.path().string());
  }
  std::string unreadable(const std::string& what, const std::string& text) {
    return "error: the database holds " + what + " that cannot be read: " + text +
           "\nhint: it was edited; restore a copy\n";
  }
  TempFolder folder;
  std::string path = folder.file("x.db");
};

TEST_F(Edited, ParamsThatAreNoJson) {
  EXPECT_EQ(loading("UPDATE cases SET params = 'n=3'"), unreadable("parameters", "n=3"));
  EXPECT_EQ(loading("UPDATE cases SET params = '[1]'"), unreadable("parameters", "[1]"));
}

TEST_F(Edited, FactsThatAreNoTexts) {
  EXPECT_EQ(loading("UPDATE cases SET facts = '{\"a\": 1}'"), unreadable("facts", "{\"a\": 1}"));
}

TEST_F(Edited, SamplesThatAreNoNumbers) {
  EXPECT_EQ(loading("UPDATE timings SET samples_ns = '[\"x\"]'"), unreadable("samples", "[\"x\"]"));
}

TEST_F(Edited, AddressesThatAreTooFew) {
  EXPECT_EQ(loading("UPDATE accesses SET addresses = '[1, 2]'"), unreadable("addresses", "[1, 2]"));
}

TEST_F(Edited, TheSchemaRefusesWhatNoVersionWrites) {
  // Through SQL too: STRICT and CHECK hold for everybody.
  for (const char* sql : {
           "UPDATE cases SET status = 9",
           "UPDATE cases SET status = 'ok'",
           "UPDATE cases SET correct = 2",
           "UPDATE observations SET source = 6",
           "UPDATE observations SET value = NULL WHERE missing IS NULL",
           "UPDATE observations SET missing = 'x' WHERE value IS NOT NULL",
           "UPDATE observations SET value = 'many'",
           "UPDATE verdicts SET kind = 0",
           "UPDATE runs SET source_is_labs_own = 2",
           "INSERT INTO sources VALUES ('short', 'text')",
           "INSERT INTO runs(uuid, lab, started_at, status, source_sha256, source_is_labs_own)"
           " SELECT uuid, lab, started_at, status, source_sha256, 1 FROM runs",
       }) {
    EXPECT_THROW(raw_sql(path, sql), std::exception) << sql;
  }
}

TEST_F(Edited, ADroppedTableIsOurError) {
  EXPECT_EQ(loading("DROP TABLE accesses"),
            "error: DIR/x.db: it lacks the table 'accesses'\n"
            "hint: the database was edited; restore a copy\n");
}

TEST(JsonText, ReadsWhatItWrites) {
  const std::map<std::string, std::string> facts = {{"a", "\"\\\n"}, {"b", ""}, {"ü", "ü"}};
  EXPECT_EQ(facts_from(json_of(facts)), facts);
  EXPECT_EQ(json_of(std::map<std::string, std::string>{}), "{}");
  const std::vector<double> samples = {0.1, 1e-300, 1e300, 3.0};
  EXPECT_EQ(samples_from(json_of(samples)), samples);
  EXPECT_EQ(json_of(std::vector<double>{}), "[]");
  const Params params{{"n", std::int64_t{-9007199254740993}}, {"t", std::string("1")}};
  EXPECT_EQ(params_from(params.json()), params);  // 2^53 + 1 is exact, "1" stays a text
  EXPECT_EQ(params_from("{}"), Params{});
}

TEST(JsonText, BytesThatAreNoTextAreReplaced) {
  // Compilers quote what they are given; a Latin-1 file must not stop a run from being stored.
  EXPECT_EQ(json_of(std::map<std::string, std::string>{{"a", "caf\xe9"}}),
            "{\"a\":\"caf\xEF\xBF\xBD\"}");
}

TEST(Texts, TextsThatAreNoUtf8AreKept) {
  const TempFolder folder;
  RunRecord run = full_run();
  run.source_text = "// caf\xe9\n";
  run.cases = {stride_case(0, 1, 1)};
  run.cases[0].reason = "caf\xe9";
  Store open = Store::open(folder.file("x.db"), Mode::kCreate);
  store(open, run);
  EXPECT_EQ(open.load_run("last"), run);
}

TEST(ReadOnly, NothingIsWritten) {
  const TempFolder folder;
  const std::string path = folder.file("x.db");
  (void)Store::open(path, Mode::kCreate);
  Store open = Store::open(path, Mode::kReadOnly);
  RunRecord run = full_run();
  EXPECT_EQ(error_of([&] { open.begin_run(run); }, folder.path().string()),
            "error: DIR/x.db: cannot be written: the file is read-only\n"
            "hint: name a file that may be written with --db\n");
  EXPECT_EQ(raw_value(path, "SELECT count(*) FROM runs"), "0");
}

}  // namespace
}  // namespace lab::db
