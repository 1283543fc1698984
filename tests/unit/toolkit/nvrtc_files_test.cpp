#include "harness/kernel/toolkit/nvrtc_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace lab::toolkit {
namespace {

namespace fs = std::filesystem;

class NvrtcFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lab-nvrtc-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH"}) {
      ::unsetenv(variable);
    }
  }
  void TearDown() override { fs::remove_all(root_); }

  static void put(const fs::path& folder, const char* library, const char* builtins) {
    fs::create_directories(folder);
    if (library != nullptr) std::ofstream(folder / library) << "";
    if (builtins != nullptr) std::ofstream(folder / builtins) << "";
  }

  fs::path root_;
};

TEST_F(NvrtcFilesTest, TheBuiltinsNameTheVersion) {
  put(root_, "libnvrtc.so.13", "libnvrtc-builtins.so.13.0");
  const auto found = nvrtc_in(root_);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->version, (Version{13, 0}));
  EXPECT_EQ(found->library, root_ / "libnvrtc.so.13");
  EXPECT_EQ(found->builtins, root_ / "libnvrtc-builtins.so.13.0");
}

// Every 11.x library is called 11.2.
TEST_F(NvrtcFilesTest, ElevenHasOneName) {
  put(root_, "libnvrtc.so.11.2", "libnvrtc-builtins.so.11.8.89");
  EXPECT_EQ(nvrtc_in(root_)->version, (Version{11, 8}));
  EXPECT_EQ(nvrtc_in(root_)->library, root_ / "libnvrtc.so.11.2");
}

TEST_F(NvrtcFilesTest, BothFilesMustBeThere) {
  put(root_ / "a", "libnvrtc.so.13", nullptr);
  put(root_ / "b", nullptr, "libnvrtc-builtins.so.13.0");
  put(root_ / "c", "libnvrtc.so.12", "libnvrtc-builtins.so.13.0");
  put(root_ / "d", "libnvrtc.so.13", "libnvrtc-builtins.so");
  put(root_ / "e", "libnvrtc.so.13", "libnvrtc-builtins.alt.so.13.0");
  for (const char* folder : {"a", "b", "c", "d", "e", "none"}) {
    EXPECT_FALSE(nvrtc_in(root_ / folder).has_value()) << folder;
  }
}

TEST_F(NvrtcFilesTest, TheNewestOfOneFolder) {
  put(root_, "libnvrtc.so.11.2", "libnvrtc-builtins.so.11.8");
  put(root_, "libnvrtc.so.12", "libnvrtc-builtins.so.12.9");
  put(root_, "libnvrtc.so.12", "libnvrtc-builtins.so.12.10");
  EXPECT_EQ(nvrtc_in(root_)->version, (Version{12, 10}));
}

TEST_F(NvrtcFilesTest, WhatCudaHomeNamesWinsOverNewerOnes) {
  put(root_ / "home/lib", "libnvrtc.so.11.2", "libnvrtc-builtins.so.11.8");
  put(root_ / "nvrtc/lib", "libnvrtc.so.99", "libnvrtc-builtins.so.99.0");
  ::setenv("CUDA_HOME", (root_ / "home").c_str(), 1);
  EXPECT_EQ(find_nvrtc(root_ / "bin").found->version, (Version{11, 8}));
}

// 99 is newer than any that this machine may have.
TEST_F(NvrtcFilesTest, ElseTheNewestWinsWhereverItIs) {
  put(root_ / "path", "libnvrtc.so.99", "libnvrtc-builtins.so.99.1");
  put(root_ / "nvrtc/lib", "libnvrtc.so.99", "libnvrtc-builtins.so.99.0");
  EXPECT_EQ(find_nvrtc(root_ / "bin").found->library, root_ / "nvrtc/lib/libnvrtc.so.99");
  ::setenv("LD_LIBRARY_PATH", (root_ / "path").c_str(), 1);
  EXPECT_EQ(find_nvrtc(root_ / "bin").found->library, root_ / "path/libnvrtc.so.99");
}

TEST_F(NvrtcFilesTest, ACheckoutsOwnIsTwoFoldersUp) {
  put(root_ / "build/nvrtc/lib", "libnvrtc.so.99", "libnvrtc-builtins.so.99.0");
  EXPECT_EQ(find_nvrtc(root_ / "build/release/bin").found->library,
            root_ / "build/nvrtc/lib/libnvrtc.so.99");
}

TEST_F(NvrtcFilesTest, OldOnesDoNotCountAndAreNamed) {
  put(root_ / "home/lib64", "libnvrtc.so.11.2", "libnvrtc-builtins.so.11.7");
  ::setenv("CUDA_HOME", (root_ / "home").c_str(), 1);
  const auto looked = find_nvrtc(root_ / "bin").looked;
  EXPECT_EQ(looked.at(0), (root_ / "home").string() + " (CUDA_HOME): its NVRTC 11.7 is too old");
  EXPECT_EQ(looked.back(), root_.parent_path().string() + "/nvrtc (the project's own)");
}

}  // namespace
}  // namespace lab::toolkit
