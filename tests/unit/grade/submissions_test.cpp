// Whose submission a file is.
#include "harness/grade/submissions.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "harness/run/temporary_folder.h"

namespace lab::grade {
namespace {

constexpr const char* kKernel = "__global__ void k() {}\n";

struct Submissions : testing::Test {
  void write(const std::string& name, const std::string& text = kKernel) {
    const auto path = folder.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::vector<Submission> found(const std::vector<db::Student>& roster = {}) {
    return find_submissions({folder.path().string()}, roster);
  }
  run::TemporaryFolder folder{"lab-submissions"};
};

TEST_F(Submissions, AreNamedByFileFolderOrRoster) {
  write("ada.cu");
  write("bob/any.cu");
  write("eve_jones_4711_lab4.cu");
  write("notes.txt");
  write(".hidden.cu");
  const std::vector<Submission> all = found({{"eve_jones"}, {"zoe"}});
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].student, "ada");
  EXPECT_EQ(all[0].text->text, kKernel);
  EXPECT_EQ(all[0].text->name, "ada.cu");
  EXPECT_EQ(all[1].student, "bob");
  EXPECT_EQ(all[2].student, "eve_jones");
  EXPECT_EQ(all[3].student, "zoe");
  EXPECT_EQ(all[3].path, "");  // missing
}

TEST_F(Submissions, IncludeWhatLiesBesideThemAlone) {
  write("bob/k.cu", "#include \"mine.h\"\n#include \"inner/../mine.h\"\n");
  write("bob/mine.h", "// of bob\n");
  std::filesystem::create_directories(folder.path() / "eve" / "real");
  std::filesystem::create_directory_symlink(folder.path() / "bob", folder.path() / "eve/link");
  const std::string absolute = (folder.path() / "bob/mine.h").string();
  for (const std::string& name :
       {std::string("../bob/mine.h"), absolute, std::string("link/mine.h"),
        std::string("real/../../bob/mine.h")}) {
    write("eve/k.cu", "#include \"" + name + "\"\n");
    write("tim.cu", "#include \"bob/mine.h\"\n");
    const std::vector<Submission> all = found();
    ASSERT_EQ(all.size(), 3u);
    ASSERT_TRUE(all[0].text.has_value());
    ASSERT_EQ(all[0].text->included.size(), 1u);
    EXPECT_EQ(all[0].text->included[0].name, "mine.h");
    for (const Submission& other : {all[1], all[2]}) {
      ASSERT_TRUE(other.text.has_value()) << name;
      EXPECT_TRUE(other.text->included.empty()) << name;
    }
    // Whether there is such a file changes nothing of what is known of the submission.
    std::filesystem::rename(folder.path() / "bob/mine.h", folder.path() / "bob/other");
    const std::vector<Submission> without = found();
    EXPECT_EQ(without[1].refused, all[1].refused) << name;
    EXPECT_EQ(without[1].sha256, all[1].sha256) << name;
    EXPECT_EQ(without[1].problem, all[1].problem) << name;
    EXPECT_EQ(all[1].refused.size(), name == "link/mine.h" ? 0u : 1u) << name;
    std::filesystem::rename(folder.path() / "bob/other", folder.path() / "bob/mine.h");
  }
}

TEST_F(Submissions, AFolderNamesItsKernel) {
  write("ada/a.cu");
  write("ada/b.cu");
  write("bob/kernels.cu");
  write("bob/old.cu");
  std::filesystem::create_directories(folder.path() / "eve");
  const std::vector<Submission> all = found();
  EXPECT_EQ(all[0].problem, "the folder has 2 .cu files, none called kernels.cu");
  EXPECT_EQ(all[1].text->name, "kernels.cu");
  EXPECT_EQ(all[2].problem, "the folder has no .cu file");
}

TEST(Roster, IsCsv) {
  const std::vector<db::Student> all = read_roster(
      "r.csv", "\xEF\xBB\xBFname,student,email\r\n\"Lovelace, \"\"Ada\"\"\",ada,a@b\r\n\n,bob\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].student, "ada");
  EXPECT_EQ(all[0].name, "Lovelace, \"Ada\"");
  EXPECT_EQ(all[1].student, "bob");
  EXPECT_EQ(all[1].email, "");
  EXPECT_THROW((void)read_roster("r.csv", "login,name\nada,Ada\n"), Error);
  EXPECT_THROW((void)read_roster("r.csv", "student\n../ada\n"), Error);
}

}  // namespace
}  // namespace lab::grade
