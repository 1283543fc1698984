// What platforms call submissions, rosters as they export them, and which file of a student counts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/classes/grade/entry_names.h"
#include "harness/classes/grade/submissions.h"
#include "harness/core/error.h"
#include "harness/run/temporary_folder.h"

namespace lab::grade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPadded = "__global__ void padded() {}\n";
constexpr const char* kOther = "__global__ void other() {}\n";

struct HandedIn : testing::Test {
  void write(const std::string& name, const std::string& text = kPadded) {
    const auto path = folder.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  std::vector<Submission> found(const Roster& roster = {}) {
    return find_submissions({folder.path().string()}, roster, {"padded"});
  }
  Submission only(const Roster& roster = {}) {
    std::vector<Submission> all = found(roster);
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? Submission{} : all.front();
  }
  run::TemporaryFolder folder{"lab-handed-in-test"};
};

std::vector<std::string> students_of(const std::vector<Submission>& all) {
  std::vector<std::string> names;
  for (const Submission& one : all) names.push_back(one.student + (one.text ? "" : "?"));
  return names;
}
using Names = std::vector<std::string>;

TEST(EntryNames, OfThePlatforms) {
  struct Name {
    const char* name;
    Called called;
    const char* file;
    const char* handed_in;
  };
  const std::vector<Name> rows = {
      {"lovelaceada_4711_98765_kernels.cu", {"lovelaceada", {"4711"}}, "kernels.cu", ""},
      {"lovelaceada_LATE_4711_98765_kernels-1.cu", {"lovelaceada", {"4711"}}, "kernels-1.cu", ""},
      {"Ada Lovelace_4711_assignsubmission_file_my_k.cu",
       {"Ada Lovelace", {"4711"}},
       "my_k.cu",
       ""},
      {"Ada Lovelace_4711_assignsubmission_file_", {"Ada Lovelace", {"4711"}}, "", ""},
      {"Ada Lovelace_4711_assignsubmission_file", {"Ada Lovelace", {"4711"}}, "", ""},
      {"4711-98 - Ada Lovelace - Sep 15, 2026 825 PM - kernels.cu",
       {"Ada Lovelace", {"4711"}},
       "kernels.cu",
       "2026-09-15 20:25"},
      {"4711-98 - Ada Lovelace - 5 March, 2026 12:05 AM",
       {"Ada Lovelace", {"4711"}},
       "",
       "2026-03-05 00:05"},
      {"4711-98 - Anne-Marie Roux - Dec 1, 2026 1205 PM",
       {"Anne-Marie Roux", {"4711"}},
       "",
       "2026-12-01 12:05"},
  };
  for (const Name& row : rows) {
    const auto entry = read_entry_name(row.name);
    ASSERT_TRUE(entry) << row.name;
    EXPECT_EQ(entry->called.name, row.called.name) << row.name;
    EXPECT_EQ(entry->called.keys, row.called.keys) << row.name;
    EXPECT_EQ(entry->file, row.file) << row.name;
    EXPECT_EQ(entry->handed_in, row.handed_in) << row.name;
  }
  for (const char* name :
       {"ada.cu", "ada", "eve_jones_4711_lab4.cu", "submission_4711", "lab4-ada"}) {
    EXPECT_FALSE(read_entry_name(name)) << name;
  }
}

TEST(EntryNames, GradescopesMetadata) {
  const auto all = read_export("m.yml",
                               "---\nsubmission_12:\n  :submitters:\n  - :name: Ada Lovelace\n"
                               "    :sid: '4711'\n    :email: ada@x.edu\n  - :name: Bob\n"
                               "    :sid: ''\n    :email: bob@x.edu\n"
                               "  :created_at: 2026-09-15 20:23:54.678000000 Z\n"
                               "  :results:\n    output: |\n      a: b\n");
  ASSERT_EQ(all.size(), 1u);
  const Submitters& one = all.at("submission_12");
  EXPECT_EQ(one.created_at, "2026-09-15T20:23:54Z");
  ASSERT_EQ(one.people.size(), 2u);
  EXPECT_EQ(one.people[0].keys, (Names{"ada@x.edu", "4711"}));
  EXPECT_EQ(one.people[1].keys, (Names{"bob@x.edu"}));
  EXPECT_THROW((void)read_export("m.yml", "a: [b"), Error);
  EXPECT_THROW((void)read_export("m.yml", "- a\n- b\n"), Error);
  const Submitters now =
      read_autograders("m.json", R"({"created_at": "2026-07-01T14:22:32.365935-07:00",
                    "users": [{"email": "ada@x.edu", "id": 7, "name": "Ada"}]})");
  EXPECT_EQ(now.created_at, "2026-07-01T21:22:32Z");  // seven hours behind UTC
  EXPECT_EQ(now.people.at(0).name, "Ada");
  EXPECT_THROW((void)read_autograders("m.json", "[]"), Error);
}

