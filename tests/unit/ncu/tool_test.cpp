// Finding ncu, its command line, and what its refusals mean.
#include "harness/ncu/tool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace lab::ncu {
namespace {

namespace fs = std::filesystem;

class Tool : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lab_ncu_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  [[nodiscard]] fs::path program(const fs::path& place, const std::string& text = "exit 0") const {
    fs::create_directories((folder_ / place).parent_path());
    std::ofstream(folder_ / place) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(folder_ / place, fs::perms::owner_all);
    return folder_ / place;
  }
  [[nodiscard]] ToolPlaces places() const {
    return {(folder_ / "a").string() + ":" + (folder_ / "b").string(), (folder_ / "home").string(),
            folder_ / "local", folder_ / "nsight"};
  }
  fs::path folder_;
};

TEST_F(Tool, PathComesFirst) {
  const fs::path wanted = program("b/ncu");
  (void)program("local/cuda/bin/ncu");
  EXPECT_EQ(find_tool("ncu", places()).found, wanted);
}

TEST_F(Tool, NewestOfNsightsOwnPackages) {
  (void)program("nsight/2024.1.0/ncu");
  const fs::path wanted = program("nsight/2025.3.1/ncu");
  const ToolSearch search = find_tool("ncu", places());
  EXPECT_EQ(search.found, wanted);
  EXPECT_EQ(search.looked.front(), (folder_ / "a").string());
}

TEST_F(Tool, FilesThatCannotBeStartedDoNotCount) {
  fs::create_directories(folder_ / "a");
  std::ofstream(folder_ / "a" / "ncu") << "text";
  fs::create_directories(folder_ / "b" / "ncu");
  EXPECT_FALSE(find_tool("ncu", places()).found);
}

TEST_F(Tool, NotFoundSaysWhereItLooked) {
  const Error error = ncu_not_found(ToolSearch{{}, {"/a", "/b"}});
  EXPECT_STREQ(error.what(), "Nsight Compute's program ncu was not found; looked in /a, /b");
  EXPECT_EQ(error.fault(), Fault::kMachine);
}

TEST(Command, Profile) {
  ProfileRequest request;
  request.ncu = "/x/ncu";
  request.metrics = {"a__b.sum", "c__d.sum"};
  request.sets = {"full"};
  request.report = "/t/r.ncu-rep";
  request.log = "/t/log";
  request.program = {"lab", "ncu", "1"};
  const std::vector<std::string> expected = {"/x/ncu",
                                             "--target-processes",
                                             "all",
                                             "--check-exit-code",
                                             "no",
                                             "--cache-control",
                                             "all",
                                             "--clock-control",
                                             "none",
                                             "--nvtx",
                                             "--nvtx-include",
                                             "lab@check/",
                                             "--log-file",
                                             "/t/log",
                                             "--force-overwrite",
                                             "--export",
                                             "/t/r.ncu-rep",
                                             "--set",
                                             "full",
                                             "--metrics",
                                             "a__b.sum,c__d.sum",
                                             "lab",
                                             "ncu",
                                             "1"};
  EXPECT_EQ(profile_command(request), expected);
}

TEST(Command, Export) {
  EXPECT_EQ(export_command("/x/ncu", "/t/r"),
            (std::vector<std::string>{"/x/ncu", "--import", "/t/r", "--csv", "--page", "raw",
                                      "--print-units", "base"}));
}

TEST_F(Tool, ProgramsRunToTheirEnd) {
  const fs::path script = program("script", "echo \"$1 $LAB_X\"; echo oops >&2; cat; exit 5");
  const Ended ended = run_program({script.string(), "a b"}, folder_, {"LAB_X=y"});
  EXPECT_EQ(ended.status, 5);
  EXPECT_EQ(ended.out, "a b y\n");
  EXPECT_EQ(ended.err, "oops\n");
  EXPECT_EQ(run_program({program("die", "kill -9 $$").string()}, folder_).status, 137);  // 128 + 9
}

TEST_F(Tool, ProgramThatIsNotThere) {
  EXPECT_THROW((void)run_program({(folder_ / "none").string()}, folder_), Error);
}

TEST(Failure, RefusalsAreNamed) {
  const Error denied = explain_failure({1, "", ""}, "==ERROR== ERR_NVGPUCTRPERM - The user");
  EXPECT_STREQ(denied.what(), "ncu may not read this GPU's counters (ERR_NVGPUCTRPERM)");
  EXPECT_EQ(denied.fault(), Fault::kMachine);
  EXPECT_EQ(explain_failure({1, "Failed to find metric x__y.sum", ""}, "").fault(), Fault::kInput);
}

TEST(Failure, OthersAreQuoted) {
  const Error error = explain_failure({9, "", "one\n\ntwo\n"}, "==PROF== log\n");
  EXPECT_STREQ(error.what(), "ncu ended with status 9 and left no report: ==PROF== log; one; two");
}

TEST(Version, OfItsText) {
  EXPECT_EQ(
      version_in("NVIDIA (R) Nsight Compute Command Line Profiler\nCopyright (c) 2018-2025 "
                 "NVIDIA Corporation\nVersion 2025.3.1.0 (build 36398880) (public-release)\n"),
      "2025.3.1.0");
  EXPECT_EQ(version_in("nothing"), "");
}

}  // namespace
}  // namespace lab::ncu
