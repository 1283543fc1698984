#include "tools/cli/text/difference_text.h"

#include <gtest/gtest.h>

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

TEST(Difference, OnlyWhatDiffersIsShown) {
  const RunRecord before = run_of({case_of("column", {{"pad", 0}}, 32)});
  const RunRecord after = run_of({case_of("column", {{"pad", 0}}, 1)});
  EXPECT_EQ(differences_text(before, after, {"run 1", "run 2"}, {}, {}),
            "A: run 1  (lab 3, model, sm_90)\n"
            "B: run 2  (lab 3, model, sm_90)\n"
            "\n"
            "column  pad=0\n"
            "                     A  B     B/A\n"
            "  ----------------  --  -  ------  ------\n"
            "  wavefronts, load  32  1  0.0312  better\n"
            "\n"
            "1 case in both: B is better in 1 of 2 values.\n");
  EXPECT_NE(differences_text(before, before, {"a", "b"}, {}, {}).find("no difference in 2 values"),
            std::string::npos);
}

}  // namespace
}  // namespace lab::cli
