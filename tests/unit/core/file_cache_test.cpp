#include "harness/core/file_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace lab {
namespace {

namespace fs = std::filesystem;

class FileCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lab-cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path root_;
};

TEST_F(FileCacheTest, FolderIsPrivate) {
  const FileCache cache(root_ / "c");
  struct stat info {};
  ASSERT_EQ(::stat((root_ / "c").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
  fs::permissions(root_ / "c", fs::perms::owner_all | fs::perms::others_write);
  EXPECT_FALSE(FileCache(root_ / "c").usable());
}

TEST_F(FileCacheTest, FolderThatCannotBeMadeIsNoCache) {
  std::ofstream(root_ / "file") << "x";
  const FileCache cache(root_ / "file" / "c");
  EXPECT_FALSE(cache.usable());
  cache.put("aa", "x");
  EXPECT_FALSE(cache.get("aa").has_value());
  EXPECT_FALSE(FileCache({}).usable());
}

// Each byte of an entry is either covered by the hash or is the hash or the first line.
TEST_F(FileCacheTest, DamagedEntriesReadAsAbsent) {
  const FileCache cache(root_ / "c");
  cache.put("aa", "some ptx");
  const fs::path path = root_ / "c" / "aa";
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const bool separator = i == 12 + 64;  // the newline after the hash carries nothing
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
TEST_F(FileCacheTest, AnEntryUnderAnothersNameIsNotThatOnes) {
  const FileCache cache(root_ / "c");
  cache.put("aa", "of aa");
  cache.put("bb", "of bb");
  fs::rename(root_ / "c" / "aa", root_ / "c" / "bb");
  EXPECT_FALSE(cache.get("bb").has_value());
  fs::rename(root_ / "c" / "bb", root_ / "c" / "a");  // the beginning of its key
  EXPECT_FALSE(cache.get("a").has_value());
  fs::rename(root_ / "c" / "a", root_ / "c" / "aa");
  EXPECT_EQ(cache.get("aa").value(), "of aa");
}

TEST_F(FileCacheTest, EntriesOthersMayReadOrLinksAreNotTrusted) {
  const FileCache cache(root_ / "c");
  cache.put("aa", "x");
  fs::create_symlink("aa", root_ / "c" / "bb");
  EXPECT_FALSE(cache.get("bb").has_value());
  fs::permissions(root_ / "c" / "aa", fs::perms::group_read, fs::perm_options::add);
  EXPECT_FALSE(cache.get("aa").has_value());
}

TEST_F(FileCacheTest, OldestUsedGoesFirst) {
  // An entry of 1000 bytes takes 1000 and less than 300 more: three fit in 3900, four not.
  const FileCache cache(root_ / "c", 3900);
  const auto age = [&](const char* key, int seconds) {
    fs::last_write_time(root_ / "c" / key,
                        fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
  };
  for (const char* key : {"aa", "bb", "cc"}) cache.put(key, std::string(1000, 'x'));
  age("aa", 30);
  age("bb", 20);
  age("cc", 10);
  EXPECT_TRUE(cache.get("aa").has_value());  // used now, so bb is the oldest
  cache.put("dd", std::string(1000, 'x'));
  EXPECT_TRUE(cache.get("aa").has_value());
  EXPECT_FALSE(cache.get("bb").has_value());
  EXPECT_TRUE(cache.get("cc").has_value());
  EXPECT_TRUE(cache.get("dd").has_value());
}

TEST_F(FileCacheTest, FolderFollowsTheEnvironment) {
  ::setenv("XDG_CACHE_HOME", "/x/cache", 1);
  EXPECT_EQ(user_cache_folder("compile"), "/x/cache/lab/compile");
  ::setenv("XDG_CACHE_HOME", "relative", 1);  // the specification says to ignore it
  ::setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(user_cache_folder("compile"), "/home/someone/.cache/lab/compile");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_EQ(user_cache_folder("compile"), "");
}

}  // namespace
}  // namespace lab
