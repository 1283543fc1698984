// A run's page as HTML.
#include "tools/report/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/reading/report_page.h"
#include "metrics/values.h"
#include "tests/unit/cli/sample_run.h"
#include "tools/report/assets.h"

namespace lab::report {
namespace {

using Json = nlohmann::json;

RunRecord three_strides() {
  RunRecord run = cli::sample_run();
  run.cases = {cli::sample_case(1, 1, 1), cli::sample_case(2, 2, 2), cli::sample_case(4, 4, 3)};
  return run;
}

std::string html_of(const RunRecord& run, const Lab* lab, const metrics::Machine& machine = {}) {
  const reading::Report report = reading::report_page(run, lab, machine);
  return report_html(report.title, report.page);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// What stands between the JSON's script tags.
std::string charts_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"charts\">";
  const std::size_t from = page.find(open) + open.size();
  return page.substr(from, page.find("</script>", from) - from);
}

TEST(Report, IsOnePageThatLoadsNothing) {
  const std::string page = html_of(three_strides(), nullptr);
  EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0U);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(count_of(page, " src="), 0U);
  EXPECT_EQ(count_of(page, "<link"), 0U);
  // The JSON, the library and our script; none of them ends another's early.
  EXPECT_EQ(count_of(page, "<script"), 3U);
  EXPECT_EQ(count_of(page, "</script>"), 3U);
}

TEST(Report, HasARowACaseWithItsVerdict) {
  const std::string page = html_of(three_strides(), nullptr);
  EXPECT_NE(page.find("<tr><th>2</th><td class=\"good text leads\">agrees</td><td>2</td><td>2</td>"
                      "</tr>"),
            std::string::npos);
  EXPECT_NE(page.find("<tr><th>4</th><td class=\"bad text leads\">disagrees</td><td>4</td>"
                      "<td>3</td></tr>"),
            std::string::npos);
  EXPECT_NE(page.find("<span class=\"bad\">3 cases: 3 correct. Theory and model agree in 2 of "
                      "3 values; 1 disagree.</span>"),
            std::string::npos);
}

TEST(Report, ChartsHoldTheoryAndModel) {
  const Json charts = Json::parse(charts_of(html_of(three_strides(), nullptr)));
  ASSERT_EQ(charts.size(), 1U);
  EXPECT_EQ(charts[0]["x"], "stride");
  EXPECT_EQ(charts[0]["series"][0]["name"], "theory");
  EXPECT_EQ(charts[0]["series"][0]["points"],
            Json::parse(R"([{"x":1,"y":1},{"x":2,"y":2},{"x":4,"y":4}])"));
  EXPECT_EQ(charts[0]["series"][1]["points"][2], Json::parse(R"({"x":4,"y":3})"));
}

TEST(Report, AnIntervalShowsBothEnds) {
  RunRecord run = three_strides();
  run.cases[2].observations[0].max = 6;  // theory, from 4
  const std::string page = html_of(run, nullptr);
  EXPECT_NE(page.find("<td class=\"interval\">4..<wbr>6</td>"), std::string::npos);
  EXPECT_EQ(Json::parse(charts_of(page))[0]["series"][0]["points"][2],
            Json::parse(R"({"x":4,"y":4,"high":6})"));
}

TEST(Report, MeasuredHasAColumnOnlyWhereThereIsSomethingMeasured) {
  RunRecord run = three_strides();
  EXPECT_EQ(html_of(run, nullptr).find("<th>measured</th>"), std::string::npos);
  run.cases[0].observations.push_back(cli::observed("shared_load_ways", SourceOf::kSass, 1));
  metrics::note_measured(run.cases[0]);
  const std::string page = html_of(run, nullptr);
  EXPECT_NE(page.find("<th>measured</th>"), std::string::npos);
  EXPECT_NE(page.find("<td class=\"none\">&ndash;</td>"), std::string::npos);
}

TEST(Report, WhatAStudentWroteIsText) {
  const std::string evil = "</script><img src=x onerror=alert(1)>";
  RunRecord run = three_strides();
  run.student = run.source_name = run.source_text = run.gpu = evil;
  run.source_is_labs_own = false;
  run.environment["host"] = evil;
  for (CaseRecord& record : run.cases) {
    record.variant = evil;
    record.reason = evil;
    record.params.set("kind", evil + std::to_string(record.index));
    record.verdicts[0].reason = evil;
    Finding finding;
    finding.message = finding.file = finding.source = evil;
    finding.line = 1;
    record.findings = {finding};
  }
  const std::string page = html_of(run, nullptr);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(count_of(page, "</script>"), 3U);
  EXPECT_NE(page.find("&lt;img"), std::string::npos);
}

TEST(Report, NotesOfManyCasesAreSaidOnce) {
  RunRecord run = three_strides();
  for (CaseRecord& record : run.cases) record.reason = "sampled";
  const std::string page = html_of(run, nullptr);
  EXPECT_EQ(count_of(page, "ok: sampled</li>"), 1U);
  EXPECT_NE(page.find("<li>stride stride=1 and 2 more: "), std::string::npos);
}

TEST(Report, RacesRowsOfLaunchesAndSlowCasesNeedAWord) {
  RunRecord run = three_strides();
  CaseRecord& record = run.cases.front();
  record.notes.races = "in the model, a: 8 of 64 are left, 56 lost";
  record.timing.emplace();
  record.timing->median_ns = 1000;
  record.timing->samples_ns = {1000};
  record.timing->method = "CUDA events around 50 launches in a row";
  Verdict slow;
  slow.metric = "duration_ns";
  slow.kind = VerdictKind::kContext;
  slow.reason = "at least: DRAM 0.1 us";
  slow.longer = TimeGap::kFewBlocks;
  slow.longer_because = "3 blocks leave 7 of 10 SMs without work";
  record.verdicts.push_back(slow);
  const std::string page = html_of(run, nullptr);
  for (const char* said :
       {"in the model, a: 8 of 64 are left, 56 lost</li>",
        "timed by CUDA events around 50 launches in a row, warm L2, 1 times",
        "longer than the least time: 3 blocks leave 7 of 10 SMs without work</li>"}) {
    EXPECT_EQ(count_of(page, said), 1U) << said;
  }
}

// 12 of 20 and 15 of 20: one sentence with two numbers.
TEST(Report, SentencesThatDifferInNumbersAreOne) {
  RunRecord run = three_strides();
  for (std::size_t i = 0; i < run.cases.size(); ++i) {
    Verdict& verdict = run.cases[i].verdicts[0];
    verdict.kind = VerdictKind::kExplained;
    verdict.reason = "cupti has " + std::to_string(12 + 3 * i) + " of 20";
  }
  const std::string page = html_of(run, nullptr);
  EXPECT_EQ(count_of(page, " of 20</li>"), 1U);
  EXPECT_NE(
      page.find("<li>stride stride=1 and 2 more, with other numbers: n-way bank conflict, load "
                "explained: cupti has 12 of 20</li>"),
      std::string::npos)
      << page;
}

TEST(Report, OneNumberWhereAllSourcesAgree) {
  RunRecord run = three_strides();
  run.cases.pop_back();  // the one that disagrees
  const std::string page = html_of(run, nullptr);
  EXPECT_NE(page.find("<tr><th>2</th><td class=\"good text leads\">agrees</td><td>2</td></tr>"),
            std::string::npos);
  EXPECT_NE(page.find("Where a metric has one number, model and theory are equal."),
            std::string::npos);
  EXPECT_EQ(page.find("0 disagree"), std::string::npos);
}

RunRecord students_run(double value) {
  RunRecord run = three_strides();
  run.cases.resize(1);
  run.source_is_labs_own = false;
  CaseRecord& record = run.cases[0];
  record.observations[1].value = value;
  Verdict& verdict = record.verdicts[0];
  verdict.kind = VerdictKind::kContext;
  verdict.target = verdict.theory;
  verdict.excess = value / *verdict.theory;
  return run;
}

// 999.7 us stand as the terminal has them; so does the bound, which is that of the run's own theory
// (30.7 us). What was measured, 400.32 MB at 4.8 TB/s, takes 83.4 us of them: 8 % of DRAM's
// ceiling, and no bound.
TEST(Report, ATimeAndItsBoundAreTheTerminals) {
  RunRecord run = three_strides();
  run.cases.resize(1);
  CaseRecord& record = run.cases[0];
  record.timing.emplace().median_ns = 999700;
  record.observations.push_back(cli::observed("duration_ns", SourceOf::kTheory, 30700));
  record.observations.push_back(cli::observed("dram_read_bytes", SourceOf::kCupti, 400.32e6));
  const std::string page =
      html_of(run, nullptr, {"a GPU", "data sheet", {{"dram_read", 4.8e12, "byte/s", ""}}, {}});
  EXPECT_NE(
      page.find("<td class=\"leads\">1,000</td><td class=\"good text leads\">agrees</td><td>1</td>"
                "<td>30.7</td>"
                "<td class=\"text\">8 % of DRAM</td>"),
      std::string::npos)
      << page.substr(page.find("<body>"), 3000);
  EXPECT_NE(page.find("<th>bound</th>"), std::string::npos);
  EXPECT_EQ(page.find("83.4"), std::string::npos);
  EXPECT_EQ(page.find("1e+03"), std::string::npos);
}

TEST(Report, AKernelFarFromItsTargetHasItsFactor) {
  const std::string page = html_of(students_run(1234.5), nullptr);
  EXPECT_NE(page.find("1,235 x target"), std::string::npos);
  EXPECT_NE(page.find("results are right; 1,235 times the target in n-way bank conflict, load."),
            std::string::npos);
}

TEST(Report, AStudentsTheoryIsATarget) {
  const std::string page = html_of(students_run(32), nullptr);
  EXPECT_NE(page.find("<th>target</th>"), std::string::npos);
  EXPECT_NE(page.find("<td class=\"note text leads\">32 x target</td>"), std::string::npos);
  EXPECT_NE(
      page.find("<h3>stride</h3>\n<p>0 of 1 on target: results are right; 32 times the target in "
                "n-way bank conflict, load."),
      std::string::npos);
  EXPECT_EQ(page.find(" 0 agree"), std::string::npos);
  EXPECT_NE(html_of(students_run(1), nullptr).find("1 of 1 on target"), std::string::npos);
}

// Strides 1, 2, 4, 8 and 16 at 4 loads, and stride 1 at 8 and 16: the strides are the longer sweep.
TEST(Report, ACurveRunsAlongTheLongestSweep) {
  RunRecord run = three_strides();
  run.cases.clear();
  for (const int stride : {1, 2, 4, 8, 16}) run.cases.push_back(cli::sample_case(stride, 1, 1));
  for (const int loads : {8, 16}) {
    run.cases.push_back(cli::sample_case(1, 1, 1));
    run.cases.back().params.set("loads", std::int64_t{loads});
  }
  const Json charts = Json::parse(charts_of(html_of(run, nullptr)));
  ASSERT_EQ(charts.size(), 1U);
  EXPECT_EQ(charts[0]["x"], "stride");
  EXPECT_EQ(charts[0]["title"], "n-way bank conflict, load at loads=4");
  EXPECT_EQ(charts[0]["series"][0]["points"].size(), 5U);
  EXPECT_EQ(charts[0]["log_x"], true);   // powers of two
  EXPECT_EQ(charts[0]["log_y"], false);  // all are 1
}

// 96 of 128 wavefronts are at line 2; the bar of line 1 is a third as long.
TEST(Report, TheSourceShowsWhatALineCosts) {
  RunRecord run = three_strides();
  run.source_name = "k.cu";
  run.source_text = "int a;\ns[t] < 1;\n";
  run.cases[0].lines = {{"k.cu", 2, "shared_load_wavefronts_sass", SourceOf::kModel, 96},
                        {"k.cu", 1, "shared_store_wavefronts_sass", SourceOf::kModel, 32},
                        {"other.cu", 1, "shared_load_wavefronts_sass", SourceOf::kModel, 5}};
  const std::string page = html_of(run, nullptr);
  EXPECT_NE(page.find("<th>2</th><td class=\"cost\" style=\"--share:100%\">96</td><td "
                      "class=\"code\"><code>s[t] &lt; 1;</code>"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("--share:33%\">32</td>"), std::string::npos);
  EXPECT_EQ(page.find("<th>3</th>"), std::string::npos);
}

// Lane l at word 32 l: 32 words of bank 0, below each other; the other 31 banks have none.
TEST(Report, AMapShowsWhatABankHasToGive) {
  RunRecord run = three_strides();
  Access access;
  access.line = 1;
  access.space = Space::kShared;
  access.op = AccessOp::kLoad;
  access.bytes_per_lane = 4;
  access.wavefronts = 32;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    access.address[lane] = static_cast<std::int64_t>(128 * lane);
  }
  run.cases[0].accesses = {access, access};
  const std::string page = html_of(run, nullptr);
  EXPECT_NE(page.find("<h3>Line 1: shared load, 4 bytes per lane: 32 wavefronts</h3>"),
            std::string::npos);
  EXPECT_EQ(count_of(page, "fill=\"hsl("), 32U);  // once, though it was logged twice
  EXPECT_EQ(count_of(page, "fill=\"none\""), 32U * 31U);
  // The 32nd word: below the title's 26 pixels and the 18 of the banks' numbers, 31 * 26.
  EXPECT_NE(page.find("<rect x=\"60\" y=\"850\""), std::string::npos);
}

// A canvas would turn the label around that it parses out of an escape.
TEST(Report, AChartShowsWhatTurnsTextAround) {
  RunRecord run = three_strides();
  for (CaseRecord& record : run.cases) record.variant = "a\u202eb";
  const std::string charts = charts_of(html_of(run, nullptr));
  EXPECT_NE(charts.find(R"(chart-a\\u202eb-shared_load_ways)"), std::string::npos) << charts;
  EXPECT_EQ(charts.find("\u202e"), std::string::npos) << charts;
}

TEST(Report, NoChartWithoutAnAxis) {
  RunRecord run = three_strides();
  for (CaseRecord& record : run.cases)
    record.params.set("stride", "s" + std::to_string(record.index));
  EXPECT_EQ(charts_of(html_of(run, nullptr)), "[]");
}

// A lab with a lesson and a screen of two rows: stride 4's number is the worst, and is derived.
Lab lab_with_screen() {
  Lab lab;
  lab.number = 3;
  lab.title = "Bank conflicts";
  lab.lesson = "Lanes that want `different` words of one bank wait.";
  lab.headline = {"shared_load_ways"};
  Variant variant;
  variant.name = "stride";
  variant.summary = "thread t reads word t * stride";
  lab.variants = {variant};
  const auto row = [](std::int64_t stride) {
    return ScreenRow{"stride", {Params{{"loads", std::int64_t{4}}, {"stride", stride}}}};
  };
  lab.screen = Screen{"32 lanes", {row(1), row(4)}, {"shared_load_ways"}};
  lab.screen->because = {{1, "shared_load_ways", "four lanes per bank", Expr("stride")}};
  return lab;
}

TEST(Report, ALabsPageBeginsWithItsLesson) {
  RunRecord run = three_strides();
  run.lab = 3;
  run.source_is_labs_own = true;
  run.cases[2] = cli::sample_case(4, 4, 4);
  const Lab lab = lab_with_screen();
  const std::string page = html_of(run, &lab);
  EXPECT_NE(page.find("<h1>Lanes that want <code>different</code> words of one bank wait.</h1>"),
            std::string::npos);
  EXPECT_NE(page.find("<td class=\"text\">stride 4</td><td class=\"worst\">4</td>"),
            std::string::npos);
  EXPECT_NE(page.find("<td class=\"text\">four lanes per bank</td>"), std::string::npos);
  EXPECT_NE(page.find("<td>4</td><td class=\"text\">wavefronts</td>"), std::string::npos);
  // The numbers of cases stand further down, formulas are folded.
  EXPECT_LT(page.find("four lanes per bank"), page.find("<h2>stride</h2>"));
  EXPECT_EQ(page.find("<details open"), std::string::npos);
}

// Of 70 lines the 13th to the 69th cost from 1 to 57; twelve are shown, the others unfolded.
TEST(Report, OfALongSourceTheCostliestLinesAreShown) {
  RunRecord run = three_strides();
  run.source_name = "k.cu";
  run.source_text.clear();
  for (int line = 1; line <= 70; ++line) run.source_text += "line" + std::to_string(line) + ";\n";
  run.cases[0].lines.clear();
  for (int line = 13; line <= 69; ++line) {
    run.cases[0].lines.push_back(
        {"k.cu", line, "shared_load_wavefronts_sass", SourceOf::kModel, line - 12.0});
  }
  const std::string page = html_of(run, nullptr);
  EXPECT_EQ(count_of(page, "<code>line57;</code>"), 1U);  // in the whole source alone
  EXPECT_EQ(count_of(page, "<code>line58;</code>"), 2U);  // 58 to 69 are twelve
  EXPECT_LT(page.find("<code>line69;</code>"), page.find("The whole source"));
}

TEST(Assets, TheLibraryIsThereWithItsLicence) {
  EXPECT_NE(chart_library().find("MIT License"), std::string_view::npos);
  EXPECT_GT(chart_library().size(), 100000U);
  EXPECT_EQ(chart_library().find("</script"), std::string_view::npos);
}

// 30 of 40 waiting samples are at line 2: 75 %; of them 30 are for the one reason.
TEST(Report, SaysWhereWarpsWaited) {
  RunRecord run = three_strides();
  EXPECT_EQ(html_of(run, nullptr).find("Where warps waited"), std::string::npos);
  run.source_name = "k.cu";
  run.source_text = "void k() {\n  s[t] < 1;\n}\n";
  run.cases[1].lines = {{"k.cu", 2, "stall_short_scoreboard", SourceOf::kCupti, 30},
                        {"", 0, "stall_barrier", SourceOf::kCupti, 10},
                        {"k.cu", 2, "stall_selected", SourceOf::kCupti, 5}};
  const std::string page = html_of(run, nullptr);
  EXPECT_NE(page.find("<tr><td>2</td><td>75 %</td><td class=\"text\">short scoreboard 100 %</td>"
                      "<td class=\"text\">s[t] &lt; 1;</td></tr>"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("<tr><td>-</td><td>25 %</td><td class=\"text\">barrier 100 %</td>"
                      "<td class=\"text\">(no line known)</td></tr>"),
            std::string::npos);
  EXPECT_EQ(count_of(page, "<h3>"), 1U);  // one case was sampled
}

}  // namespace
}  // namespace lab::report
