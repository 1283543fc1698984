#include "db/views.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "db/query.h"
#include "metrics/catalogue.h"
#include "metrics/values.h"
#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

using Row = std::vector<Value>;
using Rows = std::vector<Row>;

const Value kNull = std::monostate{};

struct Views : testing::Test {
  void add(RunRecord run) {
    Store open = Store::open(path, Mode::kCreate);
    store(open, run);
  }
  RunRecord run_of(int lab, std::vector<CaseRecord> cases) {
    RunRecord run;
    run.lab = lab;
    run.status = RunStatus::kOk;
    run.cases = std::move(cases);
    return run;
  }
  // A case whose observations are `observations` and that nobody judged.
  CaseRecord observed(std::vector<Observation> observations) {
    CaseRecord record;
    record.variant = "v";
    record.observations = std::move(observations);
    metrics::note_measured(record);
    return record;
  }
  Rows rows(const std::string& sql) { return query(path, sql).table.rows; }
  std::vector<std::string> columns(const std::string& view) {
    return query(path, "SELECT * FROM " + view).table.columns;
  }
  std::string error(const std::string& sql) {
    return error_of([&] { (void)query(path, sql); }, folder.path().string());
  }
  TempFolder folder;
  std::string path = folder.file("x.db");
};

TEST_F(Views, CompareHasExactlyTheseColumns) {
  add(run_of(3, {}));
  EXPECT_EQ(
      columns("compare"),
      (std::vector<std::string>{
          "run",        "run_uuid", "started_at", "lab",      "student",         "variant",
          "params",     "gpu",      "arch",       "status",   "correct",         "metric",
          "cupti_name", "unit",     "class",      "level",    "theory",          "theory_high",
          "formula",    "target",   "excess",     "model",    "model_low",       "model_high",
          "cupti",      "sass",     "ncu",        "measured", "measured_source", "min",
          "max",        "samples",  "verdict",    "reason"}));
}

TEST_F(Views, CompareShowsAllOfARow) {
  RunRecord run = full_run();
  run.cases = {full_case(0)};
  add(run);
  const metrics::Metric& metric = metrics::at("shared_load_wavefronts");
  const Rows got = rows("SELECT * FROM compare WHERE metric = 'shared_load_wavefronts'");
  const std::string params = R"({"n":32,"type":"float \"x\" ü"})";
  const Row want = {std::int64_t{1},
                    run.uuid,
                    run.started_at,
                    std::int64_t{4},
                    std::string("Zoë"),
                    std::string("padded"),
                    params,
                    std::string("NVIDIA H200"),
                    std::string("sm_90"),
                    std::string("finding"),
                    std::int64_t{0},
                    std::string("shared_load_wavefronts"),
                    std::string(metric.measured == SourceOf::kSass ? metric.sass : metric.cupti),
                    std::string(metric.unit),
                    std::string(name_of(metric.metric_class)),
                    std::string("as compiled"),
                    1024.0,
                    2048.5,
                    std::string("warps * 32"),
                    512.0,
                    2.0625,
                    kNull,
                    kNull,
                    kNull,
                    kNull,
                    1056.0,
                    kNull,
                    1056.0,
                    std::string("sass"),
                    1050.5,
                    1061.25,
                    std::int64_t{5},
                    std::string("explained"),
                    std::string("arbitration")};
  ASSERT_EQ(got.size(), 1u);
  ASSERT_EQ(got[0].size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(got[0][i], want[i]) << "column " << i;
}

TEST_F(Views, CompareHasARowForEachMetricWithAVerdictOrAValue) {
  RunRecord run = full_run();
  run.cases = {full_case(0)};
  add(run);
  // shared_load_wavefronts: both; dram_read_bytes: a verdict and a missing value;
  // global_load_sectors: a model value that nobody judged.
  EXPECT_EQ(
      rows("SELECT metric, model, cupti, verdict FROM compare ORDER BY metric"),
      (Rows{{std::string("dram_read_bytes"), kNull, kNull, std::string("missing")},
            {std::string("global_load_sectors"), 9007199254740992.0, kNull, kNull},
            {std::string("shared_load_wavefronts"), kNull, kNull, std::string("explained")}}));
}

