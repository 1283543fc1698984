#include "harness/reading/difference_page.h"

#include <gtest/gtest.h>

#include "tools/cli/text/page_text.h"

namespace lab::cli {
namespace {

CaseRecord case_of(const std::string& variant, const Params& params, double wavefronts) {
  CaseRecord record;
  record.variant = variant;
  record.params = params;
  record.observations = {{"shared_load_wavefronts_sass", SourceOf::kModel, wavefronts},
                         {"global_load_sectors", SourceOf::kModel, 4.0}};
  return record;
}

RunRecord run_of(std::vector<CaseRecord> cases) {
  RunRecord run;
  run.lab = 3;
  run.backend = "model";
  run.arch = "sm_90";
  run.source_name = "mine.cu";
  run.source_text = "one\ntwo\n";
  run.cases = std::move(cases);
  return run;
}

std::string differences(const RunRecord& first, const RunRecord& second) {
  return page_text(reading::difference_page(first, second, {"run 1", "run 2"}, {}), {});
}

TEST(Difference, OnlyWhatDiffersIsShown) {
  const RunRecord before = run_of({case_of("column", {{"pad", 0}}, 32)});
  const RunRecord after = run_of({case_of("column", {{"pad", 0}}, 1)});
  EXPECT_EQ(differences(before, after),
            "A: run 1  (lab 3, model, sm_90)\n"
            "B: run 2  (lab 3, model, sm_90)\n"
            "\n"
            "column  pad=0\n"
            "                     A  B     B/A\n"
            "  ----------------  --  -  ------  ------\n"
            "  wavefronts, load  32  1  0.0312  better\n"
            "\n"
            "1 case in both: B is better in 1 of 2 values.\n");
  EXPECT_NE(differences(before, before).find("no difference in 2 values"), std::string::npos);
}

// Both name the same file; the line that B alone has says so, and no line says more than its name.
TEST(Difference, ALineSaysWhoseItIs) {
  RunRecord before = run_of({case_of("column", {{"pad", 0}}, 32)});
  RunRecord after = run_of({case_of("column", {{"pad", 0}}, 1)});
  before.source_name = after.source_name = "folder/mine.cu";
  after.source_text = "one\ntwo\n  three\n";
  const auto at = [](int line, double wavefronts) {
    return LineObservation{"folder/mine.cu", line, "shared_load_wavefronts", SourceOf::kModel,
                           wavefronts};
  };
  before.cases.front().lines = {at(1, 32)};
  after.cases.front().lines = {at(1, 1), at(3, 5)};
  const std::string said = differences(before, after);
  EXPECT_NE(
      said.find("\n  mine.cu:1   one\n    hardware wavefronts, load: 32 -> 1  better\n"
                "  mine.cu:3   three\n    B alone: hardware wavefronts, load: 0 -> 5  worse\n"),
      std::string::npos)
      << said;
}

}  // namespace
}  // namespace lab::cli
