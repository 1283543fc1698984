#include "tools/cli/text/difference_text.h"

#include <gtest/gtest.h>

namespace lab::cli {
namespace {

using Lines = std::vector<int>;

TEST(Difference, LinesThatStayAreMatched) {
  EXPECT_EQ(matched_lines("a\nb\nc", "a\nb\nc"), (Lines{0, 1, 2, 3}));
  EXPECT_EQ(matched_lines("a\nc", "a\nb\nc"), (Lines{0, 1, 3}));
  EXPECT_EQ(matched_lines("a\nb\nc", "a\nc"), (Lines{0, 1, 0, 2}));
  EXPECT_EQ(matched_lines("  a", "a"), (Lines{0, 1}));  // indented otherwise
  EXPECT_EQ(matched_lines("", ""), (Lines{0, 1}));
}

TEST(Difference, ReplacedLinesAreMatchedInOrder) {
  EXPECT_EQ(matched_lines("a\nx1\nx2\nc", "a\ny1\ny2\nc"), (Lines{0, 1, 2, 3, 4}));
  // One line became two: the one that begins like it stands for it.
  EXPECT_EQ(matched_lines("a\nsum += tile[x * 32];\nc", "a\nint k = 3;\nsum += tile[x * 33];\nc"),
            (Lines{0, 1, 3, 4}));
  EXPECT_EQ(matched_lines("a\nqqqq\nc", "a\nint k = 3;\nsum += 1;\nc"), (Lines{0, 1, 0, 4}));
}

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

// Two variants: compared where their common parameters are equal.
TEST(Difference, VariantsArePairedByTheirCommonParameters) {
  const RunRecord padded = run_of({case_of("column", {{"pad", 1}, {"passes", 4}}, 1)});
  const RunRecord other = run_of({case_of("column_swizzled", {{"passes", 1}}, 1),
                                  case_of("column_swizzled", {{"passes", 4}}, 1)});
  const auto pairs = pairs_of(padded, other);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].second->params, (Params{{"passes", 4}}));
}

}  // namespace
}  // namespace lab::cli
