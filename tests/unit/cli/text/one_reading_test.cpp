// One stored run, read by everybody: terminal, report, JSON, SQL, progress, watch, feedback and
// JUnit say the same of each case.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "db/query.h"
#include "db/study.h"
#include "harness/classes/grade/criteria.h"
#include "harness/classes/grade/feedback.h"
#include "harness/classes/grade/outputs.h"
#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "harness/reading/came_to_text.h"
#include "harness/reading/changes.h"
#include "harness/reading/explain_page.h"
#include "harness/reading/figures.h"
#include "harness/reading/report_page.h"
#include "harness/reading/run_page.h"
#include "harness/reading/run_reading.h"
#include "metrics/values.h"
#include "tests/unit/cli/sample_run.h"
#include "tests/unit/db/support.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/page_text.h"
#include "tools/report/report.h"

namespace lab::cli {
namespace {

using Json = nlohmann::json;
const Terminal kPlain{};

std::string html_of(const RunRecord& run) {
  const reading::Report report = reading::report_page(run, nullptr);
  return report::report_html(report.title, report.page);
}

std::string run_text(const RunRecord& run, const reading::RunView& view,
                     const Terminal& terminal = kPlain) {
  return page_text(reading::run_page(run, nullptr, view), terminal);
}

/// What each source says of kFigure; the model's may be an interval.
constexpr const char* kFigure = "dram_write_bytes";
struct Figure {
  std::optional<double> theory = {};
  std::optional<double> model = {};
  double model_high = 0;
  std::optional<double> measured = {};
};

constexpr const char* kSourceName = "k.cu";

/// A case made so that its outcome is known, and the words for it.
struct Known {
  CaseRecord record;
  std::string outcome;
  std::string shown;          // in tables: the outcome with its figure
  std::string standing = {};  // empty: none
  std::string watched = {};   // as lab watch has it; empty: the outcome
  Figure figure = {};
  double sectors = 0;     // of the one source line, its atomics among them; 0: it was not counted
  double wavefronts = 0;  // of the same
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
  if (outcome == "above target") known.watched = "32 x the target: 288 warp instructions, not 9";
  if (outcome == "too little") known.watched = "fewer sectors read than the task needs";
  return known;
}

Known failed(CaseStatus status) {
  Known known = of_lab({}, std::string(name_of(status)));
  known.record.status = status;
  known.record.reason = "made by a test";
  known.watched = known.outcome + ": made by a test";
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

// Theory is the lab's own kernels'; where there is a GPU, everything was measured.
Figure random_figure(std::mt19937& random, bool own, bool gpu) {
  Figure figure;
  const auto number = [&] { return static_cast<double>(1000 + random() % 9000); };
  figure.model = number();
  figure.model_high = *figure.model + (random() % 2 == 0 ? 0 : 64);
  if (own) figure.theory = random() % 2 == 0 ? *figure.model : number();
  if (gpu) figure.measured = random() % 2 == 0 ? *figure.model : number();
  return figure;
}

void observe(const Figure& figure, CaseRecord& record) {
  const auto add = [&](SourceOf source, const std::optional<double>& value) {
    if (value) record.observations.push_back(observed(kFigure, source, *value));
  };
  add(SourceOf::kTheory, figure.theory);
  add(SourceOf::kModel, figure.model);
  if (figure.model) {
    record.observations.back().min = figure.model;
    record.observations.back().max = figure.model_high;
  }
  add(SourceOf::kCupti, figure.measured);
  metrics::note_measured(record);
}

// 4.5 to 103.5 us, or none with a reason.
ExpectedTime random_time(std::mt19937& random) {
  ExpectedTime time;
  time.gpu = "NVIDIA H200";
  time.origin = "data sheet";
  time.calibrated = random() % 2 == 0;
  time.reason = "made by a test";
  if (random() % 4 == 0) return time;
  time.ns = 4500 + 1000 * static_cast<double>(random() % 100);
  time.sets = random() % 2 == 0 ? TimeTerm::kDram : TimeTerm::kTags;
  if (random() % 2 == 0) time.within = 0.11;
  return time;
}

// Loads, atomics whose result is used and others, and accesses to shared memory, at line 1.
void count_line(std::mt19937& random, Known& known) {
  const auto count = [&](const char* metric, double most) {
    const double value = 1 + static_cast<double>(random() % 1000) * most;
    known.record.lines.push_back({kSourceName, 1, metric, SourceOf::kModel, value});
    return value;
  };
  count("instructions", 1);
  for (const char* metric :
       {"global_load_sectors", "global_atomic_sectors", "global_reduction_sectors"}) {
    if (random() % 3 != 0) known.sectors += count(metric, 100);
  }
  if (random() % 2 == 0) known.wavefronts = count("shared_load_wavefronts", 10);
}

KnownRun random_run(std::mt19937& random, bool own) {
  KnownRun made;
  const std::vector<Known> kinds = own ? labs_own() : students();
  const std::size_t many = 1 + random() % 6;
  made.run.cases.clear();
  made.run.uuid.clear();
  made.run.source_is_labs_own = own;
  made.run.student = "ada";
  const bool gpu = random() % 2 == 0;
  if (random() % 3 == 0) made.run.missing_cases = 1 + random() % 5;
  const bool times = random() % 2 == 0;
  made.run.source_name = kSourceName;
  made.run.source_text = "atomicAdd(&sums[t], in[t] + tile[t]);\n";
  for (std::size_t i = 0; i < many; ++i) {
    Known known = kinds[random() % kinds.size()];
    known.figure = random_figure(random, own, gpu);
    observe(known.figure, known.record);
    if (times) known.record.expected = random_time(random);
    count_line(random, known);
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

// Cells stand at least two blanks apart.
std::vector<std::string> cells_in(const std::string& line) {
  std::vector<std::string> cells;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(' ', at)) != std::string::npos) {
    const std::size_t end = std::min(line.find("  ", at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = end;
  }
  return cells;
}

std::string line_with(const std::string& text, const std::string& begin) {
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(begin)) return std::string(line);
  }
  return {};
}

std::string number(const std::optional<double>& value, const std::string& none = "-") {
  return value ? grouped_text(*value) : none;
}

std::string model_of(const Figure& figure, const std::string& between = "..") {
  const std::string low = number(figure.model);
  return *figure.model == figure.model_high ? low : low + between + number(figure.model_high);
}

bool is_mistaken(const Known& known) { return known.record.status == CaseStatus::kFinding; }

bool all_one_number(const Figure& figure) {
  return figure.model == figure.model_high &&
         figure.theory.value_or(*figure.model) == figure.model &&
         figure.measured.value_or(*figure.model) == figure.model;
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
    expect_watch(loaded, made);
    expect_interruption(loaded, made);
    expect_grading(loaded, made);
    expect_times(loaded, made);
    expect_lines(loaded, made);
    if (!made.cases[0].figure.model) return;
    expect_terminals_figures(loaded, made);
    expect_reports_figures(loaded, made);
    expect_jsons_figures(loaded, made);
    expect_sqls_figures(loaded, made);
  }

  static void expect_terminal(const RunRecord& run, const KnownRun& made) {
    if (made.cases.size() < 2) return;  // one case has no column of n
    reading::RunView options;
    options.all = true;
    const std::string text = run_text(run, options);
    for (std::size_t i = 0; i < made.cases.size(); ++i) {
      EXPECT_TRUE(ends_with(row_in(text, i), " " + made.cases[i].shown))
          << made.cases[i].shown << "\n"
          << text;
    }
  }

  // The last row of a case; of one alone the whole page, as its row has no name.
  static std::string html_row(const std::string& page, const KnownRun& made, std::size_t i) {
    if (made.cases.size() < 2) return page;
    const std::size_t at = page.rfind(fmt::format("<tr><th>{}</th>", 100 + i));
    return at == std::string::npos ? "" : page.substr(at, page.find("</tr>", at) + 5 - at);
  }

  static void expect_report(const RunRecord& run, const KnownRun& made) {
    const std::string page = html_of(run);
    for (std::size_t i = 0; i < made.cases.size(); ++i) {
      const std::string row = html_row(page, made, i);
      EXPECT_NE(row.find(">" + made.cases[i].shown + "</td>"), std::string::npos) << row;
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

  static void expect_watch(const RunRecord& run, const KnownRun& made) {
    Terminal wide = kPlain;
    wide.width = 200;
    const std::string text = page_text({reading::changes_blocks({}, run)}, wide);
    for (std::size_t i = 0; i < made.cases.size(); ++i) {
      const Known& known = made.cases[i];
      const auto cells = cells_in(line_with(text, fmt::format("  stride n={} ", 100 + i)));
      ASSERT_EQ(cells.size(), 3U) << text;
      EXPECT_EQ(cells[1], known.watched.empty() ? known.outcome : known.watched);
    }
  }

  static void expect_interruption(const RunRecord& run, const KnownRun& made) {
    const std::size_t missing = made.run.missing_cases.value_or(0);
    const std::string text = run_text(run, {});
    const std::string page = html_of(run);
    const std::string said = fmt::format("Interrupted: {} case", missing);
    EXPECT_EQ(text.find(said) != std::string::npos, missing > 0) << text;
    EXPECT_EQ(page.find(said) != std::string::npos, missing > 0);
    EXPECT_EQ(Json::parse(runs_json({run}))["runs"][0]["run"]["missing"], missing);
  }

  // Points go by the model, so that the machine that grades takes none away: one byte more than
  // the bound is a failure, and says the model's number. A failed case has its outcome's word.
  static void expect_grading(const RunRecord& run, const KnownRun& made) {
    grade::Rubric rubric;
    rubric.lab = &find_lab("3");
    for (std::size_t i = 0; i < made.cases.size(); ++i) {
      const Known& known = made.cases[i];
      if (known.outcome == "refused") continue;  // a person has to say
      const CaseRecord& record = run.cases[i];
      grade::Criterion criterion;
      criterion.name = "frugal";
      criterion.points = 1;
      criterion.demand = grade::Demand::kMetric;
      criterion.metric = kFigure;
      criterion.bounds.at_most = known.figure.model.value_or(0) - 1;
      if (!known.figure.model || record.status != CaseStatus::kOk) {
        criterion.demand = grade::Demand::kStatus;
      }
      const grade::Judgement judged = grade::judge(criterion, {&record}, run.cases);
      rubric.criteria = {criterion};
      db::GradebookRow row;
      row.grade.student = "ada";
      row.grade.criteria.resize(1);
      row.grade.criteria[0].name = criterion.name;
      row.grade.criteria[0].points = judged.points;
      row.grade.criteria[0].of = 1;
      row.grade.criteria[0].reason = judged.reason;
      std::string said;
      if (record.status != CaseStatus::kOk) {
        said = known.outcome + ": made by a test";
      } else if (known.figure.model) {
        said = fmt::format("is {}, wanted", number_text(*known.figure.model));
      }
      const std::string xml = grade::gradebook_junit(rubric, {row});
      EXPECT_EQ(xml.find("failures=\"1\"") != std::string::npos, !said.empty()) << xml;
      EXPECT_NE(xml.find(said), std::string::npos) << said << xml;
      const std::string told = grade::feedback_text(rubric, row.grade, &run);
      EXPECT_NE(told.find(said), std::string::npos) << said << told;
    }
  }

  // `104 us on an H200, within 11 % (data sheet: not calibrated): made by a test`.
  static std::string sentence_of(const ExpectedTime& time) {
    if (!time.ns) return "no time is expected: made by a test";
    return fmt::format("{} us on an H200{}{}: made by a test", brief_text(*time.ns / 1000),
                       time.within ? ", within 11 %" : "",
                       time.calibrated ? "" : " (data sheet: not calibrated)");
  }

  static bool any_time(const KnownRun& made) {
    return std::any_of(made.cases.begin(), made.cases.end(), [](const Known& known) {
      return !is_mistaken(known) && known.record.expected && known.record.expected->ns;
    });
  }

  static bool all_mistaken(const KnownRun& made) {
    return std::all_of(made.cases.begin(), made.cases.end(), is_mistaken);
  }

  // In tables, in a sentence, in JSON and SQL; a run of which no time is known has no column.
  void expect_times(const RunRecord& run, const KnownRun& made) const {
    reading::RunView options;
    options.all = true;
    const std::string text = run_text(run, options);
    const Json json = Json::parse(runs_json({run}));
    const std::string page = html_of(run);
    const bool column = any_time(made);
    EXPECT_EQ(text.find("H200") != std::string::npos, column) << text;
    EXPECT_EQ(page.find(">expected on an H200</th>") != std::string::npos, column);
    bool first = true;
    for (std::size_t i = 0; i < made.cases.size(); ++i) {
      const auto& time = made.cases[i].record.expected;
      const Json& said = json["runs"][0]["cases"][i]["expected_time"];
      const auto rows =
          db::query(path, fmt::format("SELECT coalesce(expected_us, -1), coalesce(sets, '') FROM "
                                      "lab3 WHERE run = {} AND n = {}",
                                      run.id, 100 + i))
              .table.rows;
      ASSERT_EQ(rows.size(), 1U);
      EXPECT_EQ(number_in(rows[0][0]), time && time->ns ? *time->ns / 1000 : -1);
      EXPECT_EQ(std::get<std::string>(rows[0][1]),
                time && time->sets ? name_of(*time->sets) : std::string_view());
      EXPECT_EQ(said.is_null(), !time);
      if (!time) continue;
      EXPECT_EQ(said["text"], sentence_of(*time));
      EXPECT_EQ(said["ns"], time->ns ? Json(*time->ns) : Json());
      // What a case with a mistake costs is no matter, and told nowhere but in data.
      if (!is_mistaken(made.cases[i]) && std::exchange(first, false)) {
        EXPECT_NE(page.find(sentence_of(*time)), std::string::npos) << sentence_of(*time);
      }
      if (!column || made.cases.size() < 2) continue;
      const bool shown = time->ns && !is_mistaken(made.cases[i]);
      const std::string value = shown ? brief_text(*time->ns / 1000) : "-";
      const auto cells = cells_in(row_in(text, i));
      EXPECT_NE(std::find(cells.begin(), cells.end(), value), cells.end()) << value << text;
    }
  }

  // The report has the first case of each variant.
  static void expect_lines(const RunRecord& run, const KnownRun& made) {
    const std::string page = html_of(run);
    for (std::size_t i = 0; i < made.cases.size(); ++i) {
      const Known& known = made.cases[i];
      Terminal wide = kPlain;
      wide.width = 300;
      const std::string said = page_text(reading::explain_page(run, run.cases[i], {}, {}), wide);
      const std::string title = "Expected: ";
      if (is_mistaken(known)) {
        EXPECT_EQ(said.find("Share: "), std::string::npos) << said;
        continue;
      }
      if (known.record.expected && known.record.expected->ns) {
        EXPECT_NE(said.find(title + sentence_of(*known.record.expected) + "."), std::string::npos)
            << said;
      } else {
        EXPECT_EQ(said.find(title), std::string::npos) << said;
      }
      const auto cells = cells_in(line_with(said, "     1"));
      for (const double cost : {known.sectors, known.wavefronts}) {
        if (cost == 0) continue;
        EXPECT_NE(std::find(cells.begin(), cells.end(), grouped_text(cost)), cells.end())
            << grouped_text(cost) << "\n"
            << said;
        if (i == 0) {
          EXPECT_NE(page.find(">" + grouped_text(cost) + "</td>"), std::string::npos);
        }
      }
    }
    const Json json = Json::parse(lines_json(run, {}));
    double sectors = 0;
    double wanted = 0;
    for (const Json& line : json["lines"]) {
      const std::string metric = line["metric"];
      if (metric.ends_with("_sectors")) sectors += line["value"].get<double>();
    }
    for (const Known& known : made.cases) wanted += known.sectors;
    EXPECT_EQ(sectors, wanted);
  }

  static void expect_terminals_figures(const RunRecord& run, const KnownRun& made) {
    if (made.cases.size() < 2 || all_mistaken(made)) return;
    Terminal wide = kPlain;
    wide.width = 200;
    reading::RunView options;
    options.metrics = {kFigure};
    const std::string text = run_text(run, options, wide);
    const std::string title = "  " + reading::title_of(kFigure) + ", ";
    for (std::size_t i = 0; i < made.cases.size(); ++i) {
      const Figure& figure = made.cases[i].figure;
      std::vector<std::string> expected = {number(figure.theory), model_of(figure)};
      if (figure.measured) expected.push_back(number(figure.measured));
      if (is_mistaken(made.cases[i])) expected.assign(expected.size(), "-");
      std::vector<std::string> cells = cells_in(row_in(text, i));
      if (cells.size() <= expected.size()) {  // cases stand side by side
        cells = {""};
        for (const char* source : {"theory", "model", "measured"}) {
          const auto line = cells_in(line_with(text, title + source + "  "));
          if (i + 1 < line.size()) cells.push_back(line[i + 1]);
        }
      }
      ASSERT_GE(cells.size(), expected.size() + 1) << text;
      const std::vector<std::string> shown(cells.begin() + 1,
                                           cells.begin() + 1 + std::ssize(expected));
      EXPECT_EQ(shown, expected) << text;
    }
  }

  // One number where all sources of all cases have the same; else a column for each.
  static void expect_reports_figures(const RunRecord& run, const KnownRun& made) {
    const std::string page = html_of(run);
    const bool own = run.source_is_labs_own;
    bool target = false;
    bool folded = true;
    for (const Known& known : made.cases) {
      folded = folded && (is_mistaken(known) || all_one_number(known.figure));
      for (const Verdict& verdict : known.record.verdicts) target = target || verdict.target;
    }
    folded = folded && !target;
    for (std::size_t i = 0; i < made.cases.size(); ++i) {
      const Figure& figure = made.cases[i].figure;
      if (is_mistaken(made.cases[i])) continue;
      const bool interval = *figure.model != figure.model_high;
      const std::string row = html_row(page, made, i);
      const auto& time = made.cases[i].record.expected;
      if (any_time(made)) {
        const std::string cell =
            time->ns ? fmt::format("<td class=\"leads\">{}</td>", brief_text(*time->ns / 1000))
                     : "<td class=\"none\">&ndash;</td>";
        EXPECT_NE(row.find(cell), std::string::npos) << cell << row;
      }
      std::string cells;
      // Without a name, the first column stands before those that lead.
      const bool named = made.cases.size() > 1;
      if (!folded && own && named) cells += fmt::format("<td>{}</td>", number(figure.theory));
      cells += interval ? fmt::format("<td class=\"interval\">{}</td>", model_of(figure, "..<wbr>"))
                        : fmt::format("<td>{}</td>", model_of(figure));
      if (!folded && figure.measured) cells += fmt::format("<td>{}</td>", number(figure.measured));
      EXPECT_NE(row.find(cells), std::string::npos) << cells << "\n" << row;
    }
  }

  static void expect_jsons_figures(const RunRecord& run, const KnownRun& made) {
    const Json json = Json::parse(runs_json({run}));
    const auto value = [](const std::optional<double>& one) { return one ? Json(*one) : Json(); };
    for (std::size_t i = 0; i < made.cases.size(); ++i) {
      const Figure& figure = made.cases[i].figure;
      const Json& said = json["runs"][0]["cases"][i]["metrics"][kFigure];
      const bool interval = *figure.model != figure.model_high;
      EXPECT_EQ(said["theory"], value(figure.theory));
      EXPECT_EQ(said["model"], value(figure.model));
      EXPECT_EQ(said["model_low"], interval ? value(figure.model) : Json());
      EXPECT_EQ(said["model_high"], interval ? Json(figure.model_high) : Json());
      EXPECT_EQ(said["measured"], value(figure.measured));
    }
  }

  void expect_sqls_figures(const RunRecord& run, const KnownRun& made) const {
    for (std::size_t i = 0; i < made.cases.size(); ++i) {
      const Figure& figure = made.cases[i].figure;
      const auto rows =
          db::query(path, fmt::format("SELECT coalesce(theory, -1), model, coalesce(model_high, "
                                      "model), coalesce(measured, -1) FROM compare WHERE run = {} "
                                      "AND metric = '{}' AND params LIKE '%:{}}}'",
                                      run.id, kFigure, 100 + i))
              .table.rows;
      ASSERT_EQ(rows.size(), 1U);
      const auto at = [&](std::size_t column) { return number_in(rows[0][column]); };
      EXPECT_EQ(at(0), figure.theory.value_or(-1));
      EXPECT_EQ(at(1), *figure.model);
      EXPECT_EQ(at(2), figure.model_high);
      EXPECT_EQ(at(3), figure.measured.value_or(-1));
      const auto best = db::query(path, fmt::format("SELECT {} FROM lab3 WHERE run = {} AND n = {}",
                                                    kFigure, run.id, 100 + i));
      EXPECT_EQ(number_in(best.table.rows[0][0]), figure.measured.value_or(*figure.model));
    }
  }

  static double number_in(const db::Value& value) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
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
    EXPECT_EQ(reading::standing_sentence(run, reading::read(run)).starts_with(said), counted)
        << said;
    EXPECT_EQ(html_of(run).find(said) != std::string::npos, counted) << said;
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
  const std::string said = page_text(reading::explain_page(run, run.cases[0], {}, {}), kPlain);
  EXPECT_NE(said.find("1,024  32,768  32,768     16      64\n"), std::string::npos) << said;
  const std::string page = html_of(run);
  EXPECT_NE(page.find("--share:100%\">32,768</td>"), std::string::npos);
  EXPECT_NE(page.find("--share:100%\" title=\"ideal: 16\">64</td>"), std::string::npos);
}

TEST_F(OneReading, OfRandomRuns) {
  std::mt19937 random(29);
  for (int i = 0; i < 32; ++i) {
    KnownRun made = random_run(random, i % 2 == 0);
    expect_said(made);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace lab::cli
