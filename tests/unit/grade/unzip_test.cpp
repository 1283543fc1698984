// Archives of others: what they may hold, and where it may go.
#include "harness/classes/grade/unzip.h"

#include <gtest/gtest.h>
#include <minizip/zip.h>
#include <sys/stat.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/run/temporary_folder.h"

namespace lab::grade {
namespace {

namespace fs = std::filesystem;

struct Packed {
  std::string name;
  std::string text;
  unsigned mode = S_IFREG | 0644U;
};

struct Unzip : testing::Test {
  // As a system that keeps modes makes it.
  void pack(const std::vector<Packed>& files) {
    constexpr unsigned long kUnix = 3U << 8U;
    zipFile archive = zipOpen64(file.c_str(), APPEND_STATUS_CREATE);
    for (const Packed& one : files) {
      zip_fileinfo info = {};
      info.tmz_date = {58, 30, 20, 15, 8, 2026};  // 15 September
      info.external_fa = static_cast<unsigned long>(one.mode) << 16U;
      ASSERT_EQ(zipOpenNewFileInZip4_64(archive, one.name.c_str(), &info, nullptr, 0, nullptr, 0,
                                        nullptr, Z_DEFLATED, 6, 0, -MAX_WBITS, DEF_MEM_LEVEL,
                                        Z_DEFAULT_STRATEGY, nullptr, 0, kUnix, 0, 0),
                ZIP_OK);
      static_cast<void>(
          zipWriteInFileInZip(archive, one.text.data(), static_cast<unsigned>(one.text.size())));
      static_cast<void>(zipCloseFileInZip(archive));
    }
    ASSERT_EQ(zipClose(archive, nullptr), ZIP_OK);
  }
  std::string unpack(UnzipBounds bounds = {}) {
    fs::remove_all(inside);
    fs::create_directories(inside);
    return unzip(file, inside, bounds);
  }
  [[nodiscard]] std::string text_of(const std::string& name) const {
    std::ifstream in(inside / name);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  run::TemporaryFolder folder{"lab-unzip-test"};
  std::string file = (folder.path() / "a.zip").string();
  fs::path inside = folder.path() / "deep/inside";
};

TEST_F(Unzip, FilesComeOutWithTheirTimes) {
  pack({{"a/b/k.cu", "__global__"}, {"a/", "", S_IFDIR | 0755U}, {"c\\d.cu", "2"}});
  EXPECT_EQ(unpack(), "");
  EXPECT_EQ(text_of("a/b/k.cu"), "__global__");
  EXPECT_EQ(text_of("c/d.cu"), "2");  // a name as Windows writes it
  struct stat info {};
  ASSERT_EQ(::stat((inside / "a/b/k.cu").c_str(), &info), 0);
  const std::tm when = *std::localtime(&info.st_mtime);
  EXPECT_EQ(when.tm_mday * 10000 + when.tm_hour * 100 + when.tm_min, 152030);
}

TEST_F(Unzip, NothingGoesOutOfTheFolder) {
  for (const char* name :
       {"../../evil", "/tmp/lab_evil", "a/../../evil", "..\\..\\evil", "C:\\evil"}) {
    pack({{"k.cu", "1"}, {name, "2"}});
    EXPECT_EQ(unpack(), "a name in it leads out of its folder") << name;
  }
  EXPECT_FALSE(fs::exists(folder.path() / "evil"));
  EXPECT_FALSE(fs::exists("/tmp/lab_evil"));
}

TEST_F(Unzip, LinksAreNotMade) {
  pack({{"link", "/etc/passwd", S_IFLNK | 0777U}, {"k.cu", "1"}});
  EXPECT_EQ(unpack(), "");
  EXPECT_FALSE(fs::exists(fs::symlink_status(inside / "link")));
  EXPECT_EQ(text_of("k.cu"), "1");
}

TEST_F(Unzip, BoundsAreOfAllThatIsUnpacked) {
  pack({{"a", std::string(60, 'a')}, {"b", std::string(60, 'b')}});
  EXPECT_EQ(unpack({120, 2}), "");
  EXPECT_EQ(unpack({119, 2}), "it holds too much");
  EXPECT_EQ(unpack({120, 1}), "it holds too many files");
  // Of a second archive what the first has left.
  UnzipBounds left = {150, 10};
  fs::remove_all(inside);
  fs::create_directories(inside / "2");
  EXPECT_EQ(unzip(file, inside, left), "");
  EXPECT_EQ(left.bytes, 30u);
  EXPECT_EQ(left.files, 8u);
  EXPECT_EQ(unzip(file, inside / "2", left), "it holds too much");
}

TEST_F(Unzip, WhatIsDamagedIsTold) {
  pack({{"k.cu", "some text that is long enough to be packed"}, {"k.cu", "2"}});
  EXPECT_EQ(unpack(), "two files in it have one name");
  pack({{"k.cu", "some text that is long enough to be packed"}});
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(40);  // within the packed text, which begins after 30 bytes and the name
  bytes.write("\xff\xff\xff\xff", 4);
  bytes.close();
  EXPECT_EQ(unpack(), "it is damaged");
  std::ofstream(file) << "no archive";
  EXPECT_EQ(unpack(), "it is no zip archive, or damaged");
}

}  // namespace
}  // namespace lab::grade
