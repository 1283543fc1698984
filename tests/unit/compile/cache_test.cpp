#include "harness/kernel/compile/cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace lab::compile {
namespace {

namespace fs = std::filesystem;

class CacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lab-cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  static Compiled sample(const std::string& ptx) {
    Compiled compiled;
    compiled.ptx = ptx;
    compiled.cubin = {0, 255, 10};
    compiled.log = "a warning";
    compiled.lowered = {"_Z1kILi32EEvPf", ""};
    return compiled;
  }

  fs::path root_;
};

TEST_F(CacheTest, GivesBackEveryFieldAndSaysSo) {
  const Cache cache(root_ / "c");
  EXPECT_FALSE(cache.get("aa").has_value());
  cache.put("aa", sample(std::string("ptx\0text", 8)));
  const auto back = cache.get("aa");
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->ptx, std::string("ptx\0text", 8));
  EXPECT_EQ(back->cubin, (std::vector<std::uint8_t>{0, 255, 10}));
  EXPECT_EQ(back->log, "a warning");
  EXPECT_EQ(back->lowered, (std::vector<std::string>{"_Z1kILi32EEvPf", ""}));
  EXPECT_TRUE(back->from_cache);
}

}  // namespace
}  // namespace lab::compile
