#include "harness/core/job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/core/error.h"
#include "harness/core/output_check.h"
#include "harness/core/resolve.h"

namespace lab {
namespace {

// A lab of one variant: out[i] = 2 * in[i].
Lab twice(ElementType type, Tolerance tolerance = {}) {
  Variant variant;
  variant.name = "twice";
  variant.kernel = [](const Params&) { return std::string("twice"); };
  variant.launch = [](const Params& p) {
    return Launch{{1, 1, 1}, {static_cast<std::uint32_t>(p.number("n")), 1, 1}, 0};
  };
  variant.args = [type](const Params& p) {
    const auto n = static_cast<std::uint64_t>(p.number("n"));
    return std::vector<ArgSpec>{
        BufferSpec{"out", type, n, Direction::kOut, {}},
        BufferSpec{"in", type, n, Direction::kIn, {Fill::Kind::kIota, 1, {}}}, scalar_i32(2)};
  };
  variant.reference = [](const Params& p) {
    return ReferenceCall{"doubled", {}, {"in", "out", scalar_i32(p.number("n"))}};
  };
  variant.tolerance = tolerance;
  Lab lab;
  lab.number = 99;
  lab.variants.push_back(std::move(variant));
  return lab;
}

const Params kFour = {{"n", std::int64_t{4}}};

Job job_of(const Lab& lab) { return make_job(lab.variants.at(0), kFour, 1); }

// Against what the kernel of `twice` should leave.
CheckResult check(const Job& job, Buffers& after) {
  Buffers want = initial_buffers(job);
  const ElementType type = std::get<BufferSpec>(job.args[0]).type;
  for (std::size_t i = 0; i < want.raw("in").size() / size_of(type); ++i) {
    if (type == ElementType::kF32) want.f32("out")[i] = 2 * want.f32("in")[i];
    if (type == ElementType::kI32) want.i32("out")[i] = 2 * want.i32("in")[i];
  }
  return check_outputs(job, after, want);
}

TEST(Job, ResolvesAVariantAtAPoint) {
  const Lab lab = twice(ElementType::kI32);
  const Job job = job_of(lab);
  EXPECT_EQ(job.kernel, "twice");
  EXPECT_EQ(job.launch.block.x, 4U);
  ASSERT_EQ(job.args.size(), 3U);
  EXPECT_EQ(initial_buffers(job).i32("in")[3], 3);
}

TEST(Job, HasNoTwoBuffersOfOneName) {
  const auto error_of = [](std::vector<ArgSpec> args) -> std::string {
    try {
      require_sound(Job{"k", {}, std::move(args)});
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kInput);
      EXPECT_EQ(error.hint(), "give each buffer a name of its own");
      return error.what();
    }
    return "";
  };
  const BufferSpec a{"a", ElementType::kF32, 4, Direction::kInOut, {}};
  BufferSpec b = a;
  EXPECT_EQ(error_of({a, scalar_i32(1), b}), "arguments 0 and 2 are both buffers named 'a'");
  b.name = "b";
  EXPECT_EQ(error_of({a, scalar_i32(1), b}), "");
  EXPECT_EQ(error_of({b, a, b}), "arguments 0 and 2 are both buffers named 'b'");
}

TEST(Job, AcceptsTheReferencesResult) {
  const Lab lab = twice(ElementType::kI32);
  const Job job = job_of(lab);
  Buffers after = initial_buffers(job);
  for (int i = 0; i < 4; ++i) after.i32("out")[static_cast<std::size_t>(i)] = 2 * i;
  const CheckResult result = check(job, after);
  EXPECT_EQ(result.correct, true);
  EXPECT_EQ(result.reason, "");
}

TEST(Job, NamesTheFirstDifferenceAndCountsThem) {
  const Lab lab = twice(ElementType::kI32);
  const Job job = job_of(lab);
  Buffers after = initial_buffers(job);
  for (int i = 0; i < 4; ++i) after.i32("out")[static_cast<std::size_t>(i)] = 2 * i;
  after.i32("out")[1] = 7;
  after.i32("out")[3] = 8;
  const CheckResult result = check(job, after);
  EXPECT_EQ(result.correct, false);
  EXPECT_EQ(result.reason, "out[1]: got 7, expected 2 (2 of 4 differ)");
  EXPECT_EQ(result.wrong, 2U);
}

TEST(Job, WhatAKernelLeftOutIsSaidSo) {
  Lab lab = twice(ElementType::kF32);
  const Job job = job_of(lab);
  Buffers after = initial_buffers(job);
  BufferSpec out{"out", ElementType::kF32, 4, Direction::kOut, {Fill::Kind::kPoison, 1, {}}};
  after.add("out", initial_bytes(out));
  after.f32("out")[0] = 0;
  EXPECT_EQ(check(job, after).reason, "out[1]: not written, expected 2 (3 of 4 differ)");
}

TEST(Job, AnInputThatWasWrittenToIsADifference) {
  const Lab lab = twice(ElementType::kI32);
  const Job job = job_of(lab);
  Buffers after = initial_buffers(job);
  for (int i = 0; i < 4; ++i) after.i32("out")[static_cast<std::size_t>(i)] = 2 * i;
  after.i32("in")[0] = 5;
  EXPECT_EQ(check(job, after).reason, "in[0]: got 5, expected 0 (1 of 4 differ)");
}

TEST(Job, ToleranceIsAbsolutePlusRelative) {
  const Lab lab = twice(ElementType::kF32, {0.0, 1e-3});
  const Job job = job_of(lab);
  Buffers after = initial_buffers(job);
  // Expected 0, 2, 4, 6: 6.005 is off by 0.005 <= 0.006, 6.007 is not.
  for (std::size_t i = 0; i < 4; ++i) after.f32("out")[i] = 2.0F * static_cast<float>(i);
  after.f32("out")[3] = 6.005F;
  EXPECT_EQ(check(job, after).correct, true);
  after.f32("out")[3] = 6.007F;
  EXPECT_EQ(check(job, after).correct, false);
  after.f32("out")[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(check(job, after).correct, false);
  after.f32("out")[3] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(check(job, after).correct, false);
}

TEST(Job, LeavesOutWhatIsDeclaredUnchecked) {
  Lab lab = twice(ElementType::kI32);
  lab.variants[0].unchecked = [](const Params&) { return std::vector<Unchecked>{{"out", 1, 2}}; };
  const Job job = job_of(lab);
  Buffers after = initial_buffers(job);
  for (int i = 0; i < 4; ++i) after.i32("out")[static_cast<std::size_t>(i)] = 2 * i;
  after.i32("out")[1] = after.i32("out")[2] = -1;
  EXPECT_EQ(check(job, after).correct, true);
  after.i32("out")[3] = -1;
  EXPECT_EQ(check(job, after).reason, "out[3]: got -1, expected 6 (1 of 4 differ)");
}

// Ranges come in any order, and may lie in each other: 2 and 0 to 2 leave out all but 3.
TEST(Job, LeavesOutRangesInAnyOrder) {
  Lab lab = twice(ElementType::kI32);
  lab.variants[0].unchecked = [](const Params&) {
    return std::vector<Unchecked>{{"out", 2, 1}, {"out", 0, 3}};
  };
  const Job job = job_of(lab);
  Buffers after = initial_buffers(job);
  for (std::size_t i = 0; i < 4; ++i) after.i32("out")[i] = -1;
  EXPECT_EQ(check(job, after).reason, "out[3]: got -1, expected 6 (1 of 4 differ)");
  after.i32("out")[3] = 6;
  EXPECT_EQ(check(job, after).correct, true);
}

// 1 + 2^-24 + 2^-24 is 1 from the left and 1 + 2^-23 from the right. Three terms may be off by
// 3 * 2^-24 in either sum: of 6 that is 36 * 2^-24, four and a half units in its last place.
TEST(Job, TermsMayBeAddedUpInAnyOrder) {
  Lab lab = twice(ElementType::kF32);
  const Job exact = job_of(lab);
  Buffers after = initial_buffers(exact);
  for (std::size_t i = 0; i < 4; ++i) after.f32("out")[i] = 2.0F * static_cast<float>(i);
  after.f32("out")[3] = std::nextafter(6.0F, 7.0F);
  EXPECT_EQ(check(exact, after).correct, false);
  lab.variants[0].terms = [](const Params&) { return 3; };
  const Job sums = job_of(lab);
  EXPECT_EQ(check(sums, after).correct, true);
  after.f32("out")[3] = 6 * (1 + 6 * 0x1p-24F);
  EXPECT_EQ(check(sums, after).correct, true);
  after.f32("out")[3] = 6 * (1 + 8 * 0x1p-24F);
  EXPECT_EQ(check(sums, after).correct, false);
  after.f32("out")[3] = 6;
  after.f32("out")[0] = 1e-30F;  // nothing is a share of 0
  EXPECT_EQ(check(sums, after).correct, false);
}

// Two elements that all add to, 2 and 4 without a race: 1 and 3 are left of 6.
TEST(Job, SaysWhatRacesLeftOfSums) {
  Lab lab = twice(ElementType::kF32);
  lab.variants[0].unchecked = [](const Params&) { return std::vector<Unchecked>{{"out", 1, 2}}; };
  const auto args = lab.variants[0].args;
  lab.variants[0].args = [args](const Params& p) {
    auto summed = args(p);
    std::get<BufferSpec>(summed[0]).direction = Direction::kInOut;
    return summed;
  };
  const Job job = job_of(lab);
  Buffers after = initial_buffers(job);
  for (const int i : {0, 3}) after.f32("out")[static_cast<std::size_t>(i)] = i == 0 ? 0.0F : 6.0F;
  after.f32("out")[1] = 1;
  after.f32("out")[2] = 3;
  EXPECT_EQ(check(job, after).correct, true);
  EXPECT_EQ(check(job, after).races, "out: 4 of 6 are left, 2 lost");
  EXPECT_FALSE(check(job, after).blocks_raced);
}

BatchRequest batch_of(std::vector<std::pair<std::string, Params>> cases) {
  BatchRequest batch;
  for (auto& [variant, params] : cases) {
    CaseRequest request;
    request.index = static_cast<int>(batch.cases.size());
    request.variant = variant;
    request.params = std::move(params);
    batch.cases.push_back(std::move(request));
  }
  return batch;
}

TEST(Resolve, UnknownVariantsGetASuggestion) {
  const Lab lab = twice(ElementType::kI32);
  BatchRequest batch = batch_of({{"twise", kFour}});
  try {
    (void)resolve(&lab, batch);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(render(error), "error: lab 99 has no variant 'twise'\nhint: did you mean 'twice'?\n");
  }
}

// What a backend asked the variant for before: it goes with the case.
TEST(Resolve, AJobSaysHowItsCaseShouldEnd) {
  Lab lab = twice(ElementType::kF32, {0.5, 0});
  Variant& variant = lab.variants[0];
  variant.terms = [](const Params& p) { return p.number("n"); };
  variant.unchecked = [](const Params&) { return std::vector<Unchecked>{{"out", 1, 2, true}}; };
  variant.expected_findings = {{"shared_race", "s["}};
  variant.theory = {{"instructions", Expr("n"), ""}};
  variant.options = {"--use_fast_math"};
  variant.model_only = true;
  BatchRequest batch = batch_of({{"twice", kFour}});
  EXPECT_TRUE(resolve(&lab, batch).empty());
  const Job& job = batch.cases.at(0).job.value();
  // Four terms: 2 * 4 * 2^-24.
  EXPECT_EQ(job.expected.tolerance, (Tolerance{0.5, 0x1p-21}));
  EXPECT_EQ(job.expected.unchecked, (std::vector<Unchecked>{{"out", 1, 2, true}}));
  EXPECT_EQ(job.expected.findings, (std::vector<ExpectedFinding>{{"shared_race", "s["}}));
  EXPECT_EQ(job.expected.metrics, std::vector<std::string>{"instructions"});
  EXPECT_EQ(job.expected.reference, (ReferenceCall{"doubled", {}, {"in", "out", scalar_i32(4)}}));
  EXPECT_EQ(job.options, std::vector<std::string>{"--use_fast_math"});
  EXPECT_EQ(job.runs_on, RunsOn::kModelAlone);
}

// On buffers as the case's are before its launch.
TEST(Reference, IsAJobOnTheCasesBuffers) {
  const Lab lab = twice(ElementType::kI32);
  Job job = job_of(lab);
  job.expected.reference->launch = {{1}, {256}, 0};
  const Job call = reference_job(job);
  EXPECT_EQ(call.kernel, "doubled");
  EXPECT_EQ(call.launch, (Launch{{1}, {256}, 0}));
  ASSERT_EQ(call.args.size(), 3U);
  EXPECT_EQ(std::get<BufferSpec>(call.args[0]).name, "in");
  EXPECT_EQ(std::get<BufferSpec>(call.args[0]).fill.kind, Fill::Kind::kIota);
  EXPECT_EQ(std::get<BufferSpec>(call.args[1]).name, "out");
  EXPECT_EQ(std::get<BufferSpec>(call.args[1]).direction, Direction::kOut);
  EXPECT_EQ(std::get<ScalarSpec>(call.args[2]).bits, 4U);
  EXPECT_FALSE(call.expected.reference);
}

TEST(Reference, NamesBuffersThatThereAre) {
  const auto error_of = [](ReferenceCall call) {
    Job job = job_of(twice(ElementType::kI32));
    job.expected.reference = std::move(call);
    try {
      (void)reference_job(job);
    } catch (const Error& error) {
      return one_line(error);
    }
    return std::string();
  };
  EXPECT_EQ(error_of({"doubled", {}, {"im", "out"}}),
            "the variant has no buffer 'im'; did you mean 'in'?");
  EXPECT_EQ(error_of({"doubled", {}, {"in", "in"}}),
            "arguments 0 and 1 are both buffers named 'in'; give each buffer a name of its own");
}

TEST(Resolve, ALibrarysRoutineHasNoKernel) {
  Lab lab = twice(ElementType::kF32);
  lab.variants[0].library = "cublas_sgemm";
  const Job job = job_of(lab);
  EXPECT_EQ(job.kernel, "");
  EXPECT_EQ(job.library, "cublas_sgemm");
  EXPECT_EQ(job.runs_on, RunsOn::kGpuAlone);
}

// Of three cases the second asks for too much: it ends with its reason, the others get their jobs.
TEST(Resolve, ACaseThatCannotBeEndsAlone) {
  Lab lab = twice(ElementType::kI32);
  lab.variants[0].args = [](const Params& p) -> std::vector<ArgSpec> {
    if (p.number("n") > 4) throw input_error("an array of 5 elements is too large", "take fewer");
    return {};
  };
  BatchRequest batch = batch_of({{"twice", kFour}, {"twice", {{"n", 5}}}, {"twice", kFour}});
  const std::vector<CaseRecord> without = resolve(&lab, batch);
  ASSERT_EQ(without.size(), 1U);
  EXPECT_EQ(without[0].index, 1);
  EXPECT_EQ(without[0].status, CaseStatus::kError);
  EXPECT_EQ(without[0].reason, "an array of 5 elements is too large; take fewer");
  EXPECT_EQ(without[0].kernel, "twice");
  EXPECT_EQ(without[0].launch.block.x, 5U);
  EXPECT_TRUE(batch.cases[0].job && batch.cases[2].job);
  EXPECT_FALSE(batch.cases[1].job);
}

TEST(FormulaNamesOfAVariant, HaveItsOwnCountsBesideParametersAndLaunch) {
  Variant variant;
  variant.counts = [](const Params& p) {
    return FormulaNames{{"double_n", 2.0 * static_cast<double>(p.number("n"))}};
  };
  Launch launch;
  launch.grid.x = 5;
  const auto names = formula_names(variant, {{"n", 7}}, launch);
  EXPECT_EQ((Expr("double_n") + "n" + "blocks").value(names), 14 + 7 + 5);
}

TEST(Names, AreStable) {
  EXPECT_EQ(name_of(SourceOf::kCupti), "cupti");
  EXPECT_EQ(name_of(CaseStatus::kRefused), "refused");
  EXPECT_EQ(name_of(VerdictKind::kExplained), "explained");
  EXPECT_EQ(name_of(FindingKind::kSharedRace), "shared_race");
}

}  // namespace
}  // namespace lab
