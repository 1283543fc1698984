#include "harness/run/plan.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "harness/labs/registry.h"

namespace lab::run {
namespace {

Lab two_variants() {
  Lab lab;
  lab.number = 7;
  lab.params = {{"n", "elements", std::int64_t{32}, 1, 1024, {}},
                {"stride", "words", std::int64_t{1}, 0, 33, {}}};
  Variant a;
  a.name = "plain";
  a.reads = {"n", "stride"};
  a.points = product({{"stride", integers(1, 3)}, {"n", {std::int64_t{32}}}});
  a.gpu_points = product({{"stride", integers(1, 1)}, {"n", {std::int64_t{1024}}}});
  Variant b;
  b.name = "padded";
  b.reads = {"n"};
  b.points = {Params{{"n", std::int64_t{64}}}};
  lab.variants = {a, b};
  return lab;
}

std::vector<std::string> texts(const std::vector<CaseRequest>& cases) {
  std::vector<std::string> out;
  for (const CaseRequest& c : cases) out.push_back(c.variant + " " + c.params.text());
  return out;
}

using Texts = std::vector<std::string>;

TEST(Plan, TakesEveryVariantAtItsOwnPoints) {
  const auto cases = plan_cases(two_variants(), {});
  EXPECT_EQ(texts(cases), (Texts{"plain n=32 stride=1", "plain n=32 stride=2",
                                 "plain n=32 stride=3", "padded n=64"}));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(cases[i].index, static_cast<int>(i));
  }
}

TEST(Plan, ASweepReplacesItsAxisOnly) {
  Selection selection;
  selection.sweeps = {{"stride", "8,16"}};
  EXPECT_EQ(texts(plan_cases(two_variants(), selection)),
            (Texts{"plain n=32 stride=8", "plain n=32 stride=16", "padded n=64"}));
  selection.sweeps = {{"stride", "4"}, {"n", "1..4*2"}};
  EXPECT_EQ(texts(plan_cases(two_variants(), selection)),
            (Texts{"plain n=1 stride=4", "plain n=2 stride=4", "plain n=4 stride=4", "padded n=1",
                   "padded n=2", "padded n=4"}));
}

TEST(Plan, TakesTheTellingPointsUnlessAllAreAskedFor) {
  Lab lab = two_variants();
  Variant& plain = lab.variants[0];
  plain.telling = {plain.points[2], plain.points[0]};
  EXPECT_EQ(texts(plan_cases(lab, {})),
            (Texts{"plain n=32 stride=3", "plain n=32 stride=1", "padded n=64"}));
  Selection selection;
  selection.sweeps = {{"n", "5"}};
  EXPECT_EQ(texts(plan_cases(lab, selection)),
            (Texts{"plain n=5 stride=3", "plain n=5 stride=1", "padded n=5"}));
  selection.sweeps.clear();
  selection.for_gpu = true;  // none of its points is telling: they all run
  EXPECT_EQ(texts(plan_cases(lab, selection)), (Texts{"plain n=1024 stride=1", "padded n=64"}));
  selection.for_gpu = false;
  selection.all = true;
  EXPECT_EQ(plan_cases(lab, selection).size(), 4U);
}

TEST(Plan, TakesLargerSizesForAGpuWhereAVariantHasThem) {
  Selection selection;
  selection.for_gpu = true;
  EXPECT_EQ(texts(plan_cases(two_variants(), selection)),
            (Texts{"plain n=1024 stride=1", "padded n=64"}));
}

TEST(Plan, NamesOneVariantOnceEvenIfAskedTwice) {
  Selection selection;
  selection.variants = {"padded", "padded"};
  EXPECT_EQ(texts(plan_cases(two_variants(), selection)), (Texts{"padded n=64"}));
}

std::string error_of(const Selection& selection) {
  try {
    (void)plan_cases(two_variants(), selection);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    return render(error);
  }
  return "no error";
}

TEST(Plan, SaysWhatIsWrongAndWhatIsNear) {
  Selection selection;
  selection.variants = {"padde"};
  EXPECT_EQ(error_of(selection),
            "error: lab 7 has no variant 'padde'\nhint: did you mean 'padded'?\n");
  selection = {};
  selection.sweeps = {{"strid", "1"}};
  EXPECT_EQ(error_of(selection),
            "error: lab 7 has no parameter 'strid'\nhint: did you mean 'stride'?\n");
  selection.sweeps = {{"n", "1"}, {"n", "2"}};
  EXPECT_EQ(error_of(selection),
            "error: parameter 'n' is given twice\n"
            "hint: write all its values in one: --param n=1,2,4\n");
  selection.variants = {"padded"};
  selection.sweeps = {{"stride", "1"}};
  EXPECT_EQ(error_of(selection),
            "error: none of the chosen variants reads parameter 'stride'\n"
            "hint: `lab show 7` lists what each variant reads\n");
}

TEST(Plan, ReadsNameAndValues) {
  EXPECT_EQ(parse_param("a=1=2"), (std::pair<std::string, std::string>{"a", "1=2"}));
  EXPECT_THROW((void)parse_param("a"), Error);
  EXPECT_THROW((void)parse_param("=1"), Error);
}

TEST(Plan, RefusesParametersThatDoNotGoTogether) {
  Lab lab = two_variants();
  lab.variants[1].launch = [](const Params&) -> Launch { throw input_error("n is odd"); };
  EXPECT_THROW((void)plan_cases(lab, {}), Error);
  EXPECT_EQ(plan_cases(lab, {{"plain"}}).size(), 3U);
}

Plan plan_of_two(const std::optional<KernelText>& theirs) {
  const Lab& lab = find_lab("3");
  BatchRequest batch;
  batch.cases = plan_cases(lab, {{"stride"}, {{"stride", "1,2"}}});
  return plan_run(lab, std::move(batch), theirs);
}

TEST(PlanRun, HasTheLabsKernelsAsTheyCame) {
  const Plan plan = plan_of_two({});
  EXPECT_EQ(plan.batch.cases.size(), 2U);
  EXPECT_TRUE(plan.own_kernel);
  EXPECT_FALSE(plan.own);
  EXPECT_EQ(plan.head.lab, 3);
  EXPECT_EQ(plan.head.lab_id, "bank_conflicts");
  EXPECT_EQ(plan.head.source_text, plan.batch.source.text);
  EXPECT_NE(plan.head.source_text.find("__global__"), std::string::npos);
  EXPECT_TRUE(plan.head.source_is_labs_own);
}

TEST(PlanRun, KeepsTheLabsKernelsBesideAStudents) {
  const Plan plan = plan_of_two(KernelText{"mine.cu", "__global__ void mine() {}"});
  EXPECT_FALSE(plan.own_kernel);
  EXPECT_EQ(plan.head.source_name, "mine.cu");
  EXPECT_FALSE(plan.head.source_is_labs_own);
  ASSERT_TRUE(plan.own);
  EXPECT_EQ(plan.own->text, plan_of_two({}).head.source_text);
}

}  // namespace
}  // namespace lab::run
