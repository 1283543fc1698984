#include "harness/compile/cache.h"

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

TEST_F(CacheTest, FolderIsPrivate) {
  const Cache cache(root_ / "c");
  struct stat info {};
  ASSERT_EQ(::stat((root_ / "c").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
  fs::permissions(root_ / "c", fs::perms::owner_all | fs::perms::others_write);
  EXPECT_FALSE(Cache(root_ / "c").usable());
}

TEST_F(CacheTest, FolderThatCannotBeMadeIsNoCache) {
  std::ofstream(root_ / "file") << "x";
  const Cache cache(root_ / "file" / "c");
  EXPECT_FALSE(cache.usable());
  cache.put("aa", sample("x"));
  EXPECT_FALSE(cache.get("aa").has_value());
  EXPECT_FALSE(Cache({}).usable());
}

// Each byte of an entry is either covered by the hash or is the hash or the first line.
TEST_F(CacheTest, DamagedEntriesReadAsAbsent) {
  const Cache cache(root_ / "c");
  cache.put("aa", sample("some ptx"));
  const fs::path path = root_ / "c" / "aa";
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const bool separator = i == 15 + 64;  // the newline after the hash carries nothing
    if (separator) continue;
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    std::ofstream(path, std::ios::binary) << damaged;
    EXPECT_FALSE(cache.get("aa").has_value()) << "byte " << i;
  }
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, size);
    EXPECT_FALSE(cache.get("aa").has_value()) << "cut to " << size;
  }
}

// Whoever may write there must not pass one source's machine code off as another's.
TEST_F(CacheTest, AnEntryUnderAnothersNameIsNotThatOnes) {
  const Cache cache(root_ / "c");
  cache.put("aa", sample("of aa"));
  cache.put("bb", sample("of bb"));
  fs::rename(root_ / "c" / "aa", root_ / "c" / "bb");
  EXPECT_FALSE(cache.get("bb").has_value());
  fs::rename(root_ / "c" / "bb", root_ / "c" / "a");  // the beginning of its key
  EXPECT_FALSE(cache.get("a").has_value());
  fs::rename(root_ / "c" / "a", root_ / "c" / "aa");
  EXPECT_EQ(cache.get("aa").value().ptx, "of aa");
}

TEST_F(CacheTest, EntriesOthersMayReadOrLinksAreNotTrusted) {
  const Cache cache(root_ / "c");
  cache.put("aa", sample("x"));
  fs::create_symlink("aa", root_ / "c" / "bb");
  EXPECT_FALSE(cache.get("bb").has_value());
  fs::permissions(root_ / "c" / "aa", fs::perms::group_read, fs::perm_options::add);
  EXPECT_FALSE(cache.get("aa").has_value());
}

TEST_F(CacheTest, OldestUsedGoesFirst) {
  // An entry of 1000 bytes of PTX takes 1000 and less than 300 more: three fit in 3900, four not.
  const Cache cache(root_ / "c", 3900);
  const auto age = [&](const char* key, int seconds) {
    fs::last_write_time(root_ / "c" / key,
                        fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
  };
  for (const char* key : {"aa", "bb", "cc"}) cache.put(key, sample(std::string(1000, 'x')));
  age("aa", 30);
  age("bb", 20);
  age("cc", 10);
  EXPECT_TRUE(cache.get("aa").has_value());  // used now, so bb is the oldest
  cache.put("dd", sample(std::string(1000, 'x')));
  EXPECT_TRUE(cache.get("aa").has_value());
  EXPECT_FALSE(cache.get("bb").has_value());
  EXPECT_TRUE(cache.get("cc").has_value());
  EXPECT_TRUE(cache.get("dd").has_value());
}

TEST_F(CacheTest, FolderFollowsTheEnvironment) {
  ::setenv("XDG_CACHE_HOME", "/x/cache", 1);
  EXPECT_EQ(default_cache_folder(), "/x/cache/lab/compile");
  ::setenv("XDG_CACHE_HOME", "relative", 1);  // the specification says to ignore it
  ::setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(default_cache_folder(), "/home/someone/.cache/lab/compile");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_EQ(default_cache_folder(), "");
}

}  // namespace
}  // namespace lab::compile
