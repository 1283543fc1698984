#include "harness/core/checker.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/error.h"

namespace lab {
namespace {

// out[i] = factor * in[i] + i, as a reference whose runs are counted.
struct Times {
  static constexpr std::uint64_t kTook = 77;
  std::int32_t factor;
  int runs = 0;
  RunReference run() {
    return [this](const Job&, Buffers& b) {
      ++runs;
      const auto in = b.i32("in");
      for (std::size_t i = 0; i < in.size(); ++i) {
        b.i32("out")[i] = factor * in[i] + static_cast<std::int32_t>(i);
      }
      return kTook;
    };
  }
};

Job job_of(std::uint64_t count, Fill::Kind fill = Fill::Kind::kIota) {
  Job job;
  job.args = {BufferSpec{"in", ElementType::kI32, count, Direction::kIn, {fill, 1, {}}},
              BufferSpec{"out", ElementType::kI32, count, Direction::kOut, {Fill::Kind::kPoison}}};
  return job;
}

Job job_of(const char* kernel, std::uint64_t count, Fill::Kind fill = Fill::Kind::kIota) {
  Job job = job_of(count, fill);
  job.expected.reference = ReferenceCall{kernel, {}, {"in", "out"}};
  return job;
}

// As if a kernel had left out[i] = value of i.
template <typename Value>
CheckResult checked(Checker& checker, const Job& job, Times& reference, const Value& value) {
  (void)checker.before(job);
  checker.expect(job, reference.run());
  const auto out = checker.after(job, {}).i32("out");
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = value(static_cast<std::int32_t>(i));
  return checker.check(job);
}

TEST(Checker, JudgesOneCaseAfterTheOther) {
  Times two{2};
  Times three{3};
  Checker checker;
  const auto twice = [](std::int32_t i) { return 2 * i + i; };
  EXPECT_EQ(checked(checker, job_of("two", 100), two, twice).correct, true);
  // The same input, another reference: what the first left must not be taken for its result.
  const CheckResult wrong = checked(checker, job_of("three", 100), three, twice);
  EXPECT_EQ(wrong.correct, false);
  EXPECT_EQ(wrong.reason, "out[1]: got 3, expected 4 (99 of 100 differ)");
  EXPECT_EQ(checked(checker, job_of("two", 100), two, twice).correct, true);
  // Another size, another content.
  EXPECT_EQ(checked(checker, job_of("two", 50), two, twice).correct, true);
  const auto of_ones = [](std::int32_t i) { return 2 + i; };
  EXPECT_EQ(checked(checker, job_of("two", 50, Fill::Kind::kOnes), two, of_ones).correct, true);
}

TEST(Checker, AReferenceRunsOnceForTheSameContents) {
  Times two{2};
  Checker checker;
  const auto twice = [](std::int32_t i) { return 2 * i + i; };
  const auto runs_of = [&](Job job) {
    two.runs = 0;
    EXPECT_EQ(checked(checker, job, two, twice).reason, "");
    return two.runs;
  };
  const Job job = job_of("two", 100);
  EXPECT_EQ(runs_of(job), 1);
  EXPECT_EQ(runs_of(job), 0);
  // What it took is known from the first time.
  EXPECT_EQ(checker.expect(job, two.run()), Times::kTook);
  EXPECT_EQ(two.runs, 0);
  EXPECT_EQ(runs_of(job_of("two<1>", 100)), 1);
  EXPECT_EQ(runs_of(job_of("two", 50)), 1);
  Job wider = job;
  wider.expected.reference->launch.grid.x = 2;
  EXPECT_EQ(runs_of(wider), 1);
  Job numbered = job;
  numbered.expected.reference->args.emplace_back(scalar_i32(1));
  EXPECT_EQ(runs_of(numbered), 1);
  numbered.expected.reference->args.back() = scalar_i32(2);
  EXPECT_EQ(runs_of(numbered), 1);
  // An output that is updated in place begins with other bytes.
  Job zeros = job;
  std::get<BufferSpec>(zeros.args[1]).fill.kind = Fill::Kind::kZero;
  EXPECT_EQ(runs_of(zeros), 1);
  EXPECT_EQ(runs_of(job), 0);
}

// Six results of 10 MiB fit into 64: of seven the first runs again.
TEST(Checker, KeepsNoMoreThanItMay) {
  constexpr std::uint64_t kCount = (std::uint64_t{10} << 20) / sizeof(std::int32_t);
  int runs = 0;
  Checker checker;
  const auto run = [&](int number) {
    Job job = job_of("k", kCount, Fill::Kind::kZero);
    job.expected.reference->args.emplace_back(scalar_i32(number));
    (void)checker.before(job);
    checker.expect(job, [&](const Job&, Buffers&) {
      ++runs;
      return std::uint64_t{0};
    });
  };
  for (int number = 0; number < 7; ++number) run(number);
  EXPECT_EQ(runs, 7);
  run(6);
  EXPECT_EQ(runs, 7);
  run(0);
  EXPECT_EQ(runs, 8);
}

TEST(Checker, AReferenceThatFailsSpoilsNoLaterCase) {
  const Job job = job_of("two", 4);
  Checker checker;
  (void)checker.before(job);
  const RunReference fails = [](const Job&, Buffers& b) -> std::uint64_t {
    b.i32("out")[0] = 7;
    throw input_error("no");
  };
  EXPECT_THROW(checker.expect(job, fails), Error);
  EXPECT_EQ(checker.before(job).i32("out")[0], static_cast<std::int32_t>(0xa5a5a5a5U));
}

TEST(Checker, AnOutputIsPoisonedAgain) {
  // The reference writes the first element alone.
  const Job job = job_of("first", 4);
  const RunReference first = [](const Job&, Buffers& b) {
    b.i32("out")[0] = 1;
    return std::uint64_t{0};
  };
  Checker checker;
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(checker.before(job).i32("out")[0], static_cast<std::int32_t>(0xa5a5a5a5U));
    checker.expect(job, first);
    const auto out = checker.after(job, {}).i32("out");
    std::fill(out.begin(), out.end(), static_cast<std::int32_t>(0xa5a5a5a5U));
    out[0] = 1;
    EXPECT_EQ(checker.check(job).correct, true);
  }
}

TEST(Checker, AnInputThatTheKernelWroteToIsADifference) {
  const Job job = job_of("two", 4);
  Times two{2};
  Checker checker;
  (void)checker.before(job);
  checker.expect(job, two.run());
  Buffers& after = checker.after(job, {"in"});
  for (std::int32_t i = 0; i < 4; ++i) after.i32("out")[static_cast<std::size_t>(i)] = 3 * i;
  EXPECT_EQ(checker.check(job).reason, "in[1]: got 0, expected 1 (3 of 4 differ)");
}

TEST(Checker, GivesBackBuffersThatAJobDoesNotHave) {
  Checker checker;
  (void)checker.before(job_of(1000));
  Job other = job_of(4);
  std::get<BufferSpec>(other.args[0]).name = "a";
  EXPECT_THROW((void)checker.before(other).raw("in"), Error);
  EXPECT_EQ(checker.before(other).i32("a")[3], 3);
}

}  // namespace
}  // namespace lab