TEST(Rosters, AreWhatPlatformsExport) {
  const Roster canvas = read_roster(
      "c.csv",
      "Student,ID,SIS User ID,SIS Login ID,Section,Lab 4 (77)\n    Points Possible,,,,,100\n"
      "\"Lovelace, Ada\",4711,S1,ada,A,\n");
  ASSERT_EQ(canvas.size(), 1u);
  EXPECT_EQ(canvas[0].student, "ada");
  EXPECT_EQ(canvas[0].name, "Lovelace, Ada");
  const Roster moodle = read_roster("m.csv",
                                    "Identifier,Full name,ID number,Email address,Status,Grade\n"
                                    "Participant 4711,Ada Lovelace,,ada@x.edu,,\n");
  EXPECT_EQ(moodle.at(0).student, "ada@x.edu");
  EXPECT_EQ(moodle.at(0).name, "Ada Lovelace");
  const Roster d2l =
      read_roster("d.csv", "OrgDefinedId,Username,Last Name,First Name\n#77,#ada,Lovelace,Ada\n");
  EXPECT_EQ(d2l.at(0).student, "ada");
  EXPECT_EQ(d2l.at(0).name, "Ada Lovelace");
  const Roster gradescope = read_roster(
      "g.csv", "First Name,Last Name,SID,Email,Role\nAda,Lovelace,77,ada@x.edu,Student\n");
  EXPECT_EQ(gradescope.at(0).student, "77");
  // A spreadsheet's UTF-16, and a line end within a field.
  const std::string wide("\xFF\xFEs\0t\0u\0d\0e\0n\0t\0\n\0a\0d\0a\0\n\0", 26);
  EXPECT_EQ(read_roster("w.csv", wide).at(0).student, "ada");
  EXPECT_EQ(read_roster("n.csv", "student,name\nada,\"A\nL\"\n").at(0).name, "A\nL");

  for (const char* name : {"lovelaceada", "Ada Lovelace", "ada lovelace"}) {
    EXPECT_EQ(find(canvas, Called{name}), &canvas[0]) << name;
  }
  EXPECT_EQ(find(canvas, Called{"x", {"4711"}}), &canvas[0]);
  EXPECT_EQ(find(moodle, Called{"x", {"4711"}}), &moodle[0]);
  EXPECT_EQ(find(gradescope, Called{"x", {"ada@x.edu"}}), &gradescope[0]);
  EXPECT_EQ(find(canvas, std::string("lab4-ada")), &canvas[0]);  // a clone
  EXPECT_EQ(find(canvas, std::string("adam")), nullptr);
  // Two of one name are found by their numbers alone.
  const Roster twins = read_roster("t.csv", "student,name,id\na1,Ada Byron,1\na2,Ada Byron,2\n");
  EXPECT_EQ(find(twins, Called{"Ada Byron"}), nullptr);
  EXPECT_EQ(find(twins, Called{"Ada Byron", {"2"}}), &twins[1]);
  EXPECT_EQ(did_you_mean(canvas, "adaa"), "did you mean 'ada'?");
  EXPECT_EQ(did_you_mean(canvas, "zoe"), "");
}