TEST_F(Views, MeasuredIsTheSourceThatTheCatalogueNamesThenTheOthers) {
  // global_load_requests is measured by sass, global_load_sectors by cupti.
  ASSERT_EQ(metrics::at("global_load_requests").measured, SourceOf::kSass);
  ASSERT_EQ(metrics::at("global_load_sectors").measured, SourceOf::kCupti);
  const auto all = [](const char* metric) {
    return std::vector<Observation>{{metric, SourceOf::kModel, 2.0},
                                    {metric, SourceOf::kCupti, 3.0},
                                    {metric, SourceOf::kSass, 4.0},
                                    {metric, SourceOf::kNcu, 5.0}};
  };
  const Missing none{NoValue::kNoPermission};
  std::vector<CaseRecord> cases;
  int index = 0;
  for (const char* metric : {"global_load_requests", "global_load_sectors"}) {
    for (int left_out = 0; left_out < 4; ++left_out) {
      // First all four; then without cupti, without sass, with ncu's alone.
      std::vector<Observation> values = all(metric);
      if (left_out == 1 || left_out == 3) values[1].value = none;
      if (left_out == 2 || left_out == 3) values[2].value = none;
      cases.push_back(observed(values));
      cases.back().index = index++;
    }
  }
  cases.push_back(observed({{"global_load_sectors", SourceOf::kModel, 2.0}}));
  cases.back().index = index;
  add(run_of(1, cases));
  const auto by = [](double value, const char* source) { return Row{value, std::string(source)}; };
  EXPECT_EQ(rows("SELECT measured, measured_source FROM compare"),
            (Rows{by(4, "sass"),
                  by(4, "sass"),
                  by(3, "cupti"),
                  by(5, "ncu"),  // for want of sass and cupti
                  by(3, "cupti"),
                  by(4, "sass"),
                  by(3, "cupti"),
                  by(5, "ncu"),
                  {kNull, kNull}}));  // the model measures nothing
}

TEST_F(Views, AnIntervalOfTheModelHasBothEnds) {
  Observation wide{"l2_read_sectors", SourceOf::kModel, 5.0, 4.0, 8.0};
  Observation point{"global_load_sectors", SourceOf::kModel, 5.0, 5.0, 5.0};
  add(run_of(1, {observed({wide, point})}));
  EXPECT_EQ(rows("SELECT model, model_low, model_high FROM compare ORDER BY metric"),
            (Rows{{5.0, kNull, kNull}, {5.0, 4.0, 8.0}}));
}

TEST_F(Views, RawCountersAreTheirOwnName) {
  add(run_of(0, {observed({{"lts__t_requests.sum", SourceOf::kCupti, 8.0}})}));
  EXPECT_EQ(
      rows("SELECT lab, metric, cupti_name, unit, class, measured, verdict FROM compare"),
      (Rows{{std::int64_t{0}, std::string("lts__t_requests.sum"),
             std::string("lts__t_requests.sum"), kNull, std::string("context"), 8.0, kNull}}));
}

TEST_F(Views, TheoryThatNobodyJudgedIsShown) {
  add(run_of(1, {observed({{"global_load_sectors", SourceOf::kTheory, 32.0}})}));
  EXPECT_EQ(rows("SELECT theory, model FROM compare"), (Rows{{32.0, kNull}}));
}

TEST_F(Views, NothingKnownIsNull) {
  add(run_of(1, {observed({{"global_load_sectors", SourceOf::kModel, 1.0}})}));
  EXPECT_EQ(rows("SELECT student, gpu, arch, correct, reason FROM compare"),
            (Rows{{kNull, kNull, kNull, kNull, kNull}}));
}

