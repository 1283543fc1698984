#include "harness/core/sections.h"

#include <gtest/gtest.h>

namespace lab {
namespace {

CaseRecord a_case(const char* variant, std::int64_t n, std::int64_t stride) {
  CaseRecord record;
  record.variant = variant;
  record.params = Params{{"n", n}, {"stride", stride}};
  return record;
}

TEST(Sections, VariantByVariantInTheOrderOfTheirFirstCases) {
  RunRecord run;
  run.cases = {a_case("load", 64, 1), a_case("store", 8, 1), a_case("load", 64, 2)};
  const auto sections = sections_of(run);
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0].variant, "load");
  EXPECT_EQ(sections[0].cases, (std::vector<const CaseRecord*>{&run.cases[0], &run.cases[2]}));
  EXPECT_EQ(sections[0].varying, std::vector<std::string>{"stride"});
  EXPECT_EQ(sections[0].fixed, std::vector<std::string>{"n"});
  // One case: nothing varies.
  EXPECT_EQ(sections[1].varying, std::vector<std::string>{});
  EXPECT_EQ(sections[1].fixed, (std::vector<std::string>{"n", "stride"}));
}

TEST(Sections, ARunWithoutCasesHasNone) { EXPECT_TRUE(sections_of(RunRecord{}).empty()); }

}  // namespace
}  // namespace lab
