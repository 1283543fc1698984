#include "harness/reading/goal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/core/screen.h"

namespace lab::reading {
namespace {

Goal goal_from(const std::string& variant, const std::string& says) {
  Goal goal;
  goal.says = says;
  if (!variant.empty()) {
    goal.from = ScreenRow{};
    goal.from->variant = variant;
  }
  return goal;
}

TEST(GoalSentence, LessIsSaidInsteadOfWhat) {
  const std::vector<GoalLine> lines = {{"shared_load_wavefronts_sass", 65536, 2048},
                                       {"shared_load_ways", 32, 1}};
  EXPECT_EQ(goal_sentence(lines, goal_from("column", "")),
            "32-way bank conflict -> none; wavefronts, load: 2,048 instead of 65,536");
}

TEST(GoalSentence, MoreAndAsMuchNameTheOtherCase) {
  // 2^18 floats, 8 to a sector, are 32,768; every fourth on one address: 65,536 more.
  EXPECT_EQ(goal_sentence({{"global_reduction_sectors", 32768, 98304}},
                          goal_from("atomic_all", "no addition is lost")),
            "No addition is lost; sectors, reductions: 98,304, where atomic_all has 32,768");
  // 32 floats of 4 bytes are 4 sectors of 32 bytes, in any order.
  EXPECT_EQ(goal_sentence({{"global_load_sectors", 4, 4}}, goal_from("load", "any order")),
            "Any order; sectors, read: 4, as in load");
}

TEST(GoalSentence, ANumberThatIsComparedWithNothingStandsWhereNoWordsDo) {
  const std::vector<GoalLine> lines = {{"global_load_sectors", {}, 4097}};
  EXPECT_EQ(goal_sentence(lines, goal_from("", "one per step")), "One per step");
  EXPECT_EQ(goal_sentence(lines, goal_from("", "")), "Sectors, read: 4,097");
  EXPECT_EQ(goal_sentence({}, goal_from("", "one per step")), "");
}

}  // namespace
}  // namespace lab::reading
