#include "harness/core/checker.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/error.h"

namespace lab {
namespace {

// out[i] = factor * in[i] + i
HostReference times(std::int32_t factor) {
  return [factor](Buffers& b) {
    const auto in = b.i32("in");
    for (std::size_t i = 0; i < in.size(); ++i) {
      b.i32("out")[i] = factor * in[i] + static_cast<std::int32_t>(i);
    }
  };
}

Job job_of(std::uint64_t count, Fill::Kind fill = Fill::Kind::kIota) {
  Job job;
  job.args = {BufferSpec{"in", ElementType::kI32, count, Direction::kIn, {fill, 1, {}}},
              BufferSpec{"out", ElementType::kI32, count, Direction::kOut, {Fill::Kind::kPoison}}};
  return job;
}

// As if a kernel had left out[i] = value of i.
template <typename Value>
CheckResult checked(Checker& checker, const Job& job, const HostReference& reference,
                    const Value& value) {
  reference(checker.before(job));
  const auto out = checker.after(job, {}).i32("out");
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = value(static_cast<std::int32_t>(i));
  return checker.check(job);
}

TEST(Checker, JudgesOneCaseAfterTheOther) {
  const HostReference two = times(2);
  const HostReference three = times(3);
  Checker checker;
  const auto twice = [](std::int32_t i) { return 2 * i + i; };
  EXPECT_EQ(checked(checker, job_of(100), two, twice).correct, true);
  // The same input, another reference: what the first left must not be taken for its result.
  const CheckResult wrong = checked(checker, job_of(100), three, twice);
  EXPECT_EQ(wrong.correct, false);
  EXPECT_EQ(wrong.reason, "out[1]: got 3, expected 4 (99 of 100 differ)");
  EXPECT_EQ(checked(checker, job_of(100), two, twice).correct, true);
  // Another size, another content.
  EXPECT_EQ(checked(checker, job_of(50), two, twice).correct, true);
  const auto of_ones = [](std::int32_t i) { return 2 + i; };
  EXPECT_EQ(checked(checker, job_of(50, Fill::Kind::kOnes), two, of_ones).correct, true);
}

TEST(Checker, AnOutputIsPoisonedAgain) {
  // The reference writes the first element alone.
  const Job job = job_of(4);
  Checker checker;
  for (int round = 0; round < 2; ++round) {
    Buffers& want = checker.before(job);
    EXPECT_EQ(want.i32("out")[0], static_cast<std::int32_t>(0xa5a5a5a5U));
    want.i32("out")[0] = 1;
    const auto out = checker.after(job, {}).i32("out");
    std::fill(out.begin(), out.end(), static_cast<std::int32_t>(0xa5a5a5a5U));
    out[0] = 1;
    EXPECT_EQ(checker.check(job).correct, true);
  }
}

TEST(Checker, AnInputThatTheKernelWroteToIsADifference) {
  const Job job = job_of(4);
  Checker checker;
  times(2)(checker.before(job));
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
