#include "tools/cli/json/json.h"
#include "tools/cli/json/json_fix.h"
#include "tools/cli/json/json_grade.h"
#include "tools/cli/json/json_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/labs/registry.h"
#include "metrics/catalogue.h"
#include "metrics/stalls.h"
#include "tests/unit/cli/sample_run.h"
#include "tools/cli/json/json_ncu.h"
#include "tools/cli/json/json_record.h"

namespace lab::cli {
namespace {

using Json = nlohmann::json;

Json first_case(const RunRecord& run) {
  return Json::parse(runs_json({run}))["runs"][0]["cases"][0];
}

TEST(RunJson, HasTheKeysOfTheContract) {
  const Json json = Json::parse(runs_json({sample_run()}))["runs"][0];
  EXPECT_EQ(json["run"]["id"], 7);
  EXPECT_EQ(json["run"]["lab"], 3);
  EXPECT_EQ(json["run"]["gpu"], nullptr);
  const Json& record = json["cases"][0];
  EXPECT_EQ(record["params"], (Json{{"loads", 4}, {"stride", 2}}));
  EXPECT_EQ(record["grid"], (Json{2, 1, 1}));
  EXPECT_EQ(record["block"], (Json{256, 1, 1}));
  EXPECT_EQ(record["status"], "ok");
  EXPECT_EQ(record["correct"], true);
  EXPECT_EQ(record["time"], nullptr);
  const Json& metric = record["metrics"]["shared_load_ways"];
  for (const char* key : {"unit", "class", "theory", "theory_high", "formula", "model", "cupti",
                          "sass", "ncu", "measured", "verdict", "reason", "missing"}) {
    EXPECT_TRUE(metric.contains(key)) << key;
  }
  EXPECT_EQ(metric["theory"], 2);
  EXPECT_EQ(metric["model"], 2);
  EXPECT_EQ(metric["cupti"], nullptr);
  EXPECT_EQ(metric["verdict"], "agrees");
}

TEST(RunJson, CountsAreIntegersAndImpossibleNumbersNull) {
  RunRecord run = sample_run();
  run.cases[0].observations = {observed("a__b.sum", SourceOf::kCupti, 9007199254740992.0),
                               observed("c__d.ratio", SourceOf::kCupti, 0.5),
                               observed("e__f.ratio", SourceOf::kCupti, std::nan(""))};
  const Json metrics = first_case(run)["metrics"];
  EXPECT_EQ(metrics["a__b.sum"]["cupti"].dump(), "9007199254740992");
  EXPECT_EQ(metrics["c__d.ratio"]["cupti"].dump(), "0.5");
  EXPECT_EQ(metrics["e__f.ratio"]["cupti"], nullptr);
}

TEST(RunJson, WhatIsMissingSaysWhy) {
  RunRecord run = sample_run();
  Observation missing = observed("dram_read_bytes", SourceOf::kCupti, 0);
  missing.value = Missing{NoValue::kNoPermission, "there is no driver"};
  run.cases[0].observations.push_back(missing);
  const Json metric = first_case(run)["metrics"]["dram_read_bytes"];
  EXPECT_EQ(metric["cupti"], nullptr);
  EXPECT_EQ(metric["missing"], (Json{{"cupti", "no_permission: there is no driver"}}));
}

TEST(RunJson, ALibraryVariantHasNoKernel) {
  RunRecord run = sample_run();
  run.cases[0].kernel.clear();
  const Json record = first_case(run);
  EXPECT_EQ(record["kernel"], nullptr);
  EXPECT_EQ(record["grid"], nullptr);
  EXPECT_EQ(record["block"], nullptr);
}

TEST(RunJson, UncheckedIsNotFalse) {
  RunRecord run = sample_run();
  run.cases[0].correct = {};
  EXPECT_EQ(first_case(run)["correct"], nullptr);
}

TEST(RunJson, InactiveLanesAreNull) {
  RunRecord run = sample_run();
  Access access;
  access.address.fill(-1);
  access.address[3] = 12;
  run.cases[0].accesses = {access};
  const Json addresses = first_case(run)["accesses"][0]["addresses"];
  EXPECT_EQ(addresses.size(), 32U);
  EXPECT_EQ(addresses[0], nullptr);
  EXPECT_EQ(addresses[3], 12);
}

TEST(RunJson, TextThatIsNotUtf8IsReplaced) {
  RunRecord run = sample_run();
  run.source_name = "caf\xe9.cu";
  EXPECT_EQ(Json::parse(runs_json({run}))["runs"][0]["run"]["source"], "caf\ufffd.cu");
}

// ---- every document has the keys that tools/cli/json/README.md specifies, and no others ----

// Objects whose keys are data.
bool is_free(const std::string& key) {
  return key == "params" || key == "facts" || key == "environment" || key == "missing";
}

void add_paths(const Json& json, const std::string& path, std::set<std::string>& paths) {
  const std::string key = path.substr(path.rfind('.') + 1);
  if (json.is_object() && !is_free(key)) {
    const std::string before = path.empty() ? "" : path + ".";
    for (const auto& [name, value] : json.items()) {
      add_paths(value, before + (key == "metrics" ? "KEY" : name), paths);
    }
  } else if (json.is_array() && !json.empty() && json[0].is_object() && key != "points") {
    for (const Json& item : json) add_paths(item, path + "[]", paths);
  } else if (!path.empty()) {
    paths.insert(path);
  }
}

std::set<std::string> paths_of(const std::vector<std::string>& documents) {
  std::set<std::string> paths;
  for (const std::string& text : documents) {
    const Json json = Json::parse(text);
    EXPECT_EQ(json["format"], 1);
    add_paths(json, "", paths);
  }
  paths.erase("format");
  // An empty list, or a null, does not show what it is of.
  for (auto at = paths.begin(); at != paths.end();) {
    const auto holds = [&](const std::string& path) {
      return path.rfind(*at + "[].", 0) == 0 || path.rfind(*at + ".", 0) == 0;
    };
    const bool more = std::any_of(paths.begin(), paths.end(), holds);
    at = more ? paths.erase(at) : std::next(at);
  }
  return paths;
}

// The first column of the table below `heading`.
std::set<std::string> specified(const std::string& heading) {
  std::ifstream file(LAB_SOURCE_DIR "/tools/cli/json/README.md");
  std::set<std::string> paths;
  bool here = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("## ", 0) == 0) here = line == "## " + heading;
    if (here && line.rfind("| `", 0) == 0) paths.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return paths;
}

RunRecord run_with_everything() {
  RunRecord run = sample_run();
  CaseRecord& record = run.cases[0];
  record.findings.emplace_back();
  record.remarks.emplace_back();
  record.timing = Timing{};
  record.expected = ExpectedTime{};
  record.accesses.emplace_back();
  record.lines.emplace_back();
  record.notes.instructions = {{InstructionKind::kGlobalLoad4, 1}};
  run.at_gpu_size = {record};
  return run;
}

std::vector<std::string> lab_documents() {
  std::vector<std::string> documents;
  for (const Lab& lab : all_labs()) documents.push_back(lab_json(lab, "README.md"));
  Lab choice;
  choice.params = {{"type", "the elements", std::string("float"), 0, 0, {"float", "double"}}};
  documents.push_back(lab_json(choice, "README.md"));
  return documents;
}

TEST(Documents, HaveTheKeysOfThePage) {
  const RunRecord run = run_with_everything();
  const Exercise exercise = {"3", "strides", "lab run 3", "free", "as claimed"};
  EXPECT_EQ(
      paths_of({labs_json({list_labs().labs, {{"14_odd", "/labs/14_odd", input_error("odd")}}}),
                exercises_json({exercise})}),
      specified("`lab list`"));
  EXPECT_EQ(paths_of(lab_documents()), specified("`lab show`"));
  EXPECT_EQ(paths_of({runs_json({run})}), specified("`lab run`, `lab compare`, `lab probe`"));
  std::set<std::string> probed = paths_of({probe_json(
      run, metrics::Diagnosis{{{}}, metrics::KernelTime{1, {{TimeTerm::kDram, 1.0}}}})});
  for (const std::string& path : paths_of({runs_json({run})})) probed.erase(path);
  EXPECT_EQ(probed,
            specified("`lab probe`, `lab exec`, and `lab run` of a file of yours, beside that"));
  EXPECT_EQ(paths_of({run_list_json({db::RunSummary{run}})}), specified("`lab runs`"));
  EXPECT_EQ(paths_of({metrics_json({{&metrics::catalogue().front()}}, metrics::stall_reasons(),
                                   "GH100", 3)}),
            specified("`lab metrics`"));
  EXPECT_EQ(paths_of({report_json(1, "run.html")}), specified("`lab report`"));
  EXPECT_EQ(paths_of({calibration_json({"GPU-1", "H200", "580", "2026", {{}}})}),
            specified("`lab calibrate`"));
  EXPECT_EQ(paths_of({merged_json({{"a.db", {}}})}), specified("`lab merge`"));
  EXPECT_EQ(paths_of({verified_json({}, {{1, "uuid", 2, {{}}, {{}}}})}), specified("`lab verify`"));
  EXPECT_EQ(paths_of({checks_json({{}}, "fine")}), specified("`lab doctor`"));
}

TEST(Documents, OfGradesToo) {
  grade::Checked checked{"saxpy", "sm_90"};
  checked.criteria.emplace_back();
  checked.problems.emplace_back();
  EXPECT_EQ(paths_of({checked_json({checked})}), specified("`lab check`"));
  db::GradebookRow row;
  row.grade.criteria.emplace_back();
  EXPECT_EQ(paths_of({gradebook_json({row}, {})}), specified("`lab grade`"));
  EXPECT_EQ(paths_of({regraded_json(true, 2, {{"ada", 40, 60, 100}})}),
            specified("`lab grade --again` without submissions"));
  EXPECT_EQ(paths_of({copies_json(2, {{{"ada", "bob"}}})}), specified("`lab copies`"));
}

// A criterion's row says at which parameters it was decided, as the database does.
TEST(GradeJson, ACriterionSaysWhereItWasDecided) {
  db::GradebookRow row;
  row.grade.criteria.resize(3);
  row.grade.criteria[0].params = db::DecidingCase("stride=2");
  row.grade.criteria[1].params = db::DecidingCase::hidden();
  const Json grade = Json::parse(gradebook_json({row}, {}))["grades"][0];
  EXPECT_EQ(grade["criteria"][0]["params"], "stride=2");
  EXPECT_EQ(grade["criteria"][1]["params"], "hidden");
  EXPECT_EQ(grade["criteria"][2]["params"], nullptr);  // nothing was run
}

TEST(Documents, OfLearningToo) {
  const Lab& lab = all_labs().front();
  EXPECT_EQ(paths_of({start_json(lab, {}, "lab1.cu", {{{}}})}), specified("`lab start`"));
  EXPECT_EQ(paths_of({hint_json(lab, 1, 3, "text")}), specified("`lab hint`"));
  EXPECT_EQ(paths_of({quiz_json(lab, 3, {{}})}), specified("`lab quiz`"));
  EXPECT_EQ(paths_of({guess_json(lab, {})}), specified("`lab guess`"));
  EXPECT_EQ(paths_of({progress_json("ada", {{}})}), specified("`lab progress`"));
  EXPECT_EQ(paths_of({text_file_json("lab.1", ".TH")}), specified("`lab completion`, `lab man`"));
}

TEST(Documents, OfWhatIsHandedInToo) {
  EXPECT_EQ(paths_of({submitted_json({})}), specified("`lab submit`"));
}

TEST(Documents, OfRecordingsToo) {
  record::RecordStory story;
  story.end = CommandEnd{};
  story.summary.kernels.emplace_back().launches = 1;
  story.summary.kernels[0].counters.emplace_back();
  story.summary.gpus.emplace_back().longest.emplace_back();
  story.summary.copies.emplace_back();
  story.summary.ranges.emplace_back();
  story.summary.processes.emplace_back().troubles.emplace_back();
  EXPECT_EQ(paths_of({recording_json(story)}), specified("`lab record`"));
}

TEST(Documents, OfLinesAndImportsToo) {
  RunRecord run = run_with_everything();
  CaseRecord& record = run.cases[0];
  record.launch = {{1, 1, 1}, {32, 1, 1}, 0};
  record.expected->ns = 5000;
  record.kernel_facts = KernelFacts();
  record.kernel_facts->warp.issue_cycles = 1000;
  record.lines.push_back({run.source_name, 1, "instructions", SourceOf::kModel, 500});
  auto lines = paths_of({lines_json(run, metrics::data_sheet("sm_90"))});
  for (auto at = lines.begin(); at != lines.end();) {
    at = at->rfind("runs[]", 0) == 0 ? lines.erase(at) : std::next(at);
  }
  lines.insert("runs");
  EXPECT_EQ(lines, specified("`lab explain`"));
  lab::run::ArrayFix fix;
  fix.lines.emplace_back();
  fix.problem.columns = {32};
  fix.solution.better.emplace_back();
  EXPECT_EQ(paths_of({fixes_json(run, {fix}, true)}), specified("`lab fix`"));
  lab::ncu::Imported imported;
  for (const SourceOf source : {SourceOf::kCupti, SourceOf::kNcu}) {
    run.cases[0].observations.push_back(observed("lts__t_requests.sum", source, 8));
  }
  imported.run = run;
  EXPECT_EQ(paths_of({imported_json(imported)}), specified("`lab ncu`, `lab import`"));
}

}  // namespace
}  // namespace lab::cli