TEST_F(Views, EveryStatusAndVerdictHasItsName) {
  std::vector<CaseRecord> cases;
  for (int i = 1; i <= 7; ++i) {
    CaseRecord record = stride_case(i, i, 1);
    record.status = static_cast<CaseStatus>(i);
    record.verdicts[0].kind = static_cast<VerdictKind>(std::min(i, 5));
    cases.push_back(record);
  }
  add(run_of(3, cases));
  const Rows got = rows("SELECT status, verdict FROM compare ORDER BY params");
  ASSERT_EQ(got.size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) {
    const int number = static_cast<int>(i) + 1;
    EXPECT_EQ(got[i][0], Value(std::string(name_of(static_cast<CaseStatus>(number)))));
    EXPECT_EQ(got[i][1],
              Value(std::string(name_of(static_cast<VerdictKind>(std::min(number, 5))))));
  }
}

TEST_F(Views, LatestIsTheNewestCaseOfEachStudentLabVariantAndParams) {
  const auto run = [&](const char* student, const char* started, double wavefronts,
                       std::int64_t stride) {
    RunRecord made = run_of(3, {stride_case(0, stride, wavefronts)});
    made.student = student;
    made.started_at = started;
    add(made);
  };
  run("ann", "2026-01-02T00:00:00Z", 1, 8);  // 1
  run("ann", "2026-01-01T00:00:00Z", 1, 8);  // 2: older
  run("bob", "2026-01-01T00:00:00Z", 1, 8);  // 3
  run("ann", "2026-01-01T00:00:00Z", 1, 9);  // 4: another point
  run("", "2026-01-01T00:00:00Z", 1, 8);     // 5: no student is one too
  run("", "2026-01-01T00:00:00Z", 1, 8);     // 6: same second, later run
  EXPECT_EQ(rows("SELECT run FROM latest ORDER BY run"),
            (Rows{{std::int64_t{1}}, {std::int64_t{3}}, {std::int64_t{4}}, {std::int64_t{6}}}));
  EXPECT_EQ(columns("latest"),
            (std::vector<std::string>{"run", "run_uuid", "started_at", "lab", "student", "variant",
                                      "params", "gpu", "arch", "backend", "kernel", "status",
                                      "correct", "outcome", "standing", "reason"}));
  // The way to the newest values, as db/README.md shows it.
  EXPECT_EQ(rows("SELECT count(*) FROM latest JOIN compare USING (run, variant, params)"),
            (Rows{{std::int64_t{4}}}));
}

TEST_F(Views, LabViewHasParamsAndMetricsAsColumns) {
  RunRecord run = run_of(3, {stride_case(0, 1, 1), stride_case(1, 8, 8)});
  run.cases[1].timing = Timing{1500, 1400, 1600, {1500}, "cuda events"};
  add(run);
  add(run_of(4, {full_case(0)}));
  EXPECT_EQ(rows("SELECT variant, stride, shared_load_wavefronts, time_ns, dram_read_bytes"
                 " FROM lab3 ORDER BY stride"),
            (Rows{{std::string("stride"), std::int64_t{1}, 1.0, kNull, kNull},
                  {std::string("stride"), std::int64_t{8}, 8.0, 1500.0, kNull}}));
  const std::vector<std::string> names = columns("lab3");
  const std::vector<std::string> begin(names.begin(), names.begin() + 18);
  EXPECT_EQ(begin, (std::vector<std::string>{"run", "run_uuid", "started_at", "student", "backend",
                                             "variant", "params", "stride", "gpu", "arch", "status",
                                             "correct", "outcome", "standing", "time_ns",
                                             "expected_us", "expected_on", "sets"}));
  EXPECT_EQ(names.size(), 18 + metrics::catalogue().size());
  EXPECT_EQ(rows("SELECT n, \"type\" FROM lab4"),
            (Rows{{std::int64_t{32}, std::string("float \"x\" ü")}}));
}

TEST_F(Views, LabViewPrefersTheMeasurement) {
  add(run_of(1, {observed({{"global_load_sectors", SourceOf::kTheory, 1.0},
                           {"global_load_sectors", SourceOf::kModel, 2.0},
                           {"global_load_sectors", SourceOf::kNcu, 5.0},
                           {"global_load_requests", SourceOf::kModel, 7.0},
                           {"global_load_requests", SourceOf::kCupti, 8.0},
                           {"global_load_requests", SourceOf::kSass, 9.0},
                           {"shared_load_requests", SourceOf::kTheory, 3.0}})}));
  EXPECT_EQ(
      rows("SELECT global_load_sectors, global_load_requests, shared_load_requests FROM lab1"),
      (Rows{{5.0, 9.0, kNull}}));  // ncu's 5 is a measurement; theory is none
}

