#include "harness/kernel/compile/ptx_names.h"

#include <gtest/gtest.h>

namespace lab::compile {
namespace {

TEST(PtxNames, FindsByEitherName) {
  const std::vector<std::string> entries = {"plain", "_Z1kIfLi8EEvPT_"};
  EXPECT_EQ(find_entry(entries, "plain"), "plain");
  EXPECT_EQ(find_entry(entries, "k<float,8>"), "_Z1kIfLi8EEvPT_");
  EXPECT_EQ(find_entry(entries, "k<float, 8>"), "_Z1kIfLi8EEvPT_");
  EXPECT_EQ(find_entry(entries, "_Z1kIfLi8EEvPT_"), "_Z1kIfLi8EEvPT_");
  EXPECT_EQ(find_entry(entries, "k<float, 16>"), "");
}

}  // namespace
}  // namespace lab::compile
