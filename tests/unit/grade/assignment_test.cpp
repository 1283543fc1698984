// Rubrics of whole programs, and outputs held against what is wanted.
#include "harness/classes/grade/assignment.h"

#include <gtest/gtest.h>

#include "harness/classes/grade/points.h"
#include "harness/core/error.h"
#include "harness/core/metric_keys.h"

namespace lab::grade {
namespace {

TEST(DifferenceOf, WordsAreEqualAndNumbersWithinTheTolerance) {
  EXPECT_EQ(difference_of("sum 1.0001\nPASSED\n", "sum 1\nPASSED", 1e-3), "");
  EXPECT_EQ(difference_of("sum  1.5\t\n\n", "sum 1.5", 0), "");
  // Relative where the number is large: 1e6 may be off by 1000, and no more.
  EXPECT_EQ(difference_of("1001000", "1000000", 1e-3), "");
  EXPECT_NE(difference_of("1001001", "1000000", 1e-3), "");
  EXPECT_NE(difference_of("nan", "1", 1e9), "");
  EXPECT_EQ(difference_of("sum 2", "sum 1", 0), "line 1 of its output is 'sum 2', wanted 'sum 1'");
  EXPECT_EQ(difference_of("a\nb", "a", 0), "line 2 of its output is too many: b");
  EXPECT_EQ(difference_of("a", "a\nb", 0), "its output ends before line 2: b");
  EXPECT_EQ(difference_of(" \n", "a", 0), "it prints nothing");
  EXPECT_EQ(difference_of("", "", 0), "");
}

std::string wrong(const std::string& text) {
  try {
    static_cast<void>(read_assignment("r.toml", text));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Assignment, IsReadAndItsFaultsAreTold) {
  EXPECT_FALSE(read_assignment("r.toml", "lab = 3\n").has_value());
  const std::string run = "program = 'p'\n[[run]]\nname = 'r'\noutput = 'x'\n";
  const std::string head = run + "[[criterion]]\nname = 'c'\npoints = 1\nrun = 'r'\n";
  const auto rubric = read_assignment("r.toml", head + "status = 'ok'\n");
  ASSERT_TRUE(rubric.has_value());
  EXPECT_EQ(rubric->lab->called(), "p");
  EXPECT_EQ(rubric->runs.at(0).output, "x");
  EXPECT_EQ(wrong(run), "r.toml has no criterion");
  EXPECT_EQ(wrong("program = '3'"),
            "a name has letters, digits, - and _, and begins with a letter");
  EXPECT_EQ(wrong("program = 'p'\n[[run]]\nname = 'r'\n"), "what has the program to print?");
  EXPECT_EQ(wrong(head + "metric = 'registers_per_thread'\nat_most = 1\n"), "which kernel's?");
  EXPECT_EQ(wrong(run + "[[criterion]]\nname = 'c'\npoints = 1\nrun = 's'\nstatus = 'ok'\n"),
            "there is no run 's'");
  EXPECT_EQ(wrong("program = 'p'\n[[run]]\nname = 'r'\nscript = '../x.py'\n"),
            "a script lies beside this file");
}

constexpr const char* kSums = R"(program = 'saxpy'
[[run]]
name = 'r'
arguments = ['1000', 'x']
output = 'x'
[[criterion]]
name = 'nothing else moves data'
points = 0
run = 'r'
metric = 'other_traffic'
equals = 0
[[criterion]]
name = 'in order'
points = 10
run = 'r'
kernel = 'saxpy*'
metric = 'global_traffic'
theory = '3 * argument_1 * 4 / 32'
min_excess = 1
max_excess = 1.1
needs = ['nothing else moves data']
)";

CaseRecord case_of_run(const std::string& kernel, CaseStatus status = CaseStatus::kOk) {
  CaseRecord record;
  record.variant = "r";
  record.kernel = kernel;
  record.status = status;
  return record;
}

/// A run of the program, with what its launches count together, and one launch of each kernel.
db::GradeRow graded_sums(std::vector<std::pair<std::string_view, double>> sums,
                         const std::vector<std::string>& kernels = {"saxpy"},
                         CaseStatus of_last = CaseStatus::kOk) {
  const Rubric rubric = *read_assignment("r.toml", kSums);
  RunRecord run;
  run.cases.push_back(case_of_run(""));
  run.cases[0].params = params_of(rubric.runs[0]);
  for (const auto& [metric, sum] : sums) {
    run.cases[0].observations.push_back({std::string(metric), SourceOf::kModel, sum});
  }
  for (const std::string& kernel : kernels) run.cases.push_back(case_of_run(kernel));
  run.cases.back().status = of_last;
  db::GradeRow row;
  give_points(rubric, run, row);
  return row;
}

// 1000 elements of x and y are read and as many of y written: 3 * 1000 * 4 / 32 = 375 sectors.
TEST(Assignment, CountsAreThoseOfAllLaunchesTogether) {
  namespace key = lab::metric;
  const auto points = [](double loads, double stores, double atomics = 0) {
    return graded_sums({{key::kGlobalLoadSectors, loads},
                        {key::kGlobalStoreSectors, stores},
                        {key::kGlobalReductionSectors, atomics}})
        .points;
  };
  EXPECT_EQ(points(250, 125), 10);
  EXPECT_EQ(points(2000, 1000), 0);        // each lane in a sector of its own
  EXPECT_EQ(points(250 + 2000, 1125), 0);  // a good launch and a bad one
  EXPECT_EQ(points(0, 125), 0);            // the host knows the result
  EXPECT_EQ(points(125, 125, 125), 0);     // as many, but by atomics: the condition does not hold
  const std::vector<std::pair<std::string_view, double>> right = {
      {key::kGlobalLoadSectors, 250.0},
      {key::kGlobalStoreSectors, 125.0},
      {key::kGlobalReductionSectors, 0.0}};
  EXPECT_EQ(graded_sums(right, {"other"}).points, 0);
  EXPECT_EQ(graded_sums(right, {"other"}).criteria[1].reason,
            "no kernel called 'saxpy*' was launched");
  // Another kernel's launch went wrong: what it costs says nothing.
  EXPECT_EQ(graded_sums(right, {"saxpy", "other"}, CaseStatus::kFinding).points, 0);
}

// 250 sectors by 64 requests are 3.9 each, 2250 by 128 are 17.6; none by none is nothing good.
TEST(Assignment, AQuotientIsThatOfTheSums) {
  namespace key = lab::metric;
  const Rubric rubric = *read_assignment(
      "r.toml",
      "program = 'p'\n[[run]]\nname = 'r'\noutput = 'x'\n[[criterion]]\nname = 'c'\npoints = 5\n"
      "run = 'r'\nkernel = '*'\nmetric = 'global_load_sectors_per_request'\nat_most = 4\n");
  const auto points = [&](double sectors, double requests) {
    RunRecord run;
    run.cases = {case_of_run(""), case_of_run("saxpy")};
    run.cases[0].observations = {
        {std::string(key::kGlobalLoadSectors), SourceOf::kModel, sectors},
        {std::string(key::kGlobalLoadRequests), SourceOf::kModel, requests}};
    db::GradeRow row;
    give_points(rubric, run, row);
    return row.points;
  };
  EXPECT_EQ(points(250, 64), 5);
  EXPECT_EQ(points(2250, 128), 0);
  EXPECT_EQ(points(0, 0), 0);
}

TEST(Assignment, ArgumentsThatAreNumbersHaveNamesInTheory) {
  const Rubric rubric = *read_assignment("r.toml", kSums);
  EXPECT_EQ(params_of(rubric.runs[0]).text(), "argument_1=1000");
  std::string other = kSums;
  other.replace(other.find("argument_1"), 10, "argument_2");
  EXPECT_THROW((void)read_assignment("r.toml", other), Error);
}

}  // namespace
}  // namespace lab::grade
