#include "harness/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace lab {
namespace {

TEST(InParts, EachPlaceIsVisitedOnce) {
  for (const std::uint64_t count : {0U, 1U, 2U, 7U, 1000U, 1001U}) {
    std::vector<std::atomic<int>> visits(count);
    in_parts(count, 1, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) ++visits[i];
    });
    for (const auto& seen : visits) ASSERT_EQ(seen, 1) << count;
  }
}

TEST(InParts, LittleWorkStaysOnOneThread) {
  std::atomic<int> parts = 0;
  in_parts(99, 50, [&](std::uint64_t begin, std::uint64_t end) {
    ++parts;
    EXPECT_EQ(begin, 0U);
    EXPECT_EQ(end, 99U);
  });
  EXPECT_EQ(parts, 1);  // 99 are less than twice 50
}

}  // namespace
}  // namespace lab
