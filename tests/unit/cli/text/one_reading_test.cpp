// One stored run, read by everybody: terminal, report, JSON, SQL, progress and watch say the same
// of each case.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "db/query.h"
#include "db/study.h"
#include "tests/unit/cli/sample_run.h"
#include "tests/unit/db/support.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/explain_text.h"
#include "tools/cli/text/run_text.h"
#include "tools/cli/text/standing_text.h"
#include "tools/report/report.h"

namespace lab::cli {
namespace {

using Json = nlohmann::json;
const Terminal kPlain{};

/// A case made so that its outcome is known, and the words for it.
struct Known {
  CaseRecord record;
  std::string outcome;
  std::string shown;          // in tables: the outcome with its figure
  std::string standing = {};  // empty: none
};

Verdict verdict_on(const std::string& metric, VerdictKind kind) {
  Verdict verdict;
  verdict.metric = metric;
  verdict.kind = kind;
  verdict.reason = "made by a test";
  return verdict;
}

Verdict against(const std::string& metric, double target, double excess) {
  Verdict verdict = verdict_on(metric, VerdictKind::kContext);
  verdict.target = target;
  verdict.excess = excess;
  return verdict;
}

Known of_lab(std::vector<Verdict> verdicts, const std::string& outcome) {
  Known known{{}, outcome, outcome};
  known.record.verdicts = std::move(verdicts);
  return known;
}

Known of_student(std::vector<Verdict> verdicts, const std::string& outcome,
                 const std::string& standing, const std::string& shown = {}) {
  Known known = of_lab(std::move(verdicts), outcome);
  known.standing = standing;
  if (!shown.empty()) known.shown = shown;
  return known;
}

Known failed(CaseStatus status) {
  Known known = of_lab({}, std::string(name_of(status)));
  known.record.status = status;
  known.record.reason = "made by a test";
  if (status != CaseStatus::kSkipped) known.standing = "failed";
  return known;
}

std::vector<Known> labs_own() {
  const Verdict agrees = verdict_on("shared_load_ways", VerdictKind::kAgrees);
  const Verdict explained = verdict_on("l2_read_sectors", VerdictKind::kExplained);
  const Verdict disagrees = verdict_on("dram_read_bytes", VerdictKind::kDisagrees);
  Known found = of_lab({agrees}, "expected finding");
  found.record.findings.emplace_back();
  return {of_lab({}, "no comparison"),
          of_lab({agrees}, "agrees"),
          of_lab({agrees, explained}, "explained"),
          of_lab({explained, disagrees}, "disagrees"),
          found,
          failed(CaseStatus::kWrong),
          failed(CaseStatus::kTimeout),
          failed(CaseStatus::kSkipped),
          failed(CaseStatus::kRefused)};
}

std::vector<Known> students() {
  // 4 sectors of a target of 16 are read, and 8 have to be: nothing is above its target.
  const std::vector<Verdict> idle = {against("global_load_sectors", 16, 0.25),
                                     against("l2_read_sectors", 8, 0.5)};
  return {of_student({against("shared_load_ways", 1, 1)}, "on target", "on target"),
          of_student({against("shared_load_ways", 1, 2), against("instructions", 9, 32)},
                     "above target", "above target", "32 x target"),
          of_student(idle, "too little", "too little"),
          // That our prediction fails is not the student's.
          of_student({against("shared_load_ways", 1, 1),
                      verdict_on("dram_read_bytes", VerdictKind::kDisagrees)},
                     "disagrees", "on target"),
          failed(CaseStatus::kWrong), failed(CaseStatus::kFinding), failed(CaseStatus::kSkipped)};
}

struct KnownRun {
  RunRecord run = sample_run();
  std::vector<Known> cases = {};
};

KnownRun random_run(std::mt19937& random, bool own) {
  KnownRun made;
  const std::vector<Known> kinds = own ? labs_own() : students();
  const std::size_t many = 1 + random() % 6;
  made.run.cases.clear();
  made.run.uuid.clear();
  made.run.source_is_labs_own = own;
  made.run.student = "ada";
  for (std::size_t i = 0; i < many; ++i) {
    Known known = kinds[random() % kinds.size()];
    known.record.index = static_cast<int>(i);
    known.record.variant = "stride";
    known.record.kernel = "stride";
    known.record.params = Params{{"n", static_cast<std::int64_t>(100 + i)}};
    made.run.cases.push_back(known.record);
    made.cases.push_back(std::move(known));
  }
  return made;
}

// The line of a table whose first number is the case's `n`.
std::string row_in(const std::string& text, std::size_t index) {
  const std::string begin = fmt::format("\n  {} ", 100 + index);
  const std::size_t at = text.find(begin);
  return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

bool ends_with(const std::string& line, const std::string& end) {
  return line.size() >= end.size() && line.compare(line.size() - end.size(), end.size(), end) == 0;
}

class OneReading : public testing::Test {
 protected:
  // Stores the run and asks everybody.
  void expect_said(KnownRun& made) {
    db::Store store = db::Store::open(path, db::Mode::kCreate);
    db::store(store, made.run);
    const RunRecord loaded = store.load_run("last");
    expect_terminal(loaded, made);
    expect_report(loaded, made);
    expect_json(loaded, made);
    expect_sql(loaded, made);
    expect_counts(loaded, made, store);
  }

  static void expect_terminal(const RunRecord& run, const KnownRun& made) {
    if (made.cases.size() < 2) return;  // one case has no column of n
    RunTextOptions options;
    options.all = true;
    options.lines = 0;
    const std::string text = run_text(run, nullptr, options, kPlain);
    for (std::size_t i = 0; i < made.cases.size(); ++i) {
      EXPECT_TRUE(ends_with(row_in(text, i), " " + made.cases[i].shown))
          << made.cases[i].shown << "\n"
          << text;
    }
  }

  static void expect_report(const RunRecord& run, const KnownRun& made) {
    const std::string page = report::report_html(run, nullptr);
    for (std::size_t i = 0; i < made.cases.size(); ++i) {
      const std::string cell = ">" + made.cases[i].shown + "</td>" +
                               (made.cases.size() < 2 ? "" : fmt::format("<th>{}</th>", 100 + i));
      EXPECT_NE(page.find(cell), std::string::npos) << cell;
    }
  }

  static void expect_json(const RunRecord& run, const KnownRun& made) {
    const Json json = Json::parse(runs_json({run}));
    for (std::size_t i = 0; i < made.cases.size(); ++i) {
      const Json& one = json["runs"][0]["cases"][i];
      EXPECT_EQ(one["outcome"], made.cases[i].outcome);
      EXPECT_EQ(one["standing"].is_null() ? "" : one["standing"], made.cases[i].standing);
    }
  }

  void expect_sql(const RunRecord& run, const KnownRun& made) const {
    for (std::size_t i = 0; i < made.cases.size(); ++i) {
      const auto rows = db::query(path, fmt::format("SELECT outcome, coalesce(standing, '') FROM "
                                                    "lab3 WHERE run = {} AND n = {}",
                                                    run.id, 100 + i))
                            .table.rows;
      ASSERT_EQ(rows.size(), 1U);
      EXPECT_EQ(std::get<std::string>(rows[0][0]), made.cases[i].outcome);
      EXPECT_EQ(std::get<std::string>(rows[0][1]), made.cases[i].standing);
    }
  }

  // `2 of 3 on target` wherever it stands, and whether progress calls the lab done.
  void expect_counts(const RunRecord& run, const KnownRun& made, db::Store& store) {
    std::size_t cases = 0;
    std::size_t good = 0;
    for (const Known& known : made.cases) {
      cases += known.standing.empty() ? 0 : 1;
      good += known.standing == "on target" ? 1 : 0;
    }
    const bool own = run.source_is_labs_own;
    const std::string said = fmt::format("{} of {} on target", good, cases);
    const bool counted = !own && cases > 0;
    EXPECT_EQ(standing_text(run, kPlain).rfind(said, 0) == 0, counted) << said;
    EXPECT_EQ(report::report_html(run, nullptr).find(said) != std::string::npos, counted) << said;
    done += counted && good == cases ? 1 : 0;
    const std::vector<db::LabRuns> of = db::lab_runs_of(store, "ada");
    ASSERT_EQ(of.size(), 1U);
    EXPECT_EQ(of[0].on_target, done);
  }

  db::TempFolder folder;
  std::string path = folder.file("x.db");
  std::int64_t done = 0;
};

// A kernel of lab 6 that never reads its input was "too little" in the terminal, and on target in
// the report and in `lab progress`.
TEST_F(OneReading, OfAKernelThatDoesTooLittle) {
  KnownRun made;
  made.run.source_is_labs_own = false;
  made.run.student = "ada";
  made.cases = {students()[2], students()[0]};
  made.run.cases.clear();
  for (Known& known : made.cases) {
    known.record.index = static_cast<int>(made.run.cases.size());
    known.record.variant = "stride";
    known.record.kernel = "stride";
    known.record.params = Params{{"n", std::int64_t{100} + known.record.index}};
    made.run.cases.push_back(known.record);
  }
  expect_said(made);
}

// `lab explain` gave the line 32,768 sectors, and the report none: it left atomics out. 1,024 warps
// of 32 lanes add to 32 sectors each.
TEST_F(OneReading, OfALineOfAtomics) {
  RunRecord run = sample_run();
  run.source_name = "k.cu";
  run.source_text = "atomicAdd(&sums[32 * t], 1);\n";
  run.cases.resize(1);
  run.cases[0].lines = {{"k.cu", 1, "instructions", SourceOf::kModel, 1024},
                        {"k.cu", 1, "global_atomic_sectors", SourceOf::kModel, 32768},
                        {"k.cu", 1, "shared_load_wavefronts", SourceOf::kModel, 64},
                        {"k.cu", 1, "shared_load_wavefronts_sass", SourceOf::kModel, 32},
                        {"k.cu", 1, "shared_load_bank_conflicts", SourceOf::kModel, 48}};
  const std::string said = explain_text(run.cases[0], "k.cu", run.source_text, {}, {}, kPlain);
  EXPECT_NE(said.find("1,024  32,768  32,768     16      64\n"), std::string::npos) << said;
  const std::string page = report::report_html(run, nullptr);
  EXPECT_NE(page.find("--share:100%\">32,768</td>"), std::string::npos);
  EXPECT_NE(page.find("--share:100%\" title=\"ideal: 16\">64</td>"), std::string::npos);
}

TEST_F(OneReading, OfRandomRuns) {
  std::mt19937 random(29);
  for (int i = 0; i < 16; ++i) {
    KnownRun made = random_run(random, i % 2 == 0);
    expect_said(made);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace lab::cli
