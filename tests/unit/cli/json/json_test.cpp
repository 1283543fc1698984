#include "tools/cli/json/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/cli/sample_run.h"

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
  missing.value = Missing{"no_gpu", "there is no driver"};
  run.cases[0].observations.push_back(missing);
  const Json metric = first_case(run)["metrics"]["dram_read_bytes"];
  EXPECT_EQ(metric["cupti"], nullptr);
  EXPECT_EQ(metric["missing"], (Json{{"cupti", "no_gpu: there is no driver"}}));
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

}  // namespace
}  // namespace lab::cli
