#include "harness/model/check/footprint.h"

#include <gtest/gtest.h>

#include <array>

namespace lab::model::check {
namespace {

constexpr std::size_t kMost = 1000;

struct Memory {
  std::array<std::byte, 1024> first{};
  std::array<std::byte, 10> second{};
  GlobalMemory memory;
  std::uint64_t a = memory.add(first, "a");
  std::uint64_t b = memory.add(second, "b");
};

TEST(TouchedBytes, RunsThatMeetAreOneSpan) {
  Memory of;
  TouchedBytes touched(of.memory, 4);
  touched.add(of.a, 4);
  touched.add(of.a + 8, 4);
  touched.add(of.a + 4, 4);
  touched.add(of.a + 100, 300);  // over several words of marks
  EXPECT_EQ(touched.spans(kMost), (Spans{{of.a, of.a + 12}, {of.a + 100, of.a + 400}}));
}

TEST(TouchedBytes, EndWithTheirAllocation) {
  Memory of;
  TouchedBytes touched(of.memory, 4);
  touched.add(of.a + 1020, 4);
  touched.add(of.b + 8, 2);  // the last mark stands for two bytes
  EXPECT_EQ(touched.spans(kMost), (Spans{{of.a + 1020, of.a + 1024}, {of.b + 8, of.b + 10}}));
  touched.add(of.a + 1020, 8);  // beyond it
  touched.add(of.b + 10, 4);
  EXPECT_EQ(touched.spans(kMost).size(), 2U);
}

TEST(TouchedBytes, AMarkThatBeginsAWordOfMarksGoesOn) {
  // 64 marks of one byte are a word.
  Memory of;
  TouchedBytes touched(of.memory, 1);
  touched.add(of.a + 63, 2);
  touched.add(of.a + 127, 1);
  touched.add(of.a + 960, 64);
  EXPECT_EQ(touched.spans(kMost),
            (Spans{{of.a + 63, of.a + 65}, {of.a + 127, of.a + 128}, {of.a + 960, of.a + 1024}}));
}

TEST(TouchedBytes, TooManyPiecesAreNone) {
  Memory of;
  TouchedBytes touched(of.memory, 4);
  for (std::uint64_t i = 0; i < 1024; i += 8) touched.add(of.a + i, 4);
  EXPECT_EQ(touched.spans(128).size(), 128U);
  EXPECT_TRUE(touched.spans(127).empty());
}

}  // namespace
}  // namespace lab::model::check
