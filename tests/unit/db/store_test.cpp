#include "db/store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "db/query.h"
#include "db/seal.h"
#include "harness/core/record_fields.h"
#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

TEST(Store, RoundTripIsEqual) {
  const TempFolder folder;
  RunRecord run = full_run();
  run.cases = {full_case(0), stride_case(1, 2, 2), full_case(2)};
  Store created = Store::open(folder.file("x.db"), Mode::kCreate);
  store(created, run);
  EXPECT_EQ(run.id, 1);
  const RunRecord loaded = created.load_run("last");
  EXPECT_EQ(loaded.uuid, run.uuid);
  ASSERT_EQ(loaded.cases.size(), 3u);
  EXPECT_EQ(loaded.cases[0].findings, run.cases[0].findings);
  EXPECT_EQ(loaded.cases[0].observations, run.cases[0].observations);
  EXPECT_EQ(loaded.cases[0].verdicts, run.cases[0].verdicts);
  EXPECT_EQ(loaded.cases[0].timing, run.cases[0].timing);
  EXPECT_EQ(loaded.cases[0].accesses, run.cases[0].accesses);
  EXPECT_EQ(loaded.cases[0].lines, run.cases[0].lines);
  EXPECT_EQ(loaded, run);
  // The same from another connection, read-only.
  EXPECT_EQ(Store::open(folder.file("x.db"), Mode::kReadOnly).load_run("1"), run);
}

// A number of its own for every member, so that two columns that changed places would differ.
template <Described Record>
void fill(Record& record, double& next) {
  visit_fields(record, [&](const auto& /*field*/, auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (Described<Member>) {
      fill(member, next);
    } else if constexpr (std::is_same_v<Member, bool>) {
      member = true;
    } else if constexpr (std::is_arithmetic_v<Member>) {
      member = static_cast<Member>(++next);
    }
  });
}

// Of such a case the table keeps variant, parameters, theory's bytes and the expected time.
TEST(Store, TimesAtTheSizesOfAGpuComeBack) {
  const TempFolder folder;
  Store open = Store::open(folder.file("x.db"), Mode::kCreate);
  RunRecord run = full_run();
  run.cases = {full_case(0)};
  store(open, run);
  CaseRecord timed;
  timed.variant = "padded";
  timed.params.set("rows", std::int64_t{4096});
  timed.observations = {{"needed_bytes", SourceOf::kTheory, 134217728.0}};
  timed.expected = {37600.5, TimeTerm::kDram, "DRAM gives 3,571 GB/s", "NVIDIA H200", "data sheet",
                    true,    0.125,           TimeFlaw::kPieces};
  CaseRecord untimed;
  untimed.index = 1;
  untimed.variant = "naive";
  untimed.expected.emplace().reason = "no machine code";
  run.at_gpu_size = {timed, untimed};
  open.keep_at_gpu_size(run);
  EXPECT_EQ(open.load_run("last").at_gpu_size, run.at_gpu_size);
  // The seal is made anew.
  EXPECT_EQ(check_seal(open.connection().database(), run.id, "").problems,
            std::vector<std::string>());
  Store other = Store::open(folder.file("y.db"), Mode::kCreate);
  other.import_run(open.load_run("last"), "2026-11-26T00:00:00Z");
  EXPECT_EQ(other.load_run("last").at_gpu_size, run.at_gpu_size);
}

TEST(Store, FactsOfAKernelAndItsExpectedTimeComeBack) {
  const TempFolder folder;
  Store open = Store::open(folder.file("x.db"), Mode::kCreate);
  RunRecord run = full_run();
  run.cases = {full_case(0), full_case(1), full_case(2)};
  double next = 0;
  fill(run.cases[0].kernel_facts.emplace(), next);
  EXPECT_GT(next, 37);  // members of the record
  run.cases[0].expected = {264000.5,      TimeTerm::kL2Stores, "a store touches 32 lines",
                           "NVIDIA H200", "data sheet",        true,
                           0.125,         TimeFlaw::kReload};
  run.cases[0].verdicts.at(0).longer = TimeGap::kAtomics;
  run.cases[0].verdicts.at(0).longer_because = "L2 does the atomics one by one";
  run.cases[1].kernel_facts.emplace().absent = "no machine code";
  run.cases[1].expected.emplace().reason = "no machine code";
  store(open, run);
  EXPECT_EQ(open.load_run("last").cases, run.cases);
  const auto rows =
      query(folder.file("x.db"), "SELECT expected_us, sets, expected_on FROM lab4").table.rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0], (std::vector<Value>{264.0005, "L2 stores", "NVIDIA H200"}));
  EXPECT_EQ(rows[2], std::vector<Value>(3));
}

TEST(Store, EmptyRecordsRoundTrip) {
  const TempFolder folder;
  RunRecord run;
  run.status = RunStatus::kOk;
  run.cases = {CaseRecord{}};  // a library variant has no kernel and no launch
  Store created = Store::open(folder.file("x.db"), Mode::kCreate);
  store(created, run);
  EXPECT_EQ(run.uuid.size(), 36u);
  EXPECT_EQ(run.started_at.size(), 20u);  // 2026-11-21T03:54:15Z
  EXPECT_EQ(created.load_run("last"), run);
  EXPECT_EQ(raw_value(folder.file("x.db"),
                      "SELECT (kernel IS NULL) + (grid_x IS NULL) + (block_z IS NULL) FROM cases"),
            "3");
}

