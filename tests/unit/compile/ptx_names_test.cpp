#include "harness/compile/ptx_names.h"

#include <gtest/gtest.h>

namespace lab::compile {
namespace {

TEST(PtxNames, FindsEntriesAndNothingElse) {
  EXPECT_EQ(entry_names(".visible .entry plain(\n.param .u64 p)\n{ret;}\n"
                        ".func helper() {}\n.entry\t_Z1kILi32EEvPf(\n"),
            (std::vector<std::string>{"plain", "_Z1kILi32EEvPf"}));
  EXPECT_TRUE(entry_names(".entrypoint x").empty());
  EXPECT_TRUE(entry_names("").empty());
  EXPECT_TRUE(entry_names("ends with .entry").empty());
}

TEST(PtxNames, SourceNames) {
  EXPECT_EQ(source_name("plain"), "plain");
  // A lone `f` would demangle to the type float.
  EXPECT_EQ(source_name("f"), "f");
  EXPECT_EQ(source_name("_Z1kILi32EEvPf"), "k<32>");
  EXPECT_EQ(source_name("_Z7mangledPf"), "mangled");
  EXPECT_EQ(source_name("_Z1kIfLi8EEvPT_"), "k<float, 8>");
}

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