TEST_F(HandedIn, PlatformsFilesOfOnePersonBelongTogether) {
  write("lovelaceada_4711_98765_k.cu", std::string("#include \"help.cuh\"\n") + kPadded);
  write("lovelaceada_4711_98766_help.cuh", "// mine\n");
  write("lovelaceada_4711_98767_report.pdf", "%PDF");
  write("byronbob_4712_98768_report.pdf", "%PDF");
  const std::vector<Submission> all = found({{{"ada", "Lovelace, Ada"}}, {{"zoe", "Zoe"}}});
  EXPECT_EQ(students_of(all), (Names{"ada", "byronbob?", "zoe?"}));
  EXPECT_EQ(all[0].text->included.size(), 1u);
  EXPECT_EQ(all[0].path, (folder.path() / "lovelaceada_4711_98765_k.cu").string());
  EXPECT_TRUE(all[1].off_roster);
  EXPECT_EQ(all[1].problem, "no .cu file was handed in, but report.pdf");
  EXPECT_EQ(all[1].unread, Unread::kForAPerson);
  EXPECT_EQ(all[2].path, "");  // missing
}

TEST_F(HandedIn, TwoPeopleOfOneNameAreTwo) {
  write("4711-98 - Ada Byron - Sep 15, 2026 825 PM/k.cu", std::string("// first\n") + kPadded);
  write("4712-98 - Ada Byron - Sep 16, 2026 825 PM/k.cu", std::string("// second\n") + kPadded);
  EXPECT_EQ(students_of(found()), (Names{"Ada Byron (4711)", "Ada Byron (4712)"}));
  // A roster that knows one of them may not make them one.
  EXPECT_THROW((void)found({{{"ada", "Ada Byron"}}}), Error);
}

TEST_F(HandedIn, OfAResubmissionThePlatformsTimeCounts) {
  write("4711-98 - Ada Byron - Sep 15, 2026 1130 AM/k.cu", std::string("// first\n") + kPadded);
  write("4711-98 - Ada Byron - Sep 15, 2026 125 PM/k.cu", std::string("// second\n") + kPadded);
  const Submission one = only();
  EXPECT_EQ(one.text->text, std::string("// second\n") + kPadded);
  EXPECT_EQ(one.older.size(), 1u);
}

TEST_F(HandedIn, TheFileWithTheKernelCounts) {
  write("ada/a/main.cu", "int main() {}\n");
  write("ada/b/deep/work.CU");
  write("ada/notes.txt", "the kernel is in b\n");
  Submission one = only();
  ASSERT_TRUE(one.text) << one.problem;
  EXPECT_EQ(one.text->name, "b/deep/work.CU");
  // Two that define it: nobody here can say. The same text twice is one.
  write("ada/c.cu", std::string("// another\n") + kPadded);
  one = only();
  EXPECT_EQ(one.problem, "which of these counts is for a person to say: work.CU, c.cu");
  EXPECT_EQ(one.unread, Unread::kForAPerson);
  write("ada/c.cu");
  EXPECT_TRUE(only().text);
  // Of files without any kernel each is as good as the first, and graded.
  write("eve/a.cu", "int main() {}\n");
  write("eve/b.cu", "// nothing yet\n");
  ASSERT_EQ(found().size(), 2u);
  ASSERT_TRUE(found()[1].text) << found()[1].problem;
  EXPECT_EQ(found()[1].text->name, "a.cu");
  fs::remove_all(folder.path() / "eve");
  // One of the usual name settles it.
  write("ada/c.cu", std::string("// another\n") + kPadded);
  write("ada/Kernels.CU", std::string("// this\n") + kPadded);
  EXPECT_EQ(only().text->text, std::string("// this\n") + kPadded);
}

