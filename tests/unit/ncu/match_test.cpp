// Launches find their cases by NVTX range or by kernel and launch, and never by position.
#include "harness/ncu/match.h"

#include <gtest/gtest.h>

#include "harness/ncu/kernel_name.h"

namespace lab::ncu {
namespace {

CaseRecord a_case(std::int64_t stride, const std::string& kernel = "stride", Dim3 grid = {16}) {
  CaseRecord record;
  record.variant = "stride";
  record.params.set("stride", stride);
  record.kernel = kernel;
  record.launch = {grid, {256}, 0};
  return record;
}

RunRecord a_run(std::vector<CaseRecord> cases) {
  RunRecord run;
  run.lab = 3;
  run.cases = std::move(cases);
  return run;
}

KernelLaunch a_launch(const std::string& ranges, const std::string& kernel = "stride(int)",
                      Dim3 grid = {16}) {
  KernelLaunch launch;
  launch.kernel = kernel;
  launch.ranges = ranges;
  launch.grid = grid;
  launch.block = Dim3{256};
  return launch;
}

Report a_report(std::vector<KernelLaunch> launches) {
  Report report;
  report.launches = std::move(launches);
  return report;
}

std::string check_range(int stride) {
  return "1 lab:lab.03.stride.stride=" + std::to_string(stride) + ":none, 1 lab:check:none\n";
}

TEST(KernelName, Parts) {
  const auto parts = [](std::string_view text) {
    const KernelName name = kernel_name(text);
    return name.base + "|" + name.arguments;
  };
  EXPECT_EQ(parts("stride"), "stride|");
  EXPECT_EQ(parts("stride(const float *, int)"), "stride|");
  EXPECT_EQ(parts("void transpose<(int)32, (bool)1>(const float *, float *)"), "transpose|<32,1>");
  EXPECT_EQ(parts("transpose<32, true>"), "transpose|<32,1>");
  EXPECT_EQ(parts("void ns::inner::k<ns::T<int>>(int)"), "k|<ns::T<int>>");
  EXPECT_EQ(parts("(anonymous namespace)::k(int)"), "k|");
  EXPECT_EQ(parts("_Z9transposeILi32EEvPf"), "transpose|<32>");
  EXPECT_EQ(parts(""), "|");
}

TEST(KernelName, NameWithoutArgumentsStandsForAll) {
  EXPECT_TRUE(may_be_same(kernel_name("t<32>"), kernel_name("t")));
  EXPECT_TRUE(may_be_same(kernel_name("t<32>"), kernel_name("void t<(int)32>(int)")));
  EXPECT_FALSE(may_be_same(kernel_name("t<32>"), kernel_name("t<16>")));
  EXPECT_FALSE(may_be_same(kernel_name("t"), kernel_name("u")));
}

// The report has them the other way round: names decide.
TEST(Match, ByRange) {
  const auto found = match(a_run({a_case(1), a_case(16)}),
                           a_report({a_launch(check_range(16)), a_launch(check_range(1))}));
  ASSERT_EQ(found.matches.size(), 2u);
  EXPECT_EQ(found.matches[0].case_at, 0u);
  EXPECT_EQ(found.matches[0].launches, std::vector<std::size_t>{1});
  EXPECT_TRUE(found.matches[0].by_range);
  EXPECT_EQ(found.matches[1].launches, std::vector<std::size_t>{0});
  EXPECT_TRUE(found.unmatched.empty());
}

// With --print-nvtx-rename kernel the range stands in the kernel's place.
TEST(Match, RangeInPlaceOfTheKernel) {
  const auto found =
      match(a_run({a_case(1), a_case(2)}), a_report({a_launch("", "lab.03.stride.stride=2")}));
  ASSERT_EQ(found.matches.size(), 1u);
  EXPECT_EQ(found.matches[0].case_at, 1u);
}

TEST(Match, ByKernelAndLaunchWhereOneCaseHasThem) {
  const auto found = match(a_run({a_case(1), a_case(2, "stride", {32})}),
                           a_report({a_launch("", "stride(int)", {32})}));
  ASSERT_EQ(found.matches.size(), 1u);
  EXPECT_EQ(found.matches[0].case_at, 1u);
  EXPECT_FALSE(found.matches[0].by_range);
}

TEST(Match, WhatDoesNotFitIsListed) {
  const auto found =
      match(a_run({a_case(1), a_case(2)}),
            a_report({a_launch(""), a_launch("", "other(int)"), a_launch(check_range(7)),
                      a_launch(check_range(1), "flush(int)"), a_launch("", "stride", {17})}));
  EXPECT_TRUE(found.matches.empty());
  std::vector<std::string> reasons;
  for (const Unmatched& one : found.unmatched) reasons.push_back(one.why);
  EXPECT_EQ(reasons,
            (std::vector<std::string>{
                "2 cases launch stride(int), grid (16, 1, 1), block (256, 1, 1): only an NVTX "
                "range (ncu --nvtx) tells them apart",
                "no case launches other(int), grid (16, 1, 1), block (256, 1, 1)",
                "the run has no case of the range lab.03.stride.stride=7",
                "flush(int), grid (16, 1, 1), block (256, 1, 1) ran in the range "
                "lab.03.stride.stride=1, whose kernel is stride",
                "no case launches stride, grid (17, 1, 1), block (256, 1, 1)"}));
}

TEST(Match, TimingLoopGivesWayToTheCheck) {
  const std::string timing = "1 lab:lab.03.stride.stride=1:none, 1 lab:time:none";
  const Report report = a_report({a_launch(timing), a_launch(check_range(1)), a_launch(timing)});
  const auto found = match(a_run({a_case(1)}), report);
  ASSERT_EQ(found.matches.size(), 1u);
  EXPECT_EQ(found.matches[0].launches, std::vector<std::size_t>{1});
}

TEST(Match, LibrariesNeedTheirRange) {
  const std::string loop = "1 lab:lab.03.stride.stride=1:none, 1 lab:time:none";
  const auto found =
      match(a_run({a_case(1, "")}),
            a_report({a_launch(check_range(1), "gemm_a"), a_launch(check_range(1), "gemm_b"),
                      a_launch(loop, "gemm_a"), a_launch("", "gemm_a")}));
  ASSERT_EQ(found.matches.size(), 1u);
  EXPECT_EQ(found.matches[0].launches, (std::vector<std::size_t>{0, 1}));
  ASSERT_EQ(found.unmatched.size(), 2u);
  EXPECT_EQ(found.unmatched[0].why,
            "a library's launches can be told apart within the range check alone");
}

}  // namespace
}  // namespace lab::ncu
