#include "tools/report/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "metrics/values.h"
#include "tests/unit/cli/sample_run.h"
#include "tools/report/assets.h"
#include "tools/report/section.h"

namespace lab::report {
namespace {

using Json = nlohmann::json;

RunRecord three_strides() {
  RunRecord run = cli::sample_run();
  run.cases = {cli::sample_case(1, 1, 1), cli::sample_case(2, 2, 2), cli::sample_case(4, 4, 3)};
  return run;
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
  const std::string page = report_html(three_strides(), nullptr);
  EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0U);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(count_of(page, " src="), 0U);
  EXPECT_EQ(count_of(page, "<link"), 0U);
  // The JSON, the library and our script; none of them ends another's early.
  EXPECT_EQ(count_of(page, "<script"), 3U);
  EXPECT_EQ(count_of(page, "</script>"), 3U);
}

TEST(Report, HasARowACaseWithItsVerdict) {
  const std::string page = report_html(three_strides(), nullptr);
  EXPECT_NE(page.find("<tr><th>2</th><td>2</td><td>2</td><td class=\"verdict agrees\">agrees</td>"
                      "</tr>"),
            std::string::npos);
  EXPECT_NE(page.find("<tr><th>4</th><td>4</td><td>3</td><td class=\"verdict disagrees\">disagrees"
                      "</td></tr>"),
            std::string::npos);
  EXPECT_NE(page.find("3 cases &middot; <b class=\"agrees\">2 agree</b>, "
                      "<b class=\"disagrees\">1 disagree</b>"),
            std::string::npos);
}

TEST(Report, ChartsHoldTheoryAndModel) {
  const Json charts = Json::parse(charts_of(report_html(three_strides(), nullptr)));
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
  const std::string page = report_html(run, nullptr);
  EXPECT_NE(page.find("<td>4..6</td>"), std::string::npos);
  EXPECT_EQ(Json::parse(charts_of(page))[0]["series"][0]["points"][2],
            Json::parse(R"({"x":4,"y":4,"high":6})"));
}

TEST(Report, MeasuredHasAColumnOnlyWhereThereIsSomethingMeasured) {
  RunRecord run = three_strides();
  EXPECT_EQ(report_html(run, nullptr).find("<th>measured</th>"), std::string::npos);
  run.cases[0].observations.push_back(cli::observed("shared_load_ways", SourceOf::kSass, 1));
  metrics::note_measured(run.cases[0]);
  const std::string page = report_html(run, nullptr);
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
  const std::string page = report_html(run, nullptr);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(count_of(page, "</script>"), 3U);
  EXPECT_NE(page.find("&lt;img"), std::string::npos);
}

TEST(Report, NotesOfManyCasesAreSaidOnce) {
  RunRecord run = three_strides();
  for (CaseRecord& record : run.cases) record.reason = "sampled";
  const std::string page = report_html(run, nullptr);
  EXPECT_EQ(count_of(page, "<pre>sampled</pre>"), 1U);
  EXPECT_NE(page.find("<b>stride=1 and 2 more</b>"), std::string::npos);
}

TEST(Report, NoChartWithoutAnAxis) {
  RunRecord run = three_strides();
  for (CaseRecord& record : run.cases)
    record.params.set("stride", "s" + std::to_string(record.index));
  EXPECT_EQ(charts_of(report_html(run, nullptr)), "[]");
}

TEST(Assets, TheLibraryIsThereWithItsLicence) {
  EXPECT_NE(chart_library().find("MIT License"), std::string_view::npos);
  EXPECT_GT(chart_library().size(), 100000U);
  EXPECT_EQ(chart_library().find("</script"), std::string_view::npos);
}

// 30 of 40 waiting samples are at line 2: 75 %; of them 30 are for the one reason.
TEST(Report, SaysWhereWarpsWaited) {
  RunRecord run = three_strides();
  EXPECT_EQ(report_html(run, nullptr).find("Where warps waited"), std::string::npos);
  run.source_name = "k.cu";
  run.source_text = "void k() {\n  s[t] < 1;\n}\n";
  run.cases[1].lines = {{"k.cu", 2, "stall_short_scoreboard", SourceOf::kCupti, 30},
                        {"", 0, "stall_barrier", SourceOf::kCupti, 10},
                        {"k.cu", 2, "stall_selected", SourceOf::kCupti, 5}};
  const std::string page = report_html(run, nullptr);
  EXPECT_NE(page.find("<tr><th>2</th><td>75 %</td><td class=\"text\">short scoreboard 100 %</td>"
                      "<td class=\"text\"><code>s[t] &lt; 1;</code></td></tr>"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("<tr><th>&ndash;</th><td>25 %</td><td class=\"text\">barrier 100 %</td>"
                      "<td class=\"text\"><code>no line known</code></td></tr>"),
            std::string::npos);
  EXPECT_EQ(count_of(page, "<h3>"), 1U);  // one case was sampled
}

}  // namespace
}  // namespace lab::report