TEST_F(HandedIn, AHeaderWithTheKernelIsCompiledByWhoIncludesIt) {
  write("ada/src/main.cu", "#include \"../include/k.cuh\"\nint main() {}\n");
  write("ada/include/k.cuh");
  Submission one = only();
  ASSERT_TRUE(one.text) << one.problem;
  EXPECT_EQ(one.text->name, "src/main.cu");
  ASSERT_EQ(one.text->included.size(), 1u);
  EXPECT_EQ(one.text->included[0].name, "include/k.cuh");
  // Alone it is the text.
  fs::remove(folder.path() / "ada/src/main.cu");
  EXPECT_EQ(only().text->name, "include/k.cuh");
  // Whatever it holds.
  write("ada/include/k.cuh", "// nothing yet\n");
  ASSERT_TRUE(only().text) << only().problem;
  EXPECT_EQ(only().text->name, "include/k.cuh");
  write("ada/include/k.cuh");
  // As .txt, where a platform takes no .cu.
  fs::rename(folder.path() / "ada/include/k.cuh", folder.path() / "ada/k.cu.txt");
  EXPECT_EQ(only().text->name, "k.cu.txt");
}

TEST_F(HandedIn, Utf16IsAText) {
  std::string wide = "\xFF\xFE";
  for (const char* c = kPadded; *c != 0; ++c) wide += std::string(1, *c) + std::string(1, '\0');
  write("ada.cu", wide);
  write("bob/k.cu", wide);
  const std::vector<Submission> all = found();
  EXPECT_EQ(all[0].text->text, kPadded);
  EXPECT_EQ(all[1].text->text, kPadded);
}

TEST_F(HandedIn, WhatCannotBeReadIsForAPerson) {
  write("ada.cu", std::string("\x7f"
                              "ELF\0\0",
                              6));
  write("bob.rar", "Rar!");
  write("eve/report.docx", "PK");
  write("kim.cu", "");
  write("lea.zip", "no archive");
  fs::create_directories(folder.path() / "max");
  fs::create_symlink(folder.path() / "kim.cu", folder.path() / "tim.cu");
  std::map<std::string, Unread> why;
  for (const Submission& one : found()) {
    EXPECT_FALSE(one.text) << one.student;
    EXPECT_FALSE(one.problem.empty()) << one.student;
    why[one.student] = one.unread;
  }
  const auto person = Unread::kForAPerson;
  EXPECT_EQ(why, (std::map<std::string, Unread>{{"ada", person},
                                                {"bob", person},
                                                {"eve", person},
                                                {"kim", Unread::kNothing},
                                                {"lea", person},
                                                {"max", Unread::kNothing},
                                                {"tim", person}}));
}

TEST_F(HandedIn, AGroupsSubmissionIsEachOnes) {
  write("submission_12/k.cu");
  write("submission_metadata.yml",
        "submission_12:\n  :submitters:\n  - :name: Ada\n    :email: ada@x.edu\n"
        "  - :name: Bob\n    :email: bob@x.edu\n  :created_at: 2026-09-15 20:23:54 Z\n");
  const std::vector<Submission> all = found();
  EXPECT_EQ(students_of(all), (Names{"ada@x.edu", "bob@x.edu"}));
  EXPECT_EQ(all[0].submitted_at, "2026-09-15T20:23:54Z");
  EXPECT_EQ(students_of(found({{{"ada", "", "ada@x.edu"}}, {{"bob", "", "bob@x.edu"}}})),
            (Names{"ada", "bob"}));
}

// A clone's files are as old as the clone, which says nothing of when they were handed in.
TEST_F(HandedIn, AClonesTimeIsNotKnown) {
  write("lab4-ada/kernels.cu");
  write("lab4-ada/.git/config", "[core]\n");
  write("lab4-ada/.git/kernels.cu", kOther);
  const Submission one = only({{{"ada"}}});
  EXPECT_EQ(one.student, "ada");
  EXPECT_EQ(one.submitted_at, "");
  EXPECT_EQ(one.text->text, kPadded);
}

}  // namespace
}  // namespace lab::grade