TEST(Store, CasesComeInPlanOrderHoweverTheyFinished) {
  const TempFolder folder;
  RunRecord run = full_run();
  Store created = Store::open(folder.file("x.db"), Mode::kCreate);
  created.begin_run(run);
  for (const int index : {2, 0, 1}) created.add_case(run.id, stride_case(index, index + 1, 1));
  const RunRecord loaded = created.load_run("last");
  ASSERT_EQ(loaded.cases.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(loaded.cases[static_cast<std::size_t>(i)].index, i);
  EXPECT_EQ(loaded.status, RunStatus::kRunning);
}

TEST(Store, NotANumberIsMissingNotZero) {
  const TempFolder folder;
  RunRecord run = full_run();
  CaseRecord record = stride_case(0, 1, 1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  record.observations[1].value = nan;
  record.verdicts[0].theory = nan;
  run.cases = {record};
  Store created = Store::open(folder.file("x.db"), Mode::kCreate);
  store(created, run);
  const CaseRecord loaded = created.load_run("last").cases.at(0);
  EXPECT_EQ(std::get<Missing>(loaded.observations[1].value).reason, NoValue::kNotANumber);
  EXPECT_FALSE(loaded.verdicts[0].theory.has_value());
}

TEST(Store, InfinityIsKept) {
  const TempFolder folder;
  RunRecord run = full_run();
  run.cases = {stride_case(0, 1, std::numeric_limits<double>::infinity())};
  Store created = Store::open(folder.file("x.db"), Mode::kCreate);
  store(created, run);
  EXPECT_TRUE(std::isinf(created.load_run("last").cases.at(0).observations[1].number()));
}

TEST(Store, TextsOfKernelsAreStoredOnce) {
  const TempFolder folder;
  Store created = Store::open(folder.file("x.db"), Mode::kCreate);
  for (int i = 0; i < 3; ++i) {
    RunRecord run;
    run.source_text = "abc";
    created.begin_run(run);
  }
  // SHA-256 of "abc", from FIPS 180-4's examples.
  EXPECT_EQ(raw_value(folder.file("x.db"), "SELECT group_concat(sha256) FROM sources"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Store, ACaseThatFailsLeavesNothing) {
  const TempFolder folder;
  RunRecord run = full_run();
  Store created = Store::open(folder.file("x.db"), Mode::kCreate);
  created.begin_run(run);
  CaseRecord twice = stride_case(0, 1, 1);
  twice.observations.push_back(twice.observations[0]);  // one metric, one source, two values
  EXPECT_EQ(status_of([&] { created.add_case(run.id, twice); }), 4);
  EXPECT_TRUE(created.load_run("last").cases.empty());
  created.add_case(run.id, stride_case(0, 1, 1));
  EXPECT_EQ(
      status_of([&] {
        created.add_case(run.id, stride_case(0, 2, 1));
        (void)created.connection();  // it came within a tenth of a second, and waits till then
      }),
      4);
  EXPECT_EQ(created.load_run("last").cases, std::vector<CaseRecord>{stride_case(0, 1, 1)});
}

TEST(Store, ReplaceCaseKeepsTheOthers) {
  const TempFolder folder;
  RunRecord run = full_run();
  run.cases = {stride_case(0, 1, 1), full_case(1)};
  Store created = Store::open(folder.file("x.db"), Mode::kCreate);
  store(created, run);
  run.cases[1] = stride_case(1, 7, 3);
  created.replace_case(run.id, run.cases[1]);
  EXPECT_EQ(created.load_run("last"), run);
  EXPECT_EQ(raw_value(folder.file("x.db"), "SELECT count(*) FROM findings"), "0");
}

TEST(Store, UpdateRunAddsWhatBecameKnown) {
  const TempFolder folder;
  RunRecord run = full_run();
  run.gpu.clear();
  run.environment.clear();
  Store created = Store::open(folder.file("x.db"), Mode::kCreate);
  created.begin_run(run);
  run.gpu = "NVIDIA H200";
  run.arch = "sm_90";
  run.environment = {{"driver", "580.159"}};
  created.update_run(run);
  created.finish_run(run.id, RunStatus::kInterrupted, "2026-11-21T04:00:00Z");
  run.status = RunStatus::kInterrupted;
  EXPECT_EQ(created.load_run("last"), run);
  EXPECT_EQ(created.list_runs().at(0).finished_at, "2026-11-21T04:00:00Z");
}

TEST(Store, DeleteRunTakesAllOfItAndItsText) {
  const TempFolder folder;
  const std::string path = folder.file("x.db");
  Store created = Store::open(path, Mode::kCreate);
  RunRecord first = full_run();
  first.cases = {full_case(0)};
  store(created, first);
  RunRecord second = full_run();
  second.uuid = "aaaaaaaa-0b0a-4908-8706-050403020100";
  second.source_text = "other";
  store(created, second);
  created.delete_run(first.id);
  for (const char* table : {"cases", "observations", "verdicts", "findings", "timings",
                            "line_observations", "accesses"}) {
    EXPECT_EQ(raw_value(path, std::string("SELECT count(*) FROM ") + table), "0") << table;
  }
  EXPECT_EQ(raw_value(path, "SELECT group_concat(text) FROM sources"), "other");
  // An id is never given twice: notes of a deleted run must not point at another.
  RunRecord third = full_run();
  EXPECT_EQ(created.begin_run(third), 3);
}

struct Selecting : testing::Test {
  void SetUp() override {
    // By start: 2, 3, 1.
    add("12ab0000-0000-4000-8000-000000000000", "2026-01-03T00:00:00Z");
    add("12cd0000-0000-4000-8000-000000000000", "2026-01-01T00:00:00Z");
    add("77770000-0000-4000-8000-000000000000", "2026-01-02T00:00:00Z");
  }
  void add(const char* uuid, const char* started) {
    RunRecord run;
    run.uuid = uuid;
    run.started_at = started;
    created.begin_run(run);
  }
  TempFolder folder;
  Store created = Store::open(folder.file("x.db"), Mode::kCreate);
};

TEST_F(Selecting, ByIdPrefixAndLast) {
  EXPECT_EQ(created.find_run("last"), 1);  // the newest start, not the highest id
  EXPECT_EQ(created.find_run("2"), 2);
  EXPECT_EQ(created.find_run("12cd"), 2);
  EXPECT_EQ(created.find_run("12CD0000-0000-4000-8000-000000000000"), 2);
  EXPECT_EQ(created.find_run("7"), 3);  // no run 7, but a uuid that begins so
}

TEST_F(Selecting, ErrorsNameWhatThereIs) {
  EXPECT_EQ(error_of([&] { (void)created.find_run("12"); }, folder.path().string()),
            "error: DIR/x.db: 2 runs begin with '12'\n"
            "hint: give more of the uuid, or the id; lab runs lists them\n");
  for (const char* none : {"99", "ff", "", "%", "' OR 1"}) {
    EXPECT_EQ(error_of([&] { (void)created.find_run(none); }, folder.path().string()),
              std::string("error: DIR/x.db: no run '") + none +
                  "'\nhint: a run is an id, the beginning of a uuid, or last; lab runs lists "
                  "them\n");
  }
  Store empty = Store::open(folder.file("empty.db"), Mode::kCreate);
  EXPECT_EQ(error_of([&] { (void)empty.load_run("last"); }, folder.path().string()),
            "error: DIR/empty.db: no runs yet\nhint: lab run 3 makes one\n");
}

TEST_F(Selecting, ListIsNewestFirst) {
  const auto runs = created.list_runs();
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].run.id, 1);
  EXPECT_EQ(runs[1].run.id, 3);
  EXPECT_EQ(runs[2].run.id, 2);
  EXPECT_EQ(created.list_runs(1).size(), 1u);
  EXPECT_EQ(runs[0].finished_at, "");
}

TEST(Store, ListCountsWhatWentWrong) {
  const TempFolder folder;
  RunRecord run = full_run();
  run.cases = {stride_case(0, 1, 1), full_case(1), stride_case(2, 1, 1), stride_case(3, 1, 1)};
  run.cases[2].status = CaseStatus::kSkipped;
  run.cases[3].verdicts[0].kind = VerdictKind::kDisagrees;
  Store created = Store::open(folder.file("x.db"), Mode::kCreate);
  store(created, run);
  const RunSummary summary = created.list_runs().at(0);
  EXPECT_EQ(summary.cases, 4);
  EXPECT_EQ(summary.not_ok, 1);  // the finding of full_case; skipped is not a failure
  EXPECT_EQ(summary.disagrees, 1);
  EXPECT_EQ(summary.run.student, "Zoë");
}

// Each text is kept once, in the order of the files, and goes with the last run that has it.
TEST(Store, IncludedFilesComeBackAndGoWithTheirRun) {
  const TempFolder folder;
  const std::string path = folder.file("x.db");
  Store open = Store::open(path, Mode::kCreate);
  RunRecord run = full_run();
  run.compile_options = "-DN=3 -Iinclude";
  run.included = {{"b.h", "#pragma once\n"}, {"a.h", "#pragma once\n"}, {"c.h", "int c;\n"}};
  const std::int64_t id = open.begin_run(run);
  const RunRecord loaded = open.load_run(std::to_string(id));
  EXPECT_EQ(loaded.included, run.included);
  EXPECT_EQ(loaded.compile_options, run.compile_options);
  // The kernel's own text and two others.
  EXPECT_EQ(raw_value(path, "SELECT count(*) FROM sources"), "3");
  open.delete_run(id);
  EXPECT_EQ(raw_value(path, "SELECT count(*) FROM sources"), "0");
  EXPECT_EQ(raw_value(path, "SELECT count(*) FROM included_sources"), "0");
}

}  // namespace
}  // namespace lab::db
