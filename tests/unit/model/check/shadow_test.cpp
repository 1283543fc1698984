#include "harness/model/check/shadow.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace lab::model::check {
namespace {

TEST(GlobalShadow, KnowsEveryByteOfItsBuffer) {
  // 21 bytes: the last group of eight bits is not whole.
  GlobalShadow shadow(0x1000, 21);
  EXPECT_TRUE(shadow.contains(0x1000, 16));
  EXPECT_TRUE(shadow.contains(0x1014, 1));
  EXPECT_FALSE(shadow.contains(0x1014, 2));
  EXPECT_FALSE(shadow.contains(0xfff, 1));
  EXPECT_FALSE(shadow.is_written(0x1000, 4));
  // Bytes 5 .. 14 span two groups.
  shadow.write(0x1005, 10);
  for (std::uint64_t at = 0; at < 21; ++at) {
    EXPECT_EQ(shadow.is_written(0x1000 + at, 1), at >= 5 && at < 15) << at;
  }
  EXPECT_TRUE(shadow.is_written(0x1006, 8));
  EXPECT_FALSE(shadow.is_written(0x1004, 2));
  EXPECT_FALSE(shadow.is_written(0x1008, 8));
  shadow.write(0x1000, 16);
  EXPECT_TRUE(shadow.is_written(0x1000, 16));
}

}  // namespace
}  // namespace lab::model::check
