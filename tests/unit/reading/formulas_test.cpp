#include "harness/reading/formulas.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/sample_run.h"

namespace lab::reading {
namespace {

Lab lab_with(const std::string& formula) {
  Lab lab;
  lab.variants.resize(1);
  lab.variants[0].name = "stride";
  lab.variants[0].theory.push_back({"shared_load_ways", Expr(formula), "made by a test"});
  return lab;
}

TEST(Formulas, AFormulaOfAnotherVersionIsTheStoredOne) {
  CaseRecord record = cli::sample_case(2, 2, 2);
  record.verdicts[0].formula = "stride";
  const Lab now = lab_with("stride");
  const JudgedBy by = formula_of(record, &now.variants[0], "shared_load_ways");
  EXPECT_EQ(by.row, &now.variants[0].theory[0]);
  EXPECT_EQ(by.stored, &record.verdicts[0]);
  const Lab later = lab_with("loads");
  EXPECT_EQ(formula_of(record, &later.variants[0], "shared_load_ways").row, nullptr);
  EXPECT_EQ(formula_of(record, nullptr, "shared_load_ways").stored, &record.verdicts[0]);
  EXPECT_EQ(formula_of(record, nullptr, "instructions").stored, nullptr);
}

TEST(Formulas, TheExampleIsNeitherTheLeastNorTheGreatest) {
  RunRecord run = cli::sample_run();
  const auto stride = [&] {
    const auto sections = sections_of(run);
    return example_case(sections.front()).params.number("stride");
  };
  EXPECT_EQ(stride(), 4);  // of 2 and 4
  for (const int more : {8, 16}) run.cases.push_back(cli::sample_case(more, 1, 1));
  EXPECT_EQ(stride(), 8);
}

// Strides 2 and 4 ran. The lab's telling points are 4 and 2, and its picture is 2.
TEST(Formulas, TheTellingCaseComesFirst) {
  const RunRecord run = cli::sample_run();
  const auto first = [&](const Lab& lab) {
    return telling_first(sections_of(run), &lab).front().cases.front()->params.number("stride");
  };
  Lab lab = lab_with("stride");
  EXPECT_EQ(first(lab), 2);
  const Params two = run.cases[0].params;
  const Params four = run.cases[1].params;
  lab.variants[0].points = {two, four};
  lab.variants[0].telling = {four, two};
  EXPECT_EQ(first(lab), 4);
  lab.picture = Picture{{"stride", {two}}, "tile"};
  EXPECT_EQ(first(lab), 2);
}

TEST(Formulas, AVariantThatTheLabHasLostIsNone) {
  const Lab lab = lab_with("stride");
  EXPECT_EQ(variant_of({"stride"}, &lab), &lab.variants[0]);
  EXPECT_EQ(variant_of({"gone"}, &lab), nullptr);
  EXPECT_EQ(variant_of({"stride"}, nullptr), nullptr);
}

}  // namespace
}  // namespace lab::reading
