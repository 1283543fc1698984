// Whose submission a file is.
#include "harness/classes/grade/submissions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <initializer_list>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "harness/run/temporary_folder.h"

namespace lab::grade {
namespace {

constexpr const char* kKernel = "__global__ void k() {}\n";

Roster roster(std::initializer_list<const char*> names) {
  Roster all;
  for (const char* name : names) all.emplace_back().student = name;
  return all;
}

struct Submissions : testing::Test {
  void write(const std::string& name, const std::string& text = kKernel) {
    const auto path = folder.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::vector<Submission> found(const Roster& roster = {}) {
    return find_submissions({folder.path().string()}, roster);
  }
  run::TemporaryFolder folder{"lab-submissions"};
};

using Names = std::vector<std::string>;
Names names_of(const std::vector<Submission>& all) {
  Names names;
  for (const Submission& one : all) names.push_back(one.student);
  return names;
}

TEST_F(Submissions, AreNamedByFileFolderOrRoster) {
  write("ada.cu");
  write("bob/any.cu");
  write("eve_jones_4711_lab4.cu");
  write("notes.txt");
  write(".hidden.cu");
  const std::vector<Submission> all = found(roster({"eve_jones", "zoe"}));
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
  // One text twice is one.
  EXPECT_EQ(all[0].text->name, "a.cu");
  EXPECT_EQ(all[1].text->name, "kernels.cu");
  EXPECT_EQ(all[2].problem, "the folder is empty");
  write("ada/b.cu", "__global__ void another() {}\n");
  EXPECT_EQ(found()[0].problem, "which of these counts is for a person to say: a.cu, b.cu");
}

// Beside a main without kernels a file that cannot be read may be the kernel's, and one with
// kernels of other names is.
TEST_F(Submissions, AMainAloneIsNotWhatCounts) {
  write("ada/main.cu", "int main() {}\n");
  write("ada/mine.cu", std::string("\0__global__ void k() {}\n", 24));
  write("bob/main.cu", "int main() {}\n");
  write("bob/mine.cu", "__global__ void other() {}\n");
  const std::vector<Submission> all = found();
  EXPECT_EQ(all[0].unread, Unread::kForAPerson);
  EXPECT_EQ(all[1].text->name, "mine.cu");
}

// `lab grade 3 sub/*`: whose a file is, its folder says.
TEST_F(Submissions, FoldersAmongThePathsAreStudents) {
  for (const char* student : {"ada", "bob", "eve"}) write(fmt::format("{}/swizzle.cu", student));
  std::filesystem::create_directories(folder.path() / "zoe");
  std::vector<std::string> paths;
  for (const char* student : {"ada/", "bob", "eve", "zoe"}) {
    paths.push_back((folder.path() / student).string());
  }
  const std::vector<Submission> all = find_submissions(paths, {});
  EXPECT_EQ(names_of(all), (Names{"ada", "bob", "eve", "zoe"}));
  EXPECT_EQ(all[3].problem, "the folder is empty");
  // As their folder alone has them.
  EXPECT_EQ(names_of(found()), names_of(all));
  // Beside a file, too.
  write("kim.cu");
  paths = {(folder.path() / "ada").string(), (folder.path() / "kim.cu").string()};
  EXPECT_EQ(names_of(find_submissions(paths, {})), (Names{"ada", "kim"}));
  // Alone, by what `lab start` and the labs call it.
  write("lea/lab3.cu");
  write("max/kernels.cu");
  for (const char* student : {"lea", "max"}) {
    EXPECT_EQ(names_of(find_submissions({(folder.path() / student).string()}, {})), Names{student});
  }
  // Otherwise it is a class's, and said to be so.
  const std::string ada = (folder.path() / "ada").string();
  EXPECT_EQ(names_of(find_submissions({ada}, {})), Names{"swizzle"});
  EXPECT_TRUE(find_submissions({ada}, {})[0].may_be_folders);
  // Or by the roster.
  EXPECT_EQ(names_of(find_submissions({(folder.path() / "ada").string()}, roster({"ada"}))),
            Names{"ada"});
}

TEST_F(Submissions, SeveralClassesAreSearched) {
  for (const char* name : {"a/ada.cu", "a/bob.cu", "b/eve.cu", "b/kim.cu"}) write(name);
  const std::vector<std::string> both = {(folder.path() / "a").string(),
                                         (folder.path() / "b").string()};
  EXPECT_EQ(names_of(find_submissions(both, {})), (Names{"ada", "bob", "eve", "kim"}));
  // One that has a single submission may be a student's folder: the roster knows.
  std::filesystem::remove(folder.path() / "b/kim.cu");
  EXPECT_THROW((void)find_submissions(both, {}), Error);
  EXPECT_EQ(names_of(find_submissions(both, roster({"ada", "eve"}))), (Names{"ada", "bob", "eve"}));
}

TEST_F(Submissions, TwoOfOneNameAreAnError) {
  write("a/swizzle.cu");
  write("b/swizzle.cu", "// another\n");
  const std::string a = (folder.path() / "a/swizzle.cu").string();
  const std::string b = (folder.path() / "b/swizzle.cu").string();
  try {
    (void)find_submissions({a, b}, {});
    FAIL() << "one of them was lost";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              fmt::format("two submissions are of the student 'swizzle': '{}' and '{}'", a, b));
    EXPECT_EQ(error.fault(), Fault::kInput);
  }
  // One that is named twice is one.
  EXPECT_EQ(find_submissions({a, a}, {}).size(), 1u);
  EXPECT_EQ(find_submissions({a, (folder.path() / "b/../a/swizzle.cu").string()}, {}).size(), 1u);
}

TEST_F(Submissions, OfTwoThatAPlatformNumberedTheNewerCounts) {
  namespace fs = std::filesystem;
  write("ada_1_k.cu", "// newer\n");
  write("ada_2_k.cu", "// older\n");
  const auto now = fs::last_write_time(folder.path() / "ada_1_k.cu");
  fs::last_write_time(folder.path() / "ada_2_k.cu", now - std::chrono::hours(1));
  const std::vector<Submission> all = found(roster({"ada"}));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].text->text, "// newer\n");
  EXPECT_EQ(all[0].older, Names{(folder.path() / "ada_2_k.cu").string()});
  // Of the same second, neither is.
  fs::last_write_time(folder.path() / "ada_2_k.cu", now);
  EXPECT_THROW((void)found(roster({"ada"})), Error);
}

// What `lab submit` makes of a name leads back to it.
TEST_F(Submissions, AreOfWhomTheirFileNamesEncode) {
  write("Ada%20Lovelace~11.cu");
  write("x%23y.cu");
  write("x y.cu");
  EXPECT_EQ(names_of(found()), (Names{"Ada Lovelace", "x y", "x#y"}));
}

TEST(Roster, IsCsv) {
  const Roster all = read_roster(
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
