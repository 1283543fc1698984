// Which cases a rubric asks for: those that it names, and those that a class's seed draws.
#include "harness/classes/grade/rubric.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/labs/registry.h"

namespace lab::grade {
namespace {

std::string rubric_with(const std::string& points) {
  return "lab = 1\n[[points]]\nvariant = \"permuted\"\n" + points +
         "\n[[criterion]]\nname = \"right\"\npoints = 1\nvariant = \"permuted\"\nstatus = \"ok\"\n";
}

std::vector<std::int64_t> sizes(const Rubric& rubric) {
  std::vector<std::int64_t> all;
  for (const CaseRequest& one : rubric.requests) all.push_back(one.params.number("n"));
  return all;
}

constexpr const char* kDrawn = "params = { n = \"1..20000\" }\ndraw = 3";

TEST(RubricPoints, AreDrawnByTheClassesSeed) {
  const Rubric one = read_rubric("r.toml", rubric_with(kDrawn), *lab_with_number(1), 7);
  ASSERT_EQ(one.requests.size(), 3U);
  EXPECT_EQ(one.hidden.size(), 3U);
  EXPECT_EQ(sizes(one), sizes(at_seed(one, 7)));
  EXPECT_NE(sizes(one), sizes(at_seed(one, 8)));
  // What else the rubric has changes no draw, or no stored run could be judged by a new text.
  const std::string more = "params = { n = 5 }\n[[points]]\nvariant = \"permuted\"\n";
  const Rubric longer = read_rubric("r.toml", rubric_with(more + kDrawn), *lab_with_number(1), 7);
  std::vector<std::int64_t> known = sizes(one);
  known.insert(known.begin(), 5);
  EXPECT_EQ(sizes(longer), known);
}

TEST(RubricPoints, ARubricsOwnSeedCounts) {
  const std::string text = "seed = 7\n" + rubric_with(kDrawn);
  const Lab& lab = *lab_with_number(1);
  EXPECT_EQ(sizes(read_rubric("r.toml", text, lab, 8)),
            sizes(read_rubric("r.toml", rubric_with(kDrawn), lab, 7)));
}

TEST(RubricPoints, OfDrawsThatMakeNoSense) {
  for (const char* points :
       {"draw = 3", "params = { n = 5 }\ndraw = 0", "params = { n = 5 }\ndraw = 2\nhidden = false",
        "params = { n = \"0..5\" }\ndraw = 2"}) {
    EXPECT_THROW(static_cast<void>(read_rubric("r.toml", rubric_with(points), *lab_with_number(1))),
                 Error)
        << points;
  }
}

}  // namespace
}  // namespace lab::grade
