#include "harness/kernel/toolkit/toolkit.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

namespace lab::toolkit {
namespace {

namespace fs = std::filesystem;

class ToolkitTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lab-toolkit-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) ::unsetenv(variable);
  }
  void TearDown() override { fs::remove_all(root_); }

  static void put(const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "";
  }

  fs::path root_;
};

TEST_F(ToolkitTest, LibrariesInAnyOfTheThreeFolders) {
  for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
    const fs::path root = root_ / fs::path(folder).filename();
    fs::remove_all(root);
    put(root / folder / "libnvrtc.so.13");
    const auto toolkit = toolkit_at(root);
    ASSERT_TRUE(toolkit.has_value()) << folder;
    EXPECT_EQ(toolkit->libraries, std::vector<fs::path>{root / folder});
  }
}

TEST_F(ToolkitTest, CuptiFolderIsAddedWhereItIs) {
  put(root_ / "lib64/libnvrtc.so");
  put(root_ / "extras/CUPTI/lib64/libnvperf_host.so");
  EXPECT_EQ(toolkit_at(root_)->libraries,
            (std::vector<fs::path>{root_ / "lib64", root_ / "extras/CUPTI/lib64"}));
}

TEST_F(ToolkitTest, NothingThere) {
  EXPECT_FALSE(toolkit_at(root_).has_value());
  fs::create_directories(root_ / "lib64");
  EXPECT_FALSE(toolkit_at(root_).has_value());
}

TEST_F(ToolkitTest, CudaHomeComesFirstThenCudaPath) {
  put(root_ / "home/lib64/libnvrtc.so.13");
  put(root_ / "path/lib64/libnvrtc.so.13");
  ::setenv("CUDA_HOME", (root_ / "home").c_str(), 1);
  ::setenv("CUDA_PATH", (root_ / "path").c_str(), 1);
  EXPECT_EQ(find_toolkit().found->root, root_ / "home");
  ::setenv("CUDA_HOME", (root_ / "gone").c_str(), 1);
  const ToolkitSearch search = find_toolkit();
  EXPECT_EQ(search.found->root, root_ / "path");
  EXPECT_EQ(search.looked, std::vector<std::string>{(root_ / "gone").string() + " (CUDA_HOME)"});
}

}  // namespace
}  // namespace lab::toolkit
