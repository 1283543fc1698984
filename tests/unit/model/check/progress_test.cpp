#include "harness/model/check/progress.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace lab::model::check {
namespace {

TEST(Progress, OneStateOverAndOver) {
  Progress progress(2);
  progress.begin();
  for (std::uint32_t i = 0; i < 10; ++i) {
    EXPECT_EQ(progress.repeats(0), i == 0 ? 0 : i - 1);
    progress.note(0, 77, 5);
  }
  EXPECT_EQ(progress.repeats(1), 0U);
}

TEST(Progress, CyclesOfAnyLengthAreFound) {
  for (const std::uint64_t period : {2U, 3U, 7U, 40U}) {
    Progress progress(1);
    progress.begin();
    // Brent: once a power of two is past both the lead-in and the period, every round repeats.
    for (std::uint64_t i = 0; i < 1000; ++i) {
      progress.note(0, i < 10 ? 1000 + i : i % period, 0);
    }
    EXPECT_GE(progress.repeats(0), 5U) << period;
  }
}

TEST(Progress, ChangingStatesNeverRepeat) {
  Progress progress(1);
  progress.begin();
  for (std::uint64_t i = 0; i < 1000; ++i) progress.note(0, i * i + 1, 0);
  EXPECT_EQ(progress.repeats(0), 0U);
}

TEST(Progress, AStoreInBetweenBeginsAnew) {
  Progress progress(1);
  progress.begin();
  for (int i = 0; i < 5; ++i) progress.note(0, 77, 0);
  EXPECT_EQ(progress.repeats(0), 4U);
  progress.note(0, 77, 1);
  EXPECT_EQ(progress.repeats(0), 0U);
  progress.note(0, 77, 1);
  EXPECT_EQ(progress.repeats(0), 1U);
  progress.begin();
  EXPECT_EQ(progress.repeats(0), 0U);
}

TEST(Progress, HashSeesRegistersMaskAndPlace) {
  std::array<std::byte, 64> registers{};
  const std::uint64_t hash = state_hash(registers, 1, 2);
  EXPECT_EQ(state_hash(registers, 1, 2), hash);
  EXPECT_NE(state_hash(registers, 3, 2), hash);
  EXPECT_NE(state_hash(registers, 1, 3), hash);
  registers[63] = std::byte{1};
  EXPECT_NE(state_hash(registers, 1, 2), hash);
}

}  // namespace
}  // namespace lab::model::check