TEST_F(Views, LabViewLearnsNewParams) {
  add(run_of(3, {stride_case(0, 1, 1)}));
  EXPECT_EQ(error("SELECT width FROM lab3").substr(0, 38),
            "query:1:8: error: no such column: widt");
  CaseRecord wide = stride_case(0, 2, 1);
  wide.params.set("width", std::int64_t{8});
  add(run_of(3, {wide}));
  EXPECT_EQ(rows("SELECT stride, width FROM lab3 ORDER BY stride"),
            (Rows{{std::int64_t{1}, kNull}, {std::int64_t{2}, std::int64_t{8}}}));
}

TEST_F(Views, ParamsNeverHideOtherColumns) {
  CaseRecord odd = observed({});
  odd.params = Params{{"variant", std::int64_t{1}}, {"N", std::int64_t{2}},
                      {"n", std::int64_t{3}},       {"global_load_sectors", std::int64_t{4}},
                      {"a'b c", std::int64_t{5}},   {"param_n", std::int64_t{6}}};
  add(run_of(1, {odd}));
  EXPECT_EQ(rows("SELECT variant, param_variant, N, param_n, param_global_load_sectors,"
                 " param_param_n, \"a'b c\" FROM lab1"),
            (Rows{{std::string("v"), std::int64_t{1}, std::int64_t{2}, std::int64_t{3},
                   std::int64_t{4}, std::int64_t{6}, std::int64_t{5}}}));
}

TEST_F(Views, LabsWithoutRunsHaveTheirView) {
  (void)Store::open(path, Mode::kCreate, {{7, {"n", "m"}}, {8, {}}});
  EXPECT_EQ(rows("SELECT n, m FROM lab7"), Rows{});
  EXPECT_EQ(rows("SELECT * FROM lab8"), Rows{});
  EXPECT_EQ(error("SELECT * FROM lab9").substr(0, 27), "error: no such table: lab9\n");
}

TEST_F(Views, MetricsTableFollowsTheCatalogue) {
  add(run_of(1, {}));
  EXPECT_EQ(rows("SELECT count(*) FROM metrics"),
            (Rows{{static_cast<std::int64_t>(metrics::catalogue().size())}}));
  const std::string before =
      raw_value(path, "SELECT unit FROM metrics WHERE key = 'dram_read_bytes'");
  raw_sql(path,
          "UPDATE metrics SET unit = 'old'; INSERT INTO metrics VALUES"
          " ('gone', 99, 'u', 'exact', NULL, 3, NULL)");
  add(run_of(1, {}));
  EXPECT_EQ(raw_value(path, "SELECT unit FROM metrics WHERE key = 'dram_read_bytes'"), before);
  EXPECT_EQ(raw_value(path, "SELECT count(*) FROM metrics WHERE key = 'gone'"), "1");
}

TEST_F(Views, ViewsOfAnotherVersionAreReplaced) {
  add(run_of(3, {stride_case(0, 1, 1)}));
  raw_sql(path, "DROP VIEW compare; CREATE VIEW compare AS SELECT 1 AS old; DROP VIEW lab3");
  (void)Store::open(path, Mode::kExisting);
  EXPECT_EQ(columns("compare").size(), 34u);
  EXPECT_EQ(rows("SELECT count(*) FROM lab3"), (Rows{{std::int64_t{1}}}));
}

TEST_F(Views, OpeningAgainWritesNothing) {
  add(run_of(3, {stride_case(0, 1, 1)}));
  const std::string before = raw_value(path, "PRAGMA schema_version");
  const auto when = std::filesystem::last_write_time(path);
  (void)Store::open(path, Mode::kExisting, {{3, {"stride"}}});
  EXPECT_EQ(raw_value(path, "PRAGMA schema_version"), before);
  EXPECT_EQ(std::filesystem::last_write_time(path), when);
}

}  // namespace
}  // namespace lab::db
